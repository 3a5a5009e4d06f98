#include "analysis/symbolic/elimination_tree.hpp"

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

std::vector<double> subtree_sums(const std::vector<Index> &parent, std::vector<double> own)
{
  for (std::size_t j = 0; j < parent.size(); ++j)
    if (parent[j] >= 0)
      own[parent[j]] += own[j];
  return own;
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

} // namespace tessera
