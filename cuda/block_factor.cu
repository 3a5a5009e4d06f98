#include "factor_steps.cuh"
#include "launch.cuh"
#include "pull_pieces.cuh"
#include "row_factor.cuh"

namespace tessera {
namespace {

constexpr int step_threads = 128; ///< of a thread block whose warps take a piece or a row each

/// Warps of a thread block that pulls the updates of a piece: three such blocks fit into the shared memory of an SM.
/// Where a level has too few pieces to fill the device, a block has more.
constexpr int pulling_warps = 4, more_pulling_warps = 8;
constexpr Offset few_pieces = 128;

/// Largest magnitude of the scaled values, as bits; those of a NaN exceed all others.
__global__ void find_largest(ValuesView values, Offset items, unsigned long long *counter)
{
  double largest = 0;
  for (Offset i = Offset(blockIdx.x) * blockDim.x + threadIdx.x; i < items; i += Offset(gridDim.x) * blockDim.x) {
    const double x = fabs(values.scale[i] * values.a[values.source[i]]);
    largest = x > largest || x != x ? x : largest;
    if (x != x)
      break;
  }
  raise_to(counter + largest_bits, largest);
}

template <class T>
__device__ RowPanel panel_of(const FactorRun<T> &run, Index b)
{
  return {run.panels + run.panel_offset[b], run.squares + run.squares_offset[b], run.inverse_norm + run.norm_offset[b],
          run.score + run.panel_offset[b] / 4};
}

/// Index of this warp in the launch.
__device__ Offset warp_index()
{
  return (Offset(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
}

/// Computes pieces before their solve, entries of A less the updates, or parts of their updates: pulls from `begin` on.
/// A thread block each.
template <int W, int Warps, class T>
__global__ void __launch_bounds__(32 * Warps) pull_pieces(FactorRun<T> run, Offset begin)
{
  extern __shared__ __align__(16) unsigned char memory[];
  auto &stage = *reinterpret_cast<PullStage<W, max_block_rows, Warps, T> *>(memory);
  const PullItem pull = run.pulls[begin + blockIdx.x];
  const PieceItem &item = run.pieces[pull.piece];
  const PanelPiece piece = piece_of(item, panel_of(run, item.block).panel);
  if (pull.place < 0)
    pull_piece(run.s, run.f, run.values, piece, stage, AllDone());
  else
    pull_part(run.s, run.f, piece, pull.part, stage, AllDone(), false, run.parts + pull.place);
}

constexpr int adding_warps = 16; ///< of a thread block that adds the parts of a piece

/// Computes pieces before their solve from the parts of their updates: splits from `begin` on. A thread block each.
template <int W, class T>
__global__ void __launch_bounds__(32 * adding_warps) add_parts(FactorRun<T> run, Offset begin)
{
  const SplitPiece split = run.splits[begin + blockIdx.x];
  const PieceItem &item = run.pieces[split.piece];
  const PanelPiece piece = piece_of(item, panel_of(run, item.block).panel);
  const PullTeam<W, adding_warps> g;
  gather_values(g, run.values, piece);
  const Index size = (piece.column_end - piece.column_begin) * W;
  double *panel = piece.panel + Offset(piece.column_begin) * W;
  for (Index i = g.first_item(); i < size; i += g.item_step()) {
    const double *part = run.parts + split.place + i;
    double sum = panel[i];
#pragma unroll 16
    for (Offset p = 0; p < split.parts; ++p)
      sum += part[p * size];
    panel[i] = sum;
  }
}

/// Factors the diagonal tiles of rows begin .. end - 1.
template <int W, class T>
struct FactorDiagonals {
  FactorRun<T> run;
  Offset begin;

  __device__ void operator()(const CudaGroup<W> &, std::int64_t item) const
  {
    const Index b = run.rows[begin + item];
    factor_diagonal<W>(run, b, panel_of(run, b).panel, true);
  }
};

/// U = D⁻¹ L⁻¹ P C for pieces begin .. end - 1.
template <int W, class T>
__global__ void __launch_bounds__(step_threads) solve_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + warp_index();
  if (p >= end)
    return;
  const RowPanel row = panel_of(run, run.pieces[p].block);
  solve_panel(CudaTeam<W>(), run.s, piece_of(run.pieces[p], row.panel), row.panel, row.squares);
}

/// Norms of the rows of a block row.
template <int W, class T>
struct RowNorms {
  FactorRun<T> run;
  Offset begin;

  __device__ void operator()(const CudaGroup<W> &, std::int64_t item) const
  {
    const Index b = run.rows[begin + item];
    find_norms<W>(run, b, panel_of(run, b), true);
  }
};

/// Scores the columns of pieces begin .. end - 1.
template <int W, class T>
__global__ void __launch_bounds__(step_threads) score_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + warp_index();
  if (p >= end)
    return;
  const RowPanel row = panel_of(run, run.pieces[p].block);
  score_columns(CudaTeam<W>(), run.s, piece_of(run.pieces[p], row.panel), row.inverse_norm, row.score);
}

/// Counts what rows begin .. end - 1 keep. A warp a row.
template <class T>
__global__ void __launch_bounds__(step_threads) count_rows(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset i = begin + warp_index();
  if (i >= end)
    return;
  count_row(run, run.rows[i], panel_of(run, run.rows[i]).score);
  if ((threadIdx.x & 31) == 0)
    run.done[run.rows[i]] = 1; // for rows of later launches
}

/// Stores the kept columns of pieces begin .. end - 1.
template <int W, class T>
__global__ void __launch_bounds__(step_threads) store_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + warp_index();
  if (p >= end)
    return;
  const RowPanel row = panel_of(run, run.pieces[p].block);
  store_piece<W>(run, piece_of(run.pieces[p], row.panel), row.score);
}

unsigned blocks_for(Offset items, int per_block)
{
  return unsigned((items + per_block - 1) / per_block);
}

/// Pulls begin .. end - 1.
template <int W, int Warps, class T>
void queue_pull(const FactorRun<T> &run, Offset begin, Offset end, cudaStream_t stream)
{
  constexpr int shared_bytes = sizeof(PullStage<W, max_block_rows, Warps, T>);
  check(cudaFuncSetAttribute(pull_pieces<W, Warps, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "asking for shared memory");
  pull_pieces<W, Warps><<<unsigned(end - begin), 32 * Warps, shared_bytes, stream>>>(run, begin);
  check(cudaGetLastError(), "pulling updates");
}

/// The rows of one width class of a batch, up to their scores.
template <int W, class T>
void queue_class(const FactorRun<T> &run, const DeviceBatch &batch, int w, cudaStream_t stream)
{
  const Offset row0 = batch.row_begin[w], row1 = batch.row_begin[w + 1];
  const Offset piece0 = batch.piece_begin[w], piece1 = batch.piece_begin[w + 1];
  const Offset pull0 = batch.pull_begin[w], pull1 = batch.pull_begin[w + 1];
  const Offset split0 = batch.split_begin[w], split1 = batch.split_begin[w + 1];
  if (row0 == row1)
    return;
  if (pull1 - pull0 > few_pieces)
    queue_pull<W, pulling_warps>(run, pull0, pull1, stream);
  else
    queue_pull<W, more_pulling_warps>(run, pull0, pull1, stream);
  if (split1 > split0) {
    add_parts<W><<<unsigned(split1 - split0), 32 * adding_warps, 0, stream>>>(run, split0);
    check(cudaGetLastError(), "adding parts of updates");
  }
  check(launch<W, 2>(stream, row1 - row0, FactorDiagonals<W, T>{run, row0}), "factoring tiles");
  constexpr int warps = step_threads / 32;
  solve_pieces<W><<<blocks_for(piece1 - piece0, warps), step_threads, 0, stream>>>(run, piece0, piece1);
  check(cudaGetLastError(), "solving panels");
  check(launch<W>(stream, row1 - row0, RowNorms<W, T>{run, row0}), "norms of rows");
  score_pieces<W><<<blocks_for(piece1 - piece0, warps), step_threads, 0, stream>>>(run, piece0, piece1);
  check(cudaGetLastError(), "scoring columns");
}

template <class T>
void queue_store(const FactorRun<T> &run, const DeviceBatch &batch, cudaStream_t stream)
{
  constexpr int warps = step_threads / 32;
  const Offset row0 = batch.row_begin[0], row1 = batch.row_begin[width_classes];
  count_rows<<<blocks_for(row1 - row0, warps), step_threads, 0, stream>>>(run, row0, row1);
  check(cudaGetLastError(), "counting kept columns");
  auto store = [&](auto w) {
    constexpr int W = 4 << w();
    const Offset begin = batch.piece_begin[w()], end = batch.piece_begin[w() + 1];
    if (begin == end)
      return;
    store_pieces<W><<<blocks_for(end - begin, warps), step_threads, 0, stream>>>(run, begin, end);
    check(cudaGetLastError(), "storing kept columns");
  };
  store(std::integral_constant<int, 0>());
  store(std::integral_constant<int, 1>());
  store(std::integral_constant<int, 2>());
  store(std::integral_constant<int, 3>());
}

/// A batch up to where its columns have their scores.
template <class T>
void queue_scores(const FactorRun<T> &run, const DeviceBatch &batch, cudaStream_t stream)
{
  queue_class<4>(run, batch, 0, stream);
  queue_class<8>(run, batch, 1, stream);
  queue_class<16>(run, batch, 2, stream);
  queue_class<32>(run, batch, 3, stream);
}

} // namespace

template <class T>
void queue_factorization(FactorRun<T> run, const DeviceSchedule &schedule, Offset items, const BatchActions<T> &actions,
                         cudaStream_t stream)
{
  check(cudaMemsetAsync(run.counter, 0, counters * sizeof *run.counter, stream), "clearing counters");
  check(cudaMemsetAsync(run.done, 0, schedule.panel_offset.size() * sizeof *run.done, stream), "clearing marks");
  if (items > 0) {
    find_largest<<<unsigned(items < 1 << 20 ? blocks_for(items, 256) : 4096), 256, 0, stream>>>(run.values, items,
                                                                                                run.counter);
    check(cudaGetLastError(), "finding the largest entry");
  }
  const bool by_rows = !actions.scored && !actions.stored;
  std::size_t next_run = 0;
  for (std::size_t i = 0; i < schedule.batches.size(); ++i) {
    const DeviceBatch &batch = schedule.batches[i];
    if (by_rows && next_run < schedule.runs.size() && schedule.runs[next_run].first_batch == i) {
      queue_rows(run, schedule.runs[next_run], schedule.largest_block, stream);
      i = schedule.runs[next_run++].last_batch;
      continue;
    }
    queue_scores(run, batch, stream);
    if (actions.scored)
      actions.scored(run, batch);
    Room room = Room::Added;
    while (room == Room::Added) {
      queue_store(run, batch, stream);
      room = actions.stored ? actions.stored(run) : Room::Enough;
    }
    if (room == Room::None)
      return;
  }
}

template void queue_factorization(FactorRun<double>, const DeviceSchedule &, Offset, const BatchActions<double> &,
                                  cudaStream_t);
template void queue_factorization(FactorRun<float>, const DeviceSchedule &, Offset, const BatchActions<float> &,
                                  cudaStream_t);

} // namespace tessera
