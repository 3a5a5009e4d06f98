#ifndef TESSERA_CUDA_FRONT_TILE_TILE_PRODUCT_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_PRODUCT_CUH

#include "cuda/front/panel_factor.cuh"
#include "cuda/lanes/tensor_cores.cuh"
#include "factor/front/device/device_plan.hpp"

namespace tessera {

constexpr int tile_threads = 128;
constexpr int tile_leading = 68; ///< of tiles that are not copied: four columns of eight rows lie in different banks

/// By a thread block: f(i, j, at) for all entries of the first columns of a tile of 64 rows, a multiple of Together,
/// at: entry_of_tile(i, j). A thread has those of one row in every second column.
template <int Together, class F>
__device__ __forceinline__ void for_tile_entries(int columns, const F &f)
{
  const int i = threadIdx.x % 64, first = threadIdx.x / 64;
#pragma unroll 1
  for (int begin = 0; begin < columns; begin += Together) {
    const int place = begin / 32 * line_numbers + begin * DeviceFront::tile_width;
#pragma unroll 8
    for (int q = 0; q < Together / 2; ++q) {
      const int c = 2 * q + first;
      f(i, begin + c, place + DeviceFront::entry_of_tile(i, c));
    }
  }
}

/// A 64 x 64 tile in the registers of a thread block: each of four warps has 32 x 32 entries of it.
class TileAccumulator {
public:
  __device__ __forceinline__ void clear()
  {
    for_each([](double &x, int, int) { x = 0; });
  }

  /// f(entry, row, column) for all entries.
  template <class F>
  __device__ __forceinline__ void for_each(const F &f)
  {
#pragma unroll
    for (int y = 0; y < 2; ++y)
#pragma unroll
      for (int x = 0; x < 4; ++x)
        for_part(y, x, f);
  }

  /// The same in the first columns, a multiple of Together: 8, or 32 if there are any of the thread's.
  template <int Together, class F>
  __device__ __forceinline__ void for_columns(int columns, const F &f)
  {
    if constexpr (Together == 32) {
      for_each(f);
    } else {
      const int eights = (columns - first_column()) / 8;
#pragma unroll
      for (int x = 0; x < 4; ++x)
        if (x < eights)
#pragma unroll
          for (int y = 0; y < 2; ++y)
            for_part(y, x, f);
    }
  }

  /// C += A J Bᵀ for 32 columns of tiles A and B as they are in the factor, in shared memory, with the words of J after
  /// those of B: for `Tiles` tiles C, whose A are half_tile_stored numbers apart.
  template <int Tiles>
  static __device__ __forceinline__ void add_product(TileAccumulator *c, const double *a, const double *b)
  {
    const unsigned *const j = reinterpret_cast<const unsigned *>(b + DeviceFront::half_tile);
    const unsigned negative = j[0], swapped = j[1];
    if ((negative | swapped) == 0)
      add_columns<Tiles, false>(c, a, b, 0, 0);
    else
      add_columns<Tiles, true>(c, a, b, negative, swapped);
  }

  /// C += A Bᵀ, likewise.
  template <int Tiles>
  static __device__ __forceinline__ void add_plain_product(TileAccumulator *c, const double *a, const double *b)
  {
    add_columns<Tiles, false>(c, a, b, 0, 0);
  }

  /// C += A W, tiles as they are in the factor, in shared memory.
  __device__ __forceinline__ void add(const double *a, const double *w)
  {
    const int lane = threadIdx.x & 31, row = lane / 4, inner = lane & 3;
    const double *own[2] = {a + first_row() + DeviceFront::entry_of_tile(row, inner),
                            a + first_row() + DeviceFront::entry_of_tile(row + 8, inner)};
    const double *other = w + DeviceFront::entry_of_tile(0, first_column()) + row * DeviceFront::tile_width;
    const int exchange = (row & 3) << 2;
#pragma unroll 4
    for (int q = 0; q < DeviceFront::tile_width; q += 4) {
      const int column = q * DeviceFront::tile_width + q / 32 * line_numbers;
      double from_a[2][2];
#pragma unroll
      for (int y = 0; y < 2; ++y)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          from_a[y][h] = own[h][column + 16 * y];
#pragma unroll
      for (int x = 0; x < 4; ++x)
        multiply(x, from_a, other[8 * x * DeviceFront::tile_width + ((q ^ exchange) + inner)]);
    }
  }

private:
  static __device__ __forceinline__ int first_row()
  {
    return threadIdx.x / 32 % 2 * 32;
  }
  static __device__ __forceinline__ int first_column()
  {
    return threadIdx.x / 64 * 32;
  }

  /// What the thread has in 16 rows and 8 columns.
  template <class F>
  __device__ __forceinline__ void for_part(int y, int x, const F &f)
  {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int z = 0; z < 2; ++z) {
      const int row = first_row() + 16 * y + lane / 4, column = first_column() + 8 * x + 2 * (lane & 3) + z;
      f(upper_[y][x][z], row, column);
      f(lower_[y][x][z], row + 8, column);
    }
  }

  __device__ __forceinline__ void multiply(int x, const double (&a)[2][2], double b)
  {
#pragma unroll
    for (int y = 0; y < 2; ++y)
      TensorProducts::multiply(upper_[y][x], lower_[y][x], a[y][0], a[y][1], b);
  }

  template <int Tiles, bool WithJ>
  static __device__ __forceinline__ void add_columns(TileAccumulator *c, const double *a, const double *b,
                                                     unsigned negative, unsigned swapped)
  {
    const int lane = threadIdx.x & 31, row = lane / 4, inner = lane & 3;
    // Eight rows on change the place by eight, up or down, and sixteen by sixteen.
    const auto place = [&](int h, int column) { return DeviceFront::entry_of_tile(row + 8 * h, column); };
    const double *const own[2] = {a + first_row() + place(0, inner), a + first_row() + place(1, inner)};
    const double *const other[2] = {b + first_column() + place(0, inner), b + first_column() + place(1, inner)};
    const double *const partner[2] = {b + first_column() + place(0, inner ^ 1),
                                      b + first_column() + place(1, inner ^ 1)};
    const unsigned flip = negative >> inner, swap = swapped >> inner;
#pragma unroll
    for (int q = 0; q < 32; q += 4) {
      constexpr int column = DeviceFront::tile_width;
      double from_b[4];
      const bool exchange = WithJ && (swap >> q & 1);
      const double *const from[2] = {exchange ? partner[0] : other[0], exchange ? partner[1] : other[1]};
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        const double entry = from[x % 2][q * column + 16 * (x / 2)];
        from_b[x] = WithJ ? with_sign(entry, int(flip << (31 - q) & 0x80000000u)) : entry;
      }
#pragma unroll
      for (int t = 0; t < Tiles; ++t) {
        double from_a[2][2];
#pragma unroll
        for (int y = 0; y < 2; ++y)
#pragma unroll
          for (int h = 0; h < 2; ++h)
            from_a[y][h] = own[h][t * DeviceFront::half_tile_stored + q * column + 16 * y];
#pragma unroll
        for (int x = 0; x < 4; ++x)
          c[t].multiply(x, from_a, from_b[x]);
      }
    }
  }

  double upper_[2][4][2], lower_[2][4][2]; ///< eight rows each, of sixteen
};

/// Words of 32 columns of a panel: those that are not zero, those in which J has a minus, those that it exchanges.
struct PanelSigns {
  unsigned live, negative, swapped;
};

/// A product A W as R = A W J: put(at, x, a, j) for all entries that the thread has in the first columns, see
/// for_columns(), at: the place of entry x of R in a tile, a: that of A W, j: its column. signs: of the thread's
/// columns.
template <int Together, class Put>
__device__ __forceinline__ void for_entries_of_r(TileAccumulator &product, int columns, const PanelSigns &signs,
                                                 const Put &put)
{
  product.for_columns<Together>(columns, [&](double &x, int i, int j) {
    const double kept = signs.live >> (j % 32) & 1 ? x : 0.0;
    put(DeviceFront::entry_of_tile(i, j ^ int(signs.swapped >> (j % 32) & 1)),
        with_sign(kept, int(signs.negative >> (j % 32) << 31)), x, j);
  });
}

/// Place of the words of J after the columns that the thread has, of so many that are kept.
template <int Together>
__device__ __forceinline__ uint2 *words_after_columns(double *tile, int columns)
{
  const int half = threadIdx.x / 64, own = Together == 32 ? 32 : min(columns - 32 * half, 32);
  return reinterpret_cast<uint2 *>(tile + half * DeviceFront::half_tile_stored + own * DeviceFront::tile_width);
}

/// C = Σ a(i, q) b(q, j) over 32 q for a 32 x 32 matrix, by a thread block: c(i, j, entry) takes the entries.
template <class A, class B, class C>
__device__ __forceinline__ void multiply_half_tiles(const A &a, const B &b, const C &c)
{
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = lane / 4, inner = lane & 3;
  const int i0 = 16 * (warp & 1), j0 = 16 * (warp >> 1);
  double upper[2][2] = {{0, 0}, {0, 0}}, lower[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
  for (int q = 0; q < 32; q += 4) {
    const double a_upper = a(i0 + row, q + inner), a_lower = a(i0 + 8 + row, q + inner);
#pragma unroll
    for (int x = 0; x < 2; ++x)
      TensorProducts::multiply(upper[x], lower[x], a_upper, a_lower, b(q + inner, j0 + 8 * x + row));
  }
#pragma unroll
  for (int x = 0; x < 2; ++x)
#pragma unroll
    for (int z = 0; z < 2; ++z) {
      c(i0 + row, j0 + 8 * x + 2 * inner + z, upper[x][z]);
      c(i0 + 8 + row, j0 + 8 * x + 2 * inner + z, lower[x][z]);
    }
}

} // namespace tessera
#endif
