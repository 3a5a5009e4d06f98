#ifndef TESSERA_CUDA_FRONT_SOLVE_SOLVE_PANELS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_SOLVE_PANELS_CUH

#include "cuda/front/solve/solve_view.cuh"
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
    return sum_columns<C, 32>([&](int c) { return entry[c] * y; });
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

/// The forward sweep over a front of at most 32 rows and C columns, or none, by a warp.
template <int C, int N>
__device__ void forward_warp(const FrontSweep &s, const SolveItem &f)
{
  using Rows = PanelRows<C>;
  const Index lane = lane_of_warp(), rows = f.columns + f.below, c = Rows::column();
  const bool own = lane < f.columns;
  Rows panel;
  panel.load(s.factor + f.factor, rows, f.columns, 0);
  const bool live = c < f.columns && (__ldg(s.live + f.sign_begin) >> c & 1);
  const Sources sources(s, f.place_begin + lane, lane < rows);
  RightSides<N> right;
  if (own)
    right.load(s, f.first + lane);
  double v[N] = {};
  gather<N>(s, sources, v);
  right.add(v);
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
  const Index from = c < f.columns ? c ^ Index(__ldg(s.swapped + f.sign_begin) >> c & 1) : c;
  double z[N] = {}, v[N] = {};
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (c < f.columns)
      z[j] = s.z[Offset(f.first + from) * N + j];
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
    if (own) {
      publish(s.x + Offset(f.first + lane) * N + j, x);
      deliver(s, f.first + lane, j, x);
    }
  }
}

/// The panels of a front of a thread block. Warps have 32 rows of a panel each, and take turns: the first rows of a
/// panel belong to the warp after the last one of the panel before. So most have theirs in registers before their turn.
struct BlockPanels {
  static constexpr Index width = DeviceFront::warp_width, warps = front_solve_places;
  const double *factor;
  Index columns, rows, count;

  __device__ BlockPanels(const FrontSweep &s, const SolveItem &f)
      : factor(s.factor + f.factor), columns(f.columns), rows(f.columns + f.below), count((columns + width - 1) / width)
  {
  }

  __device__ Index columns_of(Index p) const { return min(width, columns - p * width); }
  __device__ Index rows_of(Index p) const { return rows - p * width; }
  /// Warps that have rows of panel p
  __device__ Index warps_of(Index p) const { return min(warps, (rows_of(p) + 31) / 32); }
  __device__ const double *operator[](Index p) const
  {
    return factor + Offset(width) * (Offset(p) * rows - Offset(width) * p * (p - 1) / 2);
  }

  /// Asks for all of the factor.
  __device__ void fetch() const
  {
    const Index last = count - 1;
    if (last < 0)
      return;
    const Offset numbers = (*this)[last] - factor + Offset(rows_of(last)) * columns_of(last);
    for (Offset i = Offset(threadIdx.x) * 16; i < numbers; i += front_solve_threads * 16)
      prefetch_to_l2(factor + i);
  }
};

/// The next panel of which a warp has rows, and these.
struct Turn {
  Index panel;
  Index number; ///< of the warp among those of the panel: it has rows 32 number .. and every 256 after them
  PanelRows<32> rows;

  /// panel: the first one in the sweep.
  __device__ Turn(const BlockPanels &panels, Index first) : panel(first), number(warp_of_block())
  {
    find(panels, first == 0 ? 1 : -1);
  }

  /// Loads the rows from `first` on.
  __device__ void load(const BlockPanels &panels, Index first)
  {
    rows.load(panels[panel], panels.rows_of(panel), panels.columns_of(panel), first);
  }

  /// Goes on to the next panel in steps of 1 or -1.
  __device__ void pass(const BlockPanels &panels, Index step)
  {
    leave(panels, step);
    find(panels, step);
  }

private:
  __device__ void leave(const BlockPanels &panels, Index step)
  {
    number = (number - panels.warps_of(panel) + 2 * BlockPanels::warps) % BlockPanels::warps;
    panel += step;
  }
  __device__ void find(const BlockPanels &panels, Index step)
  {
    while (panel >= 0 && panel < panels.count && number >= panels.warps_of(panel))
      leave(panels, step);
    if (panel >= 0 && panel < panels.count)
      load(panels, 32 * number);
  }
};

/// Shared memory of a front of a thread block, in numbers: v [rows, N], z [32, N] or sums [warps, 32, N], and the signs
/// of the pivots.
template <int N>
constexpr std::size_t block_front_numbers(Index rows)
{
  return std::size_t(N) * (std::size_t(rows) + front_solve_threads) + std::size_t(rows) / 32 + 1;
}

/// z = Wᵀ v of a panel, and v -= R z.
template <int N>
__device__ void forward_panel(const FrontSweep &s, const SolveItem &f, const BlockPanels &panels, Index p, Turn &turn,
                              std::uint32_t signs, double *own, double *z)
{
  const Index lane = lane_of_warp(), width = panels.columns_of(p), left = panels.rows_of(p);
  if (turn.panel == p && turn.number == 0) {
    const bool live = lane < width && (signs >> lane & 1);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const double sum = turn.rows.transposed(lane < width ? own[lane * N + j] : 0), value = live ? sum : 0;
      z[lane * N + j] = value;
      if (lane < width)
        s.z[Offset(f.first + p * panels.width + lane) * N + j] = value;
    }
  }
  __syncthreads();
  if (turn.panel != p)
    return;
  for (Index r0 = 32 * turn.number; r0 < left; r0 += front_solve_threads) {
    if (left > front_solve_threads)
      turn.load(panels, r0);
    const Index row = r0 + lane;
    if (row >= width && row < left)
#pragma unroll
      for (int j = 0; j < N; ++j)
        own[row * N + j] -= turn.rows.times([&](int c) { return z[c * N + j]; });
  }
  turn.pass(panels, 1);
}

/// The forward sweep over a front, which may have no columns, by a thread block.
template <int N>
__device__ void forward_block(const FrontSweep &s, const SolveItem &f, double *memory)
{
  const BlockPanels panels(s, f);
  const Index lane = lane_of_warp();
  double *const v = memory, *const z = memory + panels.rows * N;
  std::uint32_t *const signs = reinterpret_cast<std::uint32_t *>(z + front_solve_threads * N);
  Turn turn(panels, 0);
  panels.fetch();
  for (Index p = Index(threadIdx.x); p < panels.count; p += front_solve_threads)
    signs[p] = __ldg(s.live + f.sign_begin + p);
  for (Index r0 = 32 * warp_of_block(); r0 < panels.rows; r0 += front_solve_threads) {
    const Index row = r0 + lane;
    const Sources sources(s, f.place_begin + row, row < panels.rows);
    RightSides<N> right;
    if (row < f.columns)
      right.load(s, f.first + row);
    double sum[N] = {};
    gather<N>(s, sources, sum);
    right.add(sum);
    if (row < panels.rows)
#pragma unroll
      for (int j = 0; j < N; ++j)
        v[row * N + j] = sum[j];
  }
  __syncthreads();
  for (Index p = 0; p < panels.count; ++p) {
    forward_panel<N>(s, f, panels, p, turn, signs[p], v + p * panels.width * N, z);
    __syncthreads();
  }
  for (Index i = Index(threadIdx.x); i < f.below * N; i += front_solve_threads)
    publish(s.handed + f.below_begin * N + i, v[f.columns * N + i]);
}

/// x = W (J z - Rᵀ x of the rows below) of a panel. own: its rows; J z before, x afterwards.
template <int N>
__device__ void backward_panel(const FrontSweep &s, const SolveItem &f, const BlockPanels &panels, Index p, Turn &turn,
                               double *own, double *sums)
{
  const Index lane = lane_of_warp(), width = panels.columns_of(p), left = panels.rows_of(p);
  const bool takes_part = turn.panel == p;
  if (takes_part) {
    double sum[N] = {};
    // from the last rows to the first, among which is the diagonal block, needed afterwards
    const Index first = 32 * turn.number, last = first + (left - 1 - first) / front_solve_threads * front_solve_threads;
    for (Index r0 = last; r0 >= first; r0 -= front_solve_threads) {
      if (left > front_solve_threads)
        turn.load(panels, r0);
      const Index row = r0 + lane;
#pragma unroll
      for (int j = 0; j < N; ++j)
        sum[j] += turn.rows.transposed(row >= width && row < left ? own[row * N + j] : 0);
    }
#pragma unroll
    for (int j = 0; j < N; ++j)
      sums[(turn.number * 32 + lane) * N + j] = sum[j];
  }
  __syncthreads();
  if (takes_part && turn.number == 0)
#pragma unroll
    for (int j = 0; j < N; ++j) {
      double u = lane < width ? own[lane * N + j] : 0;
      for (Index w = 0; w < panels.warps_of(p); ++w)
        u -= sums[(w * 32 + lane) * N + j];
      const double x = turn.rows.times([&](int c) { return __shfl_sync(~0u, u, c); });
      if (lane < width) {
        own[lane * N + j] = x;
        publish(s.x + Offset(f.first + p * panels.width + lane) * N + j, x);
      }
    }
  if (takes_part)
    turn.pass(panels, -1);
}

/// The backward sweep over such a front.
template <int N>
__device__ void backward_block(const FrontSweep &s, const SolveItem &f, double *memory)
{
  const BlockPanels panels(s, f);
  double *const v = memory, *const sums = memory + panels.rows * N;
  Turn turn(panels, panels.count - 1);
  panels.fetch();
  for (Index i = Index(threadIdx.x); i < f.columns * N; i += front_solve_threads) {
    double *const z = s.z + Offset(f.first) * N + i;
    const Index column = i / N, word = f.sign_begin + column / 32;
    const bool negative = __ldg(s.negative + word) >> column % 32 & 1;
    const Index to = column ^ Index(__ldg(s.swapped + word) >> column % 32 & 1);
    v[to * N + i % N] = negative ? -*z : *z;
    reset(z);
  }
  for (Index i = Index(threadIdx.x); i < f.below; i += front_solve_threads) {
    double x[N];
    await_row<N>(s.x + Offset(__ldg(s.below_row + f.below_begin + i)) * N, x);
#pragma unroll
    for (int j = 0; j < N; ++j)
      v[(f.columns + i) * N + j] = x[j];
  }
  __syncthreads();
  for (Index p = panels.count - 1; p >= 0; --p) {
    backward_panel<N>(s, f, panels, p, turn, v + p * panels.width * N, sums);
    __syncthreads();
  }
  for (Index i = Index(threadIdx.x); i < f.columns * N; i += front_solve_threads)
    deliver(s, f.first + i / N, i % N, v[i]);
}

} // namespace tessera
#endif
