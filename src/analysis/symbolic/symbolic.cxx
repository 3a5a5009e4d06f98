#include "analysis/symbolic/symbolic.hpp"

#include "analysis/symbolic/elimination_tree.hpp"
#include "base/permute.hpp"

#include <algorithm>

namespace tessera {

Offset dense_entries(const Symbolic &symbolic, const std::vector<Index> &weight)
{
  Offset rows = 0;
  for (std::size_t k = symbolic.perm.size(); k-- > 0;) {
    const Offset from_here = rows + weight[symbolic.perm[k]];
    if (symbolic.count[k] < from_here)
      break;
    rows = from_here;
  }
  return rows * (rows + 1) / 2;
}

bool ends_dense(const FactorSize &size)
{
  constexpr double dense_share = 0.9; // of the complete factor's entries
  return double(size.dense_entries) >= dense_share * double(size.entries);
}

bool is_worth_keeping(const FactorSize &size, Offset matrix_entries)
{
  constexpr double few = 2e9;              // some tenths of a second on one core
  constexpr double few_per_entry = 5000;   // of the matrix: less than the analysis and some tens of iterations take
  constexpr double few_per_factored = 800; // entry of the factor: as long as some thirty applications
  const double cheap = std::max({few, few_per_entry * double(matrix_entries), few_per_factored * double(size.entries)});
  return size.flops <= cheap || ends_dense(size);
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
  FactorSize &size = result.size;
  result.perm = compose(perm, post);
  result.parent.resize(n);
  result.count.resize(n);
  for (Index k = 0; k < n; ++k) {
    result.parent[k] = parent[post[k]] < 0 ? -1 : place[parent[post[k]]];
    result.count[k] = count[post[k]];
    for (Index i = 0; i < weight[result.perm[k]]; ++i) {
      const double height = static_cast<double>(result.count[k] - i);
      size.entries += result.count[k] - i;
      size.flops += height * height;
    }
  }
  size.dense_entries = dense_entries(result, weight);
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
