#ifndef TESSERA_HOST_FRONT_ELIMINATE_COMPLEX_LDLT_HPP
#define TESSERA_HOST_FRONT_ELIMINATE_COMPLEX_LDLT_HPP

#include "base/symmetry.hpp"
#include "base/types.hpp"
#include "tile/pivoting.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// P A Pᵀ = L D Lᵀ, or L D Lᴴ, of a small dense complex matrix, pivot by pivot: what ldlt() of tile/ldlt.hpp is for
/// real ones, with the same results but for counts of signs, of at most 32 rows. a: [n, leading] column-major, its
/// lower triangle, with real numbers on the diagonal of a Hermitian one. l, d, off, perm: as L, D, E and perm there.
template <Symmetry S>
class ComplexLdlt {
public:
  ComplexLdlt(const Complex *a, Index leading, Index n, Complex *l, Complex *d, Complex *off, Index *perm)
      : a_(a), l_(l), d_(d), off_(off), perm_(perm), leading_(leading), n_(n)
  {
  }

  /// P: none or rook. pairs: as LdltOptions::pairs.
  template <Pivoting P>
  PivotCounts run(std::uint32_t pairs);

private:
  static constexpr Index most_rows = 32;

  struct Choice {
    Index first, second; ///< rows of the pivot; second is -1 if it is 1x1
  };

  Complex &at(Index i, Index j) const { return l_[std::ptrdiff_t(j) * leading_ + i]; }
  void start();
  Choice choose_in_order(Index k, bool paired) const;
  Choice choose_rook(Index k) const;
  void exchange(Index i, Index j) const;
  void eliminate_single(Index k);
  void eliminate_pair(Index k);
  bool is_finite() const;
  void clear();

  const Complex *a_;
  Complex *l_, *d_, *off_;
  Index *perm_;
  const Index leading_, n_;
  PivotCounts counts_{};
};

} // namespace tessera
#endif
