#ifndef TESSERA_CUDA_FRONT_SHARED_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_SHARED_COLUMNS_CUH

#include "base/portable.hpp"

#include <cstddef>

namespace tessera {

/// A matrix in shared memory, column-major.
struct FullColumns {
  double *a;
  int leading;

  /// Of m rows, with a leading dimension of m + 4.
  static TESSERA_BOTH std::size_t size(std::size_t m) { return m * (m + 4); }
  /// Column j: its entry i is that of row i.
  __device__ __forceinline__ double *column(int j) const { return a + j * leading; }
  /// From column j on, to one that is near it.
  __device__ __forceinline__ int leading_at(int) const { return leading; }
  /// Rows and columns from k on.
  __device__ __forceinline__ FullColumns from(int k) const { return {a + k * (leading + 1), leading}; }
};

/// The lower triangle of one, in panels of 32 columns without the rows above them: two thirds of the memory for 128
/// rows. leading: of the first panel, others have 32 less each.
struct LowerColumns {
  double *a;
  int leading;

  static TESSERA_BOTH std::size_t size(std::size_t m) { return m == 0 ? 0 : offset(int(m) - 1, int(m) + 4) + m + 4; }
  __device__ __forceinline__ double *column(int j) const { return a + offset(j, leading); }
  /// Within a panel.
  __device__ __forceinline__ int leading_at(int j) const { return leading - j / 32 * 32; }
  /// k: where a panel begins.
  __device__ __forceinline__ LowerColumns from(int k) const { return {column(k) + k, leading - k}; }

private:
  /// Of column j, less the rows above its panel: panel p begins at 32 p leading - 512 p (p - 1).
  static TESSERA_BOTH int offset(int j, int leading)
  {
    const int p = j / 32;
    return j * (leading - 32 * p) + p * (512 * p + 480);
  }
};

} // namespace tessera
#endif
