#ifndef TESSERA_CUDA_FRONT_SOLVE_SOLVE_TILES_CUH
#define TESSERA_CUDA_FRONT_SOLVE_SOLVE_TILES_CUH

#include "cuda/front/solve/solve_view.cuh"
#include "cuda/solve/solve_lanes.cuh"

namespace tessera {

// Fronts of tiles of 64 x 64: of many thread blocks, each with a row of tiles forward and a panel backward

/// A tile of which a thread block reads each entry once: warp w has columns 8 w .. 8 w + 7, and lane l of it rows 2 l
/// and 2 l + 1.
struct StoredTile {
  static constexpr int width = DeviceFront::tile_width, columns = width / front_solve_places;
  const double *first; ///< the warp's first column
  bool kept;           ///< whether its columns are; if not, they are zeros

  __device__ StoredTile(const double *tile, Index kept_columns)
      : first(tile + DeviceFront::entry_of_tile(0, columns * warp_of_block())),
        kept(columns * warp_of_block() < kept_columns)
  {
  }

  /// Both rows of the warp's column c
  __device__ double2 operator()(int c) const
  {
    const double *const from = first + DeviceFront::entry_of_tile(2 * lane_of_warp(), c);
    return kept ? __ldg(reinterpret_cast<const double2 *>(from)) : double2{0, 0};
  }
};

/// Such a tile in registers.
struct TileColumns {
  static constexpr int columns = StoredTile::columns;
  double2 entry[columns];

  __device__ void load(const StoredTile &tile)
  {
#pragma unroll
    for (int c = 0; c < columns; ++c)
      entry[c] = tile(c);
  }
};

/// What a thread block knows of its front.
struct TileFront {
  static constexpr Index width = DeviceFront::tile_width;
  const double *factor;
  DeviceFront shape;

  __device__ TileFront(const FrontSweep &s, const SolveItem &f) : factor(s.factor + f.factor)
  {
    shape.kind = FrontKind::Tiles;
    shape.columns = f.columns;
    shape.columns_padded = (f.columns + width - 1) / width * width;
    shape.below_padded = (f.below + width - 1) / width * width;
    shape.sides = s.sides;
    shape.last_stored = shape.find_last_stored();
  }

  __device__ Index panels() const { return shape.columns_padded / width; }
  /// Tile (i, p), i >= p
  __device__ StoredTile tile(Index i, Index p) const
  {
    return StoredTile(factor + shape.tile_offset(i, p), shape.kept_columns(p));
  }
};

/// Shared memory of such a thread block, in numbers: parts [8, 64, N], staged [8, 8, N], v [64, N].
template <int N>
constexpr std::size_t tile_numbers = std::size_t(N) * 64 * (front_solve_places + 2);

/// Of an N-column block of 64 rows, this warp's share: sums of its rows 2 l and 2 l + 1 in lane l.
template <int N>
struct RowSums {
  double of[2][N] = {};

  /// Adds the tile times a vector of its columns, of which at(c, j) is entry c of right-hand side j.
  template <class Vector>
  __device__ void add(const TileColumns &tile, const Vector &at)
  {
#pragma unroll
    for (int c = 0; c < TileColumns::columns; ++c)
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const double x = at(c, j);
        of[0][j] = fma(tile.entry[c].x, x, of[0][j]);
        of[1][j] = fma(tile.entry[c].y, x, of[1][j]);
      }
  }

  /// Lets the thread block see all shares; sum(parts, k) is then their sum in entry k = row * N + j.
  __device__ void share(double *parts) const
  {
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int j = 0; j < N; ++j)
        parts[(warp_of_block() * 64 + 2 * lane_of_warp() + half) * N + j] = of[half][j];
    __syncthreads();
  }
  __device__ static double sum(const double *parts, int k)
  {
    double total = 0;
#pragma unroll
    for (int w = 0; w < front_solve_places; ++w)
      total += parts[w * 64 * N + k];
    return total;
  }
};

/// In all lanes of four, the sum over the rows of column lane / 4 of the warp's columns, of which of_rows(c) has the
/// lane's share of number c.
template <class Share>
__device__ double sum_of_column(const Share &of_rows)
{
  return sum_columns<TileColumns::columns, 32>(of_rows);
}

/// Copies the warp's entries of z of panel p to `staged` once they are known; zeros for padding.
template <int N>
__device__ void await_panel(const FrontSweep &s, const SolveItem &f, Index p, double *staged)
{
  constexpr int numbers = TileColumns::columns * N;
#pragma unroll
  for (int k0 = 0; k0 < numbers; k0 += 32) {
    const int k = k0 + lane_of_warp();
    const Index column = p * TileFront::width + TileColumns::columns * warp_of_block() + k / N;
    if (k < numbers)
      staged[k] = column < f.columns ? await(s.z + Offset(f.first + column) * N + k % N) : 0;
  }
  __syncwarp();
}

/// Row `tile` of tiles of the forward sweep over a front: what is known of its 64 rows less R z of the panels left of
/// it; then z = Wᵀ of that, or what the parent gets.
template <int N>
__device__ void forward_tile(const FrontSweep &s, const SolveItem &f, double *memory)
{
  const TileFront front(s, f);
  const Index lane = lane_of_warp(), warp = warp_of_block(), i = f.tile, before = min(i, front.panels());
  const bool own = i < front.panels();
  double *const parts = memory, *const staged = memory + (64 * front_solve_places + 8 * warp) * N,
                *const v = memory + 64 * (front_solve_places + 1) * N;
  TileColumns tile, next;
  if (front.panels() > 0)
    next.load(front.tile(i, 0));
  const Index column = i * TileFront::width + TileColumns::columns * warp + lane / 4;
  const bool live = column < f.columns && (__ldg(s.live + f.sign_begin + column / 32) >> column % 32 & 1);
  if (warp < 2) {
    const Index row = i * TileFront::width + 32 * warp + lane;
    const Sources sources(s, f.place_begin + row, true);
    RightSides<N> right;
    if (row < f.columns)
      right.load(s, f.first + row);
    double sum[N] = {};
    gather<N>(s, sources, sum);
    right.add(sum);
#pragma unroll
    for (int j = 0; j < N; ++j)
      v[(32 * warp + lane) * N + j] = sum[j];
  }
  RowSums<N> product;
  for (Index p = 0; p < before; ++p) {
    tile = next;
    if (p + 1 < before || own)
      next.load(front.tile(i, p + 1));
    await_panel<N>(s, f, p, staged);
    product.add(tile, [&](int c, int j) { return staged[c * N + j]; });
    __syncwarp();
  }
  product.share(parts);
  for (int k = int(threadIdx.x); k < 64 * N; k += front_solve_threads) {
    const double value = v[k] - RowSums<N>::sum(parts, k);
    const Index at = i * TileFront::width + k / N - front.shape.columns_padded;
    v[k] = value;
    if (!own && at < f.below)
      publish(s.handed + (f.below_begin + at) * N + k % N, value);
  }
  if (!own)
    return;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < N; ++j) {
    const double upper = v[2 * lane * N + j], lower = v[(2 * lane + 1) * N + j];
    const double sum = sum_of_column([&](int c) { return fma(next.entry[c].x, upper, next.entry[c].y * lower); });
    if (lane % 4 == j % 4 && column < f.columns)
      publish(s.z + Offset(f.first + column) * N + j, live ? sum : 0);
  }
}

/// What the backward sweep adds up over the rows of tiles, Rᵀ x, for the eight columns of each warp.
template <int N>
struct ColumnSums {
  double of[TileColumns::columns][N] = {};

  /// Adds the tile's columns times x, of which this lane has rows 2 l and 2 l + 1 in from[0] and from[1]; null: zeros.
  /// tile(c): its entries in the warp's column c.
  template <class Entries>
  __device__ void add(const Entries &tile, const double *const (&from)[2])
  {
    double x[2][N] = {};
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (from[half])
        await_row<N>(from[half], x[half]);
    __syncwarp();
#pragma unroll
    for (int c = 0; c < TileColumns::columns; ++c) {
      const double2 e = tile(c);
#pragma unroll
      for (int j = 0; j < N; ++j)
        of[c][j] = fma(e.y, x[1][j], fma(e.x, x[0][j], of[c][j]));
    }
  }

  /// In all lanes of four, the sums of column lane / 4.
  __device__ void sum(double (&total)[N]) const
  {
#pragma unroll
    for (int j = 0; j < N; ++j)
      total[j] = sum_of_column([&](int c) { return of[c][j]; });
  }
};

/// Where this lane's rows 2 l and 2 l + 1 of row i of tiles have their solution; null for padding.
template <int N>
__device__ void find_rows(const FrontSweep &s, const SolveItem &f, Index columns_padded, Index i,
                          const double *(&from)[2])
{
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const Index row = i * TileFront::width + 2 * lane_of_warp() + half, below = row - columns_padded;
    Index of = -1;
    if (row < f.columns)
      of = f.first + row;
    else if (below >= 0 && below < f.below)
      of = __ldg(s.below_row + f.below_begin + below);
    from[half] = of >= 0 ? s.x + Offset(of) * N : nullptr;
  }
}

/// J z of column `column`, in all lanes of four that ask for it. Makes z unknown.
template <int N>
__device__ void take_z(const FrontSweep &s, const SolveItem &f, Index column, double (&z)[N])
{
  const bool there = column < f.columns;
  const bool negative = there && (__ldg(s.negative + f.sign_begin + column / 32) >> column % 32 & 1);
  const Index exchanged = there ? Index(__ldg(s.swapped + f.sign_begin + column / 32) >> column % 32 & 1) : 0;
  double *const own = s.z + Offset(f.first + column) * N;
  const double *const from = s.z + Offset(f.first + (column ^ exchanged)) * N;
#pragma unroll
  for (int j = 0; j < N; ++j)
    z[j] = there ? negative ? -from[j] : from[j] : 0;
  __syncwarp();
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (there && lane_of_warp() % 4 == 0)
      reset(own + j);
}

/// z[j] -= sums of the parts of a panel, of the warp's column lane / 4. Makes them unknown.
template <int N>
__device__ void subtract_parts(const FrontSweep &s, const SolveItem &f, double (&z)[N])
{
  double sum[N] = {};
  for (Index part = lane_of_warp() % 4; part < f.parts; part += 4) {
    double *const from = s.sums + (Offset(f.sums) + part * TileFront::width + threadIdx.x / 4) * N;
    double value[N];
    await_row<N>(from, value);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      sum[j] += value[j];
      reset(from + j);
    }
  }
  __syncwarp();
#pragma unroll
  for (int j = 0; j < N; ++j) {
    sum[j] += __shfl_xor_sync(~0u, sum[j], 1);
    sum[j] += __shfl_xor_sync(~0u, sum[j], 2);
    z[j] -= sum[j];
  }
}

/// The panel `tile` of the backward sweep over a front, x = W (J z - Rᵀ x of the rows below), or a part of Rᵀ x.
template <int N>
__device__ void backward_tile(const FrontSweep &s, const SolveItem &f, double *memory)
{
  const TileFront front(s, f);
  const bool is_part = f.work == SolveWork::Part;
  const Index lane = lane_of_warp(), warp = warp_of_block(), p = f.tile, padded = front.shape.columns_padded;
  const Index below = f.tile_end - f.tile_begin, steps = below + (is_part ? 0 : front.panels() - 1 - p);
  // rows of tiles: those below that are this item's, then own ones from the last to the first, and the diagonal block
  const auto row_of_tiles = [&](Index k) { return k < below ? f.tile_begin + k : front.panels() - 1 - (k - below); };
  // Where registers suffice, a tile is asked for while the one before is multiplied.
  constexpr bool ahead = N == 1;
  TileColumns next;
  const double *from[2] = {}, *next_from[2] = {};
  const auto fetch = [&](Index k) {
    next.load(front.tile(row_of_tiles(k), p));
    find_rows<N>(s, f, padded, row_of_tiles(k), next_from);
  };
  if (ahead)
    fetch(0);
  double u[N] = {};
  const Index column = p * TileFront::width + TileColumns::columns * warp + lane / 4;
  if (!is_part)
    take_z<N>(s, f, column, u);
  ColumnSums<N> product;
  for (Index k = 0; k < steps; ++k) {
    if (k == below) // what ancestors give is there by now, if anything is
      subtract_parts<N>(s, f, u);
    if constexpr (ahead) {
      const TileColumns tile = next;
      from[0] = next_from[0];
      from[1] = next_from[1];
      if (k + 1 < steps || !is_part)
        fetch(k + 1);
      product.add([&](int c) { return tile.entry[c]; }, from);
    } else {
      find_rows<N>(s, f, padded, row_of_tiles(k), from);
      product.add(front.tile(row_of_tiles(k), p), from);
    }
  }
  if (!ahead && !is_part)
    fetch(steps);
  double sum[N];
  product.sum(sum);
  if (is_part) {
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (lane % 4 == j % 4)
        publish(s.sums + (Offset(f.sums) + threadIdx.x / 4) * N + j, sum[j]);
    return;
  }
  if (steps == below)
    subtract_parts<N>(s, f, u);
#pragma unroll
  for (int j = 0; j < N; ++j)
    u[j] -= sum[j];
  RowSums<N> x;
  x.add(next, [&](int c, int j) { return __shfl_sync(~0u, u[j], 4 * c); });
  x.share(memory);
  for (int k = int(threadIdx.x); k < 64 * N; k += front_solve_threads) {
    const Index row = p * TileFront::width + k / N;
    if (row < f.columns) {
      const double value = RowSums<N>::sum(memory, k);
      publish(s.x + Offset(f.first + row) * N + k % N, value);
      deliver(s, f.first + row, k % N, value);
    }
  }
}

} // namespace tessera
#endif
