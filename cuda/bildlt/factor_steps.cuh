#ifndef TESSERA_CUDA_BILDLT_FACTOR_STEPS_CUH
#define TESSERA_CUDA_BILDLT_FACTOR_STEPS_CUH

#include "cuda/lanes/team_cuda.cuh"

#include "cuda/bildlt/block_factor.cuh"
#include "cuda/bildlt/piece_tiles.cuh"
#include "cuda/lanes/invert_by_columns.cuh"
#include "cuda/runtime/warp_sums.cuh"
#include "factor/bildlt/block_ildlt.hpp"
#include "factor/bildlt/factor_tile.hpp"
#include "tile/block_diagonal.hpp"

#include <cuda_pipeline.h>

// The steps of a block row on the device that are not those of factor/bildlt/block_ildlt.hpp: what a warp does of them.
// Level by level each is a kernel (block_factor.cu), row by row and pull by pull one kernel does all (row_factor.cu,
// pull_factor.cu).

namespace tessera {

/// Where a block row is computed: the panel [W x panel_width], sums of squares [W x tiles], reciprocal norms [W],
/// scores [panel_width], for a group of W lanes.
struct RowPanel {
  double *panel, *squares, *inverse_norm;
  float *score;
};

inline __device__ PanelPiece piece_of(const PieceItem &item, double *panel)
{
  return {item.block, item.tile_begin, item.tile_end, item.column_begin, item.column_end, panel};
}

template <class T>
__device__ RowPanel panel_of(const FactorRun<T> &run, Index b)
{
  return {run.panels + run.panel_offset[b], run.squares + run.squares_offset[b], run.inverse_norm + run.norm_offset[b],
          run.score + run.panel_offset[b] / 4};
}

/// Adds the parts of the updates of a piece, which lie one behind the other, to its entries of A. By `Threads` threads.
template <int W, int Threads>
__device__ void add_parts(const PieceItem &item, double *panel, const double *part, Offset parts)
{
  constexpr int at_once = 8; // whose loads do not wait for each other
  const Index size = (item.column_end - item.column_begin) * W;
  panel += Offset(item.column_begin) * W;
  for (Index i = threadIdx.x; i < size; i += Threads) {
    double sum = panel[i];
    for (Offset p0 = 0; p0 < parts; p0 += at_once) {
      double x[at_once];
#pragma unroll
      for (int p = 0; p < at_once; ++p)
        x[p] = p0 + p < parts ? part[i + (p0 + p) * size] : 0;
#pragma unroll
      for (int p = 0; p < at_once; ++p)
        sum = p0 + p < parts ? sum + x[p] : sum;
    }
    panel[i] = sum;
  }
}

/// Raises a maximum. Who reads that it is as large already asks for no atomic operation: those on one address are done
/// one after the other.
inline __device__ void raise_to(unsigned long long *bits, double magnitude)
{
  const auto mine = static_cast<unsigned long long>(__double_as_longlong(magnitude));
  if (mine > *static_cast<const volatile unsigned long long *>(bits))
    atomicMax(bits, mine);
}

/// Adds what is not 0, likewise.
inline __device__ void add_count(unsigned long long *counter, unsigned long long count)
{
  if (count > 0)
    atomicAdd(counter, count);
}

inline __device__ void add_counts(unsigned long long *counter, const PivotCounts &counts, bool searched, double growth)
{
  add_count(counter + one_by_one_count, counts.one_by_one);
  add_count(counter + two_by_two_count, counts.two_by_two);
  add_count(counter + perturbed_count, counts.perturbed);
  add_count(counter + zero_count, counts.zero);
  add_count(counter + negative_count, counts.negative);
  add_count(counter + positive_count, counts.positive);
  add_count(counter + nonfinite_count, counts.nonfinite);
  add_count(counter + searched_count, searched);
  raise_to(counter + growth_bits, growth);
}

/// Factors the diagonal tile of a block row and leaves D⁻¹ L⁻¹ P in its place. A group of W lanes; groups of a warp go
/// through it together, also those of which it is not asked. shared: [W x W] in shared memory, of this group.
template <int W, class T>
__device__ void factor_diagonal(const FactorRun<T> &run, Index b, double *tile, double *shared, bool asked)
{
  const CudaGroup<W> g;
  const Index k = asked ? run.s.block_rows(b) : 0, row = run.s.block_start[b];
  // What is read here arrives while the tile does
  const double largest = __longlong_as_double(run.counter[largest_bits]);
  const LdltOptions<double> options{run.perturbation * largest, run.pairs[b]};
  double *inverse = run.f.inverse + run.f.inverse_start[b];
  const int lane = g.template id<double>();
#pragma unroll
  for (int c = 0; c < W; ++c)
    if (c < k)
      __pipeline_memcpy_async(shared + c * W + lane, tile + c * W + lane, sizeof(double));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  g.sync();
  double growth = 0, x[W];
#pragma unroll
  for (int c = 0; c < W; ++c)
    if (c <= lane && lane < k)
      growth = max(growth, fabs(shared[c * W + lane]));
  growth = g.max_of(growth);
  PivotCounts counts = {};
  const bool searched = factor_tile_by<CudaGroup<W>>(run.pivoting, shared, k, options, run.f.d + row, run.f.e + row,
                                                     run.perm + row, &counts);
  const int place = lane < k ? run.perm[row + lane] : 0; // read here, where nobody waits for it
  const double d = lane < k ? run.f.d[row + lane] : 0, e = lane < k - 1 ? run.f.e[row + lane] : 0;
  invert_by_columns<W>(shared, W, k, place, GroupMemory<W, double>::of_group(), x);
#pragma unroll
  for (int c = 0; c < W; ++c)
    if (c < k && lane < k)
      inverse[c * k + lane] = x[c];
  const auto of_d = block_diagonal<DiagonalOf::inverse>(PivotBlocks<CudaGroup<W>, double>(g, d, e));
#pragma unroll
  for (int c = 0; c < W; ++c) {
    x[c] = multiply_diagonal(g, of_d, x[c]);
    if (c < k)
      tile[c * W + lane] = x[c];
  }
  counts.nonfinite |= !inverse_is_finite(g, W, largest, [&](int c) { return x[c]; });
  if (asked && g.leads())
    add_counts(run.counter, counts, searched, growth);
}

/// Norms of the rows of a block row. A group of W lanes; groups of a warp go through it together, and those that are
/// not asked must have the row of one that is.
template <int W, class T>
__device__ void find_norms(const FactorRun<T> &run, Index b, const RowPanel &row, bool asked)
{
  const CudaGroup<W> g;
  const bool finite = row_norms(g, run.s, b, row.squares, row.inverse_norm);
  if (!finite && asked && g.leads())
    atomicAdd(run.counter + nonfinite_count, 1);
}

/// How many scores of a tile, at most 32, are above the tolerance; their loads do not wait for each other.
inline __device__ Index count_above(const float *score, Index columns, float tolerance)
{
  Index n = 0;
#pragma unroll
  for (int c = 0; c < max_block_rows; ++c)
    n += c < columns && score[c] > tolerance;
  return n;
}

/// Counts the kept columns of each tile of a block row, and takes room for them from the pools; without room the row
/// keeps nothing, so that later rows read nothing of it. A warp. The place in the pool depends on the order in which
/// warps come, what is stored there does not.
template <class T>
__device__ void count_row(const FactorRun<T> &run, Index b, const float *score)
{
  const int lane = threadIdx.x & 31;
  const Index k = run.s.block_rows(b);
  const Offset begin = run.s.tile_start[b], tiles = run.s.tile_start[b + 1];
  Index before = 0;
  for (Offset t0 = begin; t0 < tiles; t0 += 32) {
    const Offset t = t0 + lane;
    Index n = 0;
    if (t < tiles)
      n = count_above(score + run.s.panel_column[t], run.s.block_rows(run.s.tile_column[t]), run.tolerance);
    const Index sum = sum_up_to(n);
    if (t < tiles)
      run.f.first[t + b] = before + sum - n;
    before += __shfl_sync(~0u, sum, 31);
  }
  bool room = true;
  if (lane == 0) {
    run.f.first[tiles + b] = before;
    const auto count = static_cast<unsigned long long>(before);
    const unsigned long long values = atomicAdd(run.counter + values_used, count * k);
    const unsigned long long columns = atomicAdd(run.counter + columns_used, count);
    room = values + count * k <= run.value_capacity && columns + count <= run.column_capacity;
    run.f.value[b] = room ? run.value_pool + values : nullptr;
    run.f.column[b] = run.column_pool + columns;
  }
  __syncwarp();
  if (!__shfl_sync(~0u, room, 0))
    for (Offset t = begin + lane; t <= tiles; t += 32)
      run.f.first[t + b] = 0;
}

/// Stores the kept columns of a piece. A warp: first each lane looks at a column, then W lanes each store columns.
template <int W, class T>
__device__ void store_piece(const FactorRun<T> &run, const PanelPiece &piece, const float *score)
{
  const int lane = threadIdx.x & 31, row = lane & (W - 1);
  const Index b = piece.block, k = run.s.block_rows(b);
  T *value = run.f.value[b];
  if (!value || piece.tile_begin == piece.tile_end)
    return;
  const PieceTiles tiles(run.s, piece, lane);
  const Offset t = piece.tile_begin + lane;
  const Index first = t < piece.tile_end ? run.f.first[t + b] : 0;
  const Index columns = piece.column_end - piece.column_begin;
  const unsigned kept = __ballot_sync(~0u, lane < columns && score[piece.column_begin + lane] > run.tolerance);
  // the kept columns of a piece are consecutive
  const Index before = __shfl_sync(~0u, first, 0);
  const Index begin = __shfl_sync(~0u, tiles.column, tiles.tile_of(piece.column_begin + lane));
  if (kept >> lane & 1)
    run.f.column[b][before + __popc(kept & ((1u << lane) - 1))] =
        static_cast<std::uint8_t>(piece.column_begin + lane - begin);
  const double *panel = piece.panel + Offset(piece.column_begin) * W;
  constexpr int at_once = 8; // columns, whose loads do not wait for each other
  for (int c0 = lane / W; c0 < columns; c0 += at_once * (32 / W)) {
    double x[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (const int c = c0 + i * (32 / W); c < columns)
        x[i] = panel[c * W + row];
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (const int c = c0 + i * (32 / W); c < columns && (kept >> c & 1) && row < k)
        value[Offset(before + __popc(kept & ((1u << c) - 1))) * k + row] = static_cast<T>(x[i]);
  }
}

/// A row from its solved pieces to its kept columns, by a thread block of `Warps` warps; then others may read it.
/// pieces begin .. end - 1 are those of block row b.
template <int W, int Warps, class T>
__device__ void finish_row(const FactorRun<T> &run, Index b, Offset begin, Offset end, const RowPanel &row)
{
  const int warp = threadIdx.x / 32;
  if (warp == 0)
    find_norms<W>(run, b, row, threadIdx.x < W);
  __syncthreads();
  for (Offset p = begin + warp; p < end; p += Warps)
    score_columns(CudaTeam<W>(), run.s, piece_of(run.pieces[p], row.panel), row.inverse_norm, row.score);
  __syncthreads();
  if (warp == 0)
    count_row(run, b, row.score);
  __syncthreads();
  for (Offset p = begin + warp; p < end; p += Warps)
    store_piece<W>(run, piece_of(run.pieces[p], row.panel), row.score);
  __syncthreads();
  if (threadIdx.x == 0)
    store_release(run.done + b, 1);
}

} // namespace tessera
#endif
