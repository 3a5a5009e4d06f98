#ifndef TESSERA_TILE_PRODUCT_HPP
#define TESSERA_TILE_PRODUCT_HPP

#include "tile/group.hpp"

#include <cstddef>

namespace tessera {

/// C -= op(A) B for the rows first .. first + W of C, op(A) = A or Aᵀ.
/// The columns of op(A) are kept; every entry of B is a scalar that all lanes read.
template <bool Transposed, int Inner, class G, class T>
TESSERA_COLLECTIVE void subtract_product_rows(const G &g, const T *A, int lda, const T *B, int ldb, T *C, int ldc,
                                              int n, int m, int c)
{
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  constexpr int columns = G::product_columns;
  const auto rows = g.template id<T>() < Index(n);
  Lane a[Inner];
  const int inner = G::columns_are_registers ? Inner : m;
  TESSERA_UNROLL
  for (int k = 0; k < inner; ++k) {
    const auto there = rows & (Index(k) < Index(m));
    a[k] = -(Transposed ? g.load(there, A + k, lda) : g.load(there, A + std::ptrdiff_t(k) * lda));
  }
  for (int j = 0; G::any_group(j < c); j += columns) {
    Lane x[columns];
    const T *b[columns]; // columns past the last repeat it and are not stored
    TESSERA_UNROLL
    for (int q = 0; q < columns; ++q) {
      b[q] = B + std::ptrdiff_t(j + q < c ? j + q : c - 1) * ldb;
      x[q] = g.load(rows & (Index(j + q) < Index(c)), C + std::ptrdiff_t(j + q) * ldc);
    }
    TESSERA_UNROLL
    for (int k = 0; k < inner; ++k) {
      TESSERA_UNROLL
      for (int q = 0; q < columns; ++q)
        x[q] = fma(a[k], Lane(k < m && c > 0 ? b[q][k] : T(0)), x[q]);
    }
    TESSERA_UNROLL
    for (int q = 0; q < columns; ++q)
      g.store(rows & (Index(j + q) < Index(c)), C + std::ptrdiff_t(j + q) * ldc, x[q]);
  }
  g.sync();
}

/// C -= A B or C -= Aᵀ B of dense column-major tiles. C: [c columns, ldc], n rows, overwritten. A: [m columns, lda], n
/// rows; or for Aᵀ [n columns, lda], m rows. B: [c columns, ldb], m rows; n, m <= W. An entry of C is updated by the
/// inner index in ascending order, one fused multiply-add each.
template <bool Transposed, class G, class T>
TESSERA_COLLECTIVE void subtract_product(const G &g, const T *A, int lda, const T *B, int ldb, T *C, int ldc, int n,
                                         int m, int c)
{
  // A group that is wider than the registers of a core works on its rows strip by strip
  using Strip = typename G::template strip<T>;
  if constexpr (Strip::width == G::width)
    subtract_product_rows<Transposed, G::width>(g, A, lda, B, ldb, C, ldc, n, m, c);
  else
    for (int i = 0; i < n; i += Strip::width)
      subtract_product_rows<Transposed, G::width>(Strip{}, A + (Transposed ? std::ptrdiff_t(i) * lda : i), lda, B, ldb,
                                                  C + i, ldc, n - i, m, c);
}

} // namespace tessera
#endif
