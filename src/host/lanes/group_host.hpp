#ifndef TESSERA_HOST_LANES_GROUP_HOST_HPP
#define TESSERA_HOST_LANES_GROUP_HOST_HPP

#include "host/lanes/columns_host.hpp"
#include "host/lanes/schur_host.hpp"
#include "host/lanes/simd_host.hpp"
#include "tile/group.hpp"

#include <cstdint>
#include <cstring>

namespace tessera {

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
  using schur = HostSchur<W, T>;
  template <class T>
  using columns = HostColumns<W, T>;

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
  // --- arithmetic ---
  template <class V>
  static TESSERA_COLLECTIVE V reciprocal(const V &x)
  {
    return 1 / x;
  }

  template <class T>
  static TESSERA_COLLECTIVE mask<T> at_least_half(const lane<T> &x, const lane<T> &largest)
  {
    constexpr AsWide<T> one_exponent = AsWide<T>(1) << (sizeof(T) == 8 ? 52 : 23);
    using Words = typename lane<T>::Native::Words;
    return lane<T>::make_mask([&](auto c) __attribute__((always_inline)) {
      return (Words)lane<T>::Native::leading(x.v[c]) >= (Words)largest.v[c] - one_exponent;
    });
  }
  template <class T>
  static TESSERA_COLLECTIVE Simd<T, W> add_product(const mask<T> &m, const Simd<T, W> &x, const Simd<T, W> &a,
                                                   const Simd<T, W> &b)
  {
    return select(m, fma(a, b, x), x);
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
    std::memcpy(r.v, value, sizeof r.v);
    return r;
  }
  template <class T>
  static TESSERA_COLLECTIVE T sum(const Simd<T, W> &x)
  {
    T s[W];
    std::memcpy(s, x.v, sizeof s);
    for (int half = W / 2; half >= 1; half /= 2)
      for (int i = 0; i < half; ++i)
        s[i] = s[i] + s[i + half];
    return s[0];
  }
  template <class T>
  static TESSERA_COLLECTIVE T max_of(const Simd<T, W> &x)
  {
    typename Simd<T, W>::vector best = x.v[0];
    for (int c = 1; c < Simd<T, W>::chunks; ++c)
      best = (x.v[c] > best) | (x.v[c] != x.v[c]) ? x.v[c] : best;
    T r = best[0];
    for (int i = 1; i < Simd<T, W>::Native::width; ++i)
      r = best[i] > r || best[i] != best[i] ? best[i] : r;
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
  static TESSERA_COLLECTIVE unsigned bits(const M &m)
  {
    return m.signs();
  }
  template <class T>
  static TESSERA_COLLECTIVE mask<T> from_bits(unsigned all)
  {
    constexpr int width = mask<T>::Native::width;
    return mask<T>::make([&](auto c) __attribute__((always_inline)) {
      typename mask<T>::vector m;
      for (int e = 0; e < width; ++e)
        m[e] = -AsWide<T>(all >> (c * width + e) & 1);
      return m;
    });
  }
  template <class M>
  static TESSERA_COLLECTIVE int first(const M &m)
  {
    return m.signs() ? __builtin_ctz(m.signs()) : -1;
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
  static TESSERA_COLLECTIVE bool anywhere(const M &m)
  {
    return any(m);
  }
  template <class M>
  static TESSERA_COLLECTIVE bool all(const M &m)
  {
    return !any(!m);
  }
  template <class M>
  static TESSERA_COLLECTIVE int count(const M &m)
  {
    return __builtin_popcount(m.signs());
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
};

} // namespace tessera
#endif
