#ifndef TESSERA_CUDA_RUNTIME_PER_DEVICE_CUH
#define TESSERA_CUDA_RUNTIME_PER_DEVICE_CUH

#include "cuda/runtime/check.cuh"

#include <map>
#include <mutex>

namespace tessera {

/// Something of each device, made when it is first asked for there.
template <class T>
class PerDevice {
public:
  /// That of the current device; make() if there is none yet.
  template <class Make>
  const T &get(const Make &make)
  {
    int device = 0;
    check(cudaGetDevice(&device), "asking for the device");
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = of_device_.find(device);
    return found != of_device_.end() ? found->second : of_device_.emplace(device, make()).first->second;
  }

private:
  std::mutex mutex_;
  std::map<int, T> of_device_;
};

} // namespace tessera
#endif
