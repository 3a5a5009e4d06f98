#ifndef TESSERA_CUDA_LANES_TENSOR_CORES_CUH
#define TESSERA_CUDA_LANES_TENSOR_CORES_CUH

#include "cuda/lanes/instructions.cuh"

namespace tessera {

// Products C += A B of a warp, A [8 x 4], B [4 x 8], C [8 x 8]. Lane l gives a = A(l / 4, l % 4) and b = B(l % 4,
// l / 4), and has c[i] = C(l / 4, 2 (l % 4) + i). Every entry becomes fma(a₃, b₃, fma(a₂, b₂, fma(a₁, b₁, fma(a₀, b₀,
// c)))), each rounded, as on a core. Zeros in A or B leave C as it is, but for the sign of a zero. For 16 rows, if
// wanted, which has to be equal in all lanes: lane l gives A(l / 4, l % 4) and A(l / 4 + 8, l % 4), and has
// C(l / 4, ..) and C(l / 4 + 8, ..).

/// By tensor cores. That they round like this is not documented; an H200's do, and others are asked
/// (runtime/tensor_trial.cuh).
struct TensorProducts {
  static __device__ __forceinline__ void multiply(double (&c)[2], double a, double b)
  {
    multiply_by_tensor_cores(c, a, b);
  }

  /// On an H200 this takes as long as a product of 8 rows.
  static __device__ __forceinline__ void multiply(double (&upper)[2], double (&lower)[2], double a_upper,
                                                  double a_lower, double b, int wanted = 1)
  {
    multiply_by_tensor_cores(upper, lower, a_upper, a_lower, b, wanted);
  }
};

/// By fused multiply-adds, where tensor cores round otherwise: right, but slow. A function of its own, because the
/// kernels call it in many places.
struct FmaProducts {
  static __device__ __noinline__ double2 multiply(double2 c, double a, double b)
  {
    const int lane = threadIdx.x & 31;
    for (int k = 0; k < 4; ++k) {
      const double own = __shfl_sync(~0u, a, lane / 4 * 4 + k);
      c.x = __fma_rn(own, __shfl_sync(~0u, b, lane % 4 * 8 + k), c.x);
      c.y = __fma_rn(own, __shfl_sync(~0u, b, lane % 4 * 8 + 4 + k), c.y);
    }
    return c;
  }

  static __device__ __forceinline__ void multiply(double (&c)[2], double a, double b)
  {
    const double2 sum = multiply(double2{c[0], c[1]}, a, b);
    c[0] = sum.x;
    c[1] = sum.y;
  }

  static __device__ __forceinline__ void multiply(double (&upper)[2], double (&lower)[2], double a_upper,
                                                  double a_lower, double b, int wanted = 1)
  {
    if (wanted) {
      multiply(upper, a_upper, b);
      multiply(lower, a_lower, b);
    }
  }
};

/// C += A B for A [8 Tiles x 4], two tiles of 8 rows at once where there are more than one. tile(i): C of tile i, a
/// double (&)[2]; a(i): of A.
template <class Products, int Tiles, class Tile, class Operand>
__device__ __forceinline__ void multiply_tiles(const Tile &tile, const Operand &a, double b)
{
  if constexpr (Tiles == 1)
    Products::multiply(tile(0), a(0), b);
  else
#pragma unroll
    for (int i = 0; i < Tiles; i += 2)
      Products::multiply(tile(i), tile(i + 1), a(i), a(i + 1), b);
}

} // namespace tessera
#endif
