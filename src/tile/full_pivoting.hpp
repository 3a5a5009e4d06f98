#ifndef TESSERA_TILE_FULL_PIVOTING_HPP
#define TESSERA_TILE_FULL_PIVOTING_HPP

#include "base/bunch_kaufman.hpp"
#include "tile/group.hpp"
#include "tile/lu.hpp"
#include "tile/pivot_counts.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

enum class FullKind { llt, ldlt, ldu };

/// a[j] for the run-time First <= j < Last. Registers have no run-time index: selects do it.
template <class G, int First, int Last, class Lane>
TESSERA_COLLECTIVE Lane pick_column(const Lane (&a)[G::width], int j)
{
  if constexpr (!G::columns_are_registers)
    return a[j];
  Lane x = a[First];
  TESSERA_UNROLL
  for (int c = First + 1; c < Last; ++c)
    x = c == j ? a[c] : x;
  return x;
}

/// a[j] = x for the run-time First <= j < Last.
template <class G, int First, int Last, class Lane>
TESSERA_COLLECTIVE void put_column(Lane (&a)[G::width], int j, const Lane &x)
{
  if constexpr (!G::columns_are_registers) {
    a[j] = x;
    return;
  }
  TESSERA_UNROLL
  for (int c = First; c < Last; ++c)
    a[c] = c == j ? x : a[c];
}

/// A tile half way through a factorization with full pivoting (thesis Listing 2, 6.3.1). Rows stay in their lanes, only
/// their places are noted; columns move: step k takes its pivot column to slot k and what was there to the slot that
/// fell free, on the way of the downdate, which also finds the largest entries of what is left. So a step reads one
/// column by a run-time index, and a 2x2 pivot two.
template <class G, class T, FullKind K>
struct FullPivoting {
  static constexpr int W = G::width;
  static constexpr bool symmetric = K != FullKind::ldu;
  using Lane = typename G::template lane<T>;
  using Mask = typename G::template mask<T>;
  using Index = typename G::template index<T>;

  static constexpr T alpha = bunch_kaufman_constant<T>;
  /// Steps that share their code: a wide panel is less code, a narrow one fewer selects
  static constexpr int panel = G::columns_are_registers ? (W == 32 ? 8 : W == 16 ? 4 : 1) : W;

  G g;
  int n;
  T delta;
  Lane a[W];
  Index column;    ///< lane s: the column of the tile in slot s
  Index slot;      ///< lane j: the slot of column j of the tile
  Index place;     ///< lane i: the step that took row i; W as long as it is open
  Lane best;       ///< lane i: largest magnitude in row i of the Schur complement; of LDLᵀ beside the diagonal
  Index best_slot; ///< lane i: where that is
  Lane diagonal;   ///< lane i: entry i of the diagonal of the Schur complement, if symmetric
  Lane d, e;       ///< lane k: pivot k; e: subdiagonal of D
  Lane one;        ///< column that this step takes
  Lane two;        ///< the other one of a 2x2 pivot
  Lane l, l_two;   ///< their columns of L, 0 in closed rows and without the unit
  T pivot, pivot_two, beside; ///< of D: beside is the subdiagonal of a 2x2 pivot
  int row, row_two;           ///< of the tile
  bool is_two, second;
  std::int32_t perturbed;
  bool bad;

  TESSERA_COLLECTIVE Mask open() const { return (place == Index(W)) & (g.template id<T>() < Index(n)); }

  /// Notes what is largest in the rows, once slot j has its new column.
  TESSERA_COLLECTIVE void track(int j)
  {
    const Mask own = slot == Index(j);
    if (symmetric)
      diagonal = select(own, a[j], diagonal);
    if (K != FullKind::llt) {
      const Lane x = K == FullKind::ldlt ? select(own, Lane(T(0)), abs(a[j])) : abs(a[j]);
      const Mask larger = x > best;
      best = select(larger, x, best);
      best_slot = select(larger, Index(j), best_slot);
    }
  }

  TESSERA_COLLECTIVE void start(const T *A, int ld)
  {
    const Index id = g.template id<T>();
    Lane poison = T(0);
    TESSERA_UNROLL
    for (int j = 0; j < W; ++j) {
      const Mask inside = (id < Index(n)) & (Index(j) < Index(n));
      if constexpr (symmetric) // rows of the lower triangle are columns of the upper
        a[j] = select(id < Index(j), g.load(inside & (id < Index(j)), A + j, ld),
                      g.load(inside & (id >= Index(j)), A + std::ptrdiff_t(j) * ld));
      else
        a[j] = g.load(inside, A + std::ptrdiff_t(j) * ld);
      poison = fma(a[j], Lane(T(0)), poison); // stays 0 unless a[j] is NaN or infinite
    }
    bad = g.any(poison != poison);
    column = slot = id;
    place = W;
    best = diagonal = d = e = one = two = l = l_two = Lane(T(0));
    best_slot = 0;
    pivot = pivot_two = beside = T(0);
    row = row_two = 0;
    is_two = second = false;
    perturbed = 0;
    TESSERA_UNROLL
    for (int j = 0; j < W; ++j) {
      a[j] = where(!bad, a[j]);
      if (j < n)
        track(j);
    }
  }

  TESSERA_COLLECTIVE Lane where(bool keep, const Lane &x) { return select(Lane(T(keep)) != Lane(T(0)), x, Lane(T(0))); }

  /// The open rows of the column in a slot from First on
  template <int First>
  TESSERA_COLLECTIVE Lane open_column(int s)
  {
    return select(open(), pick_column<G, First, W>(a, s), Lane(T(0)));
  }

  /// Chooses the pivot of step k and returns its slot: the largest entry of the Schur complement; where the pivots must
  /// be symmetric the largest of the diagonal, or for LDLᵀ a 2x2 pivot around the largest entry if that is larger by
  /// more than 1 / alpha.
  template <int First>
  TESSERA_COLLECTIVE int search()
  {
    const Lane none = T(-1);
    is_two = false;
    if constexpr (K == FullKind::ldu) {
      row = g.argmax(select(open(), best, none)).lane;
      return int(g.broadcast(best_slot, row));
    } else if constexpr (K == FullKind::llt) {
      row = g.argmax(select(open(), max(diagonal, Lane(T(0))), none)).lane;
    } else {
      const Largest<T> on = g.argmax(select(open(), abs(diagonal), none));
      const Largest<T> off = g.argmax(select(open(), best, none));
      // Its two triangles round differently: the entry that was found is row off.lane of the column taken first
      const int of_largest = int(g.broadcast(column, int(g.broadcast(best_slot, off.lane))));
      is_two = on.value < alpha * off.value;
      row = is_two ? of_largest : on.lane;
      row_two = off.lane;
      if (G::any_group(is_two))
        two = open_column<First>(int(g.broadcast(slot, row_two)));
    }
    return int(g.broadcast(slot, row));
  }

  /// L of a pivot of one row and column. One that is 0, or of LLᵀ not positive, ends as 0 and its column as a unit
  /// vector; so does one whose column is not finite, which is flagged.
  TESSERA_COLLECTIVE void divide_one(bool live)
  {
    T p = symmetric ? g.broadcast(diagonal, row) : g.broadcast(one, row);
    const bool small = delta > 0 && (K == FullKind::llt ? p : abs(p)) < delta;
    p = small ? (p < 0 && K != FullKind::llt ? -delta : delta) : p;
    const bool zero = K == FullKind::llt ? !(p > 0) : p == 0;
    const T divisor = zero ? T(1) : K == FullKind::llt ? sqrt(p) : p;
    const Lane x = select(g.template id<T>() == Index(row), Lane(T(0)), one) / Lane(divisor) + Lane(T(0));
    const bool wrong = !g.all(finite(x)) || !finite(p);
    perturbed += live && small;
    bad = bad || (live && wrong);
    l = where(!zero && !wrong, x);
    one = where(!wrong, one);
    pivot = zero || wrong ? T(0) : divisor;
  }

  /// Both columns of L of a 2x2 pivot [d1 b; b d2], b dominating: they are divided by b first.
  TESSERA_COLLECTIVE void divide_two(bool live)
  {
    const Index id = g.template id<T>();
    const T d1 = g.broadcast(diagonal, row), d2 = g.broadcast(diagonal, row_two), b = g.broadcast(one, row_two);
    const bool small = abs(b) < delta;
    const T p = small ? (b < 0 ? -delta : delta) : b;
    const T r = 1 / p, q1 = d1 * r, q2 = d2 * r, scale = r / fma(q1, q2, T(-1));
    const Mask rest = (id != Index(row)) & (id != Index(row_two));
    const Lane c1 = select(rest, one, Lane(T(0))), c2 = select(rest, two, Lane(T(0)));
    const Lane x1 = fma(c1, Lane(q2), -c2) * Lane(scale) + Lane(T(0));
    const Lane x2 = fma(c2, Lane(q1), -c1) * Lane(scale) + Lane(T(0));
    const bool wrong = !g.all(finite(x1) & finite(x2)) || !finite(scale) || !finite(d1) || !finite(d2);
    perturbed += live && small;
    bad = bad || (live && wrong);
    l = where(!wrong, x1);
    l_two = where(!wrong, x2);
    one = where(!wrong, c1);
    two = where(!wrong, c2);
    pivot = wrong ? T(0) : d1;
    pivot_two = wrong ? T(0) : d2;
    beside = wrong ? T(0) : p;
  }

  /// Takes the column in slot s to slot k and updates the Schur complement by it.
  template <int First>
  TESSERA_COLLECTIVE void eliminate(int k, int s)
  {
    const Index id = g.template id<T>();
    const Lane front = pick_column<G, First, First + panel>(a, k), whole = pick_column<G, First, W>(a, s);
    const Mask was_open = open();
    const int in = int(g.broadcast(column, s)), out = int(g.broadcast(column, k));
    column = select(id == Index(k), Index(in), select(id == Index(s), Index(out), column));
    slot = select(id == Index(in), Index(k), select(id == Index(out), Index(s), slot));
    place = select((id == Index(row)) & (Index(k) < Index(n)), Index(k), place);
    Lane taken = select(id == Index(row), K == FullKind::ldlt ? Lane(T(1)) : Lane(pivot), l);
    if constexpr (!symmetric)
      taken = select(was_open, taken, whole); // what closed rows have there is U
    put_column<G, First, First + panel>(a, k, taken);
    const Lane minus = -l;
    Lane across = T(0);
    if constexpr (symmetric)
      across = g.shuffle(K == FullKind::llt ? l : one, column);
    best = T(0);
    best_slot = k + 1;
    const int begin = G::columns_are_registers ? First : k + 1, end = G::columns_are_registers ? W : n;
    TESSERA_UNROLL
    for (int j = begin; j < end; ++j) {
      if (j <= k)
        continue;
      const Lane source = j == s ? front : a[j];
      a[j] = fma(minus, Lane(symmetric ? g.broadcast(across, j) : g.broadcast(source, row)), source);
      track(j);
    }
  }

  /// Steps First .. First + panel: the columns before First are finished, which leaves constant bounds for the others
  template <int First>
  TESSERA_COLLECTIVE void factor()
  {
    const Index id = g.template id<T>();
    for (int k = First; k < First + panel && G::any_group(k < n); ++k) {
      const bool live = k < n && !second;
      const int row_before = row_two;
      const Lane two_before = two, l_before = l_two;
      const T pivot_before = pivot_two;
      int s = k;
      if (G::any_group(live)) {
        s = search<First>();
        one = open_column<First>(s);
        const Lane one_whole = one;
        divide_one(live && !is_two);
        if (G::any_group(is_two)) {
          const Lane l_one = l, one_one = one;
          const T pivot_one = pivot;
          one = one_whole;
          divide_two(live && is_two);
          l = is_two ? l : l_one;
          one = is_two ? one : one_one;
          pivot = is_two ? pivot : pivot_one;
        }
      }
      if (second) {
        row = row_before;
        one = two_before;
        l = l_before;
        pivot = pivot_before;
      }
      row = k < n ? row : k;
      is_two = is_two && live;
      if constexpr (symmetric)
        s = int(g.broadcast(slot, row)); // by all groups of a warp, whatever their sizes
      s = k >= n ? k : s;
      d = select((id == Index(k)) & (Index(k) < Index(n)), Lane(pivot), d);
      e = select(id == Index(k), Lane(is_two ? beside : T(0)), e);
      eliminate<First>(k, s);
      second = is_two;
    }
    if constexpr (First + panel < W)
      factor<First + panel>();
  }
};

/// Factors a symmetric tile and writes L and perm, as ldlt_full and llt_full say.
template <class G, class T, FullKind K>
TESSERA_COLLECTIVE void factor_symmetric(const G &g, FullPivoting<G, T, K> &tile, const T *A, int ld, int n, T delta,
                                         T *L, std::int32_t *perm)
{
  using Index = typename G::template index<T>;
  tile.g = g;
  tile.n = n;
  tile.delta = delta;
  tile.start(A, ld);
  tile.template factor<0>();
  const Index id = g.template id<T>();
  const auto inside = id < Index(n);
  TESSERA_UNROLL
  for (int j = 0; j < G::width; ++j)
    if (j < n)
      g.template scatter<T>(inside, L + std::ptrdiff_t(j) * ld, tile.place, tile.a[j]);
  g.template scatter_index<T>(inside, perm, tile.place, id);
}

/// P A Pᵀ = L D Lᵀ of a dense symmetric n x n tile, n <= W, by complete pivoting (Bunch & Parlett 1971): arguments and
/// what becomes of small pivots and of what is not finite as with ldlt. delta: pivots below it are perturbed to it.
template <class G, class T>
TESSERA_COLLECTIVE void ldlt_full(const G &g, const T *A, int ld, int n, T delta, T *L, T *D, T *E, std::int32_t *perm,
                                  PivotCounts *counts)
{
  using Index = typename G::template index<T>;
  FullPivoting<G, T, FullKind::ldlt> tile;
  factor_symmetric(g, tile, A, ld, n, delta, L, perm);
  const auto inside = g.template id<T>() < Index(n);
  PivotCounts found = count_pivots(g, tile.d, tile.e, n);
  found.perturbed = tile.perturbed;
  found.nonfinite = tile.bad;
  g.store(inside, D, tile.d);
  g.store(inside, E, tile.e);
  if (g.leads())
    *counts = found;
  g.sync();
}

/// P A Pᵀ = L Lᵀ of a dense symmetric n x n tile, n <= W, the largest diagonal entry of the Schur complement first, so
/// that zero pivots show its rank. A: [n columns, ld] column-major, lower triangle read. L: [n columns, ld] lower
/// triangular with its diagonal, zeros above; may be A. perm: [n] the row of A at each place. Pivots below delta are
/// perturbed to it; those not positive are 0 in L, and counted. Not finite tiles: as ldlt.
template <class G, class T>
TESSERA_COLLECTIVE void llt_full(const G &g, const T *A, int ld, int n, T delta, T *L, std::int32_t *perm,
                                 LuCounts *counts)
{
  using Index = typename G::template index<T>;
  FullPivoting<G, T, FullKind::llt> tile;
  factor_symmetric(g, tile, A, ld, n, delta, L, perm);
  const auto inside = g.template id<T>() < Index(n);
  const int zeros = g.count(inside & (tile.d == typename G::template lane<T>(T(0))));
  if (g.leads())
    *counts = {tile.perturbed, zeros, tile.bad};
  g.sync();
}

/// P A Q = L D U of a dense n x n tile, n <= W, the largest entry of the Schur complement first. A: [n columns, ld]
/// column-major. LDU: [n columns, ld] unit lower L below the diagonal, D on it, unit upper U above it; may be A.
/// row_perm, column_perm: [n] the row and the column of A at each place. Pivots below delta are perturbed to it, sign
/// kept. A tile that is not finite, or whose factors are not, gives zeros in the given order, and is flagged.
template <class G, class T>
TESSERA_COLLECTIVE void ldu_full(const G &g, const T *A, int ld, int n, T delta, T *LDU, std::int32_t *row_perm,
                                 std::int32_t *column_perm, LuCounts *counts)
{
  constexpr int W = G::width;
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  FullPivoting<G, T, FullKind::ldu> tile;
  tile.g = g;
  tile.n = n;
  tile.delta = delta;
  tile.start(A, ld);
  tile.template factor<0>();
  const Index id = g.template id<T>();
  const auto inside = id < Index(n);
  const Lane zero = T(0);
  const Lane own = g.shuffle(tile.d, select(inside, tile.place, id)), divisor = select(own == zero, Lane(T(1)), own);
  Lane poison = zero;
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j) {
    tile.a[j] = select(inside & (tile.place < Index(j)), tile.a[j] / divisor, tile.a[j]);
    poison = select(inside & (Index(j) < Index(n)), fma(tile.a[j], zero, poison), poison);
  }
  const bool bad = g.any(poison != poison) || tile.bad;
  const Index place = bad ? id : tile.place;
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j)
    if (j < n)
      g.template scatter<T>(inside, LDU + std::ptrdiff_t(j) * ld, place, bad ? zero : tile.a[j]);
  g.template scatter_index<T>(inside, row_perm, place, id);
  g.template scatter_index<T>(inside, column_perm, id, bad ? id : tile.column);
  const int zeros = g.count(inside & (tile.d == zero));
  if (g.leads())
    *counts = {tile.perturbed, bad ? n : zeros, bad};
  g.sync();
}

} // namespace tessera
#endif
