#include "factor/front/order_fronts.hpp"

#include "analysis/symbolic/merge_leaves.hpp"
#include "factor/front/device/group_children.hpp"
#include "factor/front/predicted_time.hpp"

namespace tessera {
namespace {

/// The order of the vertices in which their first rows come in an order of the rows.
std::vector<Index> order_of_vertices(const CompressedGraph &graph, const std::vector<Index> &rows)
{
  const Index vertices = static_cast<Index>(graph.weight.size());
  const std::vector<Index> vertex_of = vertices_of_rows(graph);
  std::vector<Index> perm;
  std::vector<bool> taken(vertices, false);
  for (Index row : rows)
    if (!taken[vertex_of[row]]) {
      taken[vertex_of[row]] = true;
      perm.push_back(vertex_of[row]);
    }
  return perm;
}

/// Graphs with more vertices are cut by nested dissection without a look at minimum degree, which is one thread's.
constexpr Index compared_vertices = 100000;

/// OrderingChoice::flops_per_entry: a factorization that takes a small part of the time of nested dissection, because
/// an analysis is for many of them.
constexpr double dissection_operations = 500;

} // namespace

Relaxation relaxation_of(const Symbolic &symbolic, const PlanOptions &options)
{
  Relaxation relaxation = options.relaxation;
  if (symbolic.size.flops < options.small_flops)
    relaxation.nemin = options.small_nemin;
  return relaxation;
}

namespace {

/// Fronts of more than so many rows, and those above them.
Index count_large(const Supernodes &fronts, Index rows)
{
  std::vector<bool> large(fronts.count(), false);
  Index count = 0;
  for (Index s = 0; s < fronts.count(); ++s) {
    large[s] = large[s] || fronts.height[s] > rows;
    if (large[s] && fronts.parent[s] >= 0)
      large[fronts.parent[s]] = true;
    count += large[s];
  }
  return count;
}

/// Fronts without those of at most small_rows rows merged into larger ones, where that leaves two thirds or less of
/// many large ones.
Supernodes merge_for_warps(const Symbolic &symbolic, const CompressedGraph &graph, const PlanOptions &options)
{
  Relaxation relaxation = relaxation_of(symbolic, options);
  Supernodes fronts = supernodes(symbolic, graph.weight, relaxation);
  const Index large = options.small_rows > 0 ? count_large(fronts, options.small_rows) : 0;
  if (large <= options.many_fronts)
    return fronts;
  relaxation.small_rows = options.small_rows;
  Supernodes bounded = supernodes(symbolic, graph.weight, relaxation);
  return 3 * Offset(count_large(bounded, options.small_rows)) <= 2 * Offset(large) ? bounded : fronts;
}

/// Wider fronts for the leaves of fronts that tiles add up. A panel of these has as many columns as a tile.
WideLeaves wide_leaves(Index least_leaves, bool symmetric)
{
  WideLeaves wide;
  wide.least_rows = usual_block_rows;
  wide.least_leaves = least_leaves;
  constexpr Index any = std::numeric_limits<Index>::max();
  wide.bounds = {{device_leaf.columns, any}, {DeviceFront::tile_width, any}};
  wide.most_added = most_children;
  wide.sum_rows = usual_block_rows;
  wide.sum_children = sum_children;
  wide.cost = [symmetric](const std::vector<FrontShape> &fronts, Index sums) {
    return predicted_leaf_time(fronts, sums, symmetric);
  };
  return wide;
}

} // namespace

Supernodes fronts_of(const Symbolic &symbolic, const CompressedGraph &graph, const PlanOptions &options, bool symmetric)
{
  Supernodes fronts = merge_for_warps(symbolic, graph, options);
  if (options.leaves.columns > 0)
    fronts = merge_leaves(fronts, graph.pattern, graph.weight, options.leaves, symmetric,
                          options.wide_leaves > 0 ? wide_leaves(options.wide_leaves, symmetric) : WideLeaves());
  return options.panels.width > 0 ? fit_panels(fronts, graph.weight, options.panels) : fronts;
}

namespace {

/// How nested dissection and minimum degree are chosen between. Where levels cost something, both are looked at.
OrderingChoice choice_for(const PlanOptions &options)
{
  OrderingChoice choice;
  choice.flops_per_entry = dissection_operations;
  choice.leaf = options.leaf;
  if (options.level_flops > 0)
    choice.level_flops = [options](const Symbolic &symbolic, const std::vector<Index> &weight) {
      const Index nemin = relaxation_of(symbolic, options).nemin;
      return options.level_flops * tree_depth(symbolic, weight, nemin, nemin);
    };
  return choice;
}

Symbolic order_and_analyze(const CompressedGraph &graph, const PlanOptions &options)
{
  if (options.ordering != Ordering::Automatic)
    return order_and_count(graph.pattern, graph.weight, options.ordering, choice_for(options));
  if (graph.pattern.rows > compared_vertices)
    return order_and_count(graph.pattern, graph.weight, Ordering::ND, choice_for(options));
  return cheaper_order(graph.pattern, graph.weight, choice_for(options));
}

} // namespace

Symbolic order_fronts(const CompressedGraph &graph, const PlanOptions &options, const std::vector<Index> &given_order)
{
  return given_order.empty() ? order_and_analyze(graph, options)
                             : analyze(graph.pattern, graph.weight, order_of_vertices(graph, given_order));
}

} // namespace tessera
