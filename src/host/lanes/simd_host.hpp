#ifndef TESSERA_HOST_LANES_SIMD_HOST_HPP
#define TESSERA_HOST_LANES_SIMD_HOST_HPP

#include "tile/group.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace tessera {

/// Integer as wide as T: with masks and lane numbers as wide as the values, everything about a lane sits at the same
/// place of a register.
template <class T>
using AsWide = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// One vector register of values and the operations the compiler has no operator for.
template <class T, int Bytes>
struct Register {
  typedef T type __attribute__((vector_size(Bytes)));
  typedef AsWide<T> Words __attribute__((vector_size(Bytes)));
  static constexpr int width = Bytes / sizeof(T);

  static TESSERA_COLLECTIVE type fma(type a, type b, type c)
  {
#if defined(__AVX2__) && defined(__FMA__)
    if constexpr (Bytes == 32 && sizeof(T) == 8)
      return (type)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
    else if constexpr (Bytes == 32)
      return (type)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    else
      return (type)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#else
    for (int i = 0; i < width; ++i)
      c[i] = std::fma(a[i], b[i], c[i]);
    return c;
#endif
  }

  /// The same vector at any address
  typedef T unaligned __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));

  static TESSERA_COLLECTIVE type load(const T *p)
  {
    return (type) * reinterpret_cast<const unaligned *>(p);
  }
  static TESSERA_COLLECTIVE void store(T *p, type x)
  {
    *reinterpret_cast<unaligned *>(p) = (unaligned)x;
  }

  /// The numbers of the elements of register c of several
  static TESSERA_COLLECTIVE Words numbers(int c)
  {
    if constexpr (width == 4)
      return Words{0, 1, 2, 3} + c * width;
    else
      return Words{0, 1, 2, 3, 4, 5, 6, 7} + c * width;
  }

  /// The leading word of every magnitude, in its place: the other bits are 0
  static TESSERA_COLLECTIVE type leading(type x)
  {
    constexpr AsWide<T> word = AsWide<T>(0x7fffffff) << (8 * sizeof(T) - 32);
    return (type)((Words)x & word);
  }

  /// The larger of most and the leading word of x, both read as floats, which orders magnitudes; a NaN is passed over
  static TESSERA_COLLECTIVE type raise(type most, type x)
  {
    typedef float floats __attribute__((vector_size(Bytes)));
    const floats a = (floats)leading(x), b = (floats)most;
#if defined(__AVX2__) && defined(__FMA__)
    if constexpr (Bytes == 32)
      return (type)_mm256_max_ps((__m256)a, (__m256)b);
    else
      return (type)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (type)(a > b ? a : b);
#endif
  }

  /// Bit i: the sign of element i
  static TESSERA_COLLECTIVE unsigned signs(type x)
  {
#if defined(__AVX2__) && defined(__FMA__)
    if constexpr (Bytes == 32 && sizeof(T) == 8)
      return unsigned(_mm256_movemask_pd((__m256d)x));
    else if constexpr (Bytes == 32)
      return unsigned(_mm256_movemask_ps((__m256)x));
    else
      return unsigned(_mm_movemask_ps((__m128)x));
#else
    unsigned bits = 0;
    for (int i = 0; i < width; ++i)
      bits |= unsigned(((Words)x)[i] < 0) << i;
    return bits;
#endif
  }

  static TESSERA_COLLECTIVE type sqrt(type x)
  {
    for (int i = 0; i < width; ++i)
      x[i] = std::sqrt(x[i]);
    return x;
  }

  /// Element i of x where the mask m is set, and 0; memory outside the mask is not touched
  template <class M>
  static TESSERA_COLLECTIVE type load(M m, const T *p)
  {
#if defined(__AVX2__) && defined(__FMA__)
    if constexpr (Bytes == 32 && sizeof(T) == 8)
      return (type)_mm256_maskload_pd((const double *)p, (__m256i)m);
    else if constexpr (Bytes == 32)
      return (type)_mm256_maskload_ps((const float *)p, (__m256i)m);
    else
      return (type)_mm_maskload_ps((const float *)p, (__m128i)m);
#else
    type x = {};
    for (int i = 0; i < width; ++i)
      if (m[i])
        x[i] = p[i];
    return x;
#endif
  }

  template <class M>
  static TESSERA_COLLECTIVE void store(M m, T *p, type x)
  {
#if defined(__AVX2__) && defined(__FMA__)
    if constexpr (Bytes == 32 && sizeof(T) == 8)
      _mm256_maskstore_pd((double *)p, (__m256i)m, (__m256d)x);
    else if constexpr (Bytes == 32)
      _mm256_maskstore_ps((float *)p, (__m256i)m, (__m256)x);
    else
      _mm_maskstore_ps((float *)p, (__m128i)m, (__m128)x);
#else
    for (int i = 0; i < width; ++i)
      if (m[i])
        p[i] = x[i];
#endif
  }
};

/// W values as the registers that hold them. A single vector type of W values would say the same, but g++ keeps such
/// types in memory when they are wider than a register.
template <class T, int W>
struct Simd {
  static constexpr int bytes = W * sizeof(T) < 32 ? W * sizeof(T) : 32;
  using Native = Register<T, bytes>;
  using vector = typename Native::type;
  using Mask = Simd<AsWide<T>, W>;
  static constexpr int chunks = W * int(sizeof(T)) / bytes;

  vector v[chunks];

  Simd() = default;
  /// Copies register by register: the compiler's own copy is in pieces of 16 bytes, which the next load waits for
  TESSERA_COLLECTIVE Simd(const Simd &x)
  {
    each([&](auto c) __attribute__((always_inline)) { v[c] = x.v[c]; });
  }
  TESSERA_COLLECTIVE Simd &operator=(const Simd &x)
  {
    each([&](auto c) __attribute__((always_inline)) { v[c] = x.v[c]; });
    return *this;
  }
  TESSERA_COLLECTIVE Simd(T x)
  {
    each([&](auto c) __attribute__((always_inline)) { v[c] = x - vector{}; }); // x + 0 would lose the sign of -0
  }

  /// f(c) for every register c, written out
  template <class F>
  static TESSERA_COLLECTIVE void each(F f)
  {
    each(f, std::make_integer_sequence<int, chunks>{});
  }
  template <class F, int... C>
  static TESSERA_COLLECTIVE void each(F f, std::integer_sequence<int, C...>)
  {
    (f(std::integral_constant<int, C>{}), ...);
  }
  template <class F>
  static TESSERA_COLLECTIVE Simd make(F f)
  {
    Simd r;
    each([&](auto c) __attribute__((always_inline)) { r.v[c] = (vector)f(c); });
    return r;
  }
  template <class F>
  static TESSERA_COLLECTIVE Mask make_mask(F f)
  {
    return Mask::make([&](auto c) __attribute__((always_inline)) { return (typename Mask::vector)f(c); });
  }

  TESSERA_COLLECTIVE T get(int i) const
  {
    T x;
    std::memcpy(&x, reinterpret_cast<const char *>(this) + i * sizeof(T), sizeof x);
    return x;
  }

  TESSERA_COLLECTIVE void set(int i, T x) { std::memcpy(reinterpret_cast<char *>(this) + i * sizeof(T), &x, sizeof x); }

  /// Bit i: the sign of element i, which says whether a mask is set
  TESSERA_COLLECTIVE unsigned signs() const
  {
    unsigned bits = 0;
    each([&](auto c) __attribute__((always_inline)) { bits |= Native::signs(v[c]) << (c * Native::width); });
    return bits;
  }

#define TESSERA_OPERATOR(op)                                                                                           \
  friend TESSERA_COLLECTIVE Simd operator op(const Simd &a, const Simd &b)                                             \
  {                                                                                                                    \
    return make([&](auto c) __attribute__((always_inline)) { return a.v[c] op b.v[c]; });                              \
  }
  TESSERA_OPERATOR(+)
  TESSERA_OPERATOR(-)
  TESSERA_OPERATOR(*)
  TESSERA_OPERATOR(/)
  TESSERA_OPERATOR(&)
  TESSERA_OPERATOR(|)
#undef TESSERA_OPERATOR
#define TESSERA_COMPARISON(op)                                                                                         \
  friend TESSERA_COLLECTIVE Mask operator op(const Simd &a, const Simd &b)                                             \
  {                                                                                                                    \
    return make_mask([&](auto c) __attribute__((always_inline)) { return a.v[c] op b.v[c]; });                         \
  }
  TESSERA_COMPARISON(<)
  TESSERA_COMPARISON(<=)
  TESSERA_COMPARISON(>)
  TESSERA_COMPARISON(>=)
  TESSERA_COMPARISON(==)
  TESSERA_COMPARISON(!=)
#undef TESSERA_COMPARISON

  friend TESSERA_COLLECTIVE Simd operator-(const Simd &a)
  {
    return make([&](auto c) __attribute__((always_inline)) { return -a.v[c]; });
  }
  friend TESSERA_COLLECTIVE Simd operator!(const Simd &a)
  {
    return make([&](auto c) __attribute__((always_inline)) { return ~a.v[c]; });
  }
  friend TESSERA_COLLECTIVE Simd fma(const Simd &a, const Simd &b, const Simd &x)
  {
    return make([&](auto c) __attribute__((always_inline)) { return Native::fma(a.v[c], b.v[c], x.v[c]); });
  }
  friend TESSERA_COLLECTIVE Simd select(const Mask &m, const Simd &a, const Simd &b)
  {
    return make([&](auto c) __attribute__((always_inline)) { return m.v[c] ? a.v[c] : b.v[c]; });
  }
  friend TESSERA_COLLECTIVE Simd abs(const Simd &a)
  {
    constexpr auto magnitude = std::numeric_limits<AsWide<T>>::max();
    return make([&](auto c) __attribute__((always_inline)) { return ((typename Mask::vector)a.v[c]) & magnitude; });
  }
  friend TESSERA_COLLECTIVE Simd max(const Simd &a, const Simd &b)
  {
    return select(a > b, a, b);
  }
  friend TESSERA_COLLECTIVE Simd sqrt(const Simd &a)
  {
    return make([&](auto c) __attribute__((always_inline)) { return Native::sqrt(a.v[c]); });
  }
  friend TESSERA_COLLECTIVE Mask finite(const Simd &a)
  {
    return abs(a) <= largest_finite<T>;
  }
};

} // namespace tessera
#endif
