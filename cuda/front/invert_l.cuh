#ifndef TESSERA_CUDA_FRONT_INVERT_L_CUH
#define TESSERA_CUDA_FRONT_INVERT_L_CUH

#include "cuda/lanes/tensor_cores.cuh"
#include "cuda/lanes/warp.cuh"

namespace tessera {

/// What a warp shares while it inverts L.
struct InversionScratch {
  double own[32], other[32]; ///< of pairs, see PairFactor; 1 and 0 for columns that are in none
  double product[3][8][9];
};

/// The inverse X of L, of k rows, that eliminate_columns has left in a, kept transposed: entry (i, j) of X, where it
/// is not 0, in row j and column i of a. pairs: those that became 2x2 pivots.
class InverseOfL {
public:
  __device__ InverseOfL(double *a, int leading, int k, unsigned pairs, InversionScratch &s)
      : a_(a), leading_(leading), k_(k), lane_(threadIdx.x & 31), pairs_(pairs), s_(s)
  {
  }

  __device__ __forceinline__ double at(int i, int j) const
  {
    const double x = a_[i * leading_ + j]; // loaded in any case: branches would take longer
    return is_set(i, j) ? x : 0.0;
  }

  __device__ __forceinline__ void run()
  {
    invert_diagonal_blocks();
    invert_row_of_blocks<1>();
    invert_row_of_blocks<2>();
    invert_row_of_blocks<3>();
  }

private:
  /// X is lower triangular but for the pairs. Without branches.
  __device__ __forceinline__ bool is_set(int i, int j) const { return (i >= j) | ((i + 1 == j) & (pairs_ >> i)); }

  /// Lane 8 b + j has column j of block b.
  __device__ __forceinline__ void invert_diagonal_blocks()
  {
    const int block = lane_ & ~7, j = lane_ & 7;
    double x[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      x[i] = i == j ? 1.0 : 0.0;
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      if (c % 2 == 0) {
        const double y = x[c], z = x[c + 1];
        x[c] = fma(s_.own[block + c], y, s_.other[block + c] * z);
        x[c + 1] = fma(s_.own[block + c + 1], z, s_.other[block + c + 1] * y);
      }
#pragma unroll
      for (int i = c + 1; i < 8; ++i) {
        const double l = block + i < k_ ? a_[(block + c) * leading_ + block + i] : 0.0;
        x[i] = fma(-l, x[c], x[i]);
      }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if ((block < k_) & is_set(block + i, block + j))
        a_[(block + i) * leading_ + block + j] = x[i];
    __syncwarp();
  }

  /// Blocks (I, j), j < I: -X(I, I) Σ L(I, k) X(k, j) over j <= k < I.
  template <int I>
  __device__ __forceinline__ void invert_row_of_blocks()
  {
    if (8 * I >= k_)
      return;
    const int row = lane_ / 4, inner = lane_ % 4;
    double sum[I][2] = {};
#pragma unroll
    for (int k = 0; k < I; ++k)
#pragma unroll
      for (int q = 8 * k; q < 8 * k + 8; q += 4) {
        const double left = l(8 * I + row, q + inner);
#pragma unroll
        for (int j = 0; j <= k; ++j)
          TensorProducts::multiply(sum[j], left, at(q + inner, 8 * j + row));
      }
#pragma unroll
    for (int j = 0; j < I; ++j)
#pragma unroll
      for (int z = 0; z < 2; ++z) {
        s_.product[j][2 * inner + z][row] = sum[j][z];
        sum[j][z] = 0;
      }
    __syncwarp();
#pragma unroll
    for (int q = 0; q < 8; q += 4) {
      const double left = -at(8 * I + row, 8 * I + q + inner);
#pragma unroll
      for (int j = 0; j < I; ++j)
        TensorProducts::multiply(sum[j], left, s_.product[j][row][q + inner]);
    }
#pragma unroll
    for (int j = 0; j < I; ++j)
#pragma unroll
      for (int z = 0; z < 2; ++z)
        a_[(8 * I + row) * leading_ + 8 * j + 2 * inner + z] = sum[j][z];
    __syncwarp();
  }

  __device__ __forceinline__ double l(int i, int j) const
  {
    return i < k_ ? a_[j * leading_ + i] : 0.0;
  }

  double *const a_;
  const int leading_, k_, lane_;
  const unsigned pairs_;
  InversionScratch &s_;
};

/// By one warp: replaces L by its inverse, see InverseOfL.
inline __device__ __noinline__ void invert_l(double *a, int leading, int k, unsigned pairs, InversionScratch &s)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&s));
  InverseOfL(a, leading, k, pairs, s).run();
}

} // namespace tessera
#endif
