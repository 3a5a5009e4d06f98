#ifndef TESSERA_CUDA_FRONT_FRONT_LAUNCH_CUH
#define TESSERA_CUDA_FRONT_FRONT_LAUNCH_CUH

#include <cuda_runtime.h>

namespace tessera {

/// A launch that factors fronts, in the order of tickets from a count that is 0. overlaps: see Grid; there are launches
/// of fronts before it, and it waits for what these count. Else it is the first one: thread blocks of kernels that can
/// overlap wait for the launch before, which copies the values, before they let others begin.
struct FrontLaunch {
  int *ticket;
  cudaStream_t stream;
  bool overlaps;
};

} // namespace tessera
#endif
