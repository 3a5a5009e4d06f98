#include "cuda/bildlt/row_factor.cuh"

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

/// The warps that compute a row, and how many such thread blocks an SM is to have room for: where no block has more
/// than 16 rows it is the number of rows at a time that counts.
template <int Most>
using RowWarps = PullWarps<Most == 32 ? 4 : 1, Most == 32 ? 4 : 3>;
template <int Most>
constexpr int blocks_per_sm = Most == 32   ? 2
                              : Most == 16 ? 5
                                           : 6;

/// Scratch of a thread block, in doubles: where the parts of a RowPanel begin.
struct ScratchShape {
  Offset squares, inverse_norm, score, size;

  ScratchShape(const LevelRun &rows, Index width)
      : squares(Offset(rows.columns) * width), inverse_norm(squares + rows.tiles * width), score(inverse_norm + width),
        size(score + (rows.columns + 1) / 2)
  {
  }
};

template <int W, int Most, class T>
using RowRing = UpdateRing<W, RowWarps<Most>, T>;

/// One row, by a thread block: its warps share the pieces. n: entries of the ring so far.
template <int W, int Most, class T>
__device__ void factor_row(const FactorRun<T> &run, Offset i, const RowPanel &row, unsigned char *memory, unsigned &n)
{
  const int warp = threadIdx.x / 32;
  const Index b = run.rows[i];
  const Offset begin = run.row_pieces[i], end = run.row_pieces[i + 1];
  constexpr int warps = RowWarps<Most>::threads / 32;
  auto &ring = *reinterpret_cast<RowRing<W, Most, T> *>(memory);
  const MarkedDone done{run.done};
  const PiecePuller<W, RowWarps<Most>, T, MarkedDone> puller{
      run.s, run.f, run.values, ring, RowRing<W, Most, T>::ld(Most), done, n};
  for (Offset p = begin; p < end; ++p)
    puller.pull_piece(piece_of(run.pieces[p], row.panel));
  __syncthreads();
  if (warp == 0)
    factor_diagonal<W>(run, b, row.panel, ring.panel, threadIdx.x < W);
  __syncthreads();
  for (Offset p = begin + warp; p < end; p += warps)
    solve_piece<W, TensorProducts>(run.s, piece_of(run.pieces[p], row.panel), row.panel, row.squares);
  __syncthreads();
  finish_row<W, warps>(run, b, begin, end, row);
}

/// Rows begin .. end - 1, which thread blocks take in this order, so that one that waits, waits for one that runs.
template <int Most, class T>
__global__ void __launch_bounds__(RowWarps<Most>::threads, blocks_per_sm<Most>)
    factor_rows(FactorRun<T> run, Offset begin, Offset end, ScratchShape shape, int *ticket)
{
  auto *const memory = launch_shared<unsigned char>();
  double *scratch = run.row_scratch + blockIdx.x * shape.size;
  const RowPanel row = {scratch, scratch + shape.squares, scratch + shape.inverse_norm,
                        reinterpret_cast<float *>(scratch + shape.score)};
  reinterpret_cast<RowRing<Most, Most, T> *>(memory)->start();
  unsigned n = 0;
  take_tickets(ticket, end - begin, [&](int t) {
    const Offset i = begin + t;
    with_width<Most>(run.s.block_rows(run.rows[i]),
                     [&](auto w) { factor_row<decltype(w)::value, Most>(run, i, row, memory, n); });
  });
}

template <int Most, class T>
constexpr int shared_bytes()
{
  return RowRing<Most, Most, T>::bytes(Most);
}

/// Thread blocks that share the rows of a run: as many as run at the same time.
template <int Most, class T>
Offset blocks_sharing(const LevelRun &rows)
{
  static PerDevice<int> resident;
  const int blocks = resident.get([] {
    allow_shared_memory(factor_rows<Most, T>, shared_bytes<Most, T>());
    return resident_blocks(factor_rows<Most, T>, RowWarps<Most>::threads, shared_bytes<Most, T>());
  });
  return std::min<Offset>(blocks, rows.row_end - rows.row_begin);
}

} // namespace

template <class T>
Offset row_scratch_size(const DeviceSchedule &schedule)
{
  return with_width_of_largest(schedule.largest_block, [&](auto most) {
    constexpr int Most = decltype(most)::value;
    Offset size = 0;
    for (const LevelRun &run : schedule.runs)
      if (run.by_rows)
        size = std::max(size, ScratchShape(run, Most).size * blocks_sharing<Most, T>(run));
    return size;
  });
}

template <class T>
void queue_rows(const FactorRun<T> &run, const LevelRun &rows, Index largest_block, int *ticket, cudaStream_t stream)
{
  with_width_of_largest(largest_block, [&](auto most) {
    constexpr int Most = decltype(most)::value;
    const unsigned grid = unsigned(blocks_sharing<Most, T>(rows));
    check(launch_kernel(factor_rows<Most, T>, {grid, RowWarps<Most>::threads, shared_bytes<Most, T>(), stream}, run,
                        rows.row_begin, rows.row_end, ScratchShape(rows, Most), ticket),
          "factoring rows");
  });
}

template Offset row_scratch_size<double>(const DeviceSchedule &);
template Offset row_scratch_size<float>(const DeviceSchedule &);
template void queue_rows(const FactorRun<double> &, const LevelRun &, Index, int *, cudaStream_t);
template void queue_rows(const FactorRun<float> &, const LevelRun &, Index, int *, cudaStream_t);

} // namespace tessera
