#ifndef TESSERA_CUDA_FRONT_TILE_PRODUCT_CUH
#define TESSERA_CUDA_FRONT_TILE_PRODUCT_CUH

#include "cuda/front/panel_factor.cuh"
#include "cuda/lanes/tensor_cores.cuh"

namespace tessera {

constexpr int tile_threads = 256;
constexpr int tile_leading = 68; ///< of tiles in shared memory: four columns of eight rows lie in different banks

/// A 64 x 64 tile in the registers of a thread block: warp w has 16 rows and 32 columns of it.
struct TileAccumulator {
  double upper[4][2], lower[4][2];

  __device__ __forceinline__ void clear()
  {
    for_each([](double &x, int, int) { x = 0; });
  }

  /// f(entry, row, column) for all entries.
  template <class F>
  __device__ __forceinline__ void for_each(const F &f)
  {
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = 16 * (warp & 3) + lane / 4;
#pragma unroll
    for (int x = 0; x < 4; ++x)
#pragma unroll
      for (int z = 0; z < 2; ++z) {
        const int column = 32 * (warp >> 2) + 8 * x + 2 * (lane & 3) + z;
        f(upper[x][z], row, column);
        f(lower[x][z], row + 8, column);
      }
  }

  /// C -= A J Bᵀ for 32 columns of A and B, column-major tiles in shared memory. negative: signs of J; swapped: pairs
  /// of columns that it exchanges.
  __device__ __forceinline__ void subtract(const double *a, const double *b, unsigned negative, unsigned swapped)
  {
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = lane / 4, inner = lane & 3;
    const double *own = a + 16 * (warp & 3) + row + inner * tile_leading;
    const double *other = b + 32 * (warp >> 2) + row + inner * tile_leading;
    const unsigned flip = ~negative >> inner, swap = swapped >> inner;
    const int to_partner = inner % 2 ? -tile_leading : tile_leading;
#pragma unroll
    for (int q = 0; q < 32; q += 4) {
      const int bit = int(flip << (31 - q) & 0x80000000u);
      const double a_upper = own[q * tile_leading], a_lower = own[q * tile_leading + 8];
      const double *column = other + q * tile_leading + (swap >> q & 1 ? to_partner : 0);
#pragma unroll
      for (int x = 0; x < 4; ++x)
        TensorProducts::multiply(upper[x], lower[x], a_upper, a_lower, with_sign(column[8 * x], bit));
    }
  }

  /// C += A B for 32 columns of A and rows of B, column-major in shared memory.
  __device__ __forceinline__ void add(const double *a, const double *b)
  {
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = lane / 4, inner = lane & 3;
    const double *own = a + 16 * (warp & 3) + row + inner * tile_leading;
    const double *other = b + (32 * (warp >> 2) + row) * tile_leading + inner;
#pragma unroll
    for (int q = 0; q < 32; q += 4) {
      const double a_upper = own[q * tile_leading], a_lower = own[q * tile_leading + 8];
#pragma unroll
      for (int x = 0; x < 4; ++x)
        TensorProducts::multiply(upper[x], lower[x], a_upper, a_lower, other[8 * x * tile_leading + q]);
    }
  }
};

/// C = Σ a(i, q) b(q, j) over 32 q for a 32 x 32 matrix, by a thread block: c(i, j, entry) takes the entries.
template <class A, class B, class C>
__device__ __forceinline__ void multiply_half_tiles(const A &a, const B &b, const C &c)
{
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = lane / 4, inner = lane & 3;
  const int i0 = 8 * (warp & 3), j0 = 16 * (warp >> 2);
  double sum[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
  for (int q = 0; q < 32; q += 4) {
    const double own = a(i0 + row, q + inner);
    TensorProducts::multiply(sum[0], own, b(q + inner, j0 + row));
    TensorProducts::multiply(sum[1], own, b(q + inner, j0 + 8 + row));
  }
#pragma unroll
  for (int x = 0; x < 2; ++x)
#pragma unroll
    for (int z = 0; z < 2; ++z)
      c(i0 + row, j0 + 8 * x + 2 * inner + z, sum[x][z]);
}

/// Begins copies of 32 columns of a tile from global memory to shared memory, by a thread block.
__device__ __forceinline__ void copy_columns(double *to, const double *from, Offset leading)
{
  for (int x = threadIdx.x; x < 32 * 32; x += tile_threads) {
    const int c = x / 32, r = x % 32 * 2;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     unsigned(__cvta_generic_to_shared(to + c * tile_leading + r))),
                 "l"(from + c * leading + r));
  }
}

__device__ __forceinline__ void commit_copies()
{
  asm volatile("cp.async.commit_group;");
}

/// Waits for all copies of this thread but those of the last `Left` groups.
template <int Left>
__device__ __forceinline__ void await_copies()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

} // namespace tessera
#endif
