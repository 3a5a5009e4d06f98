#ifndef TESSERA_TESTS_SKIP_WITHOUT_GPU_CUH
#define TESSERA_TESTS_SKIP_WITHOUT_GPU_CUH

#include "cuda/runtime/device_array.cuh"

#include <cstdio>
#include <cstdlib>

namespace tessera {

/// Ends the program with 77, which ctest takes for skipped, where there is no GPU or no driver of one.
inline void skip_without_gpu()
{
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
    std::printf("skipped: %s\n", cudaGetErrorString(error));
    std::exit(77);
  }
  check(error, "counting the GPUs");
}

} // namespace tessera
#endif
