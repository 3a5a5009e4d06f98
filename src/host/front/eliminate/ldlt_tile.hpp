#ifndef TESSERA_HOST_FRONT_ELIMINATE_LDLT_TILE_HPP
#define TESSERA_HOST_FRONT_ELIMINATE_LDLT_TILE_HPP

#include "base/symmetry.hpp"
#include "base/types.hpp"
#include "host/front/eliminate/complex_ldlt.hpp"
#include "host/front/eliminate/inverse_pair.hpp"
#include "host/lanes/group_host.hpp"
#include "tile/ldlt.hpp"

#include <algorithm>

namespace tessera {

constexpr Index tile_columns = 32; ///< of a panel, whose pivots are chosen together

/// The factor of the tile on the diagonal of a panel.
template <class T, Symmetry S>
struct LdltTile {
  using Entries = T[tile_columns * tile_columns];

  Index n;
  Entries a; ///< before, lower triangle
  Entries l;
  T d[tile_columns], off[tile_columns];
  Index perm[tile_columns]; ///< [n] the column of the panel in each place
  PivotCounts counts;

  T &at(Entries &x, Index i, Index j) { return x[j * tile_columns + i]; }
  T before(Index i, Index j) { return i >= j ? at(a, i, j) : mirrored<S>(at(a, j, i)); }

  /// P: none, or rook.
  template <Pivoting P>
  void factor(std::uint32_t pairs)
  {
    if constexpr (std::is_same_v<T, double>) {
      LdltOptions<double> options;
      options.pairs = pairs;
      const auto run = [&](auto group) { ldlt<P>(group, a, tile_columns, n, options, l, d, off, perm, &counts); };
      if (n <= 4)
        run(HostGroup<4>());
      else if (n <= 8)
        run(HostGroup<8>());
      else if (n <= 16)
        run(HostGroup<16>());
      else
        run(HostGroup<32>());
    } else {
      counts = ComplexLdlt<S>(a, tile_columns, n, l, d, off, perm).template run<P>(pairs);
    }
  }

  bool bounded(double bound)
  {
    if (counts.zero > 0 || counts.nonfinite)
      return false;
    if constexpr (std::is_same_v<T, double>) {
      double largest = 0;
      for (Index j = 0; j < n; ++j)
        for (Index i = j + 1; i < n; ++i)
          largest = std::max(largest, std::abs(at(l, i, j)));
      return largest <= bound;
    }
    bool good = true;
    for (Index j = 0; j < n; ++j)
      for (Index i = j + 1; i < n; ++i)
        good &= is_at_most(at(l, i, j), bound);
    return good;
  }

  /// A bound on the norm of the block of D that column c belongs to.
  double size_of_pivot(Index c) const
  {
    using Pair = InversePair<T, S>;
    if (off[c] != T(0))
      return Pair::size(d[c], off[c], d[c + 1]);
    return c > 0 && off[c - 1] != T(0) ? Pair::size(d[c - 1], off[c - 1], d[c]) : magnitude(d[c]);
  }

  bool in_order() const
  {
    for (Index j = 0; j < n; ++j)
      if (perm[j] != j)
        return false;
    return true;
  }
};

} // namespace tessera
#endif
