#ifndef TESSERA_CUDA_RUNTIME_GRID_CUH
#define TESSERA_CUDA_RUNTIME_GRID_CUH

#include <cstddef>
#include <cuda_runtime.h>

namespace tessera {

/// Compute capability from which on launches can overlap; on others they never do.
constexpr int least_capability_to_overlap = 90;

/// How a kernel runs: thread blocks, threads of each, and bytes of shared memory that each asks for, on a stream.
/// overlaps: it may begin once all thread blocks of the launch before it have called let_next_launch_begin(). What it
/// reads of that launch it has to wait for, and for its end before its own.
struct Grid {
  dim3 blocks;
  unsigned threads;
  std::size_t shared;
  cudaStream_t stream;
  bool overlaps = false;
};

} // namespace tessera
#endif
