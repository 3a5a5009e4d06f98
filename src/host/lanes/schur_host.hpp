#ifndef TESSERA_HOST_LANES_SCHUR_HOST_HPP
#define TESSERA_HOST_LANES_SCHUR_HOST_HPP

#include "host/lanes/simd_host.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera {

/// The host half of the Schur complement that group.hpp describes. Column j of S is a[j], whose element i is in row i.
/// A row that left is NaN as on a GPU, because l is NaN there; a column that left is passed over.
template <int W, class T>
class HostSchur {
public:
  using Lane = Simd<T, W>;
  using Mask = typename Lane::Mask;
  /// Columns that left S are passed over, so there is no use in moving the others together
  static constexpr int fewest = W;

  TESSERA_COLLECTIVE Lane load(const T *p, int ld, int n, Lane &diagonal)
  {
    alignas(32) T padded[W * W];
    if (n < W) {
      std::memset(padded, 0, sizeof padded);
      for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i)
          padded[i + j * W] = p[i + std::ptrdiff_t(j) * ld];
      p = padded;
      ld = W;
    }
    Lane top = T(0);
    diagonal = Lane(not_a_number<T>);
    for (int j = 0; j < W; ++j)
      for (int c = 0; c < chunks; ++c) {
        const Words row = Native::numbers(c);
        const T *column = p + std::ptrdiff_t(j) * ld + c * width;
        Vector x = c * width + width > j ? Native::load(column) : Vector{};
        if (c * width < j) // rows above the diagonal are columns below it
          x = row < j ? gather(p + j + std::ptrdiff_t(c) * width * ld, ld) : x;
        const Vector size = Native::leading(x);
        top.v[c] = (Words)size > (Words)top.v[c] ? size : top.v[c];
        diagonal.v[c] = row == j && row < n ? x : diagonal.v[c];
        a[j].v[c] = row == j || row >= n || j >= n ? not_a_number<T> - Vector{} : x;
      }
    live = n;
    for (int j = 0; j < W; ++j)
      at[j] = of[j] = j;
    return top;
  }

  TESSERA_COLLECTIVE void scale(T factor)
  {
    for (int j = 0; j < W; ++j)
      a[j] = a[j] * Lane(factor);
  }

  template <int>
  TESSERA_COLLECTIVE Lane maxima() const
  {
    Lane most = T(0);
    for (int q = 0; q < live; ++q)
      Lane::each([&](auto c) __attribute__((always_inline)) { most.v[c] = Native::raise(most.v[c], a[of[q]].v[c]); });
    return most;
  }

  template <int>
  TESSERA_COLLECTIVE Lane column(int p) const
  {
    return a[p & (W - 1)];
  }

  TESSERA_COLLECTIVE void share(const Lane &c, int slot) { record(slot, c); }

  template <int>
  TESSERA_COLLECTIVE void mirror(int p, int slot)
  {
    if (p >= 0)
      for (int q = 0; q < live; ++q)
        a[of[q]].set(p, rows[slot][of[q]]);
  }

  TESSERA_COLLECTIVE void retire(int p)
  {
    if (p < 0)
      return;
    const int moved = of[--live];
    of[at[p]] = moved;
    at[moved] = at[p];
  }

  template <int>
  TESSERA_COLLECTIVE Lane subtract(const Lane &l, int slot)
  {
    constexpr int block = chunks < 4 ? chunks : 4; // registers: l, most and a column of these
    Lane most;
    for (int b = 0; b < chunks; b += block) {
      Vector minus[block], top[block];
      for (int c = 0; c < block; ++c) {
        minus[c] = -l.v[b + c];
        top[c] = Vector{};
      }
      for (int q = 0; q < live; ++q) {
        Vector *column = a[of[q]].v + b;
        const Vector x = rows[slot][of[q]] - Vector{};
        for (int c = 0; c < block; ++c) {
          column[c] = Native::fma(minus[c], x, column[c]);
          top[c] = Native::raise(top[c], column[c]);
        }
      }
      for (int c = 0; c < block; ++c)
        most.v[b + c] = top[c];
    }
    return most;
  }

  TESSERA_COLLECTIVE void record(int slot, const Lane &x)
  {
    Lane::each([&](auto c) __attribute__((always_inline)) { Native::store(rows[slot] + c * width, x.v[c]); });
  }

  template <int>
  TESSERA_COLLECTIVE void compact(const Mask &, int)
  {
  }

  TESSERA_COLLECTIVE Lane recorded(int slot) const
  {
    return Lane::make([&](auto c) __attribute__((always_inline)) { return Native::load(rows[slot] + c * width); });
  }

  TESSERA_COLLECTIVE void store(T *L, int ld, int n, const Simd<AsWide<T>, W> &step)
  {
    int row[W] = {};
    for (int i = 0; i < n; ++i) {
      const int k = int(step.get(i));
      row[k] = i;
      rows[k][i] = 1;
    }
    for (int k = 0; k < n; ++k)
      for (int c = 0; c < chunks; ++c) {
        T *to = L + std::ptrdiff_t(k) * ld + c * width;
        const Words i = Native::numbers(c);
        Vector x{};
        if (c * width + width > k)
          x = i >= k ? gather(rows[k], row + c * width) : x;
        if (c * width + width <= n)
          Native::store(to, x);
        else
          Native::store((Words)(i < n), to, x);
      }
  }

private:
  using Native = typename Lane::Native;
  using Vector = typename Lane::vector;
  using Words = typename Native::Words;
  static constexpr int width = Native::width, chunks = Lane::chunks;

  Lane a[W];
  alignas(32) T rows[W + 1][W]; ///< slots: shared columns of S, then columns of L
  int live;                     ///< number of columns that have not left S
  int of[W], at[W];             ///< these columns, and where a column is among them

  static TESSERA_COLLECTIVE Vector gather(const T *p, std::ptrdiff_t stride)
  {
    if constexpr (width == 4)
      return Vector{p[0], p[stride], p[2 * stride], p[3 * stride]};
    else
      return Vector{p[0],          p[stride],     p[2 * stride], p[3 * stride],
                    p[4 * stride], p[5 * stride], p[6 * stride], p[7 * stride]};
  }
  static TESSERA_COLLECTIVE Vector gather(const T *p, const int *i)
  {
    if constexpr (width == 4)
      return Vector{p[i[0]], p[i[1]], p[i[2]], p[i[3]]};
    else
      return Vector{p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]]};
  }
};

} // namespace tessera
#endif
