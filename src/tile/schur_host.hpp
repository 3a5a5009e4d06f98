#ifndef TESSERA_TILE_SCHUR_HOST_HPP
#define TESSERA_TILE_SCHUR_HOST_HPP

#include "tile/simd_host.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// The host half of the Schur complement of group.hpp. Column j of S is a[j], whose element i is in row i. What a row
/// or a column that left S holds is NaN, or, in columns, no longer updated.
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
    diagonal = T(0);
    for (int j = 0; j < W; ++j) {
      for (int c = 0; c < chunks; ++c) {
        const Vector x = c * width >= j ? Native::load(p + c * width + std::ptrdiff_t(j) * ld)
                                        : symmetric(p, ld, c * width, j);
        a[j].v[c] = x;
        const Vector size = Native::leading(x);
        top.v[c] = (Words)size > (Words)top.v[c] ? size : top.v[c];
      }
      diagonal.set(j, j < n ? p[j + std::ptrdiff_t(j) * ld] : not_a_number<T>);
    }
    live = n;
    for (int j = 0; j < W; ++j) {
      at[j] = of[j] = j;
      if (j < n)
        for (int i = n; i < W; ++i)
          a[j].set(i, not_a_number<T>);
      else
        a[j] = Lane(not_a_number<T>);
      a[j].set(j, not_a_number<T>);
    }
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
    for (int k = 0; k < n; ++k) {
      T *column = L + std::ptrdiff_t(k) * ld;
      int i = 0;
      for (; i + width <= k; i += width)
        Native::store(column + i, Vector{});
      for (; i < k; ++i)
        column[i] = 0;
      for (; i < n && i % width != 0; ++i)
        column[i] = rows[k][row[i]];
      for (; i + width <= n; i += width)
        Native::store(column + i, gather(rows[k], row + i));
      for (; i < n; ++i)
        column[i] = rows[k][row[i]];
    }
  }

private:
  using Native = typename Lane::Native;
  using Vector = typename Lane::vector;
  using Words = typename Native::Words;
  static constexpr int width = Native::width, chunks = Lane::chunks;

  Lane a[W];
  alignas(32) T rows[W + 1][W]; ///< slots: shared columns of S, then columns of L
  int live;                 ///< number of columns that have not left S
  int of[W], at[W];         ///< these columns, and where a column is among them

  static TESSERA_COLLECTIVE Vector gather(const T *p, const int *i)
  {
    if constexpr (width == 4)
      return Vector{p[i[0]], p[i[1]], p[i[2]], p[i[3]]};
    else
      return Vector{p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]]};
  }

  /// Rows first .. first + width of column j, some of them above the diagonal
  static TESSERA_COLLECTIVE Vector symmetric(const T *p, int ld, int first, int j)
  {
    Vector x;
    for (int e = 0; e < width; ++e) {
      const int i = first + e;
      x[e] = i < j ? p[j + std::ptrdiff_t(i) * ld] : p[i + std::ptrdiff_t(j) * ld];
    }
    return x;
  }
};

} // namespace tessera
#endif
