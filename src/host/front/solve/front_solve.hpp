#ifndef TESSERA_HOST_FRONT_SOLVE_FRONT_SOLVE_HPP
#define TESSERA_HOST_FRONT_SOLVE_FRONT_SOLVE_HPP

#include "host/front/front_store.hpp"

namespace tessera {

/// Substitutions with the fronts of a factor, for a block of right-hand sides at a time. Subtrees are independent but
/// for the rows below their roots, to which each adds in memory of its own; these sums are added in the order of the
/// subtrees.
template <class T, Symmetry S>
class FrontSolve {
public:
  FrontSolve(const FrontPlan &plan, const FrontStore<T> &store, FactorKind kind)
      : plan_(plan), store_(store), kind_(kind)
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

private:
  struct Local {
    std::vector<T> work;      ///< rows of a front times right-hand sides
    std::vector<Index> place; ///< [rows] of a row below the root of the subtree at hand
  };

  void forward(Index s, Index columns, bool parallel, Local &local, T *outside, Index outside_rows, Index end);
  void backward(Index s, Index columns, bool parallel, Local &local);
  void prepare();
  void take(Index columns, const T *b, Offset b_leading, bool scaled);
  void give(Index columns, T *x, Offset x_leading, bool scaled) const;
  template <class Work>
  void for_each_subtree(const Work &work);
  void forward_all(Index columns);
  void backward_all(Index columns);
  bool is_large(Index s, Index columns) const;
  Index row(Index s, Index i) const;
  void divide_by_pivots(const FrontColumns<T> &front, Index columns, T *w) const;

  const FrontPlan &plan_;
  const FrontStore<T> &store_;
  const FactorKind kind_;
  std::vector<T> x_;                    ///< [columns, rows] in elimination order
  std::vector<Local> local_;            ///< [threads]
  std::vector<std::vector<T>> outside_; ///< [subtrees] for the rows below their roots
};

} // namespace tessera
#endif
