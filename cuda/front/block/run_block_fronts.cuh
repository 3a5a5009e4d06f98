#ifndef TESSERA_CUDA_FRONT_BLOCK_RUN_BLOCK_FRONTS_CUH
#define TESSERA_CUDA_FRONT_BLOCK_RUN_BLOCK_FRONTS_CUH

#include "cuda/front/block/block_store.cuh"
#include "cuda/front/front_launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"
#include "factor/front/device/front_kinds.hpp"

#include <algorithm>

namespace tessera {

/// Right-looking, by panels of 32 columns. A function of its own, for its registers: it is seldom called.
template <class Searched>
__device__ __noinline__ void search_block_pivots(const FrontArrays &arrays, Index s, double *shared)
{
  Searched front(arrays, s, shared);
  front.gather();
  for (int k0 = 0; k0 < front.columns(); k0 += 32)
    front.eliminate_panel(k0);
  front.hand_on();
}

/// How a thread block factors a front, which is a BlockStore with eliminate_panel(k0): with Ordered in the order of its
/// pivots, whose eliminate_panel() returns whether they are good enough, the same in all threads, and whose write()
/// writes the factor, when the front has handed on; else anew with Searched, which writes each panel.
template <class Ordered, class Searched>
struct BlockMethod {
  static constexpr int most_columns = Ordered::most_columns;
  static std::size_t shared_bytes(Index rows) { return Ordered::shared_bytes(rows); }

  static __device__ __forceinline__ void factor(const FrontArrays &arrays, Index s, double *shared)
  {
    Ordered front(arrays, s, shared);
    front.gather();
    for (int k0 = 0; k0 < front.columns(); k0 += 32)
      if (!front.eliminate_panel(k0)) {
        search_block_pivots<Searched>(arrays, s, shared);
        return;
      }
    front.hand_on();
    front.write();
  }
};

/// Thread blocks take fronts in the order of their tickets. Front: a BlockMethod. Resident: thread blocks of a
/// multiprocessor that registers are shared among. is_first: see FrontLaunch.
template <class Front, int Resident>
__global__ void __launch_bounds__(block_threads, Resident)
    run_block_fronts(const __grid_constant__ FrontArrays arrays, const Index *order, Index count, int *ticket,
                     bool is_first)
{
  if (is_first)
    wait_for_launch_before();
  let_next_launch_begin();
  auto *const shared = launch_shared<double>();
  if (arrays.finite())
    take_tickets(ticket, count, [&](int t) { Front::factor(arrays, order[t], shared); });
  wait_for_launch_before();
}

template <class Front, int Resident>
cudaError_t launch_resident(const FrontArrays &arrays, const Index *order, Index count, std::size_t bytes,
                            const FrontLaunch &launch)
{
  static PerDevice<bool> allowed;
  allowed.get([] {
    allow_shared_memory(run_block_fronts<Front, Resident>, device_limits().block_shared);
    return true;
  });
  const int most = resident_blocks(run_block_fronts<Front, Resident>, block_threads, bytes);
  return launch_kernel(run_block_fronts<Front, Resident>,
                       {std::min(most, int(count)), block_threads, bytes, launch.stream, true}, arrays, order, count,
                       launch.ticket, !launch.overlaps);
}

/// Rows, both parts padded to multiples of 8, of the largest front that there is shared memory for; no more than those
/// that plans are made for, as larger ones take as long in tiles.
template <class Front>
Index most_rows_of_block()
{
  constexpr Index most = std::min<Index>({block_threads, usual_block_rows, Front::most_columns});
  const std::size_t room = device_limits().block_shared - static_shared(run_block_fronts<Front, 1>);
  Index rows = 8;
  while (rows + 8 <= most && Front::shared_bytes(rows + 8) <= room)
    rows += 8;
  return rows;
}

/// Queues the factorization of these fronts. Returns the launch's error, if any.
template <class Front>
cudaError_t launch_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows,
                                const FrontLaunch &launch)
{
  if (count == 0)
    return cudaSuccess;
  const std::size_t bytes = Front::shared_bytes(rows);
  const bool are_many = count > device_limits().multiprocessors; // else each can have all registers
  return are_many && 2 * bytes <= device_limits().block_shared
             ? launch_resident<Front, 2>(arrays, order, count, bytes, launch)
             : launch_resident<Front, 1>(arrays, order, count, bytes, launch);
}

} // namespace tessera
#endif
