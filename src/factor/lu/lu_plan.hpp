#ifndef TESSERA_FACTOR_LU_LU_PLAN_HPP
#define TESSERA_FACTOR_LU_LU_PLAN_HPP

#include "factor/front/front_plan.hpp"

namespace tessera {

/// The fronts of a diagonal block, which are a tree: begin .. end - 1.
struct DiagonalBlock {
  Index begin, end;
};

/// The entries outside of the diagonal blocks, by rows in elimination order: row i has them from start[i] to
/// start[i + 1] - 1. A row has none in a block that comes later.
struct Coupling {
  std::vector<Offset> start;  ///< [rows + 1]
  std::vector<Index> column;  ///< in elimination order
  std::vector<Offset> source; ///< where the caller stores the value
};

/// A plan for LU: fronts on the symmetrized pattern of the matrix with permuted columns, of its diagonal blocks only
/// where it has a block triangular form. Row tree.perm[i] and column column[i] of the matrix are the i-th of the tree.
struct LuPlan {
  FrontPlan fronts;
  std::vector<Index> column;          ///< [rows]
  std::vector<double> column_scale;   ///< [rows] in elimination order
  ScaledProduct column_scale_product; ///< of all of these
  std::vector<DiagonalBlock> block;   ///< in the order of substitution
  Coupling coupling;
};

/// A column for each row, and what block of a block triangular form both are in.
struct RowColumnPairs {
  std::vector<Index> column; ///< [rows] a permutation
  std::vector<Index> block;  ///< [rows] numbers of blocks, ascending in the order of substitution
  Index blocks = 1;
};

/// The symmetrized pattern of the diagonal blocks, with rows as in `matrix`, and the column that is paired with row i
/// as column i.
Pattern symmetrized_blocks(const Pattern &matrix, const RowColumnPairs &pairs);

/// Sets the scale factors of a plan that has its tree and columns. row, column: [rows] in the order of the matrix,
/// powers of two.
void set_scale(LuPlan &plan, const std::vector<double> &row, const std::vector<double> &column);

/// The scale factors of the columns of a plan, [rows] in the order of the matrix.
std::vector<double> unpermuted_column_scale(const LuPlan &plan);

/// Completes a plan that has its tree, on the pattern of symmetrized_blocks(), matrix and source, but for scale
/// factors.
void complete_lu_plan(const RowColumnPairs &pairs, LuPlan &plan);

} // namespace tessera
#endif
