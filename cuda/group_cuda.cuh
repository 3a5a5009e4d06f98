#ifndef TESSERA_CUDA_GROUP_CUDA_CUH
#define TESSERA_CUDA_GROUP_CUDA_CUH

// What the kernels in src/tile are made of on a GPU; group_host.hpp is the other half. Include before any kernel.
#define TESSERA_COLLECTIVE __device__ __forceinline__
#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_ROLL _Pragma("unroll 1")

#include "tile/group.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Threads of a thread block, whose groups have nothing to do with each other: few, so that blocks fill an SM evenly
constexpr int launch_threads = 64;

TESSERA_COLLECTIVE double fma(double a, double b, double c)
{
  return __fma_rn(a, b, c);
}
TESSERA_COLLECTIVE float fma(float a, float b, float c)
{
  return __fmaf_rn(a, b, c);
}
TESSERA_COLLECTIVE double abs(double x)
{
  return ::fabs(x);
}
TESSERA_COLLECTIVE float abs(float x)
{
  return ::fabsf(x);
}
TESSERA_COLLECTIVE double sqrt(double x)
{
  return __dsqrt_rn(x);
}
TESSERA_COLLECTIVE float sqrt(float x)
{
  return __fsqrt_rn(x);
}
template <class T>
TESSERA_COLLECTIVE T select(bool m, T a, T b)
{
  return m ? a : b;
}
template <class T>
TESSERA_COLLECTIVE T max(T a, T b)
{
  return a > b ? a : b;
}
template <class T>
TESSERA_COLLECTIVE bool finite(T x)
{
  return abs(x) <= largest_finite<T>;
}

/// Sign, exponent and the leading bits of the mantissa
TESSERA_COLLECTIVE int leading_word(double x)
{
  return __double2hiint(x);
}
TESSERA_COLLECTIVE int leading_word(float x)
{
  return __float_as_int(x);
}
template <class T>
TESSERA_COLLECTIVE T from_leading_word(int word)
{
  if constexpr (sizeof(T) == 8)
    return __hiloint2double(word, 0);
  else
    return __int_as_float(word);
}

template <int W, class T>
struct GroupMemory;
template <int W, class T, class Memory>
class CudaSchur;

/// CUDA half of the collective layer: a lane is a thread, W neighbouring threads of a warp are a group, 32/W groups
/// share a warp and run in step: every collective operation is executed by all threads of the warp that have an item.
template <int W>
struct CudaGroup {
  static_assert(W == 4 || W == 8 || W == 16 || W == 32, "a group has 4, 8, 16 or 32 lanes");
  static constexpr int width = W;
  /// An array of columns is registers: loops over columns need constant bounds
  static constexpr bool columns_are_registers = true;
  static constexpr int product_columns = 4;
  static constexpr unsigned warp = 0xffffffffu;

  template <class T>
  using strip = CudaGroup<W>;
  template <class T>
  using lane = T;
  template <class T>
  using mask = bool;
  template <class T>
  using index = int;
  template <class T>
  using schur = CudaSchur<W, T, GroupMemory<W, T>>;

  static TESSERA_COLLECTIVE int rank() { return int(threadIdx.x) & (W - 1); }
  template <class T>
  static TESSERA_COLLECTIVE int id()
  {
    return rank();
  }
  static TESSERA_COLLECTIVE bool leads() { return rank() == 0; }
  static TESSERA_COLLECTIVE void sync() { __syncwarp(warp); }

  // --- memory ---
  template <class T>
  static TESSERA_COLLECTIVE T load(const T *p)
  {
    return p[rank()];
  }
  template <class T>
  static TESSERA_COLLECTIVE T load(bool m, const T *p)
  {
    return m ? p[rank()] : T(0);
  }
  template <class T>
  static TESSERA_COLLECTIVE T load(bool m, const T *p, int stride)
  {
    return m ? p[std::ptrdiff_t(rank()) * stride] : T(0);
  }
  template <class T>
  static TESSERA_COLLECTIVE void store(T *p, T x)
  {
    p[rank()] = x;
  }
  template <class T>
  static TESSERA_COLLECTIVE void store(bool m, T *p, T x)
  {
    if (m)
      p[rank()] = x;
  }
  template <class T>
  static TESSERA_COLLECTIVE void scatter(bool m, T *p, int place, T x)
  {
    if (m)
      p[place] = x;
  }
  template <class T>
  static TESSERA_COLLECTIVE int load_index(bool m, const std::int32_t *p)
  {
    return m ? p[rank()] : 0;
  }
  template <class T>
  static TESSERA_COLLECTIVE void scatter_index(bool m, std::int32_t *p, int place, int x)
  {
    if (m)
      p[place] = x;
  }
  // --- arithmetic ---
  /// The compiler's own division without its way for arguments out of range, which all lanes would wait for
  static TESSERA_COLLECTIVE double reciprocal(double x)
  {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    y = __hiloint2double(__double2hiint(y), __double2hiint(x) + 0x300402);
    const double e = fma(-x, y, 1.0);
    y = fma(y, fma(e, e, e), y);
    return fma(y, fma(-x, y, 1.0), y);
  }
  static TESSERA_COLLECTIVE float reciprocal(float x)
  {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fma(y, fma(-x, y, 1.0f), y);
  }

  template <class T>
  static TESSERA_COLLECTIVE bool at_least_half(T x, T largest)
  {
    constexpr int one_exponent = sizeof(T) == 8 ? 1 << 20 : 1 << 23;
    return (leading_word(x) & 0x7fffffff) >= leading_word(largest) - one_exponent;
  }
  template <class T>
  static TESSERA_COLLECTIVE T add_product(bool m, T x, T a, T b)
  {
    if (m)
      x = fma(a, b, x);
    return x;
  }

  template <class T>
  static TESSERA_COLLECTIVE void load_symmetric(T (&a)[W], const T *p, int ld, int n)
  {
    // Rows of the lower triangle are columns of the upper: shared memory turns them, one word of padding a column apart
    __shared__ T tiles[launch_threads / W][W][W + 1];
    auto &tile = tiles[threadIdx.x / W];
    const int i = rank();
#pragma unroll
    for (int j = 0; j < W; ++j)
      tile[j][i] = i >= j && i < n ? p[i + std::ptrdiff_t(j) * ld] : T(0);
    sync();
#pragma unroll
    for (int j = 0; j < W; ++j)
      a[j] = i >= j ? tile[j][i] : tile[i][j];
    sync();
  }

  // --- exchange between lanes ---
  template <class T>
  static TESSERA_COLLECTIVE T broadcast(T x, int src)
  {
    return __shfl_sync(warp, x, src, W);
  }
  template <class T>
  static TESSERA_COLLECTIVE T shuffle(T x, int from)
  {
    return __shfl_sync(warp, x, from, W);
  }
  template <class T>
  static TESSERA_COLLECTIVE T sum(T x)
  {
#pragma unroll
    for (int half = W / 2; half >= 1; half /= 2)
      x = x + __shfl_xor_sync(warp, x, half, W);
    return x;
  }
  template <class T>
  static TESSERA_COLLECTIVE T max_of(T x)
  {
#pragma unroll
    for (int half = W / 2; half >= 1; half /= 2) {
      const T y = __shfl_xor_sync(warp, x, half, W);
      x = y > x || y != y ? y : x;
    }
    return x;
  }
  /// The key of a lane: the leading 27 bits of the magnitude (with the sign, 0), then 31 - lane
  template <class T>
  static TESSERA_COLLECTIVE Largest<T> argmax(T x)
  {
    int key = (leading_word(x) & ~31) | (31 - rank());
    if constexpr (W == 32)
      key = __reduce_max_sync(warp, key);
    else {
#pragma unroll
      for (int half = W / 2; half >= 1; half /= 2) {
        const int other = __shfl_xor_sync(warp, key, half, W);
        key = other > key ? other : key;
      }
    }
    const int found = 31 - (key & 31);
    return {broadcast(x, found), found};
  }
  /// One bit for each lane of the group
  static TESSERA_COLLECTIVE unsigned bits(bool m)
  {
    const unsigned all = __ballot_sync(warp, m);
    if constexpr (W == 32)
      return all;
    else
      return (all >> (threadIdx.x & 31 & ~(W - 1))) & ((1u << W) - 1);
  }
  template <class T>
  static TESSERA_COLLECTIVE bool from_bits(unsigned all)
  {
    return all >> rank() & 1;
  }
  static TESSERA_COLLECTIVE int first(bool m)
  {
    return __ffs(int(bits(m))) - 1;
  }
  static TESSERA_COLLECTIVE bool any(bool m)
  {
    return bits(m) != 0;
  }
  static TESSERA_COLLECTIVE bool anywhere(bool m)
  {
    return __any_sync(warp, m);
  }
  static TESSERA_COLLECTIVE int count(bool m)
  {
    return __popc(bits(m));
  }
  static TESSERA_COLLECTIVE bool all(bool m)
  {
    return !any(!m);
  }
  static TESSERA_COLLECTIVE bool any_group(bool b)
  {
    if constexpr (W == 32)
      return b;
    return __any_sync(warp, b);
  }

  // --- columns ---
  // Registers have no run-time index: selects do it, two instructions a column. A group that is the whole warp first
  // jumps to the 8 columns in question.
  template <int First, int Last, class T>
  static TESSERA_COLLECTIVE T column(const T (&a)[W], int j)
  {
    if constexpr (W < 32 || Last - First <= 8)
      return pick<First, Last, 0, W>(a, j);
    else {
      constexpr int next = First / 8 * 8 + 8;
      if (j < next)
        return column<First, next>(a, j);
      return column<next, Last>(a, j);
    }
  }
  template <int First, int Last, class T>
  static TESSERA_COLLECTIVE void set_column(T (&a)[W], int j, T x)
  {
    if constexpr (W < 32 || Last - First <= 8) {
#pragma unroll
      for (int c = First; c < Last; ++c)
        a[c] = c == j ? x : a[c];
    } else {
      constexpr int next = First / 8 * 8 + 8;
      if (j < next)
        set_column<First, next>(a, j, x);
      else
        set_column<next, Last>(a, j, x);
    }
  }

private:
  /// a[j], First <= j < Last, by bisection of Low <= j < Low + Size: one select per column
  template <int First, int Last, int Low, int Size, class T>
  static TESSERA_COLLECTIVE T pick(const T (&a)[W], int j)
  {
    if constexpr (Size == 1)
      return a[Low];
    else if constexpr (Low + Size / 2 <= First)
      return pick<First, Last, Low + Size / 2, Size / 2>(a, j);
    else if constexpr (Low + Size / 2 >= Last)
      return pick<First, Last, Low, Size / 2>(a, j);
    else {
      const T low = pick<First, Last, Low, Size / 2>(a, j), high = pick<First, Last, Low + Size / 2, Size / 2>(a, j);
      return (j & (Size / 2)) ? high : low;
    }
  }
};

} // namespace tessera

#include "schur_cuda.cuh"

#endif
