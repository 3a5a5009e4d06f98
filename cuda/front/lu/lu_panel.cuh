#ifndef TESSERA_CUDA_FRONT_LU_LU_PANEL_CUH
#define TESSERA_CUDA_FRONT_LU_LU_PANEL_CUH

#include "cuda/front/lu/row_order.cuh"
#include "cuda/front/lu/search_lu_columns.cuh"
#include "cuda/front/lu/searched_lu_rows.cuh"
#include "cuda/front/panel_factor.cuh"

namespace tessera {

/// The diagonal block of a panel of 32 columns for LU, factored, in shared memory: W of both sides, see DeviceFront.
/// The pivot of a column may be in any row.
struct LuPanel {
  static constexpr int leading = small_leading;
  double w[2][32 * leading]; ///< row by row
  double mass[2][32];        ///< of its rows and columns, before
  double pivot[32];
  double root[32];    ///< 1 / sqrt|pivot|: of A₂₁ W₁, times this is L
  unsigned bad;       ///< columns whose pivot is none
  unsigned uncertain; ///< pivots that are little more than rounding
  int odd;            ///< 1 if the rows of the pivots are an odd permutation
  int perturbed;      ///< pivots that were replaced

  __device__ int pairs() const { return 0; } ///< LU has no 2x2 pivots
  __device__ int is_odd() const { return odd; }
};

/// Copies the n x n block a to work.s, with row `row` in that of the lane; 0 beyond it.
__device__ __forceinline__ void load_block(const double *a, int a_leading, int n, int row, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  for (int j = 0; j < 32; ++j)
    work.s[j * small_leading + lane] = lane < n && j < n ? a[j * a_leading + row] : 0.0;
  __syncwarp();
}

/// By one warp: W of the unit lower triangle in `from` to p.w[side]. scale: of the column that has the lane's number;
/// row: the place of the lane's row.
__device__ __forceinline__ void write_w(double *from, int n, double scale, int row, double *w, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  invert_l(from, small_leading, n, 0, work.elimination);
  const InverseOfL inverse(from, small_leading, n, 0, work.elimination);
  for (int c = 0; c < 32; ++c) {
    const double entry = c < n ? entry_of_w(inverse, c, scale) : 0.0;
    w[row * LuPanel::leading + c] = lane < n ? entry : 0.0;
  }
  __syncwarp();
}

/// By one warp: all of p but its W. Returns the root in the lane of its column.
__device__ __forceinline__ double write_pivots(const SearchedLine &line, int n, LuPanel &p)
{
  const int lane = threadIdx.x & 31;
  const double root = root_of_inverse(line.pivot, lane < n);
  p.pivot[lane] = line.pivot;
  p.root[lane] = root;
  const unsigned bad = __ballot_sync(whole_warp, lane < n && !line.good),
                 uncertain = __ballot_sync(whole_warp, line.uncertain);
  if (lane == 0) {
    p.bad = bad;
    p.uncertain = uncertain;
    p.odd = line.odd;
    p.perturbed = line.perturbed;
  }
  return root;
}

/// By one warp: all of p from L and U of the block in work.s, which it overwrites.
__device__ __forceinline__ void write_panel(const SearchedLine &line, int n, LuPanel &p, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  const double root = write_pivots(line, n, p);
  clear_pairs(work.elimination);
  separate_factors(work.s, p.w[1], n, line.pivot);
  write_w(p.w[1], n, root, line.row, p.w[0], work);
  write_w(work.s, n, copysign(root, line.pivot), lane, p.w[1], work);
}

/// By one warp: both W of the n x n block a, n > 0, column-major, which stays. With the largest open entry of each
/// column as its pivot (partial pivoting). p.mass is given. Returns the row of the pivot in the lane's column.
inline __device__ __noinline__ int search_lu_panel(const double *a, int a_leading, int n, const PivotRules &rules,
                                                   LuPanel &p, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  load_block(a, a_leading, n, lane, work);
  const SearchedLine line = search_lu_columns(work.s, n, p.mass[0][lane], p.mass[1][lane], rules, work.elimination);
  write_panel(line, n, p, work);
  return line.row;
}

/// By one warp: the same with rules that put columns off, which may come in another order. n: without padding, whose
/// columns stay behind the others and get no W. first: see SearchedLuRows. That says that its row is in shared memory;
/// said of `work` too, it made nvcc 13.0 leave out the elimination.
inline __device__ __noinline__ void search_putting_off(const double *a, int a_leading, int n, Index first,
                                                       const PivotRules &rules, LuPanel &p, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  load_block(a, a_leading, n, lane, work);
  SearchedLuRows searched(work.s, n, n, p.mass[0][lane], p.mass[1][lane], rules, work.elimination);
  const SearchedLine line = searched.run(first, [](int, double) {}); // there are no rows below
  const double root = write_pivots(line, n, p);
  for (int c = 0; c < 32; ++c)
    p.w[0][c * LuPanel::leading + lane] = 0;
  __syncwarp();
  searched.write_rows(
      root, n, [&](int i, int c, double x) { p.w[0][i * LuPanel::leading + c] = x; },
      [&](int c, int j, double x) { work.s[c * small_leading + j] = x; }, [](int, int, double) {});
  clear_pairs(work.elimination);
  write_w(work.s, n, copysign(root, line.pivot), searched.column(), p.w[1], work);
}

/// By one warp: the same with pivots on the diagonal, or in the rows of rules.row_order; where that gives entries of L
/// above own_bound, or a pivot that is none, with a search. own: columns without padding. first: of the columns, in
/// elimination order. Returns where a search that puts no columns off has found the pivot of the lane's column.
inline __device__ __noinline__ SearchedPlace factor_lu_panel(const double *a, int a_leading, int n, int own,
                                                             Index first, const PivotRules &rules, LuPanel &p,
                                                             PanelWork &work)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&p));
  __builtin_assume(__isShared(&work));
  const int lane = threadIdx.x & 31;
  const RowOrder order = RowOrder::of(RowOrder::known_place(rules, first, own));
  load_block(a, a_leading, n, order.row, work);
  const SearchedLine line{
      eliminate_lu_columns(work.s, n, n, p.mass[0][order.row], p.mass[1][lane], rules, work.elimination), order.row,
      order.odd(), 0};
  if (!__any_sync(whole_warp, lane < n && !line.good)) {
    write_panel(line, n, p, work);
    return {};
  }
  if (!rules.puts_off())
    return SearchedPlace::at(search_lu_panel(a, a_leading, n, rules, p, work), false);
  search_putting_off(a, a_leading, own, first, rules, p, work);
  return {};
}

} // namespace tessera
#endif
