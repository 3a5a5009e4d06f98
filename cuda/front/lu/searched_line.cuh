#ifndef TESSERA_CUDA_FRONT_LU_SEARCHED_LINE_CUH
#define TESSERA_CUDA_FRONT_LU_SEARCHED_LINE_CUH

#include "cuda/front/lu/eight_lu_columns.cuh"

namespace tessera {

/// What became of the row and the column that have the lane's number, where pivots were searched. The pivot is that of
/// the column; rows stay where they were. `good`: the pivot is one; of a row below the pivots, L is bounded.
struct SearchedLine : EliminatedLine {
  int row;       ///< of the pivot in the column
  int odd;       ///< 1 if the rows of all pivots are an odd permutation; the same in all lanes
  int perturbed; ///< pivots that were replaced; the same in all lanes
};

/// By a warp: as judge_pivot(), of the pivot in the lane's column, which was made of the mass of another lane's row.
__device__ __forceinline__ void judge_searched(SearchedLine &line, bool has_pivot, const PivotRules &rules)
{
  const double own = line.row_mass;
  line.row_mass = __shfl_sync(whole_warp, own, line.row);
  judge_pivot(line, has_pivot, rules);
  line.row_mass = own;
}

} // namespace tessera
#endif
