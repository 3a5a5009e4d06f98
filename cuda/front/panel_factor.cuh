#ifndef TESSERA_CUDA_FRONT_PANEL_FACTOR_CUH
#define TESSERA_CUDA_FRONT_PANEL_FACTOR_CUH

#include "cuda/front/searched_rows.cuh"

namespace tessera {

/// The diagonal block of a panel of 32 columns, factored, in shared memory. Columns of W are those of the pivots, in
/// any order.
struct PanelFactor {
  static constexpr int leading = small_leading;
  double w[32 * leading]; ///< W, row by row
  double mass[32];        ///< of its rows, before, or see search_panel()
  double pivot[32];
  double root[32];    ///< 1 / sqrt|pivot|: of A₂₁ W, times this is L. Of a zero pivot see search_panel()
  unsigned zero;      ///< columns in which J and R are 0, for a zero pivot
  unsigned negative;  ///< columns in which J has a minus
  unsigned swapped;   ///< columns of pairs, which J exchanges
  unsigned bad;       ///< rows in which a pivot or an entry of L is none
  unsigned uncertain; ///< pivots that may have another sign
  short two_by_two;   ///< pivots that are
  short perturbed;    ///< pivots that were replaced; both are short, so that fronts have the room that they had

  __device__ int pairs() const { return two_by_two; }
  __device__ int is_odd() const { return 0; } ///< a symmetric permutation does not change the determinant

  /// 0 where the sign of column c is plus, else the sign bit of a double's upper word.
  __device__ __forceinline__ int sign_bit(int c) const { return int(negative >> c << 31); }
  /// The column of A W that is column c of A W J, but for its sign.
  __device__ __forceinline__ int partner(int c) const { return c ^ int(swapped >> c & 1); }
  /// What is kept of an entry x of A₂₁ W in column c.
  __device__ __forceinline__ double kept(double x, int c) const { return zero >> c & 1 ? 0.0 : x; }
};

/// What a warp shares while it factors a diagonal block.
struct PanelWork {
  EliminationScratch elimination;
  double s[32 * small_leading]; ///< what is left of the block
};

/// x with its sign changed where bit is the sign bit.
__device__ __forceinline__ double with_sign(double x, int bit)
{
  return __hiloint2double(__double2hiint(x) ^ bit, __double2loint(x));
}

/// A row's mass, and what n columns of R add to it. r: its entry in the first column, others are `leading` apart.
__device__ __forceinline__ double add_squares(double mass, const double *r, int leading, int n)
{
  for (int c = 0; c < n; ++c)
    mass = fma(r[c * leading], r[c * leading], mass);
  return mass;
}

/// By one warp: W of the n x n block a, n > 0, lower triangle, column-major, with a search of the whole block for each
/// pivot, see SearchedRows. a stays. Entries of A₂₁ W in the column of a zero pivot, whose entry of W at the pivot is
/// 1, have to be at most rules.beside_zero(): its root makes that the test of all columns. p.mass is given; the
/// masses of pivots when they were eliminated take its place.
/// Returns where the search has found the pivot of the lane's row.
inline __device__ __noinline__ SearchedPlace search_panel(const double *a, int a_leading, int n,
                                                          const PivotRules &rules, PanelFactor &p, PanelWork &work)
{
  constexpr double largest_root = 1e300; // that makes no NaN of an entry that is 0
  const int lane = threadIdx.x & 31;
  SearchedRows searched(a, a_leading, n, n, p.mass[lane], rules, work.elimination);
  const SearchedRow row = searched.run([](int, double) {}); // there are none below
  const bool zero = row.zero >> lane & 1;
  p.pivot[lane] = row.pivot;
  p.mass[lane] = row.mass;
  p.root[lane] = zero ? fmin(rules.bound / rules.beside_zero(row.mass), largest_root) : row.root; // the mass may be 0
  searched.for_entries(
      [&](int c, double x) { p.w[c * PanelFactor::leading + lane] = c < n && lane < n ? x * row.root : 0.0; });
  if (lane == 0) {
    p.zero = row.zero;
    p.negative = row.negative;
    p.swapped = 0; // pairs are rotated to their eigenvalues here
    p.bad = row.bad;
    p.uncertain = row.uncertain;
    p.two_by_two = short(row.pairs);
    p.perturbed = short(row.perturbed);
  }
  __syncwarp();
  return row.place;
}

/// By one warp: W of the n x n block a, lower triangle, column-major, of which rows from n to 31 are none. a stays. In
/// the order of the columns, with the proposed pairs; where that gives entries of L above own_bound, with a search.
/// Returns where that has found the pivot of the lane's row.
inline __device__ __noinline__ SearchedPlace factor_panel(const double *a, int a_leading, int n, unsigned pairs,
                                                          const PivotRules &rules, PanelFactor &p, PanelWork &work)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&p));
  __builtin_assume(__isShared(&work));
  const int lane = threadIdx.x & 31;
  // Halves of it are read before they are written: as far as the compiler knows, the two may overlap.
  for (int half = 0; half < 32; half += 16) {
    double x[16];
#pragma unroll
    for (int j = 0; j < 16; ++j)
      x[j] = a[min(half + j, n - 1) * a_leading + min(lane, n - 1)];
#pragma unroll
    for (int j = 0; j < 16; ++j)
      work.s[(half + j) * small_leading + lane] = (lane < n) & (half + j <= lane) ? x[j] : 0.0;
  }
  __syncwarp();
  const EliminatedRow e = eliminate_columns<false>(work.s, n, n, pairs, p.mass[lane], rules, work.elimination);
  const unsigned bad = __ballot_sync(whole_warp, lane < n && !e.good);
  if (bad && !rules.definite)
    return search_panel(a, a_leading, n, rules, p, work);
  p.pivot[lane] = e.pivot;
  const double root = lane < n ? rsqrt(fabs(e.pivot)) : 0.0;
  p.root[lane] = root * e.scale;
  const unsigned swapped = e.pairs | e.pairs << 1;
  const unsigned negative = __ballot_sync(whole_warp, lane < n && e.pivot < 0) & ~swapped;
  const unsigned uncertain = __ballot_sync(whole_warp, lane < n && e.uncertain);
  if (lane == 0) {
    p.zero = 0;
    p.negative = negative;
    p.swapped = swapped;
    p.bad = bad;
    p.uncertain = uncertain;
    p.two_by_two = short(__popc(e.pairs));
    p.perturbed = 0;
  }
  invert_l(work.s, small_leading, n, e.pairs, work.elimination);
  const InverseOfL inverse(work.s, small_leading, n, e.pairs, work.elimination);
  for (int half = 0; half < 32; half += 16) {
    double x[16];
#pragma unroll
    for (int c = 0; c < 16; ++c)
      x[c] = inverse.at(half + c, lane) * p.root[half + c];
#pragma unroll
    for (int c = 0; c < 16; ++c)
      p.w[lane * PanelFactor::leading + half + c] = (half + c < n) & (lane < n) ? x[c] : 0.0;
  }
  __syncwarp();
  p.root[lane] = root;
  __syncwarp();
  return {};
}

} // namespace tessera
#endif
