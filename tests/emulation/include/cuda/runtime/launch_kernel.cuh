#ifndef TESSERA_EMULATION_LAUNCH_KERNEL_CUH
#define TESSERA_EMULATION_LAUNCH_KERNEL_CUH

#include "cuda/runtime/grid.cuh"

#include <tuple>

namespace tessera {

template <class... Parameters, class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Parameters...), const Grid &grid, const Arguments &...arguments)
{
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.threads == 0 || grid.threads > 1024)
    return cudaErrorInvalidConfiguration;
  const std::tuple<Parameters...> given(arguments...);
  emulation::queue(grid.stream, [=] {
    emulation::run_grid(grid.blocks, grid.threads, grid.shared, [&] { std::apply(kernel, given); });
  });
  return cudaSuccess;
}

template <class T>
T *launch_shared()
{
  return static_cast<T *>(emulation::shared_memory());
}

} // namespace tessera
#endif
