#ifndef TESSERA_TILE_PIVOT_COUNTS_HPP
#define TESSERA_TILE_PIVOT_COUNTS_HPP

#include "tile/group.hpp"
#include "tile/pivoting.hpp"

namespace tessera {

/// The pivots of a tile of n rows by kind and by sign, perturbed and nonfinite left at 0. d, e: lane k holds the
/// diagonal and subdiagonal of D, 0 from lane n on. A 2x2 pivot divided by its off-diagonal entry shows by its
/// determinant whether its eigenvalues have one sign.
template <class G, class Lane>
TESSERA_COLLECTIVE PivotCounts count_pivots(const G &g, const Lane &d, const Lane &e, int n)
{
  using T = decltype(g.broadcast(d, 0));
  using Index = typename G::template index<T>;
  using Mask = typename G::template mask<T>;
  const Index id = g.template id<T>();
  const Lane zero = T(0);
  const Lane before = select(id > Index(0), g.shuffle(e, select(id > Index(0), id - Index(1), id)), zero);
  const Lane after = g.shuffle(d, select(id < Index(G::width - 1), id + Index(1), id));
  const Mask two = e != zero, one_by_one = (id < Index(n)) & !(two | (before != zero));
  const Lane b = select(two, e, Lane(T(1)));
  const Mask indefinite = two & (fma(d / b, after / b, Lane(T(-1))) < zero);
  const Mask below = d < zero;
  PivotCounts counts = {};
  counts.two_by_two = g.count(two);
  counts.one_by_one = n - 2 * counts.two_by_two;
  counts.zero = g.count(one_by_one & (d == zero));
  counts.negative = g.count(one_by_one & below) + g.count(indefinite) + 2 * g.count(two & below & !indefinite);
  counts.positive = n - counts.zero - counts.negative;
  return counts;
}

} // namespace tessera
#endif
