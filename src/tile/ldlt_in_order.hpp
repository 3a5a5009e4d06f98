#ifndef TESSERA_TILE_LDLT_IN_ORDER_HPP
#define TESSERA_TILE_LDLT_IN_ORDER_HPP

#include "base/bunch_kaufman.hpp"
#include "tile/group.hpp"
#include "tile/ldlt.hpp"
#include "tile/pivoting.hpp"

#include <cstdint>

namespace tessera {

/// A tile half way through LDLᵀ in its given order. A step takes one column, of a 2x2 pivot too, so that groups that
/// run in step are always at the same column. What the next step waits for is short: its pivot, of which every lane
/// has a copy, and the reciprocal of that, which is found while the other columns are updated.
template <class G, class T>
struct LdltInOrder {
  static constexpr int W = G::width;
  using Lane = typename G::template lane<T>;
  using Mask = typename G::template mask<T>;
  using Index = typename G::template index<T>;

  static constexpr T alpha = bunch_kaufman_constant<T>;
  /// A 2x2 pivot whose determinant is smaller than this times b² is a difference of nearly equal numbers
  static constexpr T least_determinant = T(1) / 1024;
  /// Larger ones have a reciprocal that is not normal
  static constexpr T most = T(0.25) / smallest_normal<T>;

  G g;
  int n;
  LdltOptions<T> options;
  T bound;
  typename G::template columns<T> columns;
  T pivot;     ///< of the next column
  T inverse;   ///< of the pivot
  bool second; ///< the next column is the second one of a 2x2 pivot
  Lane l_two;  ///< its column of L, if it is
  Lane d, e;   ///< lane k: pivot k, and the subdiagonal of D
  Mask wild;   ///< an entry of L is too large
  bool failed; ///< a pivot is too small, or is no number
  PivotCounts counts;

  TESSERA_COLLECTIVE void start(const T *A, int ld)
  {
    columns.load(A, ld, n);
    pivot = g.broadcast(columns.first(), 0);
    inverse = g.reciprocal(pivot);
    second = failed = false;
    l_two = d = e = Lane(T(0));
    wild = Lane(T(0)) != Lane(T(0));
    counts = {0, 0, 0, 0, 0, 0, 0};
  }

  TESSERA_COLLECTIVE static bool within(T x, T least) { return abs(x) >= least && abs(x) <= most; }

  /// Whether column k and the next one are a 2x2 pivot [p b; b c]: they are proposed as one, p would be no good as a
  /// pivot by itself, and neither the determinant is rounding nor its smaller eigenvalue below delta.
  TESSERA_COLLECTIVE bool is_pair(int k, T b, T c, T determinant) const
  {
    const T largest = max(abs(b), abs(c)); // |p| is less than |b|
    const T least = max(max(least_determinant * (b * b), options.delta * largest), smallest_normal<T>);
    return k + 1 < n && !second && (options.pairs >> k & 1) && abs(pivot) < alpha * abs(b) &&
           within(determinant, least);
  }

  /// Columns of L of a 2x2 pivot [p b; b c] of columns k and k + 1, where it is one: l and l_two.
  TESSERA_COLLECTIVE bool join(int k, T b, T c, Lane &l)
  {
    const T p = pivot, determinant = fma(p, c, -(b * b));
    const bool pair = is_pair(k, b, c, determinant);
    const Lane v = columns.first(), w = columns.second(), scale = g.reciprocal(determinant);
    if (pair) {
      l = select(g.template id<T>() == Index(k + 1), Lane(T(0)), fma(v, Lane(c), -(w * Lane(b))) * scale);
      l_two = fma(w, Lane(p), -(v * Lane(b))) * scale;
      e = select(g.template id<T>() == Index(k), Lane(b), e);
      ++counts.two_by_two;
      counts.negative += determinant < 0 ? 1 : p < 0 ? 2 : 0;
    }
    return pair;
  }

  /// Column k, of at most so many that are left.
  template <int Columns>
  TESSERA_COLLECTIVE void step(int k)
  {
    const Index id = g.template id<T>();
    const int next = (k + 1) & (W - 1);
    const bool live = k < n, proposed = (options.pairs >> k & 1) != 0;
    columns.share(k);
    const T b = g.broadcast(columns.first(), next), c = g.broadcast(columns.second(), next);
    Lane l = columns.first() * Lane(inverse);
    T l_next = b * inverse;
    bool pair = false;
    if (G::any_group(proposed || second)) {
      const T two_next = g.broadcast(l_two, next);
      if (second) {
        l = l_two;
        l_next = two_next;
      }
      pair = join(k, b, c, l);
    }
    const bool single = live && !second && !pair;
    failed = failed || (single && !within(pivot, max(options.delta, smallest_normal<T>)));
    counts.negative += single && pivot < 0;
    d = select(id == Index(k), Lane(pivot), d);
    wild = wild | ((id > Index(k)) & (id < Index(n)) & !(abs(l) <= Lane(bound)));
    pivot = pair ? c : fma(-l_next, b, c);
    inverse = g.reciprocal(pivot);
    second = pair;
    columns.record(k, l);
    columns.template subtract<Columns>(l, pair);
  }

  /// Steps k to the end. Every time that half of the columns are left, steps become shorter.
  template <int Columns>
  TESSERA_COLLECTIVE void factor(int k)
  {
    constexpr bool shortens = Columns > 8 && G::columns_are_registers;
    const int end = shortens && n > W - Columns / 2 ? W - Columns / 2 : n;
    TESSERA_ROLL
    for (; G::any_group(k < end); ++k)
      step<Columns>(k);
    if constexpr (shortens)
      if (G::any_group(k < n))
        factor<Columns / 2>(k);
  }

  /// Writes the factor, if it is one, and returns whether.
  TESSERA_COLLECTIVE bool finish(T *L, int ld, T *D, T *E, std::int32_t *perm, PivotCounts *out)
  {
    const bool unbounded = g.any(wild), accepted = !failed && !unbounded;
    const int rows = accepted ? n : 0;
    const Index id = g.template id<T>();
    const Mask inside = id < Index(rows);
    columns.store(L, ld, rows);
    g.store(inside, D, d);
    g.store(inside, E, e);
    g.template scatter_index<T>(inside, perm, id, id);
    counts.one_by_one = n - 2 * counts.two_by_two;
    counts.positive = n - counts.negative;
    if (accepted && g.leads())
      *out = counts;
    g.sync();
    return accepted;
  }
};

/// A = L D Lᵀ of a dense symmetric n x n tile, n <= W, in the given order, without a search: pivots are 1x1, and 2x2
/// where options.pairs proposes one and the first of its rows is no pivot by itself. Returns whether that is a factor
/// as good as a search would give: all entries of L are at most bound, and no pivot is below options.delta, subnormal
/// or not finite. If it is not, nothing is written. Arguments as those of ldlt, with perm the identity and nothing
/// perturbed or zero. Entries beyond the square roots of what T can hold may be taken for no pivots.
template <class G, class T>
TESSERA_COLLECTIVE bool ldlt_in_order(const G &g, const T *A, int ld, int n, const LdltOptions<T> &options, T bound,
                                      T *L, T *D, T *E, std::int32_t *perm, PivotCounts *counts)
{
  LdltInOrder<G, T> tile;
  tile.g = g;
  tile.n = n;
  tile.options = options;
  tile.bound = bound;
  tile.start(A, ld);
  tile.template factor<G::width>(0);
  return tile.finish(L, ld, D, E, perm, counts);
}

} // namespace tessera
#endif
