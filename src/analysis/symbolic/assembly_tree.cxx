#include "analysis/symbolic/assembly_tree.hpp"

#include "base/permute.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

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

/// Rows of the fronts, from those of their children and the entries of the matrix.
class RowLists {
public:
  RowLists(const CompressedGraph &graph, const Supernodes &supernodes, AssemblyTree &tree)
      : graph_(graph), supernodes_(supernodes), tree_(tree), place_(inverse_permutation(supernodes.perm)),
        mark_(graph.weight.size(), -1), row_(graph.weight.size() + 1, 0)
  {
    for (std::size_t v = 0; v < supernodes.perm.size(); ++v)
      row_[v + 1] = row_[v] + graph.weight[supernodes.perm[v]];
  }

  void make()
  {
    tree_.below_start.assign(1, 0);
    for (Index s = 0; s < tree_.fronts(); ++s) {
      vertices_.clear();
      for (Index v = supernodes_.start[s]; v < supernodes_.start[s + 1]; ++v)
        add_neighbours(s, v);
      for (Index c = tree_.child_start[s]; c < tree_.child_start[s + 1]; ++c)
        add_vertices_of(s, tree_.child[c]);
      std::sort(vertices_.begin(), vertices_.end());
      vertex_lists_.push_back(vertices_);
      for (Index v : vertices_)
        for (Index r = row_[v]; r < row_[v + 1]; ++r)
          tree_.below.push_back(r);
      tree_.below_start.push_back(static_cast<Offset>(tree_.below.size()));
    }
  }

private:
  void add(Index s, Index v)
  {
    if (v >= supernodes_.start[s + 1] && mark_[v] != s) {
      mark_[v] = s;
      vertices_.push_back(v);
    }
  }

  void add_neighbours(Index s, Index v)
  {
    const Index old = supernodes_.perm[v];
    for (Offset p = graph_.pattern.start[old]; p < graph_.pattern.start[old + 1]; ++p)
      add(s, place_[graph_.pattern.column[p]]);
  }

  void add_vertices_of(Index s, Index child)
  {
    for (Index v : vertex_lists_[child])
      add(s, v);
    std::vector<Index>().swap(vertex_lists_[child]);
  }

  const CompressedGraph &graph_;
  const Supernodes &supernodes_;
  AssemblyTree &tree_;
  std::vector<Index> place_;                     ///< [vertices] of the graph, in the order of the supernodes
  std::vector<Index> mark_;                      ///< [vertices] the front that has listed it last
  std::vector<Index> row_;                       ///< [vertices + 1] first row of each vertex
  std::vector<Index> vertices_;                  ///< of the front at hand
  std::vector<std::vector<Index>> vertex_lists_; ///< [fronts] until the parent has taken them
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

AssemblyTree assembly_tree(const CompressedGraph &graph, const Supernodes &given)
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
  list_children(tree);
  RowLists(graph, supernodes, tree).make();
  find_places(tree);
  return tree;
}

FrontEntries front_entries(const AssemblyTree &tree, const Pattern &matrix, const std::vector<Offset> &source)
{
  const Index n = tree.fronts();
  const std::vector<Index> order = inverse_permutation(tree.perm);
  FrontEntries entries;
  entries.start.assign(n + 1, 0);
#pragma omp parallel for schedule(dynamic, 64) if (tree.rows() > parallel_rows)
  for (Index s = 0; s < n; ++s) {
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j)
      for (Offset p = matrix.start[tree.perm[j]]; p < matrix.start[tree.perm[j] + 1]; ++p)
        entries.start[s + 1] += order[matrix.column[p]] >= j;
  }
  std::partial_sum(entries.start.begin(), entries.start.end(), entries.start.begin());
  entries.source.resize(entries.start[n]);
  entries.row.resize(entries.start[n]);
  entries.column.resize(entries.start[n]);
#pragma omp parallel for schedule(dynamic, 64) if (tree.rows() > parallel_rows)
  for (Index s = 0; s < n; ++s) {
    const auto below = tree.below.begin() + tree.below_start[s], end = tree.below.begin() + tree.below_start[s + 1];
    Offset q = entries.start[s];
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j) {
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
  }
  return entries;
}

} // namespace tessera
