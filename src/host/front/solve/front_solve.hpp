#ifndef TESSERA_HOST_FRONT_SOLVE_FRONT_SOLVE_HPP
#define TESSERA_HOST_FRONT_SOLVE_FRONT_SOLVE_HPP

#include "host/front/front_store.hpp"
#include "host/front/solve/sums_below.hpp"
#include "host/front/tree_loop.hpp"

namespace tessera {

/// Substitutions with the fronts of a factor, for a block of right-hand sides at a time, see TreeLoop and SumsBelow.
template <class T, Symmetry S>
class FrontSolve {
public:
  FrontSolve(const FrontPlan &plan, const FrontStore<T> &store, FactorKind kind)
      : plan_(plan), store_(store), kind_(kind), tree_(plan, 0, plan.tree.fronts()), below_(plan)
  {
  }

  /// As DirectFactorization::solve().
  void run(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading);

  /// As those of SolveHalves.
  void run_forward(const T *b, T *y);
  void run_backward(const T *y, T *x);

  /// The columns of L⁻ᵀ, or L⁻ᴴ, for these places of front s, [columns, rows] in elimination order. They are 0 but in
  /// the rows of the fronts first .. s, the subtree of s. Good until the next call.
  const T *inverse_columns(Index s, Index first, const std::vector<Index> &place);

  /// D⁻¹ L⁻¹ R of an LDLᵀ, [columns, rows] in elimination order, with 0 for quotients by pivots that are 0. R:
  /// [columns, rows of the fronts first .. s, the subtree of s]; only their rows are defined. Good until the next call;
  /// what inverse_columns() returned stays.
  const T *eliminate_columns(Index s, Index first, Index columns, const T *r);

  /// X = A⁻¹ B for the rows of the fronts first .. s, the tree of s, alone, as DirectFactorization::solve() does for
  /// all, in elimination order and scaled. b: [columns, rows of the tree], as the result.
  std::vector<T> solve_tree(Index s, Index first, Index columns, const T *b);

private:
  struct Local {
    std::vector<T> work;      ///< rows of a front times right-hand sides
    std::vector<Index> place; ///< [rows] of a row below the root of the subtree at hand
  };

  using Outside = typename SumsBelow<T>::Outside;

  void forward(Index s, Index columns, bool parallel, Local &local, const Outside &outside);
  void backward(Index s, Index columns, bool parallel, Local &local);
  void prepare();
  void take(Index columns, const T *b, Offset b_leading, bool scaled);
  void give(Index columns, T *x, Offset x_leading, bool scaled) const;
  bool in_parallel(Index columns) const;
  Local &local(bool parallel);
  bool is_most(Index s, Index first) const;
  void forward_tree(Index s, Index first, Index columns, const T *b);
  void backward_tree(Index s, Index first, Index columns);
  void forward_all(Index columns);
  void backward_all(Index columns);
  bool is_large(Index s, Index columns) const;
  Index row(Index s, Index i) const;
  void divide_by_pivots(const FrontColumns<T> &front, Index columns, T *w) const;

  const FrontPlan &plan_;
  const FrontStore<T> &store_;
  const FactorKind kind_;
  TreeLoop tree_;
  SumsBelow<T> below_;
  std::vector<T> x_;         ///< [columns, rows] in elimination order
  std::vector<T> other_;     ///< the same for eliminate_columns()
  std::vector<Local> local_; ///< [threads]
};

} // namespace tessera
#endif
