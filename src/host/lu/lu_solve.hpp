#ifndef TESSERA_HOST_LU_LU_SOLVE_HPP
#define TESSERA_HOST_LU_LU_SOLVE_HPP

#include "factor/lu/lu_plan.hpp"
#include "host/lu/lu_front.hpp"

namespace tessera {

/// Substitutions with the fronts of an LU factor, for a block of right-hand sides at a time, one diagonal block of the
/// block triangular form after the other. Subtrees of a large one are independent but for the rows below their roots,
/// to which each adds in memory of its own; these sums are added in the order of the subtrees.
template <class T>
class LuSolve {
public:
  LuSolve(const LuPlan &plan, const LuStore<T> &store);

  /// Scales the values of the entries outside of the diagonal blocks. values: the caller's.
  void set_coupling(const T *values);

  /// X = A⁻¹ B for `columns` right-hand sides, or A⁻ᵀ B, not conjugated. b: [columns, b_leading], x likewise; may be
  /// the same.
  void run(bool transposed, Index columns, const T *b, Offset b_leading, T *x, Offset x_leading);

  /// Vectors for the pivots of the root of a diagonal block that are 0, one for each, [rows] apart, in elimination
  /// order: X with A X = 0 but in the rows of these pivots, where X is the identity, or Y with Aᵀ Y so. They are not 0
  /// in the block only. Good until the next call.
  const T *null_vectors(bool transposed, const DiagonalBlock &fronts);

  Offset bytes() const;

private:
  struct Local {
    std::vector<T> work;      ///< rows of a front times right-hand sides
    std::vector<Index> place; ///< [rows] of a row below the root of the subtree at hand
  };

  /// A diagonal block: what threads do apart from each other, or nothing if one thread does it all.
  struct Block {
    DiagonalBlock fronts;
    std::vector<Index> subtrees, top;
  };

  /// Where a forward substitution adds to rows from `end` on: memory apart. Null: where it adds to all others.
  struct Outside {
    T *sum = nullptr;
    Index rows = 0, end = 0;
  };

  template <bool Transposed>
  void run_columns(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading);
  template <bool Transposed>
  void solve_block(const Block &block, Index columns);
  template <bool Transposed>
  void solve_by_subtrees(const Block &block, Index columns);
  template <bool Transposed>
  void forward(Index s, Index columns, bool parallel, Local &local, const Outside &outside);
  template <bool Transposed>
  void backward(Index s, Index columns, bool parallel, Local &local);
  void subtract_coupling(const DiagonalBlock &fronts, Index columns);
  void subtract_coupling_transposed(const DiagonalBlock &fronts, Index columns);
  bool is_large(Index s, Index columns) const;

  const LuPlan &plan_;
  const AssemblyTree &tree_;
  const LuStore<T> &store_;
  std::vector<Block> block_;
  std::vector<T> coupling_;             ///< [entries of the plan's coupling] scaled
  std::vector<T> y_, x_;                ///< [columns, rows] right-hand sides and solutions in elimination order
  std::vector<Local> local_;            ///< [threads]
  std::vector<std::vector<T>> outside_; ///< [subtrees] for the rows below their roots
  bool zeros_given_ = false;            ///< unknowns of pivots that are 0 are in x_, else they are to be 0
};

} // namespace tessera
#endif
