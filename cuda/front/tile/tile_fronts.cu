#include "cuda/front/tile/tile_fronts.cuh"

#include "cuda/front/tile/tile.cuh"
#include "cuda/front/tile/tile_copies.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"

#include <algorithm>

namespace tessera {
namespace {

template <class Copies, int Sides>
__global__ void __launch_bounds__(tile_threads, Sides == 1 ? 3 : 2)
    run_tiles(const __grid_constant__ FrontArrays arrays, const TileOrder order, int *ticket)
{
  auto &scratch = *launch_shared<TileScratch<Sides>>();
  unsigned copied = 0;
  if (arrays.finite()) {
    if (threadIdx.x < 2)
      __mbarrier_init(scratch.arrived + threadIdx.x, Copies::arrivals);
    take_tickets(ticket, order.tickets, [&](int t) {
      constexpr bool alone = TileScratch<Sides>::most == 1; // then a ticket is a task
      const Index first = alone ? t : __ldg(order.first + t), end = alone ? t + 1 : __ldg(order.first + t + 1);
      const TileTask *const task = order.task + first;
      const Index of_front = __ldg(&task->front), of_strip = __ldg(&task->strip);
      const WordCopy<TileTask> upper(task), lower(task + (end - first - 1));
      const WordCopy<DeviceFront> front(arrays.front + of_front);
      const WordCopy<TileStrip> strip(arrays.strip + of_strip);
      upper.write(scratch.task);
      if (!alone)
        lower.write(scratch.task + (end - first - 1));
      front.write(&scratch.front);
      strip.write(&scratch.strip);
      __syncthreads();
      Tile<Copies, Sides>(arrays, scratch, end - first, copied).run();
    });
  }
  wait_for_launch_before();
}

template <class Copies, int Sides>
cudaError_t launch_tiles(const FrontArrays &arrays, const TileOrder &order, const FrontLaunch &launch)
{
  constexpr std::size_t bytes = sizeof(TileScratch<Sides>);
  static PerDevice<int> resident;
  const int most = resident.get([] {
    allow_shared_memory(run_tiles<Copies, Sides>, bytes);
    return resident_blocks(run_tiles<Copies, Sides>, tile_threads, bytes);
  });
  return launch_kernel(
      run_tiles<Copies, Sides>,
      {unsigned(std::min<Offset>(most, order.tickets)), tile_threads, bytes, launch.stream, launch.overlaps}, arrays,
      order, launch.ticket);
}

} // namespace

template <int Sides>
cudaError_t factor_tile_fronts(const FrontArrays &arrays, const TileOrder &order, const FrontLaunch &launch)
{
  if (order.tickets == 0)
    return cudaSuccess;
  return device_limits().capability >= BulkCopies::least_capability
             ? launch_tiles<BulkCopies, Sides>(arrays, order, launch)
             : launch_tiles<LaneCopies, Sides>(arrays, order, launch);
}

template cudaError_t factor_tile_fronts<1>(const FrontArrays &, const TileOrder &, const FrontLaunch &);
template cudaError_t factor_tile_fronts<2>(const FrontArrays &, const TileOrder &, const FrontLaunch &);

} // namespace tessera
