#ifndef TESSERA_CUDA_LANES_GROUP_CUDA_CUH
#define TESSERA_CUDA_LANES_GROUP_CUDA_CUH

// What the kernels in src/tile are made of on a GPU; group_host.hpp is the other half.

#include "cuda/lanes/columns_cuda.cuh"
#include "cuda/lanes/instructions.cuh"
#include "cuda/lanes/schur_cuda.cuh"
#include "cuda/lanes/warp.cuh"
#include "tile/group.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// CUDA half of the collective layer: a lane is a thread, W neighbouring threads of a warp are a group, 32/W groups
/// share a warp and run in step: every collective operation is executed by all threads of the warp that have an item.
template <int W>
struct CudaGroup {
  static_assert(W == 4 || W == 8 || W == 16 || W == 32, "a group has 4, 8, 16 or 32 lanes");
  static constexpr int width = W;
  /// An array of columns is registers: loops over columns need constant bounds
  static constexpr bool columns_are_registers = true;
  static constexpr int product_columns = 4;
  static constexpr unsigned warp = whole_warp;

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
  template <class T>
  using columns = CudaColumns<W, T, GroupMemory<W, T>>;

  static TESSERA_COLLECTIVE int rank() { return rank_in_group<W>(); }
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
    double y = guess_reciprocal(x);
    y = __hiloint2double(__double2hiint(y), __double2hiint(x) + 0x300402);
    const double e = fma(-x, y, 1.0);
    y = fma(y, fma(e, e, e), y);
    return fma(y, fma(-x, y, 1.0), y);
  }
  static TESSERA_COLLECTIVE float reciprocal(float x)
  {
    const float y = guess_reciprocal(x);
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
    return bits_of_group<W>(m);
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
};

} // namespace tessera
#endif
