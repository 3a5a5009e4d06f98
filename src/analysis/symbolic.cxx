#include "analysis/symbolic.hpp"

#include "analysis/permute.hpp"

#include <algorithm>

namespace tessera {

std::vector<Index> elimination_tree(const Pattern &graph)
{
  std::vector<Index> parent(graph.rows, -1), ancestor(graph.rows, -1);
  for (Index i = 0; i < graph.rows; ++i) {
    for (Offset p = graph.start[i]; p < graph.start[i + 1] && graph.column[p] < i; ++p) {
      // Climb from the neighbour to the root of its subtree, pointing everything passed at i.
      Index j = graph.column[p];
      while (ancestor[j] != -1 && ancestor[j] != i) {
        const Index next = ancestor[j];
        ancestor[j] = i;
        j = next;
      }
      if (ancestor[j] == -1)
        ancestor[j] = parent[j] = i;
    }
  }
  return parent;
}

std::vector<Index> postorder(const std::vector<Index> &parent)
{
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> first(n, -1), sibling(n, -1), post, stack;
  for (Index j = n - 1; j >= 0; --j) {
    if (parent[j] >= 0) {
      sibling[j] = first[parent[j]];
      first[parent[j]] = j;
    }
  }
  post.reserve(n);
  for (Index root = 0; root < n; ++root) {
    if (parent[root] >= 0)
      continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const Index j = stack.back();
      if (first[j] >= 0) {
        stack.push_back(first[j]);
        first[j] = sibling[first[j]];
      } else {
        post.push_back(j);
        stack.pop_back();
      }
    }
  }
  return post;
}

std::vector<Offset> column_counts(const Pattern &graph, const std::vector<Index> &weight,
                                  const std::vector<Index> &parent, const std::vector<Index> &post)
{
  const Index n = graph.rows;
  // first[j]: the first descendant of j in postorder. The row subtree of i (the columns with an entry in row i) has j
  // as a leaf when no earlier neighbour of i lies in the subtree of j, that is when first[j] is beyond the last one.
  std::vector<Index> first(n, -1), last_first(n, -1), last_leaf(n, -1), ancestor(n);
  std::vector<Offset> count(n, 0);
  for (Index k = 0; k < n; ++k) {
    ancestor[k] = k;
    Index j = post[k];
    if (first[j] == -1)
      count[j] = weight[j];
    for (; j != -1 && first[j] == -1; j = parent[j])
      first[j] = k;
  }
  // Difference form: each row subtree adds its weight at its leaves and takes it away again where two paths to the
  // root meet and above the root, so that sums over subtrees give the counts.
  for (Index j : post) {
    if (parent[j] >= 0)
      count[parent[j]] -= weight[j];
    for (Offset p = graph.start[j]; p < graph.start[j + 1]; ++p) {
      const Index i = graph.column[p];
      if (i <= j || first[j] <= last_first[i])
        continue;
      last_first[i] = first[j];
      count[j] += weight[i];
      const Index previous = last_leaf[i];
      last_leaf[i] = j;
      if (previous < 0)
        continue;
      Index meet = previous;
      while (meet != ancestor[meet])
        meet = ancestor[meet];
      for (Index s = previous; s != meet;) {
        const Index next = ancestor[s];
        ancestor[s] = meet;
        s = next;
      }
      count[meet] -= weight[i];
    }
    if (parent[j] >= 0)
      ancestor[j] = parent[j];
  }
  for (Index j : post) {
    if (parent[j] >= 0)
      count[parent[j]] += count[j];
  }
  return count;
}

Symbolic analyze(const Pattern &graph, const std::vector<Index> &weight, const std::vector<Index> &perm)
{
  const Index n = static_cast<Index>(perm.size());
  const Pattern permuted = permute_graph(graph, perm);
  const std::vector<Index> parent = elimination_tree(permuted), post = postorder(parent);
  const std::vector<Offset> count = column_counts(permuted, compose(weight, perm), parent, post);
  // A postorder has the same tree and the same counts, under other names.
  const std::vector<Index> place = inverse_permutation(post);
  Symbolic result;
  result.perm = compose(perm, post);
  result.parent.resize(n);
  result.count.resize(n);
  for (Index k = 0; k < n; ++k) {
    result.parent[k] = parent[post[k]] < 0 ? -1 : place[parent[post[k]]];
    result.count[k] = count[post[k]];
    for (Index i = 0; i < weight[result.perm[k]]; ++i) {
      const double height = static_cast<double>(result.count[k] - i);
      result.entries += result.count[k] - i;
      result.flops += height * height;
    }
  }
  return result;
}

Index tree_depth(const Symbolic &symbolic, const std::vector<Index> &weight, Index block_rows, Index least)
{
  struct Path {
    Index blocks, rows; ///< how many, and how many rows the last of them has; as many as fit if it takes no more
    bool operator<(const Path &o) const { return blocks != o.blocks ? blocks < o.blocks : rows < o.rows; }
  };
  std::vector<Path> longest(symbolic.perm.size(), Path{0, block_rows});
  Path all{0, 0};
  for (std::size_t k = 0; k < symbolic.perm.size(); ++k) {
    const Index own = weight[symbolic.perm[k]], parent = symbolic.parent[k];
    Path path = longest[k];
    if (path.rows + own > block_rows)
      path = {path.blocks + 1, own};
    else
      path.rows += own;
    all = std::max(all, path);
    if (parent < 0)
      continue;
    if (path.rows >= least && symbolic.count[k] != symbolic.count[parent] + own)
      path.rows = block_rows;
    longest[parent] = std::max(longest[parent], path);
  }
  return all.blocks;
}

} // namespace tessera
