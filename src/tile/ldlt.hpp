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
  Lane front;  ///< what was in slot k before the step
  Lane l;      ///< column of L of this step, without its unit
  Lane l_two;  ///< column of L of the next step if the pivot is 2x2
  T pivot;     ///< diagonal of D of this step
  T pivot_two; ///< diagonal of D of the next step if the pivot is 2x2
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
    d = e = l = l_two = front = one.c = two.c = Lane(T(0));
    pivot = pivot_two = one.diagonal = two.diagonal = T(0);
    one.row = two.row = 0;
    is_two = second = false;
    counts = {0, 0, 0, 0, 0, 0, bad};
  }

  /// Steps First .. First + panel share their code: the slots before First are finished, and a step finds its own slot
  /// among the panel's. A wide panel is less code, a narrow one fewer selects; the fastest of 1, 2, 4, 8 on an H200.
  static constexpr int device_panel =
      W == 32 ? (P == Pivoting::none ? 2 : 8) : (W == 16 && P != Pivoting::none ? 4 : 1);
  static constexpr int panel = G::columns_are_registers ? device_panel : W;

  /// Column of the Schur complement in slot s, First <= s < Last, before step k
  template <int First, int Last>
  TESSERA_COLLECTIVE Column column(int s, int k)
  {
    Column x;
    x.c = select(slot >= Index(k), g.template column<First, Last>(a, s), Lane(T(0)));
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
    Column x = column<First, First + panel>(k, k);
    front = x.c;
    is_two = false;
    if (second)
      x = two;
    if (G::any_group(!second))
      search_from<First>(x, k);
    one = x;
  }

  /// Follows the largest off-diagonal entries from column x on and leaves the pivot's columns in x and two
  template <int First>
  TESSERA_COLLECTIVE void search_from(Column &x, int k)
  {
    Largest<T> off = largest_off_diagonal(x);
    bool open = k < n && !second && abs(x.diagonal) < alpha * off.value;
    // The off-diagonal maximum grows in every round, so there are at most n rounds
    while (G::any_group(open)) {
      const Column y = column<First, W>(int(g.broadcast(slot, off.lane)), k);
      const Largest<T> beyond = largest_off_diagonal(y);
      const bool accept = abs(y.diagonal) >= alpha * beyond.value;
      bool pair = open && !accept && !(beyond.value > off.value), move = open && !pair;
      if constexpr (P == Pivoting::bunch_kaufman) {
        const bool keep = abs(x.diagonal) >= alpha * off.value * (off.value / beyond.value);
        pair = open && !keep && !accept;
        move = open && !keep && accept;
      }
      if (pair)
        two = y;
      if (move) {
        x = y;
        off = beyond;
      }
      is_two = is_two || pair;
      open = P == Pivoting::rook && move && !accept;
    }
  }

  /// Pivots in the given order. A matched pair is a 2x2 pivot unless its off-diagonal entry is negligible or its
  /// smaller eigenvalue is (against delta, and against rounding); then it is two 1x1 pivots.
  template <int First>
  TESSERA_COLLECTIVE void take(int k)
  {
    const bool pair = k + 1 < n && !second && ((options.pairs >> k) & 1);
    const Column x = column<First, First + panel>(k, k);
    one = second ? two : x;
    is_two = false;
    if (G::any_group(pair)) {
      const Column y = column<First, W>(k + 1 < W ? k + 1 : k, k);
      const T b = g.broadcast(one.c, y.row);
      T m = abs(one.diagonal) > abs(y.diagonal) ? abs(one.diagonal) : abs(y.diagonal);
      m = m > abs(b) ? m : abs(b);
      const T det = abs(fma(one.diagonal / m, y.diagonal / m, -(b / m) * (b / m)));
      is_two = pair && abs(b) > rounding<T> * m && det > rounding<T> && det * m >= options.delta;
      two = is_two ? y : two;
    }
  }

  /// D of the pivot in slot k, or k and k + 1, and its columns of L. Pivoting makes a 2x2 pivot only where its
  /// off-diagonal entry b dominates its diagonal, so its eigenvalues are at least (1 - alpha) |b|: if |b| < delta, b is
  /// perturbed to delta with its sign.
  TESSERA_COLLECTIVE void divide(int k)
  {
    const Index id = g.template id<T>();
    const Mask rest = (slot >= Index(k)) & (id != Index(one.row));
    const T b = g.broadcast(one.c, two.row);
    T p = is_two ? b : one.diagonal;
    const bool small = abs(p) < options.delta;
    p = small ? (p < 0 ? -options.delta : options.delta) : p;
    const bool zero = p == 0;
    const T r = 1 / (zero ? T(1) : p);
    const Lane c1 = select(rest, one.c, Lane(T(0)));
    Lane x = c1 * Lane(r) + Lane(T(0)); // + 0: no negative zeros in L
    T det = 1;
    bool bad = !finite(p);
    if (G::any_group(is_two)) {
      const Mask below = rest & (id != Index(two.row));
      const Lane c2 = select(below, two.c, Lane(T(0)));
      const T d1 = one.diagonal * r, d2 = two.diagonal * r;
      det = fma(d1, d2, T(-1)); // of D / b
      const T scale = r / det;
      const Lane x1 = fma(select(below, c1, Lane(T(0))), Lane(d2), -c2) * Lane(scale) + Lane(T(0));
      const Lane x2 = fma(c2, Lane(d1), -select(below, c1, Lane(T(0)))) * Lane(scale) + Lane(T(0));
      const bool bad_two = !g.all(finite(x2)) || !finite(scale) || !finite(one.diagonal) || !finite(two.diagonal);
      bad = bad || (is_two && bad_two);
      if (is_two) {
        x = x1;
        l_two = x2;
      }
    }
    bad = !g.all(finite(x)) || bad;
    const bool drop = bad || (zero && !is_two);
    l = x;
    if (drop && !second) // nothing of such a column spreads
      l = l_two = one.c = two.c = Lane(T(0));
    pivot = drop ? T(0) : (is_two ? one.diagonal : p);
    pivot_two = second ? pivot_two : (drop ? T(0) : two.diagonal);
    e = select(id == Index(k), Lane(is_two && !drop ? p : T(0)), e);
    counts.perturbed += k < n && !second && small;
    counts.nonfinite |= k < n && !second && bad;
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
      if (G::any_group(s != k))
        g.template set_column<First, W>(a, s, front);
      c = g.shuffle(c, row);
    }
    const Lane cs = select(id > Index(k), c, Lane(T(0)));
    g.template set_column<First, First + panel>(a, k, select(id == Index(one.row), Lane(T(1)), l));
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
    for (int k = First; k < First + panel && G::any_group(k < n); ++k) {
      if constexpr (P == Pivoting::none)
        take<First>(k);
      else
        search<First>(k);
      if (G::any_group(!second))
        divide(k);
      l = second ? l_two : l;
      d = select(g.template id<T>() == Index(k), Lane(second ? pivot_two : pivot), d);
      eliminate<First>(k);
      second = is_two;
    }
    if constexpr (First + panel < W)
      factor<First + panel>();
  }

  /// Counts the pivots from D: a 2x2 pivot divided by its off-diagonal entry shows by its determinant whether its
  /// eigenvalues have one sign
  TESSERA_COLLECTIVE void count()
  {
    const Index id = g.template id<T>();
    const Lane before = select(id > Index(0), g.shuffle(e, select(id > Index(0), id - Index(1), id)), Lane(T(0)));
    const Lane after = g.shuffle(d, select(id < Index(W - 1), id + Index(1), id));
    const Mask two = e != Lane(T(0)), one_by_one = (id < Index(n)) & !(two | (before != Lane(T(0))));
    const Lane b = select(two, e, Lane(T(1)));
    const Mask indefinite = two & (fma(d / b, after / b, Lane(T(-1))) < Lane(T(0)));
    const Mask below = d < Lane(T(0));
    counts.two_by_two = g.count(two);
    counts.one_by_one = n - 2 * counts.two_by_two;
    counts.zero = g.count(one_by_one & (d == Lane(T(0))));
    counts.negative = g.count(one_by_one & below) + g.count(indefinite) + 2 * g.count(two & below & !indefinite);
    counts.positive = n - counts.zero - counts.negative;
  }

  TESSERA_COLLECTIVE void finish(T *L, int ld, T *D, T *E, std::int32_t *perm, PivotCounts *out)
  {
    const Mask inside = g.template id<T>() < Index(n);
    count();
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
