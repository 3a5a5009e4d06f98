#include "factor/operator.hpp"

#include <cstring>
#include <cuda_runtime.h>

namespace tessera {

std::vector<std::uint64_t> visible_cuda_devices()
{
  std::vector<std::uint64_t> devices;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess)
    count = 0;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess)
      continue;
    std::uint64_t half[2];
    static_assert(sizeof half == sizeof properties.uuid);
    std::memcpy(half, &properties.uuid, sizeof half);
    devices.push_back(half[0] ^ half[1]);
  }
  cudaGetLastError(); // no driver, no device: whoever asks for one is told so
  return devices;
}

} // namespace tessera
