#include "factor/lu/lu_plan.hpp"

#include "base/collect_rows.hpp"
#include "base/key_sort.hpp"
#include "base/permute.hpp"

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
    sort_into_fronts();
    if (pairs_.blocks > 1)
      sort_into_coupling();
    else
      plan_.coupling.start.assign(tree_.rows() + 1, 0);
    find_places(plan_.fronts.entries);
  }

private:
  bool is_inside(Index row, Offset p) const { return pairs_.block[row] == pairs_.block[row_of_column_[a_.column[p]]]; }

  /// Those in diagonal blocks.
  void sort_into_fronts()
  {
    KeySort sort(a_.rows, tree_.fronts(), a_.entries());
    const auto for_rows = [this](Index begin, Index end, const auto &emit) {
      for (Index row = begin; row < end; ++row)
        for (Offset p = a_.start[row]; p < a_.start[row + 1]; ++p) {
          if (!is_inside(row, p))
            continue;
          const Index i = row_place_[row], j = column_place_[a_.column[p]];
          emit(front_of_[std::min(i, j)], i, j, p);
        }
    };
    sort.count(for_rows);
    FrontEntries &entries = plan_.fronts.entries;
    entries.start = sort.start();
    entries.source.resize(entries.start.back());
    entries.row.resize(entries.start.back());
    entries.column.resize(entries.start.back());
    sort.fill(for_rows, [&](Offset q, Index i, Index j, Offset p) {
      entries.row[q] = i;
      entries.column[q] = j;
      entries.source[q] = plan_.fronts.source[p];
    });
  }

  /// Those between diagonal blocks.
  void sort_into_coupling()
  {
    KeySort sort(a_.rows, tree_.rows(), a_.entries());
    const auto for_rows = [this](Index begin, Index end, const auto &emit) {
      for (Index row = begin; row < end; ++row)
        for (Offset p = a_.start[row]; p < a_.start[row + 1]; ++p)
          if (!is_inside(row, p))
            emit(row_place_[row], column_place_[a_.column[p]], p);
    };
    sort.count(for_rows);
    Coupling &coupling = plan_.coupling;
    coupling.start = sort.start();
    coupling.column.resize(coupling.start.back());
    coupling.source.resize(coupling.start.back());
    sort.fill(for_rows, [&](Offset q, Index j, Offset p) {
      coupling.column[q] = j;
      coupling.source[q] = plan_.fronts.source[p];
    });
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
  const Index n = matrix.rows;
  const Offset most = 2 * matrix.entries();
  Pattern inside, both;
  const auto find_inside = [&](Index i, FoundRows &found) {
    const auto begin = std::ptrdiff_t(found.column.size());
    for (Offset p = matrix.start[i]; p < matrix.start[i + 1]; ++p)
      if (pairs.block[row_of[matrix.column[p]]] == pairs.block[i])
        found.column.push_back(row_of[matrix.column[p]]);
    std::sort(found.column.begin() + begin, found.column.end());
  };
  collect_rows(
      n, most, [&] { return find_inside; }, inside);
  const Pattern transposed = transpose(inside);
  const auto unite = [&](Index i, FoundRows &found) {
    std::set_union(inside.column.begin() + inside.start[i], inside.column.begin() + inside.start[i + 1],
                   transposed.column.begin() + transposed.start[i], transposed.column.begin() + transposed.start[i + 1],
                   std::back_inserter(found.column));
  };
  collect_rows(
      n, most, [&] { return unite; }, both);
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
