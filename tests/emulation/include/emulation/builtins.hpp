#ifndef TESSERA_EMULATION_BUILTINS_HPP
#define TESSERA_EMULATION_BUILTINS_HPP

// Built-in variables and functions of kernels, with CUDA's names.

#include "emulation/threads.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ // the standard library has an attribute of this name
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/// A thread of the process runs one thread block at a time.
#define __shared__ static thread_local
#define __builtin_assume(condition) ((void)0)
#define __CUDA_ARCH_LIST__ 900

#define threadIdx (::tessera::emulation::here.thread)
#define blockIdx (::tessera::emulation::here.block)
#define gridDim (::tessera::emulation::here.grid)
#define blockDim (::tessera::emulation::here.block_size)

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};

using std::isfinite;
using std::isnan;
using std::max;
using std::min;

namespace tessera {
namespace emulation {

template <class To, class From>
To bits_as(From x)
{
  static_assert(sizeof(To) == sizeof(From));
  To y;
  std::memcpy(&y, &x, sizeof y);
  return y;
}

template <class T>
std::uint64_t pack(T x)
{
  static_assert(sizeof(T) <= 8, "a lane brings at most 8 bytes");
  std::uint64_t word = 0;
  std::memcpy(&word, &x, sizeof x);
  return word;
}

template <class T>
T unpack(std::uint64_t word)
{
  T x;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

inline int lane()
{
  return int(here.thread.x & 31);
}

/// The number of another lane, or the own one if there is no such lane among the `width` neighbours.
template <class T>
T from_lane(unsigned mask, T x, int source, bool there)
{
  const Met &all = meet(mask, Call::Shuffle, pack(x));
  return there ? unpack<T>(all.own[source]) : x;
}

/// f over the numbers of all lanes, which has no order.
template <class T, class F>
T reduce(unsigned mask, T x, const F &f)
{
  const Met &all = meet(mask, Call::Vote, pack(x));
  for (int i = 0; i < 32; ++i)
    if (all.lanes >> i & 1)
      x = f(x, unpack<T>(all.own[i]));
  return x;
}

} // namespace emulation
} // namespace tessera

// --- warps ---

inline void __syncwarp(unsigned mask = 0xffffffffu)
{
  tessera::emulation::meet(mask, tessera::emulation::Call::Sync, 0);
}

template <class T>
T __shfl_sync(unsigned mask, T x, int source, int width = 32)
{
  const int lane = tessera::emulation::lane();
  return tessera::emulation::from_lane(mask, x, (lane & ~(width - 1)) | (source & (width - 1)), true);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T x, int bits, int width = 32)
{
  const int lane = tessera::emulation::lane(), source = lane ^ bits;
  return tessera::emulation::from_lane(mask, x, source, source < (lane & ~(width - 1)) + width);
}

template <class T>
T __shfl_up_sync(unsigned mask, T x, unsigned step, int width = 32)
{
  const int lane = tessera::emulation::lane(), source = lane - int(step);
  return tessera::emulation::from_lane(mask, x, source, source >= (lane & ~(width - 1)));
}

template <class T>
T __shfl_down_sync(unsigned mask, T x, unsigned step, int width = 32)
{
  const int lane = tessera::emulation::lane(), source = lane + int(step);
  return tessera::emulation::from_lane(mask, x, source, source < (lane & ~(width - 1)) + width);
}

inline unsigned __ballot_sync(unsigned mask, int yes)
{
  const unsigned own = yes ? 1u << tessera::emulation::lane() : 0;
  return tessera::emulation::reduce(mask, own, [](unsigned x, unsigned y) { return x | y; });
}
inline int __any_sync(unsigned mask, int yes)
{
  return __ballot_sync(mask, yes) != 0;
}
inline int __all_sync(unsigned mask, int yes)
{
  return __ballot_sync(mask, !yes) == 0;
}
template <class T>
T __reduce_max_sync(unsigned mask, T x)
{
  return tessera::emulation::reduce(mask, x, [](T a, T b) { return a > b ? a : b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned x)
{
  return tessera::emulation::reduce(mask, x, [](unsigned a, unsigned b) { return a | b; });
}
template <class T>
T __reduce_add_sync(unsigned mask, T x)
{
  const T own = x;
  return tessera::emulation::reduce(mask, x, [](T a, T b) { return a + b; }) - own; // where it has been counted twice
}

// --- thread blocks ---

inline void __syncthreads()
{
  tessera::emulation::meet_in_block(false);
}
inline int __syncthreads_or(int yes)
{
  return tessera::emulation::meet_in_block(yes != 0) != 0;
}
inline int __syncthreads_and(int yes)
{
  return tessera::emulation::meet_in_block(yes == 0) == 0;
}

// --- memory ---

inline void __threadfence()
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system()
{
  __threadfence();
}
inline void __threadfence_block()
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <class T>
T __ldg(const T *x)
{
  return *x;
}
template <class T>
T __ldcg(const T *x)
{
  return *x;
}
template <class T>
void __stcg(T *x, T value)
{
  *x = value;
}

/// *x = f(*x) at once; returns what it was. A thread that repeats this until it comes out otherwise, lets others run.
template <class T, class F>
T emulated_exchange(T *x, const F &f)
{
  tessera::emulation::let_others_run();
  T before;
  __atomic_load(x, &before, __ATOMIC_ACQUIRE);
  for (;;) {
    T after = f(before);
    if (__atomic_compare_exchange(x, &before, &after, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return before;
  }
}
template <class T, class Value>
T atomicAdd(T *x, Value value)
{
  return emulated_exchange(x, [&](T before) { return T(before + T(value)); });
}
template <class T, class Value>
T atomicMax(T *x, Value value)
{
  return emulated_exchange(x, [&](T before) { return max(before, T(value)); });
}
template <class T, class Value>
T atomicMin(T *x, Value value)
{
  return emulated_exchange(x, [&](T before) { return min(before, T(value)); });
}
template <class T, class Value>
T atomicOr(T *x, Value value)
{
  return emulated_exchange(x, [&](T before) { return T(before | T(value)); });
}
template <class T, class Value>
T atomicExch(T *x, Value value)
{
  return emulated_exchange(x, [&](T) { return T(value); });
}
template <class T, class Expected, class Value>
T atomicCAS(T *x, Expected expected, Value value)
{
  return emulated_exchange(x, [&](T before) { return before == T(expected) ? T(value) : before; });
}

// --- arithmetic ---

inline int __popc(unsigned x)
{
  return __builtin_popcount(x);
}
inline int __ffs(int x)
{
  return __builtin_ffs(x);
}
inline int __clz(int x)
{
  return x == 0 ? 32 : __builtin_clz(unsigned(x));
}
inline double __fma_rn(double a, double b, double c)
{
  return std::fma(a, b, c);
}
inline int __double2hiint(double x)
{
  return int(tessera::emulation::bits_as<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x)
{
  return int(tessera::emulation::bits_as<std::uint64_t>(x));
}
inline double __hiloint2double(int high, int low)
{
  return tessera::emulation::bits_as<double>(std::uint64_t(unsigned(high)) << 32 | unsigned(low));
}
inline double __longlong_as_double(long long x)
{
  return tessera::emulation::bits_as<double>(x);
}
inline long long __double_as_longlong(double x)
{
  return tessera::emulation::bits_as<long long>(x);
}
inline float __int_as_float(int x)
{
  return tessera::emulation::bits_as<float>(x);
}
inline int __float_as_int(float x)
{
  return tessera::emulation::bits_as<int>(x);
}
inline float __uint_as_float(unsigned x)
{
  return tessera::emulation::bits_as<float>(x);
}
inline unsigned __float_as_uint(float x)
{
  return tessera::emulation::bits_as<unsigned>(x);
}
inline double rsqrt(double x)
{
  return 1 / std::sqrt(x);
}

#endif
