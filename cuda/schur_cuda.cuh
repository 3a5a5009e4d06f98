#ifndef TESSERA_CUDA_SCHUR_CUDA_CUH
#define TESSERA_CUDA_SCHUR_CUDA_CUH

// The CUDA half of the Schur complement of tile/schur.hpp. Include group_cuda.cuh, which includes this.

#include <cstddef>

namespace tessera {

/// Row i of S is in the registers of lane i; rows that were shared are in shared memory. What a row or a column that
/// left S holds is NaN: l[i] and row[j] are NaN there, so that an update leaves it NaN, and the maxima pass over it.
template <int W, class T>
class CudaSchur {
public:
  /// See tile/schur.hpp
  TESSERA_COLLECTIVE T load(const T *p, int ld, int n, T &diagonal)
  {
    const int i = rank();
    const T outside = i < n ? T(0) : nan();
    int top = 0;
#pragma unroll
    for (int j = 0; j < W; ++j) {
      a[j] = outside;
      if (i >= j && i < n)
        a[j] = p[i + std::ptrdiff_t(j) * ld];
      const int size = leading_word(a[j]) & 0x7fffffff;
      top = top > size ? top : size;
    }
    // Shared memory turns the rows of the lower triangle to columns of the upper, one word of padding a column apart
    T *const turned = shared();
#pragma unroll
    for (int j = 0; j < W; ++j)
      turned[j * (W + 1) + i] = a[j];
    diagonal = turned[i * (W + 1) + i];
    turned[i * (W + 1) + i] = nan();
    __syncwarp();
#pragma unroll
    for (int j = 0; j < W; ++j)
      if (j >= i)
        a[j] = turned[i * (W + 1) + j];
    __syncwarp();
    return i < n ? from_leading_word<T>(top) : T(0);
  }

  TESSERA_COLLECTIVE void scale(T factor)
  {
#pragma unroll
    for (int j = 0; j < W; ++j)
      a[j] = a[j] * factor;
  }

  TESSERA_COLLECTIVE T largest() const
  {
    float most[chains] = {};
#pragma unroll
    for (int j = 0; j < W; ++j)
      raise(most[j % chains], a[j]);
    return highest(most);
  }

  TESSERA_COLLECTIVE void share(int p, int slot)
  {
    if (rank() == p) {
#pragma unroll
      for (int j = 0; j < W; j += packed)
        reinterpret_cast<Pack *>(shared() + slot * W)[j / packed] = pack(j);
    }
    __syncwarp();
  }

  TESSERA_COLLECTIVE T entry(int slot) const { return shared()[slot * W + rank()]; }

  template <int First>
  TESSERA_COLLECTIVE T subtract(T l, int slot)
  {
    float most[chains] = {};
    const T minus = -l;
#pragma unroll
    for (int j = First / packed * packed; j < W; j += packed) {
      const Pack row = reinterpret_cast<const Pack *>(shared() + slot * W)[j / packed];
#pragma unroll
      for (int q = 0; q < packed; ++q) {
        a[j + q] = fma(minus, row.x[q], a[j + q]);
        raise(most[(j + q) % chains], a[j + q]);
      }
    }
    return highest(most);
  }

  TESSERA_COLLECTIVE void retire(int) {}

  TESSERA_COLLECTIVE void record(int slot, T x)
  {
    __syncwarp(); // until all lanes have read the row
    shared()[slot * W + rank()] = x;
  }

  TESSERA_COLLECTIVE void store(T *L, int ld, int n, int place) const
  {
#pragma unroll
    for (int k = 0; k < W; ++k)
      if (k < n && rank() < n)
        L[place + std::ptrdiff_t(k) * ld] = shared()[k * W + rank()];
    __syncwarp();
  }

private:
  /// Chains of maxima, to have them at the same time
  static constexpr int chains = W > 8 ? 4 : 2;
  /// Entries in 16 bytes, the widest access to shared memory
  static constexpr int packed = 16 / sizeof(T);
  struct alignas(16) Pack {
    T x[packed];
  };

  T a[W];

  static TESSERA_COLLECTIVE int rank() { return int(threadIdx.x) & (W - 1); }
  static TESSERA_COLLECTIVE T nan() { return not_a_number<T>; }

  static TESSERA_COLLECTIVE T *shared()
  {
    __shared__ __align__(16) T tiles[launch_threads / W][W * (W + 1)];
    return tiles[threadIdx.x / W];
  }

  TESSERA_COLLECTIVE Pack pack(int j) const
  {
    Pack r;
#pragma unroll
    for (int q = 0; q < packed; ++q)
      r.x[q] = a[j + q];
    return r;
  }

  /// The leading word read as a float orders magnitudes; as NaN it is passed over
  static TESSERA_COLLECTIVE void raise(float &most, T x) { most = fmaxf(most, fabsf(__int_as_float(leading_word(x)))); }

  static TESSERA_COLLECTIVE T highest(const float (&most)[chains])
  {
    float r = most[0];
#pragma unroll
    for (int c = 1; c < chains; ++c)
      r = fmaxf(r, most[c]);
    return from_leading_word<T>(__float_as_int(r));
  }
};

} // namespace tessera
#endif
