#ifndef TESSERA_CUDA_LANES_SCHUR_CUDA_CUH
#define TESSERA_CUDA_LANES_SCHUR_CUDA_CUH

#include "cuda/lanes/warp.cuh"
#include "tile/scalars.hpp"

#include <cstddef>

namespace tessera {

/// Shared memory of each group of a thread block: W (W + 1) values.
template <int W, class T>
struct GroupMemory {
  static TESSERA_COLLECTIVE T *of_group()
  {
    __shared__ __align__(16) T tiles[launch_threads / W][W * (W + 1)];
    return tiles[threadIdx.x / W];
  }
};

/// The CUDA half of the Schur complement that group.hpp describes.
///
/// Row i of S is in the registers of lane i, the slots are in shared memory. A column of S that is shared has NaN in
/// its own row and where rows have left, and so has l: the update itself makes what leaves S NaN, and the maxima pass
/// over it. That takes no masks and no order of the columns.
template <int W, class T, class Memory>
class CudaSchur {
public:
  /// With fewer columns left than this, moving them together would not pay
  static constexpr int fewest = 8;

  TESSERA_COLLECTIVE T load(const T *p, int ld, int n, T &diagonal)
  {
    const int i = rank();
    const T outside = i < n ? T(0) : not_a_number<T>;
    int top = 0;
#pragma unroll
    for (int j = 0; j < W; ++j) {
      a[j] = outside;
      if (i >= j && i < n)
        a[j] = p[i + std::ptrdiff_t(j) * ld];
      const int size = leading_word(a[j]) & 0x7fffffff;
      top = top > size ? top : size;
    }
    // Shared memory turns the rows of the lower triangle to columns of the upper, one entry of padding a column apart
    T *const turned = shared();
#pragma unroll
    for (int j = 0; j < W; ++j)
      turned[j * (W + 1) + i] = a[j];
    diagonal = turned[i * (W + 1) + i];
    turned[i * (W + 1) + i] = not_a_number<T>;
    __syncwarp();
#pragma unroll
    for (int j = 0; j < W; ++j)
      if (j >= i)
        a[j] = turned[i * (W + 1) + j];
    __syncwarp();
    place = i;
    return i < n ? from_leading_word<T>(top) : T(0);
  }

  TESSERA_COLLECTIVE void scale(T factor)
  {
#pragma unroll
    for (int j = 0; j < W; ++j)
      a[j] = a[j] * factor;
  }

  template <int Columns>
  TESSERA_COLLECTIVE T maxima() const
  {
    float most[chains] = {};
#pragma unroll
    for (int j = 0; j < Columns; ++j)
      raise(most[j % chains], a[j]);
    return highest(most);
  }

  template <int Columns>
  TESSERA_COLLECTIVE T column(int p) const
  {
    if constexpr (Columns == W)
      return pick<0, Columns>(p);
    else
      return pick<0, Columns>(__popc(kept & ((1u << (p & (W - 1))) - 1)));
  }

  /// In a slot that was recorded before, by a group that has finished or took no 2x2 pivot where another one did, the
  /// entries may now belong to other lanes.
  TESSERA_COLLECTIVE void share(T c, int slot)
  {
    if constexpr (W > fewest)
      __syncwarp();
    shared()[slot * W + place] = c;
    __syncwarp();
  }

  template <int Columns>
  TESSERA_COLLECTIVE void mirror(int p, int slot)
  {
    if (rank() == p) {
#pragma unroll
      for (int j = 0; j < Columns; ++j)
        if (a[j] == a[j]) // a column of S
          a[j] = shared()[slot * W + j];
    }
    __syncwarp();
  }

  TESSERA_COLLECTIVE void retire(int) {}

  template <int Columns>
  TESSERA_COLLECTIVE T subtract(T l, int slot)
  {
    float most[chains] = {};
    const T minus = -l;
#pragma unroll
    for (int j = 0; j < Columns; j += packed) {
      const Pack row = reinterpret_cast<const Pack *>(shared() + slot * W)[j / packed];
#pragma unroll
      for (int q = 0; q < packed; ++q) {
        a[j + q] = fma(minus, row.x[q], a[j + q]);
        raise(most[(j + q) % chains], a[j + q]);
      }
    }
    return highest(most);
  }

  TESSERA_COLLECTIVE void record(int slot, T x)
  {
    __syncwarp(); // until all lanes have read the row
    shared()[slot * W + rank()] = x;
  }

  TESSERA_COLLECTIVE T recorded(int slot) const
  {
    return shared()[slot * W + rank()];
  }

  /// The columns meet in the slots from the next one on, which are free
  template <int Columns>
  TESSERA_COLLECTIVE void compact(bool open, int next)
  {
    T *const meeting = shared() + next * W + rank();
    const unsigned columns = columns_of<2 * Columns>(open);
    T *to = meeting;
#pragma unroll
    for (int j = 0; j < 2 * Columns; ++j)
      if (columns >> j & 1) {
        *to = a[j];
        to += W;
      }
    kept = bits_of_group<W>(open);
    const unsigned before = (1u << rank()) - 1;
    place = open ? __popc(kept & before) : __popc(kept) + __popc(~kept & before); // no two lanes share one
#pragma unroll
    for (int j = 0; j < Columns; ++j)
      a[j] = j < __popc(kept) ? meeting[j * W] : not_a_number<T>;
    __syncwarp();
  }

  TESSERA_COLLECTIVE void store(T *L, int ld, int n, int step) const
  {
    T *const own = shared() + rank();
    const bool inside = rank() < n;
    if (inside)
      own[step * W] = 1;
#pragma unroll
    for (int k = 0; k < W; ++k) {
      const T x = step >= k ? own[k * W] : T(0);
      if (k < n && inside)
        L[step + std::ptrdiff_t(k) * ld] = x;
    }
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

  T a[W];        ///< the row of this lane; at first column j is a[j]
  int place;     ///< which one is the column of this lane, if it was open when columns last moved; else after those
  unsigned kept; ///< lanes whose columns were open then

  static TESSERA_COLLECTIVE int rank()
  {
    return rank_in_group<W>();
  }

  /// W slots for shared rows, then columns of L, and one more value
  static TESSERA_COLLECTIVE T *shared()
  {
    return Memory::of_group();
  }

  /// Bit j: the row and column in a[j] is open
  template <int Columns>
  TESSERA_COLLECTIVE unsigned columns_of(bool open) const
  {
    if constexpr (Columns == W)
      return bits_of_group<W>(open);
    else {
      static_assert(W == 32, "only a group that is a warp compacts twice");
      return __reduce_or_sync(whole_warp, open ? 1u << place : 0);
    }
  }

  /// a[j], First <= j < First + Size: registers have no run-time index, so by bisection, one select a column. A group
  /// that is a whole warp first jumps to the 8 columns in question.
  template <int First, int Size>
  TESSERA_COLLECTIVE T pick(int j) const
  {
    if constexpr (Size == 1)
      return a[First];
    else if constexpr (W == 32 && Size > 8) {
      if (j & (Size / 2))
        return pick<First + Size / 2, Size / 2>(j);
      return pick<First, Size / 2>(j);
    } else {
      const T low = pick<First, Size / 2>(j), high = pick<First + Size / 2, Size / 2>(j);
      return (j & (Size / 2)) ? high : low;
    }
  }

  /// The leading word read as a float orders magnitudes; as NaN it is passed over
  static TESSERA_COLLECTIVE void raise(float &most, T x)
  {
    most = fmaxf(most, fabsf(__int_as_float(leading_word(x))));
  }

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
