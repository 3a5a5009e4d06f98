#include "analysis/symbolic/assembly_tree.hpp"

#include "base/permute.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// Rows of the fronts, from those of their children and the entries of the matrix.
class RowLists {
public:
  RowLists(AssemblyTree &tree, const Pattern &matrix)
      : tree_(tree), matrix_(matrix), place_(inverse_permutation(tree.perm)), mark_(tree.perm.size(), -1)
  {
  }

  void make()
  {
    tree_.below.clear();
    tree_.below_start.assign(1, 0);
    for (Index s = 0; s < tree_.fronts(); ++s) {
      const auto begin = tree_.below.size();
      for (Index j = tree_.first[s]; j < tree_.first[s + 1]; ++j)
        for (Offset p = matrix_.start[tree_.perm[j]]; p < matrix_.start[tree_.perm[j] + 1]; ++p)
          add(s, place_[matrix_.column[p]]);
      for (Index c = tree_.child_start[s]; c < tree_.child_start[s + 1]; ++c) {
        const Index child = tree_.child[c];
        for (Offset p = tree_.below_start[child]; p < tree_.below_start[child + 1]; ++p)
          add(s, tree_.below[p]);
      }
      std::sort(tree_.below.begin() + std::ptrdiff_t(begin), tree_.below.end());
      tree_.below_start.push_back(static_cast<Offset>(tree_.below.size()));
    }
  }

private:
  void add(Index s, Index row)
  {
    if (row < tree_.first[s + 1] || mark_[row] == s)
      return;
    mark_[row] = s;
    tree_.below.push_back(row);
  }

  AssemblyTree &tree_;
  const Pattern &matrix_;
  std::vector<Index> place_; ///< [rows] of the matrix, in elimination order
  std::vector<Index> mark_;  ///< [rows] the front that has listed it last
};

/// Places in the front of the parent, whose rows contain those below the columns of the child.
void find_places(AssemblyTree &tree)
{
  tree.to_parent.assign(tree.below.size(), -1);
#pragma omp parallel for schedule(dynamic, 64) if (tree.rows() > parallel_rows)
  for (Index s = 0; s < tree.fronts(); ++s) {
    const Index up = tree.parent[s];
    if (up < 0)
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
