#ifndef TESSERA_ANALYSIS_ORDERING_DISSECTION_HPP
#define TESSERA_ANALYSIS_ORDERING_DISSECTION_HPP

#include "base/types.hpp"

#include <functional>

namespace tessera {

/// Nested dissection (George 1973) by multilevel vertex separators: perm[new] = old. The parts on either side of a
/// separator are OpenMP tasks, and so are chunks of large parts while these are separated. Parts of at most `leaf`
/// vertices are ordered by minimum degree with regard to the separators around them, separators come last.
///
/// graph: both triangles; the diagonal is left out. weight[i]: rows that vertex i stands for. Every part draws its
/// random numbers from a generator of its own, seeded by its place in the order, so that the number of threads does not
/// matter. The METIS library cannot be used for this: its generator is one global state, rand() of the C library in
/// Debian's build, which concurrent calls would share. meanwhile: another job, which one of the threads does.
std::vector<Index> nested_dissection(const Pattern &graph, const std::vector<Index> &weight, Index leaf = 200,
                                     const std::function<void()> &meanwhile = {});

} // namespace tessera
#endif
