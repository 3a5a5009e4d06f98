#include "launch.cuh"

#include "block_solve.cuh"
#include "tile/block_diagonal.hpp"
#include "width.cuh"

namespace tessera {
namespace {

// ---- entries of the solution that other warps wait for

/// Whether the entry is not known yet.
__device__ bool pending(double x)
{
  return __double_as_longlong(x) == -1;
}

/// The entry as it is in memory now.
__device__ double peek(const double *x)
{
  double value;
  asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(value) : "l"(x) : "memory");
  return value;
}

/// The entry, once it is known.
__device__ double await(const double *x)
{
  double value;
  do
    value = peek(x);
  while (pending(value));
  return value;
}

/// Stores a computed entry for all to see; a NaN becomes one that is not the mark.
__device__ void publish(double *x, double value)
{
  value = value == value ? value : __longlong_as_double(0x7ff8000000000000);
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(x), "d"(value) : "memory");
}

/// Makes the entry unknown, for the next solve.
__device__ void reset(double *x)
{
  *x = __longlong_as_double(-1);
}

/// The place of this thread block in the order of the levels: places are handed out in the order in which thread blocks
/// begin, so that one that waits, waits for one that runs. mine counts this sweep's thread blocks, other the other's.
__device__ unsigned take_ticket(unsigned *mine, unsigned *other)
{
  __shared__ unsigned taken;
  if (threadIdx.x == 0) {
    taken = atomicAdd(mine, 1u);
    if (taken == 0)
      *other = 0;
  }
  __syncthreads();
  return taken;
}

// ---- lanes that share a block row

/// L lanes that share a block row, in groups of W lanes: lane r of a group stands for row r of a tile.
template <int L, int W>
struct Lanes {
  static constexpr int in_warp = L < 32 ? L : 32;
  static constexpr int groups_in_warp = in_warp / W;
  static constexpr int warps = L / in_warp;

  __device__ static int row() { return threadIdx.x % W; }
  __device__ static int group() { return threadIdx.x % L / W; }
  __device__ static unsigned mask()
  {
    return L >= 32 ? ~0u : ((1u << (L % 32)) - 1) << (threadIdx.x % 32 / in_warp * in_warp);
  }
  /// Which of the team's warps this is; their share of n items is those from warp() on in steps of `every`.
  __device__ static int warp() { return threadIdx.x % L / in_warp; }
  /// First of the warp's lanes that share the row.
  __device__ static int first() { return threadIdx.x % 32 / in_warp * in_warp; }
  /// The lanes that finish the row after all have added up their parts.
  __device__ static bool finish() { return threadIdx.x % L < in_warp; }

  /// Sum over the groups, for each row; in all lanes of the first warp that shares the block row.
  __device__ static double sum(double x)
  {
    for (int step = W; step < in_warp; step *= 2)
      x += __shfl_xor_sync(mask(), x, step);
    if constexpr (warps > 1) {
      __shared__ double part[warps][32];
      part[threadIdx.x / 32][threadIdx.x % 32] = x;
      __syncthreads();
      x = 0;
      for (int w = 0; w < warps; ++w)
        x += part[w][threadIdx.x % 32];
    }
    return x;
  }
};

/// Lanes of a group of W hold each a row of a W x C matrix: sums of its columns, that of column c in lanes
/// c W/C .. (c + 1) W/C - 1. Lanes exchange halves of what they hold.
template <int C, int W>
__device__ double sum_columns(double (&own)[C], unsigned mask)
{
  if constexpr (C == 1) {
    for (int step = W / 2; step > 0; step /= 2)
      own[0] += __shfl_xor_sync(mask, own[0], step);
    return own[0];
  } else {
    const bool upper = threadIdx.x & W / 2;
    double half[C / 2];
#pragma unroll
    for (int c = 0; c < C / 2; ++c) {
      const double kept = upper ? own[c + C / 2] : own[c], given = upper ? own[c] : own[c + C / 2];
      half[c] = kept + __shfl_xor_sync(mask, given, W / 2);
    }
    return sum_columns<C / 2, W / 2>(half, mask);
  }
}

/// Rows and columns of L⁻¹ P, or of its transpose, that a lane multiplies: row r, every groups-th column. Loaded before
/// the vector is known.
template <int L, int W, bool Transposed>
struct InverseRow {
  using Team = Lanes<L, W>;
  static constexpr int step = Team::groups_in_warp, columns = W / step > 0 ? W / step : 1;
  double entry[columns];
  int first;

  __device__ InverseRow(const double *m, Index rows) : first(Team::group() % Team::groups_in_warp)
  {
    const int r = Team::row();
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      const int c = first + i * step;
      entry[i] = c < rows && r < rows ? __ldg(m + (Transposed ? r * rows + c : c * rows + r)) : 0;
    }
  }

  /// Entry r of the product with y, whose entry c lane c of each group holds; zero beyond the block's rows.
  __device__ double multiply(double y) const
  {
    double sum = 0;
#pragma unroll
    for (int i = 0; i < columns; ++i)
      sum = fma(entry[i], __shfl_sync(Team::mask(), y, Team::first() + (first + i * step) % W), sum);
    for (int distance = W; distance < Team::in_warp; distance *= 2)
      sum += __shfl_xor_sync(Team::mask(), sum, distance);
    return sum;
  }
};

// ---- the sweeps

/// The tile that lane `from` of the warp holds.
template <class T>
__device__ KeptTile<T> tile_of(const KeptTile<T> &mine, unsigned mask, int from)
{
  return {reinterpret_cast<const T *>(__shfl_sync(mask, reinterpret_cast<unsigned long long>(mine.value), from)),
          __shfl_sync(mask, mine.row, from), __shfl_sync(mask, mine.height, from), __shfl_sync(mask, mine.mask, from)};
}

/// own[c] += sum over rows of tile U(row, c0 + c) v(row), for the rows of this lane.
template <int W, int C, class T>
__device__ void add_tile(const KeptTile<T> &tile, int c0, const double *v, double (&own)[C])
{
  for (Index r = threadIdx.x % W; r < tile.height; r += W) {
    const T *u = tile.value + r;
    if (C < W)
      u += __popc(tile.mask & ((1u << c0) - 1)) * tile.height;
    T entry[C];
#pragma unroll
    for (int c = 0; c < C; ++c) {
      const bool kept = tile.mask >> (c0 + c) & 1;
      entry[c] = kept ? __ldg(u) : T(0);
      u += kept ? tile.height : 0;
    }
    const double x = await(v + tile.row + r);
#pragma unroll
    for (int c = 0; c < C; ++c)
      own[c] = fma(double(entry[c]), x, own[c]);
  }
}

/// This group's share of the sum over `count` tiles of a block column of (U_kbᵀ v_k)_r, for row r. Warps, and in them
/// groups, take the tiles in turn, a lane a row of the tile; of tiles of more than 16 columns, each of two warps takes a
/// half.
template <int L, int W, class T>
__device__ double pull_columns(const KeptTile<T> *tiles, Index count, const double *v)
{
  using Team = Lanes<L, W>;
  constexpr int C = W < 16 ? W : 16, parts = W / C; // sums that a lane can hold
  constexpr int every = Team::warps / parts, G = Team::groups_in_warp;
  const int c0 = Team::warp() % parts * C, first = Team::first(), lane = threadIdx.x % Team::in_warp;
  double own[C] = {};
  for (Index i0 = Team::warp() / parts; i0 < count; i0 += Team::in_warp * every) {
    const Index mine = i0 + lane * every, there = min(Team::in_warp, (count - i0 + every - 1) / every);
    const KeptTile<T> held = mine < count ? tiles[mine] : KeptTile<T>{};
    for (int j = 0; j < there; j += G) {
      const int from = j + lane / W;
      add_tile<W>(tile_of(held, Team::mask(), first + from), c0, v, own);
      __syncwarp(Team::mask());
    }
  }
  double result = sum_columns<C, W>(own, Team::mask());
  if constexpr (parts > 1) {
    const int c = Team::row() - c0;
    const double moved = __shfl_sync(Team::mask(), result, (c & (C - 1)) * parts);
    result = c >= 0 && c < C ? moved : 0;
  }
  return result;
}

/// This group's share of the sum over `count` kept columns of block row b of (U_bj x_j)_r, for row r. Warps, and in them
/// groups, take the columns in turn.
template <int L, int W, class T>
__device__ double pull_row(const BackwardWork<T> &b, const KeptColumn *columns, Index count, const double *x)
{
  using Team = Lanes<L, W>;
  constexpr int at_once = 4, every = Team::warps, G = Team::groups_in_warp;
  const int first = Team::first(), lane = threadIdx.x % Team::in_warp, group = lane / W;
  const int r = Team::row() < b.rows ? Team::row() : 0;
  double own[at_once] = {};
  for (Index i0 = Team::warp(); i0 < count; i0 += Team::in_warp * every) {
    const Index mine = i0 + lane * every, there = min(Team::in_warp, (count - i0 + every - 1) / every);
    const KeptColumn held = mine < count ? columns[mine] : KeptColumn{};
    for (int j0 = 0; j0 < there; j0 += G * at_once) {
      T entry[at_once];
      double value[at_once];
      const double *from[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        const int i = j0 + j * G + group;
        const Index target = __shfl_sync(Team::mask(), held.target, first + i);
        const Index place = __shfl_sync(Team::mask(), held.place, first + i);
        from[j] = x + target;
        entry[j] = i < there ? __ldg(b.value + Offset(place) * b.rows + r) : T(0);
        value[j] = i < there ? peek(from[j]) : 0;
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (pending(value[j]))
          value[j] = await(from[j]);
        own[j] = fma(double(entry[j]), value[j], own[j]);
      }
      __syncwarp(Team::mask());
    }
  }
  return (own[0] + own[1]) + (own[2] + own[3]);
}

/// This group's share of the sum of what `parts` parts have published, for row r of `rows`. Makes them unknown again.
template <int L, int W>
__device__ double add_parts(double *sums, Index parts, Index rows)
{
  constexpr int at_once = 4, groups = L / W;
  const int r = Lanes<L, W>::row();
  double own = 0;
  for (Index p0 = Lanes<L, W>::group(); p0 < parts && r < rows; p0 += groups * at_once) {
    double value[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      value[j] = p0 + j * groups < parts ? peek(sums + Offset(p0 + j * groups) * rows + r) : 0;
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (p0 + j * groups < parts) {
        double *const from = sums + Offset(p0 + j * groups) * rows + r;
        own += pending(value[j]) ? await(from) : value[j];
        reset(from);
      }
  }
  return own;
}

/// v_b = L⁻¹ P (P S r - sum over k of U_kbᵀ v_k) for a block, or a part of its sum.
template <int L, int W, class T>
__device__ void forward_row(const SolveView<T> &s, const ForwardWork &b, const double *r)
{
  using Team = Lanes<L, W>;
  const int row = Team::row();
  const bool is_part = L == solve_threads && b.work == Work::part, in = row < b.rows;
  const InverseRow<L, W, false> inverse(b.inverse, is_part ? 0 : b.rows);
  double rhs = 0;
  if (in && !is_part)
    rhs = r[__ldg(s.perm + b.row + row)] * __ldg(s.scale + b.row + row);
  constexpr Parts cut = Parts::of_tiles(W);
  const Index parts = L == solve_threads && !is_part ? cut.count(b.count) : 0, before = parts * cut.size;
  double own = pull_columns<L, W>(s.tiles + b.first + before, b.count - before, s.v);
  if constexpr (L == solve_threads)
    own += add_parts<L, W>(s.sums + b.sums, parts, b.rows);
  const double sum = Team::sum(own);
  if (!Team::finish())
    return;
  const double v = inverse.multiply(in ? rhs - sum : 0);
  if (Team::group() > 0 || !in)
    return;
  if (is_part)
    return publish(s.sums + b.sums + row, sum);
  publish(s.v + b.row + row, v);
  reset(s.x + b.row + row);
}

/// Row r of D⁻¹ v_b, for a block.
template <int W, class T>
__device__ double divide_by_pivots(const SolveView<T> &s, Index row, bool in, unsigned mask)
{
  const double v = in ? s.v[row] : 0, e = in ? __ldg(s.e_inverse + row) : 0;
  const double below = __shfl_down_sync(mask, v, 1, W), above = __shfl_up_sync(mask, e * v, 1, W);
  return in ? fma(__ldg(s.d_inverse + row), v, e * below) + (threadIdx.x % W > 0 ? above : 0) : 0;
}

/// x_b = (L⁻¹ P)ᵀ (D⁻¹ v_b - sum over j of U_bj x_j) for a block, and its rows of z = S Pᵀ x, or a part of its sum.
template <int L, int W, class T>
__device__ void backward_row(const SolveView<T> &s, const BackwardWork<T> &b, double *z)
{
  using Team = Lanes<L, W>;
  const int row = Team::row();
  const bool is_part = L == solve_threads && b.work == Work::part, in = row < b.rows, own_row = in && !is_part;
  const InverseRow<L, W, true> inverse(b.inverse, is_part ? 0 : b.rows);
  const double rhs = divide_by_pivots<W>(s, b.row + row, own_row, Team::mask());
  const Index to = own_row ? __ldg(s.perm + b.row + row) : 0;
  const double scale = own_row ? __ldg(s.scale + b.row + row) : 0;
  constexpr Parts cut = Parts::of_columns(W);
  const Index parts = L == solve_threads && !is_part ? cut.count(b.count) : 0, before = parts * cut.size;
  double own = pull_row<L, W>(b, s.columns + b.first + before, b.count - before, s.x);
  if constexpr (L == solve_threads)
    own += add_parts<L, W>(s.sums + b.sums, parts, b.rows);
  const double sum = Team::sum(own);
  if (!Team::finish())
    return;
  const double x = inverse.multiply(in ? rhs - sum : 0);
  if (Team::group() > 0 || !in)
    return;
  if (is_part)
    return publish(s.sums + b.sums + row, sum);
  publish(s.x + b.row + row, x);
  reset(s.v + b.row + row);
  z[to] = x * scale;
}

/// Hands the work of this thread block, which begins at `work`, to f(lanes that share a row, lanes of a group, work).
template <int L, int Most, class W, class F>
__device__ void with_rows(const W *work, const F &f)
{
  if (work->work != Work::light) {
    const W b = *work;
    return with_width<Most>(b.rows, [&](auto w) { f(std::integral_constant<int, solve_threads>(), w, b); });
  }
  const W b = work[threadIdx.x / L];
  if (b.rows > 0)
    with_width<(Most < 16 ? Most : 16)>(b.rows, [&](auto w) { f(std::integral_constant<int, L>(), w, b); });
}

/// Thread blocks that shall fit an SM: more of them hide more latency, fewer leave more registers to each lane.
constexpr int blocks_per_sm(int most)
{
  return most <= 8 ? 8 : most <= 16 ? 4 : 3;
}

/// v for all blocks, levels ascending: L lanes a block, or the whole thread block for a heavy one. Sets x to unknown.
template <int L, int Most, class T>
__global__ void __launch_bounds__(solve_threads, blocks_per_sm(Most)) forward_sweep(SolveView<T> s, const double *r)
{
  const Index place = Index(take_ticket(s.ticket, s.ticket + 1)) * (solve_threads / L);
  with_rows<L, Most>(s.forward + place, [&](auto lanes, auto w, const ForwardWork &b) {
    forward_row<decltype(lanes)::value, decltype(w)::value>(s, b, r);
  });
}

/// x and z for all blocks, levels descending, after the forward sweep. Sets v to unknown.
template <int L, int Most, class T>
__global__ void __launch_bounds__(solve_threads, blocks_per_sm(Most)) backward_sweep(SolveView<T> s, double *z)
{
  const Index place = Index(take_ticket(s.ticket + 1, s.ticket)) * (solve_threads / L);
  with_rows<L, Most>(s.backward + place, [&](auto lanes, auto w, const BackwardWork<T> &b) {
    backward_row<decltype(lanes)::value, decltype(w)::value>(s, b, z);
  });
}

template <int L, int Most, class T>
void queue_sweeps(const SolveView<T> &s, const double *r, double *z, cudaStream_t stream)
{
  constexpr Index places = solve_threads / L;
  forward_sweep<L, Most><<<unsigned(s.forward_places / places), solve_threads, 0, stream>>>(s, r);
  check(cudaGetLastError(), "launching the forward sweep");
  backward_sweep<L, Most><<<unsigned(s.backward_places / places), solve_threads, 0, stream>>>(s, z);
  check(cudaGetLastError(), "launching the backward sweep");
}

/// The inverse of F(D) of a block, a warp a block.
template <DiagonalOf F>
struct InvertPivots {
  const Index *block_start;
  const double *d, *e;
  double *d_inverse, *e_inverse;

  __device__ void operator()(const CudaGroup<32> &g, std::int64_t b) const
  {
    const Index row = block_start[b], k = block_start[b + 1] - row;
    const auto inverse = block_diagonal<F>(g, d + row, e + row, k);
    const int id = g.template id<double>();
    const bool couples_next = inverse.partner > id;
    g.store(id < k, d_inverse + row, inverse.own);
    g.store(id < k, e_inverse + row, couples_next ? inverse.other : 0.0);
  }
};

} // namespace

void queue_pivot_inverses(const Index *block_start, Index blocks, const double *d, const double *e, bool absolute,
                          double *d_inverse, double *e_inverse, cudaStream_t stream)
{
  check(absolute
            ? launch<32>(stream, blocks,
                         InvertPivots<DiagonalOf::inverse_absolute>{block_start, d, e, d_inverse, e_inverse})
            : launch<32>(stream, blocks, InvertPivots<DiagonalOf::inverse>{block_start, d, e, d_inverse, e_inverse}),
        "inverting pivots");
}

template <class T>
void queue_solve(const SolveView<T> &s, Index team, Index largest, const double *r, double *z, cudaStream_t stream)
{
  if (s.forward_places == 0)
    return;
  if (team == 8)
    return largest <= 4 ? queue_sweeps<8, 4>(s, r, z, stream) : queue_sweeps<8, 8>(s, r, z, stream);
  if (largest <= 4)
    return queue_sweeps<32, 4>(s, r, z, stream);
  if (largest <= 8)
    return queue_sweeps<32, 8>(s, r, z, stream);
  return largest <= 16 ? queue_sweeps<32, 16>(s, r, z, stream) : queue_sweeps<32, 32>(s, r, z, stream);
}

template void queue_solve(const SolveView<double> &, Index, Index, const double *, double *, cudaStream_t);
template void queue_solve(const SolveView<float> &, Index, Index, const double *, double *, cudaStream_t);

} // namespace tessera
