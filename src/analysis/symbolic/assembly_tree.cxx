#include "analysis/symbolic/assembly_tree.hpp"

#include "analysis/symbolic/elimination_tree.hpp"
#include "base/allocate.hpp"
#include "base/parallel_for.hpp"
#include "base/permute.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// Whole subtrees of fronts, next to each other in postorder, that one thread goes through.
struct Chunk {
  Index begin, end; ///< fronts
};

/// The fronts that are in no chunk are the ancestors of those that are, so that they come after all chunks.
struct ChunksOfTree {
  std::vector<Chunk> chunk;
  std::vector<Index> above;
};

/// Cuts a tree into chunks of at most 1/64 of its matrix. It depends on the tree only.
ChunksOfTree cut_into_chunks(const AssemblyTree &tree, const Pattern &matrix)
{
  const Index fronts = tree.fronts();
  std::vector<double> work(fronts); // of a subtree
  for (Index s = 0; s < fronts; ++s)
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j)
      work[s] += double(matrix.start[tree.perm[j] + 1] - matrix.start[tree.perm[j]]);
  work = subtree_sums(tree.parent, std::move(work));
  const double most = double(matrix.entries()) / 64;
  ChunksOfTree cut;
  double of_chunk = 0;
  for (Index s = 0; s < fronts; ++s) {
    if (work[s] > most) {
      cut.above.push_back(s);
      continue;
    }
    const Index up = tree.parent[s];
    if (up >= 0 && work[up] <= most)
      continue;
    const Index begin = tree.first_of_subtree(s);
    if (!cut.chunk.empty() && cut.chunk.back().end == begin && of_chunk + work[s] <= most) {
      cut.chunk.back().end = s + 1;
      of_chunk += work[s];
    } else {
      cut.chunk.push_back({begin, s + 1});
      of_chunk = work[s];
    }
  }
  return cut;
}

/// Rows of the fronts, from those of their children and the entries of the matrix.
class RowLists {
public:
  RowLists(AssemblyTree &tree, const Pattern &matrix)
      : tree_(tree), matrix_(matrix), place_(inverse_permutation(tree.perm)), list_(tree.fronts())
  {
  }

  void make()
  {
    const ChunksOfTree cut = cut_into_chunks(tree_, matrix_);
    const Index chunks = static_cast<Index>(cut.chunk.size());
    std::vector<std::vector<Index>> rows(chunks + 1);
    const auto make_marks = [this] { return std::vector<Index>(tree_.perm.size(), -1); };
    parallel_for_with(chunks, 1, tree_.rows() > parallel_rows, make_marks, [&](std::vector<Index> &mark, Index c) {
      for (Index s = cut.chunk[c].begin; s < cut.chunk[c].end; ++s)
        list_rows(s, rows[c], mark);
    });
    std::vector<Index> mark = make_marks();
    for (Index s : cut.above)
      list_rows(s, rows[chunks], mark);
    join();
  }

private:
  /// The rows below the columns of a front, in memory of its chunk.
  struct List {
    const std::vector<Index> *of;
    std::size_t begin, end;
  };

  /// Appends those of front s, whose children have theirs. mark: [rows] of the matrix, the front that has listed it
  /// last.
  void list_rows(Index s, std::vector<Index> &rows, std::vector<Index> &mark)
  {
    const std::size_t begin = rows.size();
    const auto add = [&](Index row) {
      if (row < tree_.first[s + 1] || mark[row] == s)
        return;
      mark[row] = s;
      rows.push_back(row);
    };
    for (Index j = tree_.first[s]; j < tree_.first[s + 1]; ++j)
      for (Offset p = matrix_.start[tree_.perm[j]]; p < matrix_.start[tree_.perm[j] + 1]; ++p)
        add(place_[matrix_.column[p]]);
    for (Index c = tree_.child_start[s]; c < tree_.child_start[s + 1]; ++c) {
      const List child = list_[tree_.child[c]];
      for (std::size_t p = child.begin; p < child.end; ++p)
        add((*child.of)[p]);
    }
    std::sort(rows.begin() + std::ptrdiff_t(begin), rows.end());
    list_[s] = {&rows, begin, rows.size()};
  }

  /// The lists one after the other.
  void join()
  {
    const Index fronts = tree_.fronts();
    tree_.below_start = row_starts(fronts, false, [this](Index s) { return Offset(list_[s].end - list_[s].begin); });
    allocate_in_parallel(tree_.below, tree_.below_start[fronts]);
#pragma omp parallel for schedule(dynamic, 64) if (tree_.rows() > parallel_rows)
    for (Index s = 0; s < fronts; ++s)
      std::copy(list_[s].of->begin() + std::ptrdiff_t(list_[s].begin),
                list_[s].of->begin() + std::ptrdiff_t(list_[s].end), tree_.below.begin() + tree_.below_start[s]);
  }

  AssemblyTree &tree_;
  const Pattern &matrix_;
  std::vector<Index> place_; ///< [rows] of the matrix, in elimination order
  std::vector<List> list_;   ///< [fronts]
};

/// Places in the front of the parent, whose rows contain those below the columns of the child.
void find_places(AssemblyTree &tree)
{
  allocate_in_parallel(tree.to_parent, tree.below.size());
#pragma omp parallel for schedule(dynamic, 64) if (tree.rows() > parallel_rows)
  for (Index s = 0; s < tree.fronts(); ++s) {
    const Index up = tree.parent[s];
    if (up < 0) // which has no rows below its columns
      continue;
    Offset q = tree.below_start[up];
    for (Offset p = tree.below_start[s]; p < tree.below_start[s + 1]; ++p) {
      const Index row = tree.below[p];
      if (row < tree.first[up + 1]) {
        tree.to_parent[p] = row - tree.first[up];
        continue;
      }
      while (tree.below[q] != row)
        ++q;
      tree.to_parent[p] = tree.columns(up) + static_cast<Index>(q - tree.below_start[up]);
    }
  }
}

} // namespace

void list_children(AssemblyTree &tree)
{
  const Index n = tree.fronts();
  tree.child_start.assign(n + 1, 0);
  for (Index parent : tree.parent)
    if (parent >= 0)
      ++tree.child_start[parent + 1];
  std::partial_sum(tree.child_start.begin(), tree.child_start.end(), tree.child_start.begin());
  tree.child.resize(tree.child_start[n]);
  std::vector<Index> next(tree.child_start.begin(), tree.child_start.end() - 1);
  for (Index s = 0; s < n; ++s)
    if (tree.parent[s] >= 0)
      tree.child[next[tree.parent[s]]++] = s;
}

std::vector<Index> front_of_columns(const AssemblyTree &tree)
{
  std::vector<Index> front(tree.rows());
  for (Index s = 0; s < tree.fronts(); ++s)
    std::fill(front.begin() + tree.first[s], front.begin() + tree.first[s + 1], s);
  return front;
}

void complete_tree(AssemblyTree &tree, const Pattern &matrix)
{
  list_children(tree);
  RowLists(tree, matrix).make();
  find_places(tree);
}

AssemblyTree assembly_tree(const CompressedGraph &graph, const Supernodes &given, const Pattern &matrix)
{
  AssemblyTree tree;
  // Pairs come first in a front: panels of an even number of columns then tear none apart.
  Supernodes supernodes = given;
  for (Index s = 0; s < supernodes.count(); ++s)
    std::stable_partition(supernodes.perm.begin() + supernodes.start[s],
                          supernodes.perm.begin() + supernodes.start[s + 1],
                          [&](Index vertex) { return graph.weight[vertex] == 2; });
  tree.perm = expand(graph, supernodes.perm);
  tree.parent = supernodes.parent;
  tree.first.assign(1, 0);
  tree.pair.assign(tree.perm.size(), 0);
  Index row = 0;
  for (Index s = 0; s < supernodes.count(); ++s) {
    for (Index v = supernodes.start[s]; v < supernodes.start[s + 1]; ++v) {
      tree.pair[row] = graph.weight[supernodes.perm[v]] == 2;
      row += graph.weight[supernodes.perm[v]];
    }
    tree.first.push_back(row);
  }
  complete_tree(tree, matrix);
  return tree;
}

FrontEntries front_entries(const AssemblyTree &tree, const Pattern &matrix, const std::vector<Offset> &source)
{
  const std::vector<Index> order = inverse_permutation(tree.perm);
  // By columns, not by fronts: a dense matrix is one front.
  const std::vector<Offset> start = row_starts(tree.rows(), tree.rows() > parallel_rows, [&](Index j) {
    Offset count = 0;
    for (Offset p = matrix.start[tree.perm[j]]; p < matrix.start[tree.perm[j] + 1]; ++p)
      count += order[matrix.column[p]] >= j;
    return count;
  });
  FrontEntries entries;
  for (Index first : tree.first)
    entries.start.push_back(start[first]);
  entries.source.resize(start.back());
  entries.row.resize(start.back());
  entries.column.resize(start.back());
  const std::vector<Index> front = front_of_columns(tree);
#pragma omp parallel for schedule(dynamic, 64) if (tree.rows() > parallel_rows)
  for (Index j = 0; j < tree.rows(); ++j) {
    const Index s = front[j];
    const auto below = tree.below.begin() + tree.below_start[s], end = tree.below.begin() + tree.below_start[s + 1];
    Offset q = start[j];
    for (Offset p = matrix.start[tree.perm[j]]; p < matrix.start[tree.perm[j] + 1]; ++p) {
      const Index i = order[matrix.column[p]];
      if (i < j)
        continue;
      entries.source[q] = source[p];
      entries.column[q] = j - tree.first[s];
      entries.row[q] = i < tree.first[s + 1]
                           ? i - tree.first[s]
                           : tree.columns(s) + static_cast<Index>(std::lower_bound(below, end, i) - below);
      ++q;
    }
  }
  return entries;
}

} // namespace tessera
