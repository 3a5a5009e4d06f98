#ifndef TESSERA_FACTOR_LU_MAKE_LU_PLAN_HPP
#define TESSERA_FACTOR_LU_MAKE_LU_PLAN_HPP

#include "factor/front/make_plan.hpp"
#include "factor/lu/lu_plan.hpp"

namespace tessera {

/// Options of a plan for LU on the host. In small factors, those of circuits, an operation takes longer than what a
/// front takes by itself.
inline PlanOptions lu_plan_options()
{
  PlanOptions options;
  options.small_flops = 1e7;
  options.small_nemin = 4;
  return options;
}

/// A plan for LU, or why there is none.
struct LuPlanResult {
  AnalysisStatus status = AnalysisStatus::Ok;
  Index faulty_row = -1;
  Index structural_rank = -1;   ///< known with Preprocessing::Matching only
  bool keeps_columns = false;   ///< of rows that a matching gives others, see find_lu_pairs()
  bool suits_symmetric = false; ///< with PlanOptions::symmetric_values: LDLᵀ takes about half of LU's work; no plan
  Index left_levels = 0;        ///< levels of a block triangular form that was not taken for them; 0: it was
  LuPlan plan;
  std::vector<StepTime> steps;
};

/// Analyses a square matrix for LU: columns are permuted and rows and columns scaled by a maximum-product matching
/// (Preprocessing::Matching) or not at all (None). Where a permutation would give a symmetric pattern up, rows keep
/// their own columns, see find_lu_pairs(). And, with block_triangular, only the diagonal blocks of the block
/// triangular form are to be factored, unless it has more levels than the options allow. The order is one of the
/// symmetrized pattern. Without block triangular form the rank of a singular matrix is that of its factor. source,
/// given_order, observer: as for make_plan(). The result is the same for every number of threads.
LuPlanResult make_lu_plan(const Matrix &matrix, const std::vector<Offset> &source, const PlanOptions &options,
                          bool block_triangular = true, const std::vector<Index> &given_order = {},
                          StepObserver *observer = nullptr);

} // namespace tessera
#endif
