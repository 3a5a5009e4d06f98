#ifndef TESSERA_HOST_LAUNCH_HPP
#define TESSERA_HOST_LAUNCH_HPP

#include "host/lanes/group_host.hpp"

#include <cstdint>

namespace tessera {

/// Runs kernel(group, item) for item = 0 .. count - 1, each item by one group of W lanes, which is one core. Items run
/// in any order and at the same time, so no two may write the same memory; then the result does not depend on the
/// number of threads.
template <int W, class Kernel>
void launch(std::int64_t count, const Kernel &kernel)
{
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t item = 0; item < count; ++item)
    kernel(HostGroup<W>{}, item);
}

} // namespace tessera
#endif
