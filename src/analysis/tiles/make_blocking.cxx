#include "analysis/tiles/make_blocking.hpp"

#include "analysis/symbolic/elimination_tree.hpp"
#include "analysis/symbolic/merge_leaves.hpp"
#include "analysis/tiles/similarity.hpp"
#include "base/permute.hpp"

#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// Cuts perm[begin] .. perm[end - 1] into the fewest blocks of about equal size. Equal ones rather than full ones and
/// a remainder, because pivoting takes place inside blocks and a block of one row has no choice of pivots.
void cut(const std::vector<Index> &perm, const std::vector<Index> &weight, Index begin, Index end, Index max_rows,
         std::vector<Index> &start)
{
  Offset rows = 0;
  for (Index k = begin; k < end; ++k)
    rows += weight[perm[k]];
  const Offset pieces = (rows + max_rows - 1) / max_rows;
  const Offset target = pieces ? (rows + pieces - 1) / pieces : 0;
  Offset filled = 0;
  for (Index k = begin; k < end; ++k) {
    if (filled > 0 && (filled >= target || filled + weight[perm[k]] > max_rows)) {
      start.push_back(k);
      filled = 0;
    }
    filled += weight[perm[k]];
  }
  if (filled > 0)
    start.push_back(end);
}

/// Levels of the tree from which on nested dissection is tried where levels cost something: in a chain AMD goes from
/// one end to the other, nested dissection needs as many levels as the chain can be halved.
constexpr Index levels_worth_dissection = 100;

/// Entries of a graph for each level of the tree from which on it is tried as well: its look at them, some 450 ns each,
/// takes as long as a level of 30 factorizations on a device, 30 us each.
constexpr double entries_worth_level = 2000;

/// Rows less similar than this are never merged: at a cosine of 0.1 blocks are as good as random.
constexpr double least_cosine = 0.1;

/// Blocks of blocks: `outer` joins the blocks of `inner`.
Blocking join(const Blocking &inner, const Blocking &outer)
{
  Blocking joined;
  joined.perm.reserve(inner.perm.size());
  for (Index b = 0; b < outer.blocks(); ++b) {
    for (Index k = outer.start[b]; k < outer.start[b + 1]; ++k) {
      const Index c = outer.perm[k];
      joined.perm.insert(joined.perm.end(), inner.perm.begin() + inner.start[c],
                         inner.perm.begin() + inner.start[c + 1]);
    }
    joined.start.push_back(static_cast<Index>(joined.perm.size()));
  }
  return joined;
}

Blocking one_by_one(std::vector<Index> perm)
{
  Blocking blocking{std::move(perm), {}};
  blocking.start.resize(blocking.perm.size() + 1);
  std::iota(blocking.start.begin(), blocking.start.end(), 0);
  return blocking;
}

std::vector<Index> block_weights(const std::vector<Index> &weight, const Blocking &blocking)
{
  std::vector<Index> rows(blocking.blocks(), 0);
  for (Index b = 0; b < blocking.blocks(); ++b) {
    for (Index k = blocking.start[b]; k < blocking.start[b + 1]; ++k)
      rows[b] += weight[blocking.perm[k]];
  }
  return rows;
}

using Cluster = Clusters (*)(const Pattern &, const std::vector<Index> &, Index, double);

/// Clusters similar vertices, then the clusters, and so on with a falling threshold, until blocks are half full on
/// average or nothing similar is left (thesis 5.2.1). Where a round merges nothing the threshold falls at once to the
/// greatest similarity there is.
Blocking coarsen(Pattern graph, std::vector<Index> weight, const BlockingOptions &options, Cluster cluster)
{
  std::vector<Index> perm(graph.rows);
  std::iota(perm.begin(), perm.end(), 0);
  Blocking blocking = one_by_one(std::move(perm));
  const Offset rows = std::accumulate(weight.begin(), weight.end(), Offset(0));
  for (double threshold = options.cosine;
       threshold >= least_cosine && 2 * rows < Offset(options.max_rows) * blocking.blocks();) {
    const Clusters clusters = cluster(graph, weight, options.max_rows, threshold);
    if (clusters.blocks.blocks() == graph.rows) {
      if (clusters.below < least_cosine)
        break;
      while (threshold > clusters.below)
        threshold *= options.decay;
      continue;
    }
    blocking = join(blocking, clusters.blocks);
    weight = block_weights(weight, clusters.blocks);
    graph = block_graph(graph, clusters.blocks);
    threshold *= options.decay;
  }
  return blocking;
}

/// Orders the blocks by their graph.
Blocking reorder(const Pattern &graph, const std::vector<Index> &weight, const Blocking &blocking,
                 const BlockingOptions &options)
{
  std::vector<Index> perm =
      order(block_graph(graph, blocking), block_weights(weight, blocking), options.ordering, ordering_choice(options));
  return perm.empty() ? Blocking() : join(blocking, one_by_one(std::move(perm)));
}

Blocking by_similarity(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options)
{
  const bool reorder_first = options.strategy != BlockStrategy::BR;
  std::vector<Index> perm =
      order(graph, weight, reorder_first ? options.ordering : Ordering::Natural, ordering_choice(options));
  if (perm.empty())
    return {};
  // A postorder has the same fill and makes neighbours of vertices that are neighbours in the elimination tree.
  if (reorder_first)
    perm = compose(perm, postorder(elimination_tree(permute_graph(graph, perm))));
  Blocking blocking = coarsen(permute_graph(graph, perm), compose(weight, perm), options,
                              reorder_first ? cluster_consecutive : cluster_similar);
  blocking.perm = compose(perm, blocking.perm);
  return options.strategy == BlockStrategy::RB ? blocking : reorder(graph, weight, blocking, options);
}

/// Blocks of as many rows as fit, in the order.
Blocking by_grid(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options)
{
  Blocking blocking;
  blocking.perm = order(graph, weight, options.ordering, ordering_choice(options));
  Index rows = 0;
  for (std::size_t k = 0; k < blocking.perm.size(); ++k) {
    if (rows + weight[blocking.perm[k]] > options.max_rows) {
      blocking.start.push_back(static_cast<Index>(k));
      rows = 0;
    }
    rows += weight[blocking.perm[k]];
  }
  if (!blocking.perm.empty())
    blocking.start.push_back(static_cast<Index>(blocking.perm.size()));
  return blocking;
}

} // namespace

Index worthwhile_level(const FactorSize &complete, const BlockingOptions &options)
{
  if (complete.flops <= options.costly_flops || ends_dense(complete))
    return complete_level;
  return complete.flops <= options.very_costly_flops ? 1 : 0;
}

OrderingChoice ordering_choice(const BlockingOptions &options)
{
  OrderingChoice choice;
  choice.are_cheap = options.few_are_done;
  if (options.level_flops > 0) {
    choice.are_cheap = [](const FactorSize &) { return true; };
    choice.level_flops = [options](const Symbolic &symbolic, const std::vector<Index> &weight) {
      return options.level_flops * tree_depth(symbolic, weight, options.max_rows, options.relaxation.nemin);
    };
    choice.costly_levels = levels_worth_dissection * options.level_flops;
    choice.costly_levels_per_entry = options.level_flops / entries_worth_level;
    choice.leaf = options.max_rows; // minimum degree makes a chain of blocks of a larger part
  }
  return choice;
}

Blocking block_supernodes(const Symbolic &symbolic, const Pattern &graph, const std::vector<Index> &weight,
                          const BlockingOptions &options)
{
  const Index level = worthwhile_level(symbolic.size, options);
  const bool no_fill = level == 0, small = level != complete_level && level <= options.low_fill_level;
  const Index max_rows = small ? std::min(options.max_rows, options.low_fill_rows) : options.max_rows;
  Supernodes nodes = supernodes(symbolic, weight, options.relaxation);
  if (options.leaves.columns > 0 && !no_fill) {
    Supernodes merged =
        merge_leaves(nodes, graph, weight, {std::min(options.leaves.columns, max_rows), options.leaves.rows}, true);
    if (2 * merged.count() <= nodes.count()) // else it gains little for its zeros, which a fill ratio has to pay for
      nodes = std::move(merged);
  }
  Blocking blocking;
  for (Index s = 0; s < nodes.count(); ++s)
    cut(nodes.perm, weight, nodes.start[s], nodes.start[s + 1], max_rows, blocking.start);
  blocking.perm = nodes.perm;
  return blocking;
}

Blocking make_blocking(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options)
{
  switch (options.strategy) {
  case BlockStrategy::SN:
    return block_supernodes(order_and_count(graph, weight, options.ordering, ordering_choice(options)), graph, weight,
                            options);
  case BlockStrategy::Grid:
    return by_grid(graph, weight, options);
  default:
    return by_similarity(graph, weight, options);
  }
}

} // namespace tessera
