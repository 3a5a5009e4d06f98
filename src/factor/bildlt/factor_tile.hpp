#ifndef TESSERA_FACTOR_BILDLT_FACTOR_TILE_HPP
#define TESSERA_FACTOR_BILDLT_FACTOR_TILE_HPP

#include "tile/full_pivoting.hpp"
#include "tile/ldlt.hpp"
#include "tile/ldlt_in_order.hpp"

#include <type_traits>

namespace tessera {

/// LDLᵀ of a diagonal tile in place. Arguments as those of ldlt.
template <Pivoting P, class G>
TESSERA_COLLECTIVE void factor_tile(const G &g, double *tile, int ld, int n, const LdltOptions<double> &options,
                                    double *d, double *e, std::int32_t *perm, PivotCounts *counts)
{
  if constexpr (P == Pivoting::full)
    ldlt_full(g, tile, ld, n, options.delta, tile, d, e, perm, counts);
  else
    ldlt<P>(g, tile, ld, n, options, tile, d, e, perm, counts);
}

/// The same with a pivoting that is known when it runs. On a GPU full pivoting has a function of its own, and the
/// others share one: each function has registers of its own to spill to the stack.
template <class G>
TESSERA_COLLECTIVE void factor_tile(const G &g, Pivoting pivoting, double *tile, int ld, int n,
                                    const LdltOptions<double> &options, double *d, double *e, std::int32_t *perm,
                                    PivotCounts *counts)
{
  if constexpr (G::columns_are_registers) {
    if (pivoting == Pivoting::full)
      factor_tile<Pivoting::full>(g, tile, ld, n, options, d, e, perm, counts);
    else
      ldlt(g, pivoting, tile, ld, n, options, tile, d, e, perm, counts);
  } else
    switch (pivoting) {
    case Pivoting::none:
      return factor_tile<Pivoting::none>(g, tile, ld, n, options, d, e, perm, counts);
    case Pivoting::bunch_kaufman:
      return factor_tile<Pivoting::bunch_kaufman>(g, tile, ld, n, options, d, e, perm, counts);
    case Pivoting::rook:
      return factor_tile<Pivoting::rook>(g, tile, ld, n, options, d, e, perm, counts);
    case Pivoting::full:
      return factor_tile<Pivoting::full>(g, tile, ld, n, options, d, e, perm, counts);
    }
}

/// The largest entry of L that rook pivoting takes from the given order; a search would leave 2. 31 matrices take as
/// many iterations in sum as with a search in every tile, 114 KKT systems of linear programs 232 instead of 231, and
/// with 16 and 32 kkt_cvxqp3_l takes more (docs/notes/symmetric-systems.md).
constexpr double in_order_bound = 8;

/// ldlt_in_order of a tile with G::width entries between columns. By itself, because in one function with ldlt it would
/// get too few registers on a GPU.
template <class G>
TESSERA_COLLECTIVE_CALL bool try_given_order(double *tile, int n, const LdltOptions<double> &options, double bound,
                                             double *d, double *e, std::int32_t *perm, PivotCounts *counts)
{
  return ldlt_in_order(G(), tile, G::width, n, options, bound, tile, d, e, perm, counts);
}

/// LDLᵀ of such a tile in place, not inlined. Without pivoting and with rook pivoting the tile is first factored in the
/// given order, see ldlt_in_order; where that fails, from the start as ldlt does it. Returns whether pivots were
/// searched.
template <class G>
TESSERA_COLLECTIVE_CALL bool factor_tile_by(Pivoting pivoting, double *tile, int n, const LdltOptions<double> &options,
                                            double *d, double *e, std::int32_t *perm, PivotCounts *counts)
{
  const G g;
  const bool searches = pivoting != Pivoting::none;
  bool done = false;
  if (!searches || pivoting == Pivoting::rook) {
    const double bound = searches ? in_order_bound : largest_finite<double>;
    done = try_given_order<G>(tile, n, options, bound, d, e, perm, counts);
    if (!G::any_group(!done))
      return false;
  }
  PivotCounts found;
  factor_tile(g, pivoting, tile, G::width, done ? 0 : n, options, d, e, perm, &found);
  if (!done && g.leads())
    *counts = found;
  return searches && !done;
}

/// Calls action with the pivoting as a constant.
template <class Action>
void with_pivoting(Pivoting pivoting, const Action &action)
{
  switch (pivoting) {
  case Pivoting::none:
    return action(std::integral_constant<Pivoting, Pivoting::none>());
  case Pivoting::bunch_kaufman:
    return action(std::integral_constant<Pivoting, Pivoting::bunch_kaufman>());
  case Pivoting::rook:
    return action(std::integral_constant<Pivoting, Pivoting::rook>());
  case Pivoting::full:
    return action(std::integral_constant<Pivoting, Pivoting::full>());
  }
}

} // namespace tessera
#endif
