#include "cuda/runtime/device_limits.hpp"

#include "cuda/lanes/tensor_cores.cuh"
#include "cuda/runtime/per_device.cuh"
#include "cuda/runtime/tensor_trial.cuh"

#include <cstdlib>

namespace tessera {
namespace {

int attribute(cudaDeviceAttr which, int device)
{
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "asking for the limits of the device");
  return value;
}

/// Of another architecture than those that this library was compiled for.
[[noreturn]] void refuse_architecture(const DeviceLimits &limits)
{
  std::string compiled;
  for (int architecture : {__CUDA_ARCH_LIST__})
    compiled += " " + std::to_string(architecture / 10);
  throw UnsupportedDevice("This library has no code for " + limits.name + ", compute capability " +
                          std::to_string(limits.capability) + ": it was compiled for" + compiled +
                          " (CMAKE_CUDA_ARCHITECTURES)");
}

/// Whether tensor cores of the current device round as the host does.
bool try_tensor_cores(const DeviceLimits &limits)
{
  bool alike = false;
  const cudaError_t launched = try_on_device<TensorProducts>(alike);
  if (launched == cudaErrorNoKernelImageForDevice || launched == cudaErrorUnsupportedPtxVersion)
    refuse_architecture(limits);
  check(launched, "trying tensor cores");
  return alike;
}

DeviceLimits ask_device()
{
  int device = 0;
  check(cudaGetDevice(&device), "asking for the device");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "asking for the name of the device");
  DeviceLimits limits;
  limits.name = properties.name;
  limits.capability = 10 * properties.major + properties.minor;
  limits.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
  limits.block_shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  limits.processor_shared = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  limits.reserved_shared = attribute(cudaDevAttrReservedSharedMemoryPerBlock, device);
  if (const char *caps = std::getenv("TESSERA_DEVICE_LIMITS"))
    cap_limits(limits, caps);
  if (limits.capability < least_capability)
    throw UnsupportedDevice(limits.name + " has compute capability " + std::to_string(limits.capability / 10) + "." +
                            std::to_string(limits.capability % 10) + ", and the CUDA backend needs 8.0 or newer");
  limits.tensor_cores = limits.tensor_cores && try_tensor_cores(limits);
  return limits;
}

} // namespace

const DeviceLimits &device_limits()
{
  static PerDevice<DeviceLimits> limits;
  return limits.get(ask_device);
}

} // namespace tessera
