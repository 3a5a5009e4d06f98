#include "factor/lu/lu_plan.hpp"

#include "base/permute.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <iterator>

namespace tessera {
namespace {

/// Sorts the entries of a matrix into fronts and coupling.
class EntrySorter {
public:
  EntrySorter(const RowColumnPairs &pairs, LuPlan &plan)
      : pairs_(pairs), plan_(plan), tree_(plan.fronts.tree), a_(plan.fronts.matrix),
        row_place_(inverse_permutation(tree_.perm)), column_place_(inverse_permutation(plan.column)),
        row_of_column_(inverse_permutation(pairs.column)), front_of_(front_of_columns(tree_))
  {
  }

  void run()
  {
    FrontEntries &entries = plan_.fronts.entries;
    Coupling &coupling = plan_.coupling;
    entries.start.assign(tree_.fronts() + 1, 0);
    coupling.start.assign(tree_.rows() + 1, 0);
    for_each([&](Index i, Index j, Offset, bool inside) {
      ++(inside ? entries.start[front_of_[std::min(i, j)] + 1] : coupling.start[i + 1]);
    });
    sum_counts(entries.start);
    sum_counts(coupling.start);
    entries.source.resize(entries.start.back());
    entries.row.resize(entries.start.back());
    entries.column.resize(entries.start.back());
    coupling.column.resize(coupling.start.back());
    coupling.source.resize(coupling.start.back());
    std::vector<Offset> next(entries.start.begin(), entries.start.end() - 1),
        next_coupling(coupling.start.begin(), coupling.start.end() - 1);
    for_each([&](Index i, Index j, Offset p, bool inside) {
      if (!inside) {
        coupling.column[next_coupling[i]] = j;
        coupling.source[next_coupling[i]++] = plan_.fronts.source[p];
        return;
      }
      const Offset q = next[front_of_[std::min(i, j)]]++;
      entries.row[q] = i;
      entries.column[q] = j;
      entries.source[q] = plan_.fronts.source[p];
    });
    find_places(entries);
  }

private:
  /// Calls work(i, j, p, inside) for entry p, which is the one of row i and column j in elimination order, and whether
  /// it is in a diagonal block.
  template <class Work>
  void for_each(const Work &work) const
  {
    for (Index row = 0; row < a_.rows; ++row)
      for (Offset p = a_.start[row]; p < a_.start[row + 1]; ++p)
        work(row_place_[row], column_place_[a_.column[p]], p,
             pairs_.block[row] == pairs_.block[row_of_column_[a_.column[p]]]);
  }

  /// From the elimination order to places in fronts.
  void find_places(FrontEntries &entries) const
  {
#pragma omp parallel for schedule(dynamic, 64) if (tree_.rows() > parallel_rows)
    for (Index s = 0; s < tree_.fronts(); ++s) {
      const auto below = tree_.below.begin() + tree_.below_start[s],
                 end = tree_.below.begin() + tree_.below_start[s + 1];
      const auto place = [&](Index i) {
        return i < tree_.first[s + 1] ? i - tree_.first[s]
                                      : tree_.columns(s) + static_cast<Index>(std::lower_bound(below, end, i) - below);
      };
      for (Offset q = entries.start[s]; q < entries.start[s + 1]; ++q) {
        entries.row[q] = place(entries.row[q]);
        entries.column[q] = place(entries.column[q]);
      }
    }
  }

  const RowColumnPairs &pairs_;
  LuPlan &plan_;
  const AssemblyTree &tree_;
  const Pattern &a_;
  const std::vector<Index> row_place_, column_place_; ///< in elimination order
  const std::vector<Index> row_of_column_;
  const std::vector<Index> front_of_; ///< see front_of_columns()
};

/// The trees of the fronts, in the order of the blocks that they are.
std::vector<DiagonalBlock> trees_of_blocks(const AssemblyTree &tree, const RowColumnPairs &pairs)
{
  std::vector<DiagonalBlock> blocks;
  std::vector<Index> number;
  Index begin = 0;
  for (Index s = 0; s < tree.fronts(); ++s)
    if (tree.parent[s] < 0) {
      number.push_back(pairs.block[tree.perm[tree.first[s]]]);
      blocks.push_back({begin, s + 1});
      begin = s + 1;
    }
  const ItemsByKey order =
      sort_by_key(0, static_cast<Index>(blocks.size()), pairs.blocks, [&](Index t) { return number[t]; });
  std::vector<DiagonalBlock> sorted;
  for (Index t : order.item)
    sorted.push_back(blocks[t]);
  return sorted;
}

} // namespace

Pattern symmetrized_blocks(const Pattern &matrix, const RowColumnPairs &pairs)
{
  const std::vector<Index> row_of = inverse_permutation(pairs.column);
  Pattern inside;
  inside.rows = inside.cols = matrix.rows;
  inside.start.assign(1, 0);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Offset p = matrix.start[i]; p < matrix.start[i + 1]; ++p)
      if (pairs.block[row_of[matrix.column[p]]] == pairs.block[i])
        inside.column.push_back(row_of[matrix.column[p]]);
    inside.start.push_back(static_cast<Offset>(inside.column.size()));
  }
  const Pattern transposed = transpose(inside);
  inside = transpose(transposed); // rows in ascending order
  Pattern both;
  both.rows = both.cols = matrix.rows;
  both.start.assign(1, 0);
  for (Index i = 0; i < matrix.rows; ++i) {
    std::set_union(inside.column.begin() + inside.start[i], inside.column.begin() + inside.start[i + 1],
                   transposed.column.begin() + transposed.start[i], transposed.column.begin() + transposed.start[i + 1],
                   std::back_inserter(both.column));
    both.start.push_back(static_cast<Offset>(both.column.size()));
  }
  return both;
}

void set_scale(LuPlan &plan, const std::vector<double> &row, const std::vector<double> &column)
{
  set_scale(plan.fronts, row);
  plan.column_scale.clear();
  plan.column_scale_product = {};
  for (Index j : plan.column) {
    plan.column_scale.push_back(column[j]);
    plan.column_scale_product.times(column[j]);
  }
}

std::vector<double> unpermuted_column_scale(const LuPlan &plan)
{
  std::vector<double> scale(plan.column_scale.size());
  for (std::size_t k = 0; k < scale.size(); ++k)
    scale[plan.column[k]] = plan.column_scale[k];
  return scale;
}

void complete_lu_plan(const RowColumnPairs &pairs, LuPlan &plan)
{
  const AssemblyTree &tree = plan.fronts.tree;
  plan.fronts.symmetric = false;
  for (Index row : tree.perm)
    plan.column.push_back(pairs.column[row]);
  EntrySorter(pairs, plan).run();
  plan.block = trees_of_blocks(tree, pairs);
  complete_plan(plan.fronts);
}

} // namespace tessera
