#include "analysis/ordering/metis_ordering.hpp"

#include <limits>
#include <numeric>

#include <metis.h>

namespace tessera {

static_assert(sizeof(idx_t) == sizeof(Index), "METIS must be built with 32-bit indices");

std::vector<Index> metis_ordering(const Pattern &graph, const std::vector<Index> &weight)
{
  idx_t n = graph.rows;
  std::vector<idx_t> perm(n), inverse(n);
  std::iota(perm.begin(), perm.end(), 0);
  if (graph.entries() == 0)
    return perm;
  if (graph.entries() > std::numeric_limits<idx_t>::max())
    return {};
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  // The library takes no const arrays and may change the graph.
  std::vector<idx_t> start(graph.start.begin(), graph.start.end()), column(graph.column), vertex_weight(weight);
  if (METIS_NodeND(&n, start.data(), column.data(), vertex_weight.data(), options, perm.data(), inverse.data()) !=
      METIS_OK)
    return {};
  return perm;
}

} // namespace tessera
