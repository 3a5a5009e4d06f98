#include "analysis/symbolic/supernodes.hpp"

#include "analysis/symbolic/elimination_tree.hpp"
#include "base/permute.hpp"
#include "base/row_starts.hpp"

namespace tessera {
namespace {

/// A supernode while it grows. All sizes in rows.
struct Trapezoid {
  Offset columns, height;
  double zeros; ///< explicit zeros among its entries

  double entries() const { return double(columns) * double(height) - 0.5 * double(columns) * double(columns - 1); }
};

/// Maximal chains j, parent[j] = j + 1, .. of columns that lose exactly their own rows from one to the next.
/// Returns where each begins, with n at the end.
std::vector<Index> chains(const Symbolic &symbolic, const std::vector<Index> &weight)
{
  const Index n = static_cast<Index>(symbolic.perm.size());
  std::vector<Index> start;
  for (Index j = 0; j < n; ++j) {
    const bool continues = j > 0 && symbolic.parent[j - 1] == j &&
                           symbolic.count[j - 1] == symbolic.count[j] + weight[symbolic.perm[j - 1]];
    if (!continues)
      start.push_back(j);
  }
  start.push_back(n);
  return start;
}

Trapezoid merge(const Trapezoid &child, const Trapezoid &parent)
{
  // The rows of the child below its own columns are all rows of the parent.
  Trapezoid merged{child.columns + parent.columns, child.columns + parent.height, 0};
  merged.zeros = merged.entries() - (child.entries() - child.zeros) - (parent.entries() - parent.zeros);
  return merged;
}

double cost(const Trapezoid &front)
{
  return front_cost(double(front.columns), double(front.height));
}

bool accepts(const Relaxation &relaxation, const Trapezoid &child, const Trapezoid &parent, const Trapezoid &merged)
{
  const Offset small = relaxation.small_rows;
  if (child.height <= small && parent.height <= small && merged.height > small)
    return false;
  if (child.columns < relaxation.nemin && parent.columns < relaxation.nemin)
    return true;
  if (merged.zeros > relaxation.zeros * merged.entries())
    return false;
  return !relaxation.only_cheaper || cost(merged) <= cost(child) + cost(parent);
}

/// Merges children into parents bottom up. parent: tree of the chains. Returns into[s], the chain that swallowed s,
/// or -1; `shape` is updated for the survivors.
std::vector<Index> relax(const std::vector<Index> &parent, const Relaxation &relaxation, std::vector<Trapezoid> &shape)
{
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> into(n, -1), last_child(n, -1), sibling(n, -1);
  for (Index s = 0; s < n; ++s) {
    for (Index c = last_child[s]; c >= 0; c = sibling[c]) {
      const Trapezoid merged = merge(shape[c], shape[s]);
      if (accepts(relaxation, shape[c], shape[s], merged)) {
        shape[s] = merged;
        into[c] = s;
      }
    }
    if (parent[s] >= 0) {
      sibling[s] = last_child[parent[s]];
      last_child[parent[s]] = s;
    }
  }
  return into;
}

/// Lists the survivors in a postorder of their tree, each with the vertices of all chains merged into it.
Supernodes gather(const Symbolic &symbolic, const std::vector<Index> &chain, const std::vector<Index> &parent,
                  const std::vector<Index> &into, const std::vector<Trapezoid> &shape)
{
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> survivor(n), number(n, -1), kept;
  for (Index s = n - 1; s >= 0; --s)
    survivor[s] = into[s] < 0 ? s : survivor[into[s]];
  for (Index s = 0; s < n; ++s) {
    if (into[s] < 0) {
      number[s] = static_cast<Index>(kept.size());
      kept.push_back(s);
    }
  }
  std::vector<Index> tree(kept.size(), -1);
  for (Index s = 0; s < n; ++s)
    if (into[s] < 0 && parent[s] >= 0)
      tree[number[s]] = number[survivor[parent[s]]];
  const ItemsByKey members =
      sort_by_key(0, n, static_cast<Index>(kept.size()), [&](Index s) { return number[survivor[s]]; });

  const std::vector<Index> post = postorder(tree), place = inverse_permutation(post);
  Supernodes result;
  result.perm.reserve(symbolic.perm.size());
  result.start = {0};
  for (Index k : post) {
    for (Index m = members.start[k]; m < members.start[k + 1]; ++m)
      result.perm.insert(result.perm.end(), symbolic.perm.begin() + chain[members.item[m]],
                         symbolic.perm.begin() + chain[members.item[m] + 1]);
    result.start.push_back(static_cast<Index>(result.perm.size()));
    result.parent.push_back(tree[k] < 0 ? -1 : place[tree[k]]);
    result.height.push_back(shape[kept[k]].height);
  }
  return result;
}

} // namespace

Supernodes supernodes(const Symbolic &symbolic, const std::vector<Index> &weight, const Relaxation &relaxation)
{
  const std::vector<Index> chain = chains(symbolic, weight);
  const Index n = static_cast<Index>(chain.size()) - 1;
  std::vector<Index> chain_of(symbolic.perm.size()), parent(n);
  std::vector<Trapezoid> shape(n);
  for (Index s = 0; s < n; ++s) {
    shape[s] = {0, symbolic.count[chain[s]], 0};
    for (Index j = chain[s]; j < chain[s + 1]; ++j) {
      chain_of[j] = s;
      shape[s].columns += weight[symbolic.perm[j]];
    }
  }
  for (Index s = 0; s < n; ++s) {
    const Index up = symbolic.parent[chain[s + 1] - 1];
    parent[s] = up < 0 ? -1 : chain_of[up];
  }
  const std::vector<Index> into = relax(parent, relaxation, shape);
  return gather(symbolic, chain, parent, into, shape);
}

double front_flops(double columns, double rows)
{
  // sum over the columns of the square of what is below them
  const double below = rows - columns;
  return columns * below * below + columns * (columns - 1) * below + columns * (columns - 1) * (2 * columns - 1) / 6;
}

double front_cost(double columns, double rows)
{
  // predicted_front_time() over the time of an operation, but for two terms: an entry of the factor counts twice, as
  // solves read it as well, and a front by half, as the operations of LU count for two.
  constexpr double front = 7e3, column_entry = 300, contribution_entry = 60;
  const double below = rows - columns;
  return front + column_entry * columns * rows + contribution_entry * below * below + front_flops(columns, rows);
}

FrontCounts count_fronts(const Supernodes &supernodes, const std::vector<Index> &weight)
{
  FrontCounts counts;
  counts.fronts = supernodes.count();
  for (Index s = 0; s < supernodes.count(); ++s) {
    const double columns = supernodes.columns(s, weight), rows = double(supernodes.height[s]), below = rows - columns;
    counts.columns += columns * rows;
    counts.contributions += below * below;
    counts.flops += front_flops(columns, rows);
  }
  return counts;
}

} // namespace tessera
