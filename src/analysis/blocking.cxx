#include "analysis/blocking.hpp"

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

Blocking by_supernodes(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options)
{
  const std::vector<Index> perm = order(graph, weight, options.ordering);
  if (perm.empty())
    return {};
  const Supernodes nodes = supernodes(analyze(graph, weight, perm), weight, options.relaxation);
  Blocking blocking;
  for (Index s = 0; s < nodes.count(); ++s)
    cut(nodes.perm, weight, nodes.start[s], nodes.start[s + 1], options.max_rows, blocking.start);
  blocking.perm = nodes.perm;
  return blocking;
}

} // namespace

Blocking make_blocking(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options)
{
  return by_supernodes(graph, weight, options);
}

} // namespace tessera
