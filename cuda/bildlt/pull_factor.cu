#include "cuda/bildlt/pull_factor.cuh"

#include "cuda/bildlt/factor_steps.cuh"
#include "cuda/bildlt/pull_pieces.cuh"
#include "cuda/bildlt/solve_piece.cuh"
#include "cuda/lanes/signals.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"
#include "factor/width.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// Thread blocks that an SM is to have room for. What counts is how long a pull takes: with wide blocks one of many
/// warps has all registers.
template <int Most>
constexpr int blocks_per_sm = Most >= 16 ? 1 : 2;

/// A pull by a thread block, and what it completes: the piece, if it was the last of its parts, and the row, if that
/// was the last of its pieces. So nobody waits for a pull with a later ticket: a pull waits for rows of earlier levels,
/// and a piece for the diagonal tile of its row, whose pulls come before its own. n: entries of the ring so far.
template <int W, int Most, class Warps, class T>
__device__ void factor_pull(const FactorRun<T> &run, const PullItem &pull, UpdateRing<W, Warps, T> &ring, unsigned &n)
{
  const PieceItem &item = run.pieces[pull.piece];
  const Index b = item.block;
  const RowPanel row = panel_of(run, b);
  const PanelPiece piece = piece_of(item, row.panel);
  const bool first_warp = threadIdx.x < 32, diagonal = item.column_begin == 0;
  const MarkedDone done{run.done};
  const PiecePuller<W, Warps, T, MarkedDone> puller{run.s, run.f, run.values, ring, UpdateRing<W, Warps, T>::ld(Most),
                                                    done,  n};
  const Offset parts = count_parts(run.s.column_start[b + 1] - run.s.column_start[b]);
  const bool whole = pull.split < 0;
  puller.pull(piece, whole ? 0 : pull.part, whole ? parts : pull.part + 1, whole ? nullptr : run.parts + pull.position);
  if (!whole) {
    if (!is_last_of(run.parts_done + pull.split, int(parts)))
      return;
    add_parts<W, Warps::threads>(item, row.panel, run.parts + run.splits[pull.split].position, parts);
  }
  if (!diagonal && threadIdx.x == 0)
    wait_for_count(run.diagonal_done + b, 1);
  __syncthreads();
  if (first_warp && diagonal)
    factor_diagonal<W>(run, b, row.panel, ring.panel, threadIdx.x < W);
  else if (first_warp)
    solve_piece<W, TensorProducts>(run.s, piece, row.panel, row.squares);
  __syncthreads();
  if (diagonal && threadIdx.x == 0)
    add_to_count(run.diagonal_done + b);
  const Offset begin = run.row_pieces[item.row], end = run.row_pieces[item.row + 1];
  if (is_last_of(run.pieces_done + b, int(end - begin)))
    finish_row<W, Warps::threads / 32>(run, b, begin, end, row);
}

/// Pulls begin .. end - 1, which thread blocks take in this order.
template <int Most, class Warps, class T>
__global__ void __launch_bounds__(Warps::threads, blocks_per_sm<Most>)
    factor_pulls(FactorRun<T> run, Offset begin, Offset end, int *ticket)
{
  auto *const memory = launch_shared<unsigned char>();
  reinterpret_cast<UpdateRing<Most, Warps, T> *>(memory)->start();
  unsigned n = 0;
  take_tickets(ticket, end - begin, [&](int t) {
    const PullItem pull = run.pulls[begin + t];
    with_width<Most>(run.s.block_rows(run.pieces[pull.piece].block), [&](auto w) {
      factor_pull<decltype(w)::value, Most>(run, pull,
                                            *reinterpret_cast<UpdateRing<decltype(w)::value, Warps, T> *>(memory), n);
    });
  });
}

/// Queues a run by thread blocks of the first shape that the device has room for, as many as run at the same time.
template <int Most, class Warps, class... Smaller, class T>
void queue_run(const FactorRun<T> &run, const LevelRun &levels, int *ticket, cudaStream_t stream)
{
  constexpr std::size_t bytes = UpdateRing<Most, Warps, T>::bytes(Most);
  if constexpr (sizeof...(Smaller) > 0) {
    if (int(bytes) + static_shared(factor_pulls<Most, Warps, T>) > device_limits().block_shared)
      return queue_run<Most, Smaller...>(run, levels, ticket, stream);
  }
  static PerDevice<int> resident;
  const int blocks = resident.get([] {
    allow_shared_memory(factor_pulls<Most, Warps, T>, bytes);
    return resident_blocks(factor_pulls<Most, Warps, T>, Warps::threads, bytes);
  });
  const unsigned grid = unsigned(std::min<Offset>(blocks, levels.pull_end - levels.pull_begin));
  check(launch_kernel(factor_pulls<Most, Warps, T>, {grid, Warps::threads, bytes, stream}, run, levels.pull_begin,
                      levels.pull_end, ticket),
        "factoring levels");
}

} // namespace

template <class T>
void queue_pulls_of_rows(const FactorRun<T> &run, const LevelRun &levels, Index largest_block, int *ticket,
                         cudaStream_t stream)
{
  with_width_of_largest(largest_block, [&](auto most) {
    constexpr int Most = decltype(most)::value;
    if constexpr (Most == 32)
      queue_run<Most, PullWarps<4, 12>, PullWarps<4, 4>>(run, levels, ticket, stream);
    else if constexpr (Most == 16)
      queue_run<Most, PullWarps<4, 8>>(run, levels, ticket, stream);
    else
      queue_run<Most, PullWarps<1, 7>>(run, levels, ticket, stream);
  });
}

template void queue_pulls_of_rows<double>(const FactorRun<double> &, const LevelRun &, Index, int *, cudaStream_t);
template void queue_pulls_of_rows<float>(const FactorRun<float> &, const LevelRun &, Index, int *, cudaStream_t);

} // namespace tessera
