#ifndef TESSERA_FACTOR_FRONT_MAKE_PLAN_HPP
#define TESSERA_FACTOR_FRONT_MAKE_PLAN_HPP

#include "analysis/analysis.hpp"
#include "analysis/symbolic/fit_panels.hpp"
#include "analysis/symbolic/merge_leaves.hpp"
#include "factor/front/device/front_kinds.hpp"
#include "factor/front/front_plan.hpp"

#include <limits>

namespace tessera {

struct PlanOptions {
  Preprocessing preprocessing = Preprocessing::Matching;
  Ordering ordering = Ordering::Automatic;
  Relaxation relaxation = front_relaxation();
  /// Vertices of the parts that nested dissection leaves to minimum degree. A device wants it small: minimum degree
  /// eliminates a part one front upon the other, and smaller parts are chains that are shorter, side by side.
  Index leaf = OrderingChoice().leaf;
  double level_flops = 0; ///< operations that take as long as a level of the tree, which no other work hides
  double small_flops = 0; ///< factors that take fewer operations have
  Index small_nemin = 0;  ///< this in place of relaxation.nemin
  /// Where more than so many fronts have more than small_rows rows, or descendants that have, fronts of at most so many
  /// rows are not merged into larger ones, if that leaves two thirds of them or less; small_rows 0: never.
  Index many_fronts = 0, small_rows = 0;
  /// Fronts without children are merged with others of the same parent up to so many rows, see merge_leaves(); 0:
  /// never.
  FrontShape leaves;
  /// From so many leaves of a large front on they are merged further, where that saves time; 0: never.
  Index wide_leaves = 0;
  PanelFit panels; ///< of a device
  /// LU: rows keep their own columns, see LuPairs, in quasi-definite matrices only, and where that spares fill. A
  /// device takes pivots in the order of the plan: it has to search for those of pairs, and other pivots may fail with
  /// the next values.
  bool only_quasi_definite = false;
  /// LU: the values are symmetric, and the caller takes a plan for LDLᵀ where that is the better one, see LuPlanResult.
  bool symmetric_values = false;
  /// LU: a block triangular form of more levels, see count_levels(), is not taken; in matrices of fewer than
  /// coupled_rows rows one of more than a level.
  Index most_block_levels = std::numeric_limits<Index>::max(), coupled_rows = 0;
};

/// Levels of diagonal blocks that a device solves one after the other, each of which takes it some launches.
constexpr Index device_block_levels = 8;

/// Options of a plan for a device, with the rest as it is. A front in a chain takes it some 10 us, as long as a few
/// million operations, and a wide one hardly longer than a narrow one. In small factors a warp each takes many fronts
/// sooner than a thread block a merged one. What nested dissection leaves to minimum degree is a front of a warp, for
/// that order makes chains: with parts of 200 vertices a small factor's longest one has twice as many columns. A warp
/// takes many leaves at a time, where each alone would take as long, and their parent as long again for each. A short
/// panel of a large front waits for the one before as a full one does. Fronts of thread blocks wait for each other
/// where there are more of them than multiprocessors, and so do those above them; fronts of warps hardly ever. Launches
/// for the levels of coupled diagonal blocks take longer than all of a small matrix.
inline void prefer_device(PlanOptions &options)
{
  options.leaf = 32;
  options.relaxation.nemin = 32;
  options.small_rows = DeviceFront::warp_width;
  options.many_fronts = 128; // of thread blocks, about as many as there are multiprocessors
  options.level_flops = 2e6;
  options.small_flops = 1e8;
  options.small_nemin = 16;
  options.leaves = device_leaf;
  options.wide_leaves = 64;
  options.panels = {DeviceFront::tile_width, usual_block_rows, options.level_flops};
  options.only_quasi_definite = true;
  options.most_block_levels = device_block_levels;
  options.coupled_rows = 10000;
}

/// A plan, or why there is none.
struct PlanResult {
  AnalysisStatus status = AnalysisStatus::Ok;
  Index faulty_row = -1;
  Index structural_rank = -1; ///< known with Preprocessing::Matching only
  Index pairs = 0;            ///< 2x2 pivots that the matching proposes
  FrontPlan plan;
  std::vector<StepTime> steps;
};

/// Analyses a symmetric matrix, both triangles stored, for a direct factorization. source[p]: where the caller stores
/// the value of entry p, see entry_at(): of a Hermitian matrix ~source[p] where it is the conjugate. The result is the
/// same for every number of threads.
///
/// Observers hear of the steps. given_order: [rows] with Ordering::Natural, the order to take, the old row in each
/// place; empty: that of the matrix. A matched pair comes where its first row is.
PlanResult make_plan(const Matrix &matrix, const std::vector<Offset> &source, const PlanOptions &options,
                     const std::vector<Index> &given_order = {}, StepObserver *observer = nullptr);

} // namespace tessera
#endif
