#ifndef TESSERA_TILE_LDLT_HPP
#define TESSERA_TILE_LDLT_HPP

#include "tile/group.hpp"
#include "tile/pivoting.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Options of ldlt that may differ from tile to tile.
template <class T>
struct LdltOptions {
  T delta = 0;             ///< pivots below this magnitude are perturbed to it; 0: none is
  std::uint32_t pairs = 0; ///< bit i: rows i and i + 1 are a matched pair; only Pivoting::none looks at it
};

/// A tile half way through LDLᵀ. Nothing moves: row i of the tile stays in lane i, and place says which step took it.
/// The Schur complement S of the steps so far is schur, without its diagonal; a row that was taken has left it.
template <class G, class T, Pivoting P>
struct Ldlt {
  static constexpr int W = G::width;
  using Lane = typename G::template lane<T>;
  using Mask = typename G::template mask<T>;
  using Index = typename G::template index<T>;

  /// (1 + sqrt(17)) / 8 balances the growth bounds of two 1x1 steps and one 2x2 step
  static constexpr T alpha = T(0.6403882032022076);
  /// Tiles with entries near overflow are factored times this, which exceeds the growth of n pivoted steps, 2.57^(n-1)
  static constexpr T reduction = T(1) / (std::int64_t(1) << 56);
  static constexpr int nobody = -1;

  G g;
  int n;
  LdltOptions<T> options;
  typename G::template schur<T> schur;
  Lane diagonal; ///< of S, NaN in rows taken or outside the tile
  Lane largest;  ///< leading bits of the largest magnitude in each row of S beside the diagonal
  Lane pivot;    ///< diagonal, perturbed if it is below delta
  Lane inverse;  ///< 1 / pivot, or 0 if that overflows
  Index place;   ///< the step that took the row; W if none has yet
  Lane d, e;     ///< of D, in the row's lane
  Mask paired;   ///< the row belongs to a 2x2 pivot
  Mask altered;  ///< the row is a perturbed 1x1 pivot
  Lane l_two;    ///< second column of L of a 2x2 pivot, for the next step
  Lane poison;   ///< 0, or NaN if a column of L had a value that is not finite
  T unit;        ///< what the tile is to be multiplied with
  bool bad;      ///< the tile is not finite
  bool second;   ///< this step is the second half of a 2x2 pivot
  PivotCounts counts;

  TESSERA_COLLECTIVE void start(const T *A, int ld)
  {
    const Lane top = schur.load(A, ld, n, diagonal);
    bad = !g.all(finite(top));
    const bool near_overflow = g.any(top >= Lane(largest_finite<T> * reduction)), reduce = near_overflow && !bad;
    unit = reduce ? 1 / reduction : T(1);
    if (G::any_group(reduce)) {
      const T factor = reduce ? reduction : T(1);
      schur.scale(factor);
      diagonal = diagonal * Lane(factor);
      options.delta = options.delta * factor;
    }
    largest = schur.largest();
    place = Index(W);
    d = e = l_two = poison = Lane(T(0));
    paired = altered = place != Index(W);
    second = false;
    counts = {0, 0, 0, 0, 0, 0, 0};
  }

  static TESSERA_COLLECTIVE Mask everywhere(bool b) { return Lane(b ? T(1) : T(0)) != Lane(T(0)); }

  /// What every row would be as a 1x1 pivot, before its turn comes
  TESSERA_COLLECTIVE void prepare()
  {
    pivot = diagonal;
    if (G::any_group(options.delta > 0)) {
      const Lane delta = options.delta;
      pivot = select(abs(diagonal) < delta, select(diagonal < Lane(T(0)), -delta, delta), diagonal);
    }
    const Mask normal = abs(pivot) >= Lane(smallest_normal<T>);
    inverse = select(normal, Lane(T(1)) / select(normal, pivot, Lane(T(1))), Lane(T(0)));
  }

  /// The rows a step takes: partner is nobody, or the second row of a 2x2 pivot
  struct Choice {
    int row, partner;
  };

  /// Chooses the pivot of step k and shares its row, or its rows in slots k and k + 1
  TESSERA_COLLECTIVE Choice choose(int k, bool live)
  {
    if constexpr (P == Pivoting::rook)
      return choose_rook(k, live);
    else if constexpr (P == Pivoting::bunch_kaufman)
      return choose_bunch_kaufman(k, live);
    else
      return choose_in_order(k, live);
  }

  /// The first row whose diagonal entry dominates it; if there is none, the 2x2 pivot of the largest entry. Either is
  /// acceptable to rook pivoting: an entry that is (up to alpha) the largest in its row and its column.
  TESSERA_COLLECTIVE Choice choose_rook(int k, bool live)
  {
    int row = g.first(abs(diagonal) >= Lane(alpha) * largest), partner = nobody;
    const bool pair = live && row == nobody;
    if (G::any_group(pair)) {
      const Largest<T> found = g.argmax(largest);
      bad = bad || (pair && !(found.value > 0));
      row = pair ? found.lane : row;
    }
    row = live ? row : nobody;
    schur.share(row, k);
    if (G::any_group(pair)) {
      const int beside = farthest(schur.entry(k));
      partner = pair ? beside : nobody;
      schur.share(partner, next_slot(k));
    }
    return {row, partner};
  }

  /// The first row i, the row r of its largest entry, or both (Bunch & Kaufman 1977, algorithm A)
  TESSERA_COLLECTIVE Choice choose_bunch_kaufman(int k, bool live)
  {
    const int i = live ? g.first(place == Index(W)) : 0;
    schur.share(live ? i : nobody, k);
    const int r = farthest(schur.entry(k));
    const T off = g.broadcast(largest, i), beyond = g.broadcast(largest, r);
    const bool keep = abs(g.broadcast(diagonal, i)) >= alpha * off * (beyond > off ? off / beyond : T(1));
    const bool move = live && !keep && abs(g.broadcast(diagonal, r)) >= alpha * beyond;
    const bool pair = live && !keep && !move;
    if (G::any_group(move || pair)) {
      g.sync();
      schur.share(move || pair ? r : nobody, pair ? next_slot(k) : k);
    }
    return {live ? (move ? r : i) : nobody, pair ? r : nobody};
  }

  /// Row k. A matched pair is a 2x2 pivot unless its off-diagonal entry is negligible or its smaller eigenvalue is
  /// (against delta, and against rounding); then it is two 1x1 pivots.
  TESSERA_COLLECTIVE Choice choose_in_order(int k, bool live)
  {
    schur.share(live ? k : nobody, k);
    const bool matched = live && k + 1 < n && ((options.pairs >> k) & 1);
    bool pair = false;
    if (G::any_group(matched)) {
      const int next = next_slot(k);
      const T a = g.broadcast(diagonal, k), b = g.broadcast(schur.entry(k), next), c = g.broadcast(diagonal, next);
      T m = abs(a) > abs(c) ? abs(a) : abs(c);
      m = m > abs(b) ? m : abs(b);
      const T det = abs(fma(a / m, c / m, -(b / m) * (b / m)));
      pair = matched && abs(b) > rounding<T> * m && det > rounding<T> && det * m >= options.delta;
      schur.share(pair ? next : nobody, next);
    }
    return {live ? k : nobody, pair ? k + 1 : nobody};
  }

  /// The slot of a partner; in the last step there is none
  static TESSERA_COLLECTIVE int next_slot(int k) { return k + 1 < W ? k + 1 : k; }

  /// The lane of the largest entry of a shared row
  TESSERA_COLLECTIVE int farthest(const Lane &row)
  {
    return g.argmax(select(row == row, abs(row), Lane(T(0)))).lane;
  }

  /// The columns of L of a 2x2 pivot, into l and l_two, and its part of D. Pivoting makes a 2x2 pivot only where its
  /// off-diagonal entry b dominates its diagonal, so its eigenvalues are at least (1 - alpha) |b|: if |b| < delta, b is
  /// perturbed to delta with its sign.
  TESSERA_COLLECTIVE void divide_pair(const Choice &rows, int k, const Lane &c, Lane &l)
  {
    const Index id = g.template id<T>();
    const bool pair = rows.partner != nobody;
    const Lane c2 = schur.entry(next_slot(k));
    const T d1 = g.broadcast(diagonal, pair ? rows.row : 0), d2 = g.broadcast(diagonal, pair ? rows.partner : 0);
    T b = g.broadcast(c, pair ? rows.partner : 0);
    const bool small = abs(b) < options.delta;
    b = small ? (b < 0 ? -options.delta : options.delta) : b;
    const bool zero = abs(b) < smallest_normal<T>; // then so is all that is left of the tile
    const T r = zero ? T(0) : 1 / (zero ? T(1) : b), r1 = d1 * r, r2 = d2 * r;
    const T det = fma(r1, r2, T(-1)); // of D / b
    const Lane scale = r / det;
    if (pair) {
      l = fma(c, Lane(r2), -c2) * scale;
      l_two = fma(c2, Lane(r1), -c) * scale;
    }
    const Mask one = (id == Index(rows.row)) & everywhere(pair), two = id == Index(rows.partner);
    place = select(two, Index(k + 1), place);
    e = select(one, Lane(zero ? T(0) : b), e);
    d = select(one | two, zero ? Lane(T(0)) : diagonal, d);
    paired = paired | ((one | two) & everywhere(!zero));
    counts.perturbed += pair && small;
    counts.two_by_two += pair && !zero;
    counts.negative += pair && !zero ? (det < 0 ? 1 : (d1 < 0 ? 2 : 0)) : 0;
  }

  /// Steps First .. First + panel
  template <int First>
  TESSERA_COLLECTIVE void factor()
  {
    const Index id = g.template id<T>();
    for (int k = First; k < First + panel && G::any_group(k < n); ++k) {
      prepare();
      const Choice rows = choose(k, k < n && !second);
      const Lane c = schur.entry(k);
      const Mask taken = id == Index(rows.row);
      Lane l = c * Lane(g.broadcast(inverse, rows.row == nobody ? 0 : rows.row));
      l = second ? l_two : l;
      place = select(taken, Index(k), place);
      d = select(taken, pivot, d);
      altered = altered | (taken & (pivot != diagonal));
      const bool pair = rows.partner != nobody;
      if (G::any_group(pair))
        divide_pair(rows, k, c, l);
      diagonal = fma(-l, c, diagonal);
      largest = schur.template subtract<First>(l, k);
      schur.retire(rows.row);
      schur.retire(rows.partner);
      const Lane x = select(place == Index(W), l, select(place == Index(k), Lane(T(1)), Lane(T(0))));
      if constexpr (P != Pivoting::rook)
        poison = fma(x, Lane(T(0)), poison);
      schur.record(k, x);
      second = pair;
    }
    if constexpr (First + panel < W)
      factor<First + panel>();
  }

  /// Without pivoting the rows before First are known to be taken, so that there is less to update.
  static constexpr int panel = P == Pivoting::none && W > 8 ? 8 : W;

  TESSERA_COLLECTIVE void finish(T *L, int ld, T *D, T *E, std::int32_t *perm, PivotCounts *out)
  {
    const Index id = g.template id<T>();
    const Mask inside = id < Index(n);
    d = select(paired | !(abs(d) < Lane(smallest_normal<T>)), d, Lane(T(0))) * Lane(unit);
    e = e * Lane(unit);
    const bool sound = g.all((!inside) | (finite(d) & finite(e) & (poison == Lane(T(0)))));
    bad = bad || !sound;
    if (G::any_group(bad))
      clear();
    const Mask single = inside & !paired;
    counts.one_by_one = n - 2 * counts.two_by_two;
    counts.perturbed += g.count(single & altered);
    counts.zero = g.count(single & (d == Lane(T(0))));
    counts.negative += g.count(single & (d < Lane(T(0))));
    counts.positive = n - counts.zero - counts.negative;
    counts.nonfinite = bad;
    schur.store(L, ld, n, place);
    g.template scatter<T>(inside, D, place, d);
    g.template scatter<T>(inside, E, place, e);
    g.template scatter_index<T>(inside, perm, place, id);
    if (g.leads())
      *out = counts;
    g.sync();
  }

  /// Makes a bad tile the factor of the zero matrix
  TESSERA_COLLECTIVE void clear()
  {
    const Index id = g.template id<T>();
    const Mask cleared = everywhere(bad);
    for (int k = 0; k < W; ++k)
      schur.record(k, select(cleared, select(id == Index(k), Lane(T(1)), Lane(T(0))), schur.entry(k)));
    place = select(cleared, id, place);
    d = select(cleared, Lane(options.delta * unit), d);
    e = select(cleared, Lane(T(0)), e);
    paired = paired & !cleared;
    altered = (altered & !cleared) | everywhere(bad && options.delta > 0);
    if (bad)
      counts = {0, 0, 0, 0, 0, 0, 1};
  }
};

/// P A Pᵀ = L D Lᵀ of a dense symmetric n x n tile, n <= W.
/// A: [n columns, ld] column-major, lower triangle read. L: [n columns, ld] unit lower triangular in pivot order, its
/// upper triangle set to 0; may be A. D: [n] diagonal and E: [n] subdiagonal of D; E[i] != 0 marks i, i + 1 as a 2x2
/// pivot. perm: [n] the row of A at each place of the pivot order. Memory outside the n x n tiles is not touched. A
/// pivot that is 0 (or subnormal) is 0 in D, its column of L is a unit vector and it is counted, as LAPACK's sytrf
/// does. A tile with a NaN or an infinity, or in which something overflows, is treated as the zero matrix and flagged;
/// with rook pivoting nothing overflows in a finite tile unless D itself does. Nothing written is ever NaN or infinite.
/// With Bunch-Kaufman and rook pivoting a power of two times A has the same pivots and L.
template <Pivoting P, class G, class T>
TESSERA_COLLECTIVE void ldlt(const G &g, const T *A, int ld, int n, const LdltOptions<T> &options, T *L, T *D, T *E,
                             std::int32_t *perm, PivotCounts *counts)
{
  Ldlt<G, T, P> tile;
  tile.g = g;
  tile.n = n;
  tile.options = options;
  tile.start(A, ld);
  tile.template factor<0>();
  tile.finish(L, ld, D, E, perm, counts);
}

} // namespace tessera
#endif
