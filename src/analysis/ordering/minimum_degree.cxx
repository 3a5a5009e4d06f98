#include "analysis/ordering/minimum_degree.hpp"

#include "analysis/ordering/graph_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <suitesparse/amd.h>
#include <suitesparse/camd.h>

namespace tessera {

std::vector<Index> minimum_degree(const Pattern &graph)
{
  const Index n = graph.rows;
  double control[AMD_CONTROL], info[AMD_INFO] = {};
  amd_defaults(control);
  control[AMD_AGGRESSIVE] = 1;
  control[AMD_DENSE] = (double(dense_degree(graph)) + 0.5) / std::sqrt(double(n)); // which the library rounds down
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), 0);
  if (graph.entries() == 0)
    return perm;
  // Entries beyond 2^31 take the library's 64-bit interface.
  if (graph.entries() <= std::numeric_limits<Index>::max()) {
    const std::vector<Index> start(graph.start.begin(), graph.start.end());
    if (amd_order(n, start.data(), graph.column.data(), perm.data(), control, info) < AMD_OK)
      perm.clear();
  } else {
    const std::vector<SuiteSparse_long> start(graph.start.begin(), graph.start.end());
    const std::vector<SuiteSparse_long> column(graph.column.begin(), graph.column.end());
    std::vector<SuiteSparse_long> perm64(n);
    if (amd_l_order(n, start.data(), column.data(), perm64.data(), control, info) < AMD_OK)
      perm.clear();
    else
      std::copy(perm64.begin(), perm64.end(), perm.begin());
  }
  return perm;
}

std::vector<Index> minimum_degree_with_halo(const Pattern &graph, Index interior)
{
  const Index n = graph.rows;
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), 0);
  if (graph.entries() > std::numeric_limits<Index>::max())
    return {};
  if (graph.entries() > 0) {
    double control[CAMD_CONTROL], info[CAMD_INFO];
    camd_defaults(control);
    control[CAMD_AGGRESSIVE] = 1;
    control[CAMD_DENSE] = -1; // a vertex taken for dense would be put behind the halo
    // Constraint sets are ordered one after another: the halo is the second.
    std::vector<Index> set(n, 0);
    std::fill(set.begin() + interior, set.end(), 1);
    const std::vector<Index> start(graph.start.begin(), graph.start.end());
    if (camd_order(n, start.data(), graph.column.data(), perm.data(), control, info, set.data()) < CAMD_OK)
      return {};
  }
  perm.resize(interior);
  return perm;
}

} // namespace tessera
