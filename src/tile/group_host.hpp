#ifndef TESSERA_TILE_GROUP_HOST_HPP
#define TESSERA_TILE_GROUP_HOST_HPP

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

TESSERA_COLLECTIVE double fma(double a, double b, double c)
{
  return __builtin_fma(a, b, c);
}
TESSERA_COLLECTIVE float fma(float a, float b, float c)
{
  return __builtin_fmaf(a, b, c);
}
TESSERA_COLLECTIVE double abs(double x)
{
  return __builtin_fabs(x);
}
TESSERA_COLLECTIVE float abs(float x)
{
  return __builtin_fabsf(x);
}
TESSERA_COLLECTIVE double sqrt(double x)
{
  return __builtin_sqrt(x);
}
TESSERA_COLLECTIVE float sqrt(float x)
{
  return __builtin_sqrtf(x);
}

/// Host half of the collective layer: a group of W lanes is one core, a lane is an element of a vector of W values.
/// What the operations mean is said in group.hpp.
template <int W>
struct HostGroup {
  static_assert(W == 4 || W == 8 || W == 16 || W == 32, "a group has 4, 8, 16 or 32 lanes");
  static constexpr int width = W;
  /// Kernels may walk over columns with run-time bounds: columns are memory
  static constexpr bool columns_are_registers = false;

  /// Columns of a product worked on at a time, and the group that fits the registers while it does: 2 columns and one
  /// operand of 4 registers each
  static constexpr int product_columns = 2;
  template <class T>
  using strip = HostGroup<(W * sizeof(T) > 128 ? 128 / int(sizeof(T)) : W)>;

  template <class T>
  using lane = Simd<T, W>;
  template <class T>
  using mask = Simd<AsWide<T>, W>;
  template <class T>
  using index = Simd<AsWide<T>, W>;

  template <class T>
  static TESSERA_COLLECTIVE index<T> id()
  {
    constexpr int width = index<T>::Native::width;
    return index<T>::make([](auto c) __attribute__((always_inline)) {
      typename index<T>::vector i;
      for (int e = 0; e < width; ++e)
        i[e] = c * width + e;
      return i;
    });
  }

  // --- memory ---
  template <class T>
  static TESSERA_COLLECTIVE lane<T> load(const T *p)
  {
    // register by register: a copy of the whole goes through memory in pieces of another size, which stalls
    constexpr int width = lane<T>::Native::width;
    return lane<T>::make([&](auto c) __attribute__((always_inline)) { return lane<T>::Native::load(p + c * width); });
  }
  template <class T>
  static TESSERA_COLLECTIVE lane<T> load(const mask<T> &m, const T *p)
  {
    constexpr int width = lane<T>::Native::width;
    return lane<T>::make([&](auto c)
                             __attribute__((always_inline)) { return lane<T>::Native::load(m.v[c], p + c * width); });
  }
  template <class T>
  static TESSERA_COLLECTIVE lane<T> load(const mask<T> &m, const T *p, int stride)
  {
    T x[W];
    for (int i = 0; i < W; ++i)
      x[i] = m.get(i) ? p[std::ptrdiff_t(i) * stride] : T(0);
    return load(x);
  }
  template <class T>
  static TESSERA_COLLECTIVE void store(T *p, const lane<T> &x)
  {
    constexpr int width = lane<T>::Native::width;
    lane<T>::each([&](auto c) __attribute__((always_inline)) { lane<T>::Native::store(p + c * width, x.v[c]); });
  }
  template <class T>
  static TESSERA_COLLECTIVE void store(const mask<T> &m, T *p, const lane<T> &x)
  {
    constexpr int width = lane<T>::Native::width;
    lane<T>::each([&](auto c)
                      __attribute__((always_inline)) { lane<T>::Native::store(m.v[c], p + c * width, x.v[c]); });
  }
  template <class T>
  static TESSERA_COLLECTIVE void scatter(const mask<T> &m, T *p, const index<T> &place, const lane<T> &x)
  {
    if (all(m)) // a full tile needs no tests
      for (int i = 0; i < W; ++i)
        p[place.get(i)] = x.get(i);
    else
      for (int i = 0; i < W; ++i)
        if (m.get(i))
          p[place.get(i)] = x.get(i);
  }
  template <class T>
  static TESSERA_COLLECTIVE index<T> load_index(const mask<T> &m, const std::int32_t *p)
  {
    index<T> x;
    for (int i = 0; i < W; ++i)
      x.set(i, m.get(i) ? p[i] : 0);
    return x;
  }
  template <class T>
  static TESSERA_COLLECTIVE void scatter_index(const mask<T> &m, std::int32_t *p, const index<T> &place,
                                               const index<T> &x)
  {
    for (int i = 0; i < W; ++i)
      if (m.get(i))
        p[place.get(i)] = std::int32_t(x.get(i));
  }
  template <class T>
  static TESSERA_COLLECTIVE void load_symmetric(lane<T> (&a)[W], const T *p, int ld, int n)
  {
    T full[W][W] = {};
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i)
        full[j][i] = full[i][j] = p[i + std::ptrdiff_t(j) * ld];
    for (int j = 0; j < W; ++j)
      a[j] = load(full[j]);
  }

  // --- exchange between lanes ---
  template <class V>
  static TESSERA_COLLECTIVE auto broadcast(const V &x, int src)
  {
    return x.get(src);
  }
  template <class V, class I>
  static TESSERA_COLLECTIVE V shuffle(const V &x, const I &from)
  {
    V r;
    decltype(x.get(0)) value[W];
    for (int i = 0; i < W; ++i)
      value[i] = x.get(int(from.get(i)));
    std::memcpy(&r, value, sizeof r);
    return r;
  }
  template <class T>
  static TESSERA_COLLECTIVE T sum(const Simd<T, W> &x)
  {
    T s[W];
    std::memcpy(s, &x, sizeof s);
    for (int half = W / 2; half >= 1; half /= 2)
      for (int i = 0; i < half; ++i)
        s[i] = s[i] + s[i + half];
    return s[0];
  }
  template <class T>
  static TESSERA_COLLECTIVE T max_of(const Simd<T, W> &x)
  {
    T r = x.get(0);
    for (int i = 1; i < W; ++i)
      r = x.get(i) > r || x.get(i) != x.get(i) ? x.get(i) : r;
    return r;
  }
  /// The key of a lane: the leading 27 bits of the magnitude (with the sign, 0), then 31 - lane, so that the largest
  /// key is the largest magnitude in the lowest lane.
  template <class T>
  static TESSERA_COLLECTIVE Largest<T> argmax(const Simd<T, W> &x)
  {
    using Key = AsWide<T>;
    constexpr int shift = 8 * sizeof(T) - 32;
    using Keys = Simd<Key, W>;
    using vector = typename Keys::vector;
    const Keys lanes = id<T>();
    Keys key = Keys::make([&](auto c) __attribute__((always_inline)) {
      return (((vector)x.v[c]) & ~((Key(1) << (shift + 5)) - 1)) | ((31 - lanes.v[c]) << shift);
    });
    vector best = key.v[0];
    for (int c = 1; c < Keys::chunks; ++c)
      best = best > key.v[c] ? best : key.v[c];
    Key largest = best[0];
    for (int i = 1; i < Keys::Native::width; ++i)
      largest = largest > best[i] ? largest : Key(best[i]);
    const int found = 31 - (int(largest >> shift) & 31);
    return {x.get(found), found};
  }
  template <class M>
  static TESSERA_COLLECTIVE bool any(const M &m)
  {
    typename M::vector r = m.v[0];
    for (int c = 1; c < M::chunks; ++c)
      r |= m.v[c];
#if defined(__AVX2__) && defined(__FMA__)
    if constexpr (M::bytes == 32)
      return !_mm256_testz_si256((__m256i)r, (__m256i)r);
#endif
    bool is = false;
    for (int i = 0; i < M::Native::width; ++i)
      is |= r[i] != 0;
    return is;
  }
  template <class M>
  static TESSERA_COLLECTIVE bool all(const M &m)
  {
    return !any(!m);
  }
  template <class M>
  static TESSERA_COLLECTIVE int count(const M &m)
  {
    int c = 0;
    for (int i = 0; i < W; ++i)
      c -= int(m.get(i)); // a set mask element is -1
    return c;
  }
  static TESSERA_COLLECTIVE bool any_group(bool b)
  {
    return b;
  }
  static TESSERA_COLLECTIVE void sync() {}
  static TESSERA_COLLECTIVE bool leads()
  {
    return true;
  }

  // --- columns ---
  template <int First, int Last, class V>
  static TESSERA_COLLECTIVE const V &column(const V (&a)[W], int j)
  {
    return a[j];
  }
  template <int First, int Last, class V>
  static TESSERA_COLLECTIVE void set_column(V (&a)[W], int j, const V &x)
  {
    a[j] = x;
  }
};

} // namespace tessera
#endif
