#ifndef TESSERA_CUDA_RUNTIME_GRID_CUH
#define TESSERA_CUDA_RUNTIME_GRID_CUH

#include <cstddef>
#include <cuda_runtime.h>

namespace tessera {

/// How a kernel runs: thread blocks, threads of each, and bytes of shared memory that each asks for, on a stream.
struct Grid {
  dim3 blocks;
  unsigned threads;
  std::size_t shared;
  cudaStream_t stream;
};

} // namespace tessera
#endif
