#ifndef TESSERA_TILE_LDLT_HPP
#define TESSERA_TILE_LDLT_HPP

#include "base/bunch_kaufman.hpp"
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

/// A pivoting that is a constant.
template <Pivoting P>
struct FixedPivoting {
  TESSERA_BOTH constexpr operator Pivoting() const { return P; }
};

/// A tile half way through LDLᵀ. Nothing moves: row i of the tile stays in lane i, and place says which step took it.
/// The Schur complement S of the steps so far is schur, without its diagonal; a row that was taken has left it.
/// Rule: FixedPivoting, or Pivoting where that is known only when it runs.
template <class G, class T, class Rule>
struct Ldlt {
  static constexpr int W = G::width;
  using Lane = typename G::template lane<T>;
  using Mask = typename G::template mask<T>;
  using Index = typename G::template index<T>;

  static constexpr T alpha = bunch_kaufman_constant<T>;
  /// The largest entry of L that rook pivoting takes: 2, and some rounding
  static constexpr T bound = T(2.0009765625);
  /// Tiles with entries near overflow are factored times this, which exceeds the growth of n pivoted steps, 3^(n-1)
  static constexpr T reduction = T(1) / (std::int64_t(1) << 60);
  static constexpr int nobody = -1;

  G g;
  Rule pivoting;
  int n;
  LdltOptions<T> options;
  typename G::template schur<T> schur;
  Lane diagonal;   ///< of S; in rows that were taken, what it was then
  Lane largest;    ///< leading bits of the largest magnitude in each open row of S beside the diagonal
  Lane inverse;    ///< what a row's column would be multiplied with if it were the next pivot
  Index place;     ///< the step that took the row; W if it is open, W + 1 outside the tile
  Lane e;          ///< subdiagonal of D, in the lane of a 2x2 pivot's first row
  Mask paired;     ///< the row belongs to a 2x2 pivot
  Lane poison;     ///< 0, or NaN if a column of L had a value that is not finite
  T unit;          ///< what D is to be multiplied with
  bool perturbing; ///< some pivots may have to be perturbed
  bool retried;    ///< S was made symmetric for this step
  bool bad;        ///< the tile is not finite
  PivotCounts counts;

  /// The pivot a step takes: a row, or nobody; its column of S, and of L; and if it is 2x2 those of a partner
  struct Pivot {
    int row, partner;
    Lane c, l, c_two, l_two;
    T b;          ///< off-diagonal entry of a 2x2 pivot
    int negative; ///< its negative eigenvalues
    bool small;   ///< it was perturbed
    bool zero;    ///< all that is left of the tile is 0 or subnormal
    bool pair;    ///< it is 2x2
    bool pairs;   ///< so is that of some group that runs in step
    Mask wild;    ///< an entry of L is too large
  };

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
    perturbing = G::any_group(options.delta > 0);
    largest = schur.template maxima<W>();
    prepare();
    place = select(g.template id<T>() < Index(n), Index(W), Index(W + 1));
    e = poison = Lane(T(0));
    paired = everywhere(false);
    retried = false;
    counts = {0, 0, 0, 0, 0, 0, 0};
  }

  static TESSERA_COLLECTIVE Mask everywhere(bool b) { return Lane(b ? T(1) : T(0)) != Lane(T(0)); }

  /// A 1x1 pivot below delta is perturbed to it, sign kept
  TESSERA_COLLECTIVE Lane perturbed(const Lane &p)
  {
    const Lane delta = options.delta;
    return select(abs(p) < delta, select(p < Lane(T(0)), -delta, delta), p);
  }

  /// Finds the inverse of every pivot before its turn comes. That of 0, and what would overflow, is 0.
  TESSERA_COLLECTIVE void prepare()
  {
    Lane p = diagonal;
    if (perturbing)
      p = perturbed(p);
    inverse = select(abs(p) >= Lane(smallest_normal<T>), g.reciprocal(p), Lane(T(0)));
  }

  /// The first row whose diagonal entry is at least half of its largest; if there is none, the 2x2 pivot of the largest
  /// entry. Either is what rook pivoting looks for, and L is at most 2 after either.
  TESSERA_COLLECTIVE void choose_rook(Pivot &p, bool live)
  {
    p.row = g.first((place == Index(W)) & g.template at_least_half<T>(diagonal, largest));
    p.pair = live && p.row == nobody;
    p.pairs = G::any_group(p.pair);
    if (p.pairs) {
      const Largest<T> found = g.argmax(select(place == Index(W), largest, Lane(T(-1))));
      p.row = p.pair ? found.lane : p.row;
      const bool lost = p.pair && !(found.value > 0); // all that is left is not finite
      bad = bad || lost;
      p.pair = p.pair && !lost;
    }
  }

  /// The first row i, the row r of its largest entry, or both (Bunch & Kaufman 1977, algorithm A)
  template <int Columns>
  TESSERA_COLLECTIVE void choose_bunch_kaufman(Pivot &p, bool live)
  {
    const int open = g.first(place == Index(W)), i = live ? open : 0;
    const Largest<T> off = farthest(i, schur.template column<Columns>(i));
    const int r = off.lane;
    const Largest<T> beyond = farthest(r, schur.template column<Columns>(r));
    const T at_i = abs(g.broadcast(diagonal, i)), at_r = abs(g.broadcast(diagonal, r));
    const T shrink = beyond.value > off.value ? off.value / beyond.value : T(1);
    const bool keep = !(off.value > 0) || at_i >= alpha * off.value * shrink;
    const bool move = !keep && at_r >= alpha * beyond.value;
    p.row = live ? (move ? r : i) : nobody;
    p.pair = live && !keep && !move;
    p.pairs = G::any_group(p.pair);
  }

  /// Row k. A matched pair is a 2x2 pivot unless its off-diagonal entry is negligible or its smaller eigenvalue is
  /// (against delta, and against rounding); then it is two 1x1 pivots.
  template <int Columns>
  TESSERA_COLLECTIVE void choose_in_order(Pivot &p, int k, bool live)
  {
    const bool matched = live && k + 1 < n && ((options.pairs >> k) & 1);
    p.row = live ? k : nobody;
    p.pair = false;
    p.pairs = G::any_group(matched);
    if (p.pairs) {
      const int i = matched ? k : 0, j = i + 1;
      const T a = g.broadcast(diagonal, i), c = g.broadcast(diagonal, j);
      const T b = g.broadcast(schur.template column<Columns>(i), j);
      T m = abs(a) > abs(c) ? abs(a) : abs(c);
      m = m > abs(b) ? m : abs(b);
      const T det = abs(fma(a / m, c / m, -(b / m) * (b / m)));
      p.pair = matched && abs(b) > rounding<T> * m && det > rounding<T> && det * m >= options.delta;
    }
  }

  /// The largest entry in column c of S among the open rows but one; if there is none, -1
  TESSERA_COLLECTIVE Largest<T> farthest(int row, const Lane &c)
  {
    const Mask beside = (place == Index(W)) & (g.template id<T>() != Index(row));
    return g.argmax(select(beside, abs(c), Lane(T(-1))));
  }

  /// The pivot of step k
  template <int Columns>
  TESSERA_COLLECTIVE Pivot choose(int k)
  {
    Pivot p;
    if (pivoting == Pivoting::rook)
      choose_rook(p, k < n);
    else if (pivoting == Pivoting::bunch_kaufman)
      choose_bunch_kaufman<Columns>(p, k < n);
    else
      choose_in_order<Columns>(p, k, k < n);
    p.c = schur.template column<Columns>(p.row);
    p.l = p.c * Lane(g.broadcast(inverse, p.row & (W - 1)));
    p.partner = nobody;
    if (p.pairs)
      join<Columns>(p);
    p.wild = abs(p.l) > Lane(bound);
    if (p.pairs)
      p.wild = p.wild | (abs(p.l_two) > Lane(bound));
    p.wild = p.wild & everywhere(k < n);
    return p;
  }

  /// Gives pivots that are 2x2 their partner and columns of L; to others columns of 0. Pivoting makes a 2x2 pivot only
  /// where its off-diagonal entry b dominates its diagonal, so its eigenvalues are at least (1 - alpha) |b|: if
  /// |b| < delta, b is perturbed to delta with its sign.
  template <int Columns>
  TESSERA_COLLECTIVE void join(Pivot &p)
  {
    const int i = p.pair ? p.row : 0;
    int j = i + 1;
    if (pivoting != Pivoting::none)
      j = farthest(i, p.c).lane;
    const T d1 = g.broadcast(diagonal, i), d2 = g.broadcast(diagonal, j);
    const Lane c_two = schur.template column<Columns>(j);
    p.b = g.broadcast(p.c, j);
    p.small = abs(p.b) < options.delta;
    p.b = p.small ? (p.b < 0 ? -options.delta : options.delta) : p.b;
    p.zero = abs(p.b) < smallest_normal<T>;
    const T r = p.zero ? T(0) : g.reciprocal(p.b), r1 = d1 * r, r2 = d2 * r;
    const T det = fma(r1, r2, T(-1)); // of the pivot over b²
    p.negative = det < 0 ? 1 : (d1 < 0 ? 2 : 0);
    const Lane scale = r * g.reciprocal(det);
    p.c_two = p.l_two = Lane(T(0));
    if (p.pair) {
      p.partner = j;
      p.c_two = c_two;
      p.l_two = fma(c_two, Lane(r1), -p.c) * scale;
      p.l = select(g.template id<T>() == Index(j), Lane(T(0)), fma(p.c, Lane(r2), -c_two) * scale);
    }
  }

  /// Takes the partners of 2x2 pivots, after their first rows
  template <int Columns>
  TESSERA_COLLECTIVE void take_partner(const Pivot &p, int k)
  {
    const Index id = g.template id<T>();
    const Mask one = (id == Index(p.row)) & everywhere(p.pair), two = id == Index(p.partner);
    place = select(two, Index(k + 1), place);
    e = select(one, Lane(p.zero ? T(0) : p.b), e);
    diagonal = select((one | two) & everywhere(p.zero), Lane(T(0)), diagonal);
    paired = paired | ((one | two) & everywhere(!p.zero));
    counts.perturbed += p.pair && p.small && !p.zero;
    counts.two_by_two += p.pair && !p.zero;
    counts.negative += p.pair && !p.zero ? p.negative : 0;
    schur.retire(p.partner);
  }

  /// S -= l cᵀ, and column l of L
  template <int Columns>
  TESSERA_COLLECTIVE void eliminate(const Lane &c, const Lane &l, int k)
  {
    schur.share(c, k);
    diagonal = g.add_product(place == Index(W), diagonal, -l, c);
    prepare();
    largest = schur.template subtract<Columns>(l, k);
    if (pivoting != Pivoting::rook)
      poison = fma(select(place == Index(W), l, Lane(T(0))), Lane(T(0)), poison);
    schur.record(k, l);
  }

  /// Step k, of S with at most this many columns. Adds to k how many rows it took.
  template <int Columns>
  TESSERA_COLLECTIVE void step(int &k)
  {
    const bool live = k < n;
    const Pivot p = choose<Columns>(k);
    if (pivoting == Pivoting::rook && g.anywhere(p.wild) && !retried) {
      symmetrize<Columns>(g.any(p.wild), k);
      retried = true;
      return;
    }
    retried = false;
    place = select(g.template id<T>() == Index(p.row), Index(k), place);
    schur.retire(p.row);
    if (p.pairs)
      take_partner<Columns>(p, k);
    eliminate<Columns>(p.c, p.l, k);
    k += live;
    if (p.pairs) {
      eliminate<Columns>(p.c_two, p.l_two, k);
      k += p.pair;
    }
  }

  /// Rounding makes the triangles of S differ, and where little but rounding is left they differ so much that the
  /// largest entry of a row says nothing of the column. Then the lower one is copied to the upper.
  template <int Columns>
  TESSERA_COLLECTIVE void symmetrize(bool wild, int k)
  {
    TESSERA_ROLL
    for (int i = 0; i < W; ++i) {
      const bool open = g.any((g.template id<T>() == Index(i)) & (place == Index(W)));
      schur.share(schur.template column<Columns>(i), k);
      schur.template mirror<Columns>(wild && open ? i : nobody, k);
    }
    largest = schur.template maxima<Columns>();
  }

  /// Steps k to the end. Every time that half of the columns have left S, the others move together.
  template <int Columns>
  TESSERA_COLLECTIVE void factor(int k)
  {
    constexpr bool compacts = (Columns > G::template schur<T>::fewest);
    const int end = compacts && n > W - Columns / 2 ? W - Columns / 2 : n;
    while (G::any_group(k < end))
      step<Columns>(k);
    if constexpr (compacts)
      if (G::any_group(k < n)) {
        schur.template compact<Columns / 2>(place == Index(W), k);
        factor<Columns / 2>(k);
      }
  }

  TESSERA_COLLECTIVE void finish(T *L, int ld, T *D, T *E, std::int32_t *perm, PivotCounts *out)
  {
    const Index id = g.template id<T>();
    const Mask inside = id < Index(n);
    Lane d = diagonal;
    if (perturbing) {
      d = select(paired, d, perturbed(d));
      counts.perturbed += g.count(inside & !paired & (d != diagonal));
    }
    d = select(abs(d) < Lane(smallest_normal<T>), Lane(T(0)), d) * Lane(unit);
    e = e * Lane(unit);
    const bool sound = g.all((!inside) | (finite(d) & finite(e) & (poison == Lane(T(0)))));
    bad = bad || !sound;
    if (G::any_group(bad))
      clear(d);
    const Mask single = inside & !paired;
    counts.one_by_one = n - 2 * counts.two_by_two;
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
  TESSERA_COLLECTIVE void clear(Lane &d)
  {
    const Mask cleared = everywhere(bad);
    TESSERA_ROLL
    for (int k = 0; k < W; ++k)
      schur.record(k, select(cleared, Lane(T(0)), schur.recorded(k)));
    place = select(cleared, g.template id<T>(), place);
    d = select(cleared, Lane(options.delta * unit), d);
    e = select(cleared, Lane(T(0)), e);
    paired = paired & !cleared;
    if (bad)
      counts = {0, 0, options.delta > 0 ? n : 0, 0, 0, 0, 0};
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
template <class Rule, class G, class T>
TESSERA_COLLECTIVE void ldlt(const G &g, Rule pivoting, const T *A, int ld, int n, const LdltOptions<T> &options, T *L,
                             T *D, T *E, std::int32_t *perm, PivotCounts *counts)
{
  Ldlt<G, T, Rule> tile;
  tile.g = g;
  tile.pivoting = pivoting;
  tile.n = n;
  tile.options = options;
  tile.start(A, ld);
  tile.template factor<G::width>(0);
  tile.finish(L, ld, D, E, perm, counts);
}

/// The same with a pivoting that is a constant.
template <Pivoting P, class G, class T>
TESSERA_COLLECTIVE void ldlt(const G &g, const T *A, int ld, int n, const LdltOptions<T> &options, T *L, T *D, T *E,
                             std::int32_t *perm, PivotCounts *counts)
{
  ldlt(g, FixedPivoting<P>(), A, ld, n, options, L, D, E, perm, counts);
}

} // namespace tessera
#endif
