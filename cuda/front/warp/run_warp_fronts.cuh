#ifndef TESSERA_CUDA_FRONT_WARP_RUN_WARP_FRONTS_CUH
#define TESSERA_CUDA_FRONT_WARP_RUN_WARP_FRONTS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/front_launch.cuh"
#include "cuda/lanes/warp.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"

#include <algorithm>

namespace tessera {

constexpr int most_warps = 12; ///< of a thread block: as many as there is shared memory for on any device

/// A function of its own, for its registers: it is seldom called.
template <class Searched>
__device__ __noinline__ void search_pivots(const FrontArrays &arrays, Index s, typename Searched::Scratch &scratch)
{
  Searched(arrays, s, scratch).run();
}

/// How a warp factors a front: Ordered(arrays, front, scratch).run() returns whether its pivots are good enough, and
/// has written nothing if not; then Searched searches for others. Their Scratch is in shared memory.
template <class Ordered, class Searched>
struct WarpMethod {
  using Scratch = typename Ordered::Scratch;

  static __device__ __forceinline__ void factor(const FrontArrays &arrays, Index s, Scratch &scratch)
  {
    if (!Ordered(arrays, s, scratch).run())
      search_pivots<Searched>(arrays, s, scratch);
  }
};

/// Warps take fronts in the order of their tickets. Front: a WarpMethod. The first launch of fronts, if there is any.
template <class Front>
__global__ void __launch_bounds__(most_warps * 32, 1)
    run_warp_fronts(const __grid_constant__ FrontArrays arrays, const Index *order, Index count, int *ticket)
{
  wait_for_launch_before();
  let_next_launch_begin();
  if (!arrays.finite())
    return;
  auto &scratch = launch_shared<typename Front::Scratch>()[threadIdx.x / 32];
  for (;;) {
    int t = 0;
    if ((threadIdx.x & 31) == 0)
      t = atomicAdd(ticket, 1);
    t = __shfl_sync(whole_warp, t, 0);
    if (t >= count)
      return;
    Front::factor(arrays, order[t], scratch);
    __syncwarp();
  }
}

/// Warps of a thread block, as many as there is shared memory for, and thread blocks that run at the same time.
struct WarpShape {
  int warps, blocks;
};

template <class Front>
WarpShape find_warp_shape()
{
  using Scratch = typename Front::Scratch;
  const std::size_t room = device_limits().block_shared - static_shared(run_warp_fronts<Front>);
  WarpShape shape{most_warps, 0};
  while (shape.warps > 1 && shape.warps * sizeof(Scratch) > room)
    --shape.warps;
  allow_shared_memory(run_warp_fronts<Front>, shape.warps * sizeof(Scratch));
  shape.blocks = resident_blocks(run_warp_fronts<Front>, unsigned(shape.warps) * 32, shape.warps * sizeof(Scratch));
  return shape;
}

/// Queues the factorization of these fronts. Returns the launch's error, if any.
template <class Front>
cudaError_t launch_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, const FrontLaunch &launch)
{
  static PerDevice<WarpShape> shapes;
  const WarpShape shape = shapes.get(find_warp_shape<Front>);
  if (count == 0)
    return cudaSuccess;
  const unsigned blocks = std::min<unsigned>(shape.blocks, thread_blocks(count, shape.warps)),
                 threads = unsigned(shape.warps) * 32;
  return launch_kernel(run_warp_fronts<Front>,
                       {blocks, threads, shape.warps * sizeof(typename Front::Scratch), launch.stream, true}, arrays,
                       order, count, launch.ticket);
}

} // namespace tessera
#endif
