#ifndef TESSERA_HOST_LU_LU_SOLVE_HPP
#define TESSERA_HOST_LU_LU_SOLVE_HPP

#include "factor/lu/lu_plan.hpp"
#include "host/front/solve/sums_below.hpp"
#include "host/front/tree_loop.hpp"
#include "host/lu/lu_front.hpp"

#include <memory>

namespace tessera {

/// Substitutions with the fronts of an LU factor, for a block of right-hand sides at a time, one diagonal block of the
/// block triangular form after the other. For a large one see TreeLoop and SumsBelow.
template <class T>
class LuSolve {
public:
  LuSolve(const LuPlan &plan, const LuStore<T> &store);

  /// Scales the values of the entries outside of the diagonal blocks. values: the caller's.
  void set_coupling(const T *values);

  /// X = A⁻¹ B for `columns` right-hand sides, or A⁻ᵀ B, not conjugated. b: [columns, b_leading], x likewise; may be
  /// the same.
  void run(bool transposed, Index columns, const T *b, Offset b_leading, T *x, Offset x_leading);

  /// Vectors for the pivots of the root of a diagonal block that are 0: X with A X = 0 but in the rows of these pivots,
  /// where X is the identity, or Y with Aᵀ Y so. [zeros, rows of the block] in elimination order.
  std::vector<T> null_vectors(bool transposed, std::size_t block);

  /// X = A⁻¹ B for a diagonal block alone, 0 in place of pivots that are 0. b: [columns, rows of the block] in
  /// elimination order, as the result. Memory is taken for all columns at once.
  std::vector<T> solve_block_alone(std::size_t block, Index columns, const T *b);

  Offset bytes() const;

private:
  struct Local {
    std::vector<T> work;      ///< rows of a front times right-hand sides
    std::vector<Index> place; ///< [rows] of a row below the root of the subtree at hand
  };

  /// A diagonal block: its tree, or null if one thread does it all.
  struct Block {
    DiagonalBlock fronts;
    std::unique_ptr<TreeLoop> tree;
  };

  using Outside = typename SumsBelow<T>::Outside;

  template <bool Transposed>
  void run_columns(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading);
  template <bool Transposed>
  void solve_block(const Block &block, Index columns);
  template <bool Transposed>
  void forward_block(const Block &block, Index columns);
  template <bool Transposed>
  void backward_block(const Block &block, Index columns);
  template <bool Transposed>
  void forward(Index s, Index columns, bool parallel, Local &local, const Outside &outside);
  template <bool Transposed>
  void backward(Index s, Index columns, bool parallel, Local &local);
  void make_room(Index columns);
  /// f(p, q) for the entries of `columns` vectors of the rows of a block: p, of vectors of all rows, is q of vectors of
  /// these alone.
  template <class F>
  void for_entries_of_block(const DiagonalBlock &fronts, Index columns, const F &f) const;
  void subtract_coupling(const DiagonalBlock &fronts, Index columns);
  void subtract_coupling_transposed(const DiagonalBlock &fronts, Index columns);
  bool is_large(Index s, Index columns) const;
  Local &local(bool parallel);

  const LuPlan &plan_;
  const AssemblyTree &tree_;
  const LuStore<T> &store_;
  std::vector<Block> block_;
  SumsBelow<T> below_;
  std::vector<T> coupling_;  ///< [entries of the plan's coupling] scaled
  std::vector<T> y_, x_;     ///< [columns, rows] right-hand sides and solutions in elimination order
  std::vector<Local> local_; ///< [threads]
  bool zeros_given_ = false; ///< unknowns of pivots that are 0 are in x_, else they are to be 0
};

} // namespace tessera
#endif
