#ifndef TESSERA_TILE_BLOCK_DIAGONAL_HPP
#define TESSERA_TILE_BLOCK_DIAGONAL_HPP

#include "tile/group.hpp"

#include <cstddef>

namespace tessera {

/// A symmetric matrix with 1x1 and 2x2 diagonal blocks, row by row: row i of its product with x is
/// own[i] x[i] + other[i] x[partner[i]]. partner[i] = i and other[i] = 0 in a 1x1 block.
template <class G, class T>
struct BlockDiagonal {
  typename G::template lane<T> own, other;
  typename G::template index<T> partner;
};

/// The function of D that is applied
enum class DiagonalOf {
  d,               ///< D
  inverse,         ///< D⁻¹; a zero pivot gives 0, so that a singular factor solves for the other pivots
  absolute,        ///< |D|, the spectral absolute value: eigenvalues replaced by their magnitudes
  inverse_absolute ///< |D|⁻¹, as inverse
};

/// D, D⁻¹, |D| or |D|⁻¹ from the diagonal D: [n] and the subdiagonal E: [n] that ldlt writes.
/// A 2x2 block [a b; b c] is first divided by b, which pivoting has made its largest entry. If it is definite, |D| =
/// +-D; if not, |D| = (D² - det D I) / sqrt((a - c)² + 4 b²), the square root of D² by Cayley-Hamilton.
template <DiagonalOf F, class G, class T>
TESSERA_COLLECTIVE BlockDiagonal<G, T> block_diagonal(const G &g, const T *D, const T *E, int n)
{
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  const Index id = g.template id<T>();
  const Lane zero = T(0), one = T(1);
  const Lane a = g.load(id < Index(n), D);
  const Lane e = g.load(id < Index(n - 1), E);
  const Lane before = select(id > Index(0), g.shuffle(e, select(id > Index(0), id - Index(1), id)), zero);
  const auto first = e != zero;
  const auto pair = first | (before != zero);
  BlockDiagonal<G, T> r;
  r.partner = select(first, id + Index(1), select(pair, id - Index(1), id));
  const Lane b = select(first, e, select(pair, before, one)), c = g.shuffle(a, r.partner);

  const Lane p = a / b, q = c / b, det = fma(p, q, -one); // of the block divided by b; b = 1 in a 1x1 block
  const Lane root = sqrt(fma(p - q, p - q, Lane(T(4))));
  const auto indefinite = det < zero;
  const Lane size = abs(b), sign = select(p < zero, -one, one);
  const Lane absolute_own = select(indefinite, fma(p, p - q, Lane(T(2))) / root, sign * p);
  const Lane absolute_partner = select(indefinite, fma(q, q - p, Lane(T(2))) / root, sign * q);
  const Lane absolute_other = select(indefinite, (p + q) / root, sign);
  const Lane divisor = select(a == zero, one, a);
  Lane own1, own2, other2;
  if constexpr (F == DiagonalOf::d) {
    own1 = own2 = a;
    other2 = b;
  } else if constexpr (F == DiagonalOf::inverse) {
    own1 = select(a == zero, zero, one / divisor);
    own2 = q / (b * det);
    other2 = -one / (b * det);
  } else if constexpr (F == DiagonalOf::absolute) {
    own1 = abs(a);
    own2 = size * absolute_own;
    other2 = select(b < zero, -size, size) * absolute_other * select(b < zero, -one, one);
  } else {
    own1 = select(a == zero, zero, one / abs(divisor));
    own2 = absolute_partner / (size * abs(det));
    other2 = -absolute_other / (size * abs(det));
  }
  r.own = select(pair, own2, own1);
  r.other = select(pair, other2, zero);
  return r;
}

/// X = F(D) X for the function F of D. D, E: [n], see block_diagonal. X: [c columns, ldx], n rows, overwritten.
template <DiagonalOf F, class G, class T>
TESSERA_COLLECTIVE void multiply_diagonal(const G &g, const T *D, const T *E, int n, T *X, int ldx, int c)
{
  using Index = typename G::template index<T>;
  const auto rows = g.template id<T>() < Index(n);
  const BlockDiagonal<G, T> f = block_diagonal<F>(g, D, E, n);
  for (int j = 0; G::any_group(j < c); ++j) {
    const auto place = rows & (Index(j) < Index(c));
    const auto x = g.load(place, X + std::ptrdiff_t(j) * ldx);
    g.store(place, X + std::ptrdiff_t(j) * ldx, fma(f.other, g.shuffle(x, f.partner), f.own * x));
  }
  g.sync();
}

} // namespace tessera
#endif
