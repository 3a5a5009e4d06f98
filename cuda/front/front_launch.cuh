#ifndef TESSERA_CUDA_FRONT_FRONT_LAUNCH_CUH
#define TESSERA_CUDA_FRONT_FRONT_LAUNCH_CUH

#include <cuda_runtime.h>

namespace tessera {

/// A launch that factors fronts, in the order of tickets from a count that is 0. overlaps: see Grid; it waits for what
/// fronts of the launch before count.
struct FrontLaunch {
  int *ticket;
  cudaStream_t stream;
  bool overlaps;
};

} // namespace tessera
#endif
