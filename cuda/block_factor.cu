#include "launch.cuh"
#include "pull_pieces.cuh"
#include "team_cuda.cuh"

#include "block_factor.cuh"
#include "factor/block_ildlt.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/ldlt.hpp"
#include "tile/triangular.hpp"

namespace tessera {
namespace {

/// Warps of a thread block that pulls updates: what share a block's shared memory.
template <int W>
constexpr int pulling_warps = 2;

__device__ void raise_to(unsigned long long *bits, double magnitude)
{
  atomicMax(bits, static_cast<unsigned long long>(__double_as_longlong(magnitude)));
}

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
__device__ PanelPiece piece_of(const FactorRun<T> &run, const PieceItem &item)
{
  return {item.block,        item.tile_begin, item.tile_end,
          item.column_begin, item.column_end, run.panels + run.panel_offset[item.block]};
}

/// Computes pieces begin .. end - 1 before their solve: entries of A less the updates. A warp a piece, which it keeps
/// in shared memory meanwhile.
template <int W, class T>
__global__ void __launch_bounds__(32 * pulling_warps<W>) pull_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  extern __shared__ __align__(16) unsigned char memory[];
  PullStage<W, T> &stage = reinterpret_cast<PullStage<W, T> *>(memory)[threadIdx.x / 32];
  const Offset p = begin + Offset(blockIdx.x) * pulling_warps<W> + threadIdx.x / 32;
  if (p >= end)
    return;
  const CudaTeam<W> g;
  const PanelPiece whole = piece_of(run, run.pieces[p]);
  PanelPiece piece = whole;
  piece.panel = stage.panel - Offset(whole.column_begin) * W;
  gather_values(g, run.values, piece);
  PieceUpdates<W, T>{run.s, run.f, piece, stage}.pull();
  for (Offset i = Offset(piece.column_begin) * W + g.first_item(); i < Offset(piece.column_end) * W; i += g.item_step())
    whole.panel[i] = piece.panel[i];
}

/// Factors the diagonal tile of a block row and leaves D⁻¹ L⁻¹ P in its place.
template <int W, Pivoting P, class T>
struct FactorDiagonal {
  FactorRun<T> run;
  Offset begin;

  __device__ void operator()(const CudaGroup<W> &g, std::int64_t item) const
  {
    const Index b = run.rows[begin + item], k = run.s.block_rows(b), row = run.s.block_start[b];
    double *tile = run.panels + run.panel_offset[b], *inverse = run.f.inverse + run.f.inverse_start[b];
    const int lane = g.template id<double>();
    double growth = 0;
    for (int c = 0; c < W; ++c)
      if (c <= lane && lane < k)
        growth = max(growth, fabs(tile[c * W + lane]));
    growth = g.max_of(growth);
    const double delta = run.perturbation * __longlong_as_double(run.counter[largest_bits]);
    PivotCounts counts;
    ldlt<P>(g, tile, W, k, LdltOptions<double>{delta, run.pairs[b]}, tile, run.f.d + row, run.f.e + row, run.perm + row,
            &counts);
    inverse_lower(g, tile, W, k, run.perm + row, inverse, k);
    for (int c = 0; c < W; ++c)
      if (c < k)
        tile[c * W + lane] = lane < k ? inverse[c * k + lane] : 0;
    g.sync();
    multiply_diagonal<DiagonalOf::inverse>(g, run.f.d + row, run.f.e + row, k, tile, W, k);
    if (g.leads())
      add(counts, growth);
  }

  __device__ void add(const PivotCounts &counts, double growth) const
  {
    atomicAdd(run.counter + one_by_one_count, counts.one_by_one);
    atomicAdd(run.counter + two_by_two_count, counts.two_by_two);
    atomicAdd(run.counter + perturbed_count, counts.perturbed);
    atomicAdd(run.counter + zero_count, counts.zero);
    atomicAdd(run.counter + negative_count, counts.negative);
    atomicAdd(run.counter + positive_count, counts.positive);
    atomicAdd(run.counter + nonfinite_count, counts.nonfinite);
    raise_to(run.counter + growth_bits, growth);
  }
};

/// U = D⁻¹ L⁻¹ P C for pieces begin .. end - 1.
template <int W, class T>
__global__ void __launch_bounds__(128) solve_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + (Offset(blockIdx.x) * 128 + threadIdx.x) / 32;
  if (p >= end)
    return;
  const PanelPiece piece = piece_of(run, run.pieces[p]);
  solve_panel(CudaTeam<W>(), run.s, piece, piece.panel, run.squares + run.squares_offset[piece.block]);
}

/// Norms of the rows of a block row.
template <int W, class T>
struct RowNorms {
  FactorRun<T> run;
  Offset begin;

  __device__ void operator()(const CudaGroup<W> &g, std::int64_t item) const
  {
    const Index b = run.rows[begin + item];
    const bool finite =
        row_norms(g, run.s, b, run.squares + run.squares_offset[b], run.inverse_norm + run.norm_offset[b]);
    if (!finite && g.leads())
      atomicAdd(run.counter + nonfinite_count, 1);
  }
};

/// Scores the columns of pieces begin .. end - 1.
template <int W, class T>
__global__ void __launch_bounds__(128) score_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + (Offset(blockIdx.x) * 128 + threadIdx.x) / 32;
  if (p >= end)
    return;
  const PanelPiece piece = piece_of(run, run.pieces[p]);
  score_columns(CudaTeam<W>(), run.s, piece, run.inverse_norm + run.norm_offset[piece.block],
                run.score + run.panel_offset[piece.block] / 4);
}

/// Counts the kept columns of each tile of the rows begin .. end - 1, and takes room for them from the pools. A warp a
/// row. The place in the pool depends on the order in which warps come, what is stored there does not.
template <class T>
__global__ void __launch_bounds__(128) count_rows(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset i = begin + (Offset(blockIdx.x) * 128 + threadIdx.x) / 32;
  if (i >= end)
    return;
  const int lane = threadIdx.x & 31;
  const Index b = run.rows[i], k = run.s.block_rows(b);
  const float *score = run.score + run.panel_offset[b] / 4;
  const Offset tiles = run.s.tile_start[b + 1];
  Index before = 0;
  for (Offset t0 = run.s.tile_start[b]; t0 < tiles; t0 += 32) {
    const Offset t = t0 + lane;
    Index n = 0;
    if (t < tiles)
      for (Index c = 0; c < run.s.block_rows(run.s.tile_column[t]); ++c)
        n += score[run.s.panel_column[t] + c] > run.tolerance;
    Index sum = n;
    for (int step = 1; step < 32; step *= 2) {
      const Index other = __shfl_up_sync(~0u, sum, step);
      sum += lane >= step ? other : 0;
    }
    if (t < tiles)
      run.f.first[t + b] = before + sum - n;
    before += __shfl_sync(~0u, sum, 31);
  }
  if (lane > 0)
    return;
  run.f.first[tiles + b] = before;
  const unsigned long long values = atomicAdd(run.counter + values_used, (unsigned long long)(before)*k);
  const unsigned long long columns = atomicAdd(run.counter + columns_used, (unsigned long long)(before));
  const bool room =
      values + (unsigned long long)(before)*k <= run.value_capacity && columns + before <= run.column_capacity;
  run.f.value[b] = room ? run.value_pool + values : nullptr;
  run.f.column[b] = run.column_pool + columns;
}

/// Makes the rows begin .. end - 1 that found no room keep nothing, so that later rows read nothing of them.
template <class T>
__global__ void __launch_bounds__(128) clear_rows(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset i = begin + (Offset(blockIdx.x) * 128 + threadIdx.x) / 32;
  if (i >= end)
    return;
  const Index b = run.rows[i];
  if (!run.f.value[b])
    for (Offset t = run.s.tile_start[b] + (threadIdx.x & 31); t <= run.s.tile_start[b + 1]; t += 32)
      run.f.first[t + b] = 0;
}

/// Stores the kept columns of pieces begin .. end - 1: a lane a column.
template <int W, class T>
__global__ void __launch_bounds__(128) store_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + (Offset(blockIdx.x) * 128 + threadIdx.x) / 32;
  if (p >= end)
    return;
  const int lane = threadIdx.x & 31;
  const PanelPiece piece = piece_of(run, run.pieces[p]);
  const Index b = piece.block, k = run.s.block_rows(b);
  const float *score = run.score + run.panel_offset[b] / 4;
  T *value = run.f.value[b];
  if (!value)
    return;
  for (Offset t = piece.tile_begin; t < piece.tile_end; ++t) {
    const Index c = run.s.panel_column[t] + lane;
    const bool keep = lane < run.s.block_rows(run.s.tile_column[t]) && score[c] > run.tolerance;
    const unsigned kept = __ballot_sync(~0u, keep);
    if (!keep)
      continue;
    const Index n = run.f.first[t + b] + __popc(kept & ((1u << lane) - 1));
    run.f.column[b][n] = static_cast<std::uint8_t>(lane);
    for (Index r = 0; r < k; ++r)
      value[Offset(n) * k + r] = static_cast<T>(piece.panel[Offset(c) * W + r]);
  }
}

unsigned blocks_for(Offset items, int per_block)
{
  return unsigned((items + per_block - 1) / per_block);
}

template <int W, class T>
void queue_diagonal(const FactorRun<T> &run, Offset begin, Offset end, Pivoting pivoting, cudaStream_t stream)
{
  switch (pivoting) {
  case Pivoting::none:
    return check(launch<W, 2>(stream, end - begin, FactorDiagonal<W, Pivoting::none, T>{run, begin}),
                 "factoring tiles");
  case Pivoting::bunch_kaufman:
    return check(launch<W, 2>(stream, end - begin, FactorDiagonal<W, Pivoting::bunch_kaufman, T>{run, begin}),
                 "factoring tiles");
  case Pivoting::rook:
    return check(launch<W, 2>(stream, end - begin, FactorDiagonal<W, Pivoting::rook, T>{run, begin}),
                 "factoring tiles");
  }
}

/// The rows of one width class of a batch, up to their scores.
template <int W, class T>
void queue_class(const FactorRun<T> &run, const DeviceBatch &batch, int w, Pivoting pivoting, cudaStream_t stream)
{
  const Offset row0 = batch.row_begin[w], row1 = batch.row_begin[w + 1];
  const Offset piece0 = batch.piece_begin[w], piece1 = batch.piece_begin[w + 1];
  if (row0 == row1)
    return;
  constexpr int warps = pulling_warps<W>;
  constexpr int shared_bytes = warps * sizeof(PullStage<W, T>);
  check(cudaFuncSetAttribute(pull_pieces<W, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "asking for shared memory");
  pull_pieces<W><<<blocks_for(piece1 - piece0, warps), 32 * warps, shared_bytes, stream>>>(run, piece0, piece1);
  check(cudaGetLastError(), "pulling updates");
  queue_diagonal<W>(run, row0, row1, pivoting, stream);
  solve_pieces<W><<<blocks_for(piece1 - piece0, 4), 128, 0, stream>>>(run, piece0, piece1);
  check(cudaGetLastError(), "solving panels");
  check(launch<W>(stream, row1 - row0, RowNorms<W, T>{run, row0}), "norms of rows");
  score_pieces<W><<<blocks_for(piece1 - piece0, 4), 128, 0, stream>>>(run, piece0, piece1);
  check(cudaGetLastError(), "scoring columns");
}

template <class T>
void queue_store(const FactorRun<T> &run, const DeviceBatch &batch, cudaStream_t stream)
{
  const Offset row0 = batch.row_begin[0], row1 = batch.row_begin[width_classes];
  count_rows<<<blocks_for(row1 - row0, 4), 128, 0, stream>>>(run, row0, row1);
  check(cudaGetLastError(), "counting kept columns");
  clear_rows<<<blocks_for(row1 - row0, 4), 128, 0, stream>>>(run, row0, row1);
  check(cudaGetLastError(), "clearing rows without room");
  auto store = [&](auto w) {
    constexpr int W = 4 << w();
    const Offset begin = batch.piece_begin[w()], end = batch.piece_begin[w() + 1];
    if (begin == end)
      return;
    store_pieces<W><<<blocks_for(end - begin, 4), 128, 0, stream>>>(run, begin, end);
    check(cudaGetLastError(), "storing kept columns");
  };
  store(std::integral_constant<int, 0>());
  store(std::integral_constant<int, 1>());
  store(std::integral_constant<int, 2>());
  store(std::integral_constant<int, 3>());
}

} // namespace

template <class T>
void queue_factorization(FactorRun<T> run, const DeviceSchedule &schedule, Offset items, Pivoting pivoting,
                         const BatchActions<T> &actions, cudaStream_t stream)
{
  check(cudaMemsetAsync(run.counter, 0, counters * sizeof *run.counter, stream), "clearing counters");
  if (items > 0) {
    find_largest<<<unsigned(items < 1 << 20 ? blocks_for(items, 256) : 4096), 256, 0, stream>>>(run.values, items,
                                                                                                run.counter);
    check(cudaGetLastError(), "finding the largest entry");
  }
  for (const DeviceBatch &batch : schedule.batches) {
    queue_class<4>(run, batch, 0, pivoting, stream);
    queue_class<8>(run, batch, 1, pivoting, stream);
    queue_class<16>(run, batch, 2, pivoting, stream);
    queue_class<32>(run, batch, 3, pivoting, stream);
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

template void queue_factorization(FactorRun<double>, const DeviceSchedule &, Offset, Pivoting,
                                  const BatchActions<double> &, cudaStream_t);
template void queue_factorization(FactorRun<float>, const DeviceSchedule &, Offset, Pivoting,
                                  const BatchActions<float> &, cudaStream_t);

} // namespace tessera
