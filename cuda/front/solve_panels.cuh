#ifndef TESSERA_CUDA_FRONT_SOLVE_PANELS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_PANELS_CUH

#include "cuda/front/solve_view.cuh"
#include "cuda/solve/solve_lanes.cuh"

namespace tessera {

// Fronts with panels of 32 columns: of a warp, and of a thread block

/// 32 rows of a panel with at most C columns in the registers of a warp: a row a lane.
template <int C>
struct PanelRows {
  static constexpr int lanes_a_column = 32 / C;
  double entry[C];

  /// The column whose sum transposed() leaves in this lane
  __device__ static int column() { return lane_of_warp() / lanes_a_column; }
  /// Whether this is the first of the lanes that get that sum
  __device__ static bool leads() { return lane_of_warp() % lanes_a_column == 0; }

  /// Rows from `first` on of a panel of `width` columns and `rows` rows; zeros where there are none.
  __device__ void load(const double *panel, Index rows, Index width, Index first)
  {
    const Index row = first + lane_of_warp();
    const double *from = panel + row;
#pragma unroll
    for (int c = 0; c < C; ++c)
      entry[c] = c < width && row < rows ? __ldg(from + Offset(c) * rows) : 0;
  }

  /// In each lane the sum over the rows of entries of its column() times y, of which each lane has that of its row.
  __device__ double transposed(double y) const
  {
    double own[C];
#pragma unroll
    for (int c = 0; c < C; ++c)
      own[c] = entry[c] * y;
    return sum_columns<C, 32>(own);
  }

  /// The lane's row times a vector, of which entry(c) is number c.
  template <class Entry>
  __device__ double times(const Entry &vector) const
  {
    double sum[4] = {};
#pragma unroll
    for (int c = 0; c < C; ++c)
      sum[c % 4] = fma(entry[c], vector(c), sum[c % 4]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

/// The forward sweep over a front of at most 32 rows and C columns, by a warp.
template <int C, int N>
__device__ void forward_warp(const FrontSweep &s, const SolveItem &f)
{
  using Rows = PanelRows<C>;
  const Index lane = lane_of_warp(), rows = f.columns + f.below, c = Rows::column();
  const bool own = lane < f.columns;
  Rows panel;
  panel.load(s.factor + f.factor, rows, f.columns, 0);
  const bool live = c < f.columns && (__ldg(s.live + f.sign_begin) >> c & 1);
  double v[N] = {};
  if (own)
    begin_row<N>(s, f.first + lane, v);
  gather<N>(s, f.place_begin + lane, lane < rows, v);
#pragma unroll
  for (int j = 0; j < N; ++j) {
    const double sum = panel.transposed(own ? v[j] : 0), z = live ? sum : 0;
    if (Rows::leads() && c < f.columns)
      s.z[Offset(f.first + c) * N + j] = z;
    v[j] -= panel.times([&](int k) { return __shfl_sync(~0u, z, k * Rows::lanes_a_column); });
    if (!own && lane < rows)
      publish(s.handed + (f.below_begin + lane - f.columns) * N + j, v[j]);
  }
}

/// The backward sweep over such a front.
template <int C, int N>
__device__ void backward_warp(const FrontSweep &s, const SolveItem &f)
{
  using Rows = PanelRows<C>;
  const Index lane = lane_of_warp(), rows = f.columns + f.below, c = Rows::column();
  const bool own = lane < f.columns;
  Rows panel;
  panel.load(s.factor + f.factor, rows, f.columns, 0);
  const bool negative = c < f.columns && (__ldg(s.negative + f.sign_begin) >> c & 1);
  double z[N] = {}, v[N] = {};
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (c < f.columns)
      z[j] = s.z[Offset(f.first + c) * N + j];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (Rows::leads() && c < f.columns)
      reset(s.z + Offset(f.first + c) * N + j);
  if (!own && lane < rows)
    await_row<N>(s.x + Offset(__ldg(s.below_row + f.below_begin + lane - f.columns)) * N, v);
  __syncwarp();
#pragma unroll
  for (int j = 0; j < N; ++j) {
    const double u = (negative ? -z[j] : z[j]) - panel.transposed(own ? 0 : v[j]);
    const double x = panel.times([&](int k) { return __shfl_sync(~0u, u, k * Rows::lanes_a_column); });
    if (own)
      end_row<N>(s, f.first + lane, j, x);
  }
}

/// The panels of a front with at most `columns` of them, for a thread block.
struct BlockPanels {
  static constexpr Index width = DeviceFront::warp_width, step = front_solve_threads;
  const double *factor;
  Index columns, rows;

  __device__ BlockPanels(const FrontSweep &s, const SolveItem &f)
      : factor(s.factor + f.factor), columns(f.columns), rows(f.columns + f.below)
  {
  }

  __device__ Index count() const { return (columns + width - 1) / width; }
  __device__ Index columns_of(Index p) const { return min(width, columns - p * width); }
  __device__ Index rows_of(Index p) const { return rows - p * width; }
  __device__ const double *operator[](Index p) const
  {
    return factor + Offset(width) * (Offset(p) * rows - Offset(width) * p * (p - 1) / 2);
  }

  /// The first 32 rows of panel p that this warp has; others follow `step` rows later.
  __device__ void load(PanelRows<32> &panel, Index p) const
  {
    panel.load((*this)[p], rows_of(p), columns_of(p), 32 * warp_of_block());
  }

  /// Asks for all of the factor.
  __device__ void fetch() const
  {
    const Index last = count() - 1;
    const Offset numbers = (*this)[last] - factor + Offset(rows_of(last)) * columns_of(last);
    for (Offset i = Offset(threadIdx.x) * 16; i < numbers; i += front_solve_threads * 16)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(factor + i));
  }
};

/// Shared memory of a front of a thread block, in numbers: v [rows, N], z [32, N] and sums [warps, 32, N].
template <int N>
__host__ __device__ constexpr std::size_t block_front_numbers(Index rows)
{
  return std::size_t(N) * (std::size_t(rows) + 32 + front_solve_threads);
}

/// The forward sweep over a front by a thread block.
template <int N>
__device__ void forward_block(const FrontSweep &s, const SolveItem &f, double *memory)
{
  const BlockPanels panels(s, f);
  const Index lane = lane_of_warp(), warp = warp_of_block(), count = panels.count();
  double *const v = memory, *const z = memory + panels.rows * N;
  PanelRows<32> rows;
  rows.load(panels[0], panels.rows, panels.columns_of(0), 32 * warp);
  panels.fetch();
  for (Index r0 = 32 * warp; r0 < panels.rows; r0 += panels.step) {
    const Index row = r0 + lane;
    double sum[N] = {};
    if (row < f.columns)
      begin_row<N>(s, f.first + row, sum);
    gather<N>(s, f.place_begin + row, row < panels.rows, sum);
    if (row < panels.rows)
#pragma unroll
      for (int j = 0; j < N; ++j)
        v[row * N + j] = sum[j];
  }
  __syncthreads();
  for (Index p = 0; p < count; ++p) {
    const Index p0 = p * panels.width, width = panels.columns_of(p), left = panels.rows_of(p);
    double *const own = v + p0 * N;
    if (warp == 0) {
      const bool live = lane < width && (__ldg(s.live + f.sign_begin + p) >> lane & 1);
      for (int j = 0; j < N; ++j) {
        const double sum = rows.transposed(lane < width ? own[lane * N + j] : 0), value = live ? sum : 0;
        z[lane * N + j] = value;
        if (lane < width)
          s.z[Offset(f.first + p0 + lane) * N + j] = value;
      }
    }
    __syncthreads();
    for (Index r0 = 32 * warp; r0 < left; r0 += panels.step) {
      if (left > panels.step)
        rows.load(panels[p], left, width, r0);
      const Index row = r0 + lane;
      if (row >= width && row < left)
#pragma unroll
        for (int j = 0; j < N; ++j)
          own[row * N + j] -= rows.times([&](int c) { return z[c * N + j]; });
    }
    if (p + 1 < count)
      panels.load(rows, p + 1);
    __syncthreads();
  }
  for (Index i = threadIdx.x; i < f.below * N; i += front_solve_threads)
    publish(s.handed + f.below_begin * N + i, v[f.columns * N + i]);
}

/// The backward sweep over such a front.
template <int N>
__device__ void backward_block(const FrontSweep &s, const SolveItem &f, double *memory)
{
  const BlockPanels panels(s, f);
  const Index lane = lane_of_warp(), warp = warp_of_block(), count = panels.count();
  double *const v = memory, *const sums = memory + (panels.rows + 32) * N;
  PanelRows<32> rows;
  panels.load(rows, count - 1);
  panels.fetch();
  for (Index i = threadIdx.x; i < f.below; i += front_solve_threads) {
    double x[N];
    await_row<N>(s.x + Offset(__ldg(s.below_row + f.below_begin + i)) * N, x);
#pragma unroll
    for (int j = 0; j < N; ++j)
      v[(f.columns + i) * N + j] = x[j];
  }
  __syncthreads();
  for (Index p = count - 1; p >= 0; --p) {
    const Index p0 = p * panels.width, width = panels.columns_of(p), left = panels.rows_of(p);
    double *const own = v + p0 * N;
    double sum[N] = {};
    // from the last rows to the first, of which warp 0 needs the diagonal block afterwards
    for (Index r0 = 32 * warp + (left - 1 - 32 * warp) / panels.step * panels.step; r0 >= 32 * warp && r0 < left;
         r0 -= panels.step) {
      if (left > panels.step)
        rows.load(panels[p], left, width, r0);
      const Index row = r0 + lane;
#pragma unroll
      for (int j = 0; j < N; ++j)
        sum[j] += rows.transposed(row >= width && row < left ? own[row * N + j] : 0);
    }
#pragma unroll
    for (int j = 0; j < N; ++j)
      sums[(warp * 32 + lane) * N + j] = sum[j];
    __syncthreads();
    if (warp == 0) {
      const bool negative = lane < width && (__ldg(s.negative + f.sign_begin + p) >> lane & 1);
      for (int j = 0; j < N; ++j) {
        double *const from = s.z + Offset(f.first + p0 + lane) * N + j;
        const double z = lane < width ? *from : 0;
        if (lane < width)
          reset(from);
        double u = negative ? -z : z;
        for (Index w = 0; w < front_solve_places; ++w)
          u -= sums[(w * 32 + lane) * N + j];
        const double x = rows.times([&](int c) { return __shfl_sync(~0u, u, c); });
        if (lane < width) {
          own[lane * N + j] = x;
          end_row<N>(s, f.first + p0 + lane, j, x);
        }
      }
    }
    if (p > 0)
      panels.load(rows, p - 1);
    __syncthreads();
  }
}

} // namespace tessera
#endif
