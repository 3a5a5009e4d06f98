#ifndef TESSERA_CUDA_MULTIPROCESSORS_CUH
#define TESSERA_CUDA_MULTIPROCESSORS_CUH

#include "device_array.cuh"

namespace tessera {

/// Multiprocessors of the current device. Throws as check() does.
inline int multiprocessors()
{
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for the number of SMs");
  return count;
}

} // namespace tessera
#endif
