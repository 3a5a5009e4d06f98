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

/// The function of D that is applied. With D = Q Λ Qᵀ, F = |Λ|^½ Qᵀ and J = diag(±1) with the signs of Λ, D = Fᵀ J F.
enum class DiagonalOf {
  d,                ///< D
  inverse,          ///< D⁻¹; a zero pivot gives 0, so that a singular factor solves for the other pivots
  absolute,         ///< |D|, the spectral absolute value: eigenvalues replaced by their magnitudes
  inverse_absolute, ///< |D|⁻¹, as inverse
  root,             ///< F
  inverse_root      ///< F⁻ᵀ, as inverse
};

/// The blocks of D, in each of their rows.
template <class G, class T>
struct PivotBlocks {
  using Lane = typename G::template lane<T>;
  using Mask = typename G::template mask<T>;
  Mask first, pair; ///< the row is the first one of a 2x2 block, any of one
  typename G::template index<T> partner;
  Lane a, b, c;   ///< the row's diagonal entry, that off the diagonal, its partner's. b = 1 in a 1x1 block
  Lane p, q, det; ///< a / b, c / b and the determinant of the block divided by b, which pivoting has made its largest

  /// D, E: [n] as ldlt writes them.
  TESSERA_COLLECTIVE PivotBlocks(const G &g, const T *D, const T *E, int n)
      : PivotBlocks(g, g.load(g.template id<T>() < typename G::template index<T>(n), D),
                    g.load(g.template id<T>() < typename G::template index<T>(n - 1), E))
  {
  }

  /// Lane k has the diagonal and the subdiagonal of D, 0 where there is none.
  TESSERA_COLLECTIVE PivotBlocks(const G &g, const Lane &d, const Lane &e) : a(d)
  {
    using Index = typename G::template index<T>;
    const Index id = g.template id<T>();
    const Lane zero = T(0), one = T(1);
    const Lane before = select(id > Index(0), g.shuffle(e, select(id > Index(0), id - Index(1), id)), zero);
    first = e != zero;
    pair = first | (before != zero);
    partner = select(first, id + Index(1), select(pair, id - Index(1), id));
    b = select(first, e, select(pair, before, one));
    c = g.shuffle(a, partner);
    p = a / b;
    q = c / b;
    det = fma(p, q, Lane(T(-1)));
  }
};

/// Λ and Qᵀ: row i of Qᵀ x is own[i] x[i] + other[i] x[partner[i]].
template <class G, class T>
struct PivotEigenvalues {
  typename G::template lane<T> value, own, other;
};

/// Of a block divided by b, [p 1; 1 q]: its eigenvalues are (p + q) / 2 +- size, that of smaller magnitude by det, and
/// the rotation is that of Jacobi's method, by at most 45 degrees (Golub & Van Loan, Matrix Computations, 8.5.2).
template <class G, class T>
TESSERA_COLLECTIVE PivotEigenvalues<G, T> pivot_eigenvalues(const PivotBlocks<G, T> &x)
{
  using Lane = typename G::template lane<T>;
  const Lane zero = T(0), one = T(1), half = T(0.5);
  const Lane mean = half * (x.p + x.q), difference = half * (x.p - x.q);
  const Lane size = sqrt(fma(difference, difference, one));
  const auto upper = (x.first & (difference > zero)) | ((!x.first) & (difference >= zero));
  const Lane far = select(mean < zero, mean - size, mean + size);
  const auto is_far = (upper & (mean >= zero)) | ((!upper) & (mean < zero));
  const Lane tangent = one / (abs(difference) + size), cosine = one / sqrt(fma(tangent, tangent, one));
  const Lane sine = select(upper, tangent * cosine, -(tangent * cosine));
  PivotEigenvalues<G, T> r;
  r.value = select(x.pair, x.b * select(is_far, far, x.det / far), x.a);
  r.own = select(x.pair, cosine, one);
  r.other = select(x.pair, sine, zero);
  return r;
}

/// Where J is -1. D, E: [n], see block_diagonal.
template <class G, class T>
TESSERA_COLLECTIVE typename G::template mask<T> negative_pivots(const G &g, const T *D, const T *E, int n)
{
  return pivot_eigenvalues(PivotBlocks<G, T>(g, D, E, n)).value < typename G::template lane<T>(T(0));
}

/// Rows of F or F⁻ᵀ.
template <DiagonalOf F, class G, class T>
TESSERA_COLLECTIVE BlockDiagonal<G, T> root_of_pivots(const PivotBlocks<G, T> &x)
{
  using Lane = typename G::template lane<T>;
  const Lane zero = T(0), one = T(1);
  const PivotEigenvalues<G, T> eigen = pivot_eigenvalues(x);
  const Lane root = sqrt(abs(eigen.value));
  const Lane factor = F == DiagonalOf::root ? root : select(root == zero, zero, one / select(root == zero, one, root));
  return {factor * eigen.own, factor * eigen.other, x.partner};
}

/// Rows of D, D⁻¹, |D| or |D|⁻¹. If a 2x2 block divided by b is definite, |D| = +-D; if not, |D| = (D² - det D I) /
/// sqrt((a - c)² + 4 b²), the square root of D² by Cayley-Hamilton.
template <DiagonalOf F, class G, class T>
TESSERA_COLLECTIVE BlockDiagonal<G, T> function_of_pivots(const PivotBlocks<G, T> &x)
{
  using Lane = typename G::template lane<T>;
  const Lane zero = T(0), one = T(1);
  const Lane a = x.a, b = x.b, p = x.p, q = x.q, det = x.det;
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
    static_assert(F == DiagonalOf::inverse_absolute);
    own1 = select(a == zero, zero, one / abs(divisor));
    own2 = absolute_partner / (size * abs(det));
    other2 = -absolute_other / (size * abs(det));
  }
  return {select(x.pair, own2, own1), select(x.pair, other2, zero), x.partner};
}

/// A function of D.
template <DiagonalOf F, class G, class T>
TESSERA_COLLECTIVE BlockDiagonal<G, T> block_diagonal(const PivotBlocks<G, T> &x)
{
  if constexpr (F == DiagonalOf::root || F == DiagonalOf::inverse_root)
    return root_of_pivots<F>(x);
  else
    return function_of_pivots<F>(x);
}

/// The same from the diagonal D: [n] and the subdiagonal E: [n] that ldlt writes.
template <DiagonalOf F, class G, class T>
TESSERA_COLLECTIVE BlockDiagonal<G, T> block_diagonal(const G &g, const T *D, const T *E, int n)
{
  return block_diagonal<F>(PivotBlocks<G, T>(g, D, E, n));
}

/// Column F x of a column x.
template <class G, class T>
TESSERA_COLLECTIVE typename G::template lane<T> multiply_diagonal(const G &g, const BlockDiagonal<G, T> &f,
                                                                  const typename G::template lane<T> &x)
{
  return fma(f.other, g.shuffle(x, f.partner), f.own * x);
}

/// X = F X. X: [c columns, ldx], n rows, overwritten.
template <class G, class T>
TESSERA_COLLECTIVE void multiply_diagonal(const G &g, const BlockDiagonal<G, T> &f, int n, T *X, int ldx, int c)
{
  using Index = typename G::template index<T>;
  const auto rows = g.template id<T>() < Index(n);
  for (int j = 0; G::any_group(j < c); ++j) {
    const auto place = rows & (Index(j) < Index(c));
    const auto x = g.load(place, X + std::ptrdiff_t(j) * ldx);
    g.store(place, X + std::ptrdiff_t(j) * ldx, multiply_diagonal(g, f, x));
  }
  g.sync();
}

/// X = F(D) X for the function F of D. D, E: [n], see block_diagonal. X: [c columns, ldx], n rows, overwritten.
template <DiagonalOf F, class G, class T>
TESSERA_COLLECTIVE void multiply_diagonal(const G &g, const T *D, const T *E, int n, T *X, int ldx, int c)
{
  multiply_diagonal(g, block_diagonal<F>(g, D, E, n), n, X, ldx, c);
}

} // namespace tessera
#endif
