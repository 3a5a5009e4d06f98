#ifndef TESSERA_CUDA_LANES_COLUMNS_CUDA_CUH
#define TESSERA_CUDA_LANES_COLUMNS_CUDA_CUH

#include "cuda/lanes/instructions.cuh"
#include "cuda/lanes/warp.cuh"
#include "tile/scalars.hpp"

#include <cstddef>

namespace tessera {

/// The CUDA half of the columns that group.hpp describes.
///
/// Row i is in the registers of lane i, the next column in the first one: a subtraction writes each column one register
/// further down, so that all steps are the same code, which a loop over registers by their number could not be. The
/// shared column is in shared memory, from its entry in the next column on, where all lanes read it 16 bytes at a time.
template <int W, class T, class Memory>
class CudaColumns {
public:
  TESSERA_COLLECTIVE void load(const T *p, int ld, int n)
  {
    const int i = rank();
#pragma unroll
    for (int j = 0; j < W; ++j)
      a[j] = i >= j && i < n ? p[i + std::ptrdiff_t(j) * ld] : T(0);
  }

  TESSERA_COLLECTIVE T first() const
  {
    return a[0];
  }
  TESSERA_COLLECTIVE T second() const
  {
    return a[1];
  }

  /// The slots take turns: when all lanes have come here, none reads the one before last.
  TESSERA_COLLECTIVE void share(int k)
  {
    shared = slot(W - 1 + (k & 1));
    if (rank() > k)
      shared[rank() - k - 1] = a[0];
    __syncwarp();
  }

  template <int Columns>
  TESSERA_COLLECTIVE void subtract(T l, bool keep)
  {
    const T minus = -l, next = a[1];
#pragma unroll
    for (int j = 0; j < Columns; j += packed) {
      const Pack row = reinterpret_cast<const Pack *>(shared)[j / packed];
#pragma unroll
      for (int q = 0; q < packed; ++q)
        if (j + q + 1 < Columns)
          a[j + q] = fma(minus, row.x[q], a[j + q + 1]);
    }
    a[0] = keep ? next : a[0];
  }

  /// The last column has nothing below its unit, and shares its slot with shared columns.
  TESSERA_COLLECTIVE void record(int k, T l)
  {
    if (k < W - 1)
      slot(k)[rank()] = l;
  }

  TESSERA_COLLECTIVE void store(T *L, int ld, int n) const
  {
    const int i = rank();
#pragma unroll
    for (int k = 0; k < W; ++k) {
      const T x = i > k ? slot(k)[i] : T(i == k);
      if (k < n && i < n)
        L[i + std::ptrdiff_t(k) * ld] = x;
    }
    __syncwarp();
  }

private:
  /// Entries in 16 bytes, the widest access to shared memory
  static constexpr int packed = 16 / sizeof(T);
  struct alignas(16) Pack {
    T x[packed];
  };

  T a[W];    ///< the row of this lane: a[j] is in the j-th of the columns that are left
  T *shared; ///< the shared column

  static TESSERA_COLLECTIVE int rank()
  {
    return rank_in_group<W>();
  }

  /// Slots 0 to W - 2 for columns of L, two for shared columns
  static TESSERA_COLLECTIVE T *slot(int k)
  {
    return Memory::of_group() + k * W;
  }
};

} // namespace tessera
#endif
