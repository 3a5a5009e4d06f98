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

/// A tile half way through LDLᵀ. The permutation is implicit: row i of the tile stays in lane i. The columns sit in
/// slots a[0 .. W), step k takes its pivot to slot k: finished columns (of L) come first, and the columns of the Schur
/// complement, of which both triangles are kept, follow.
template <class G, class T, Pivoting P>
struct Ldlt {
  static constexpr int W = G::width;
  using Lane = typename G::template lane<T>;
  using Mask = typename G::template mask<T>;
  using Index = typename G::template index<T>;

  /// (1 + sqrt(17)) / 8 balances the growth bounds of two 1x1 steps and one 2x2 step
  static constexpr T alpha = T(0.6403882032022076);

  /// A column of the Schur complement: 0 in finished rows
  struct Column {
    Lane c;
    T diagonal;
    int row;
  };

  G g;
  int n;
  LdltOptions<T> options;
  Lane a[W];
  Index row;   ///< lane k: the row (and column) of A in slot k
  Index slot;  ///< inverse of row: row i is finished before step k if slot[i] < k
  Lane d, e;   ///< lane k: diagonal and subdiagonal of D
  Column one;  ///< the column the current step eliminates
  Column two;  ///< its partner if the pivot is 2x2; then the column the next step eliminates
  Lane l;      ///< column of L of this step, without its unit
  Lane l_two;  ///< column of L of the next step if the pivot is 2x2
  bool is_two; ///< the pivot of this step is 2x2
  bool second; ///< this step is the second half of a 2x2 pivot
  PivotCounts counts;

  TESSERA_COLLECTIVE void start(const T *A, int ld)
  {
    g.load_symmetric(a, A, ld, n);
    Lane poison = T(0);
    TESSERA_UNROLL
    for (int j = 0; j < W; ++j)
      poison = fma(a[j], Lane(T(0)), poison); // stays 0 unless a[j] is NaN or infinite
    const bool bad = g.any(poison != poison);
    if (G::any_group(bad)) {
      const Lane keep = bad ? T(0) : T(1);
      TESSERA_UNROLL
      for (int j = 0; j < W; ++j)
        a[j] = select(keep != Lane(T(0)), a[j], Lane(T(0)));
    }
    row = slot = g.template id<T>();
    d = e = l = l_two = one.c = two.c = T(0);
    is_two = second = false;
    counts = {0, 0, 0, 0, 0, 0, bad};
  }

  /// Column of the Schur complement in slot s, before step k
  template <int First>
  TESSERA_COLLECTIVE Column column(int s, int k)
  {
    Column x;
    x.c = select(slot >= Index(k), g.template column<First>(a, s), Lane(T(0)));
    x.row = int(g.broadcast(row, s));
    x.diagonal = g.broadcast(x.c, x.row);
    return x;
  }

  TESSERA_COLLECTIVE Largest<T> largest_off_diagonal(const Column &x)
  {
    return g.argmax(select(g.template id<T>() == Index(x.row), Lane(T(0)), abs(x.c)));
  }

  /// Chooses one, two and is_two for step k by Bunch-Kaufman or rook pivoting. A column of zeros is its own pivot.
  template <int First>
  TESSERA_COLLECTIVE void search(int k)
  {
    Column x = column<First>(k, k);
    Largest<T> off = largest_off_diagonal(x);
    bool open = k < n && !second && abs(x.diagonal) < alpha * off.value;
    bool found_two = false;
    Column partner = x;
    // The off-diagonal maximum grows in every round, so there are at most n rounds
    while (G::any_group(open)) {
      const Column y = column<First>(int(g.broadcast(slot, off.lane)), k);
      const Largest<T> beyond = largest_off_diagonal(y);
      const bool accept = abs(y.diagonal) >= alpha * beyond.value;
      if constexpr (P == Pivoting::bunch_kaufman) {
        const bool keep = abs(x.diagonal) >= alpha * off.value * (off.value / beyond.value);
        found_two = open ? !keep && !accept : found_two;
        partner = open ? y : partner;
        x = open && !keep && accept ? y : x;
        open = false;
      } else {
        const bool two_here = open && !accept && !(beyond.value > off.value);
        found_two = found_two || two_here;
        partner = two_here ? y : partner;
        x = open && !two_here ? y : x;
        off = open && !two_here ? beyond : off;
        open = open && !two_here && !accept;
      }
    }
    one = second ? two : x;
    two = second ? two : partner;
    is_two = !second && found_two;
  }

  /// Pivots in the given order. A matched pair is a 2x2 pivot unless its off-diagonal entry is negligible or its
  /// smaller eigenvalue is (against delta, and against rounding); then it is two 1x1 pivots.
  TESSERA_COLLECTIVE void take(int k)
  {
    const bool pair = k + 1 < n && !second && ((options.pairs >> k) & 1);
    one = second ? two : column<0>(k, k);
    is_two = false;
    if (G::any_group(pair)) {
      const Column y = column<0>(k + 1 < W ? k + 1 : k, k);
      const T b = g.broadcast(one.c, y.row);
      T m = abs(one.diagonal) > abs(y.diagonal) ? abs(one.diagonal) : abs(y.diagonal);
      m = m > abs(b) ? m : abs(b);
      const T det = abs(fma(one.diagonal / m, y.diagonal / m, -(b / m) * (b / m)));
      is_two = pair && abs(b) > rounding<T> * m && det > rounding<T> && det * m >= options.delta;
      two = is_two ? y : two;
    }
  }

  /// D of a 1x1 pivot in slot k and its column of L
  TESSERA_COLLECTIVE void divide_one(int k)
  {
    T p = one.diagonal;
    const bool small = abs(p) < options.delta;
    p = small ? (p < 0 ? -options.delta : options.delta) : p;
    const Mask below = (slot >= Index(k)) & (g.template id<T>() != Index(one.row));
    const bool zero = p == 0;
    const Lane x = select(below, one.c, Lane(T(0))) / Lane(zero ? T(1) : p) + Lane(T(0)); // + 0: no negative zeros in L
    const bool bad = !g.all(finite(x)) || !finite(p);
    const bool drop = bad || zero;
    if (!second && !is_two) {
      l = drop ? Lane(T(0)) : x;
      p = bad ? T(0) : p;
      d = select(g.template id<T>() == Index(k), Lane(p), d);
      if (k < n) {
        counts.one_by_one += 1;
        counts.perturbed += small;
        counts.zero += drop;
        counts.negative += p < 0;
        counts.positive += p > 0;
        counts.nonfinite |= bad;
      }
    }
  }

  /// D of a 2x2 pivot in slots k, k + 1 and its two columns of L. Pivoting makes a 2x2 pivot only where its
  /// off-diagonal entry b dominates its diagonal, so its eigenvalues are at least (1 - alpha) |b|: if |b| < delta, b is
  /// perturbed to delta with its sign.
  TESSERA_COLLECTIVE void divide_two(int k)
  {
    T b = g.broadcast(one.c, two.row);
    const bool small = abs(b) < options.delta;
    b = small ? (b < 0 ? -options.delta : options.delta) : b;
    const T d1 = one.diagonal / b, d2 = two.diagonal / b;
    const T det = fma(d1, d2, T(-1)); // of D / b
    const Index id = g.template id<T>();
    const Mask below = (slot >= Index(k)) & (id != Index(one.row)) & (id != Index(two.row));
    const Lane c1 = select(below, one.c, Lane(T(0))), c2 = select(below, two.c, Lane(T(0)));
    const T scale = 1 / (b * det);
    const Lane x1 = fma(c1, Lane(d2), -c2) * Lane(scale) + Lane(T(0));
    const Lane x2 = fma(c2, Lane(d1), -c1) * Lane(scale) + Lane(T(0));
    const bool bad = !g.all(finite(x1) & finite(x2)) || !finite(scale) || !finite(b) || !finite(one.diagonal) ||
                     !finite(two.diagonal);
    if (is_two) {
      l = bad ? Lane(T(0)) : x1;
      l_two = bad ? Lane(T(0)) : x2;
      d = select(id == Index(k), Lane(bad ? T(0) : one.diagonal), d);
      d = select(id == Index(k + 1), Lane(bad ? T(0) : two.diagonal), d);
      e = select(id == Index(k), Lane(bad ? T(0) : b), e);
      counts.two_by_two += !bad;
      counts.one_by_one += bad ? 2 : 0;
      counts.perturbed += small;
      counts.zero += bad ? 2 : 0;
      counts.negative += bad ? 0 : (det < 0 ? 1 : (one.diagonal < 0 ? 2 : 0));
      counts.positive += bad ? 0 : (det < 0 ? 1 : (one.diagonal < 0 ? 0 : 2));
      counts.nonfinite |= bad;
    }
  }

  /// Takes column one to slot k and updates the Schur complement: S -= l cᵀ
  template <int First>
  TESSERA_COLLECTIVE void eliminate(int k)
  {
    const Index id = g.template id<T>();
    Lane c = one.c;
    if constexpr (P != Pivoting::none) {
      const int s = int(g.broadcast(slot, one.row)), out = int(g.broadcast(row, k));
      slot = select(id == Index(one.row), Index(k), select(id == Index(out), Index(s), slot));
      row = select(id == Index(k), Index(one.row), select(id == Index(s), Index(out), row));
      g.template set_column<First>(a, s, g.template column<First>(a, k), s != k);
      c = g.shuffle(c, row);
    }
    const Lane cs = select(id > Index(k), c, Lane(T(0)));
    g.template set_column<First>(a, k, select(id == Index(one.row), Lane(T(1)), l), true);
    const Lane minus = -l;
    const int begin = G::columns_are_registers ? First : k + 1, end = G::columns_are_registers ? W : n;
    TESSERA_UNROLL
    for (int j = begin; j < end; ++j)
      a[j] = fma(minus, Lane(g.broadcast(cs, j)), a[j]);
  }

  /// Steps First .. First + panel: the columns before First are finished, which leaves constant bounds for the others
  template <int First>
  TESSERA_COLLECTIVE void factor()
  {
    constexpr int panel = G::columns_are_registers && W > 8 ? 8 : W;
    for (int k = First; k < First + panel && G::any_group(k < n); ++k) {
      if constexpr (P == Pivoting::none)
        take(k);
      else
        search<First>(k);
      if (G::any_group(!second && !is_two))
        divide_one(k);
      if (G::any_group(is_two))
        divide_two(k);
      l = second ? l_two : l;
      eliminate<First>(k);
      second = is_two;
    }
    if constexpr (First + panel < W)
      factor<First + panel>();
  }

  TESSERA_COLLECTIVE void finish(T *L, int ld, T *D, T *E, std::int32_t *perm, PivotCounts *out)
  {
    const Mask inside = g.template id<T>() < Index(n);
    TESSERA_UNROLL
    for (int j = 0; j < W; ++j)
      if (j < n)
        g.template scatter<T>(inside, L + std::ptrdiff_t(j) * ld, slot, a[j]);
    g.store(inside, D, d);
    g.store(inside, E, e);
    g.template scatter_index<T>(inside, perm, g.template id<T>(), row);
    if (g.leads())
      *out = counts;
    g.sync();
  }
};

/// P A Pᵀ = L D Lᵀ of a dense symmetric n x n tile, n <= W.
/// A: [n columns, ld] column-major, lower triangle read. L: [n columns, ld] unit lower triangular in pivot order, its
/// upper triangle set to 0; may be A. D: [n] diagonal and E: [n] subdiagonal of D; E[i] != 0 marks i, i + 1 as a 2x2
/// pivot. perm: [n] the row of A at each place of the pivot order. Memory outside the n x n tiles is not touched. A
/// pivot that is exactly 0 stays 0 in D, its column of L is a unit vector and it is counted, as LAPACK's sytrf does. A
/// tile with a NaN or an infinity is treated as the zero matrix and flagged; what overflows on the way likewise ends as
/// a flagged zero pivot, as does a 2x2 pivot so small (subnormal) that its inverse overflows. Nothing written is ever
/// NaN or infinite. With Bunch-Kaufman and rook pivoting a power of two times A has the same pivots and L.
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
