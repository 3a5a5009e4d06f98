#ifndef TESSERA_FACTOR_FRONT_DIRECT_FACTORIZATION_HPP
#define TESSERA_FACTOR_FRONT_DIRECT_FACTORIZATION_HPP

#include "base/symmetry.hpp"
#include "factor/front/replan.hpp"
#include "factor/front/scaled_product.hpp"
#include "factor/operator.hpp"

#include <memory>

namespace tessera {

/// The halves of a solve. Backward after forward is a solve without refinement. Vectors are [rows], in the caller's
/// order, apart from each other. S is the scale, P the order.
template <class T>
class SolveHalvesOf {
public:
  /// y = Pᵀ D⁻¹ L⁻¹ P S b. Without D for LLᵀ, where the halves are each other's transposes, or adjoints for LLᴴ.
  virtual void forward(const T *b, T *y) = 0;
  /// x = S Pᵀ L⁻ᵀ P y, or with L⁻ᴴ.
  virtual void backward(const T *y, T *x) = 0;

protected:
  ~SolveHalvesOf() = default;
};
using SolveHalves = SolveHalvesOf<double>;

/// A complete factor on one backend, of a real or a complex matrix.
template <class T>
class DirectFactorizationOf {
public:
  virtual ~DirectFactorizationOf() = default;

  /// Where the arrays are that factor() and solve() are given.
  virtual Place place() const = 0;

  /// Factors the matrix with these values, in the order that the plan was told of. May be called again.
  virtual DirectReport factor(const T *values, const DirectOptions &options) = 0;

  /// X = A⁻¹ B for `columns` right-hand sides, in the caller's order and scale. b: [columns, b_leading], x likewise,
  /// apart from b. A zero pivot gives 0 in its place: for a consistent system a solution.
  virtual SolveReport solve(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                            const RefinementOptions &refinement) = 0;

  /// The same with the transpose of A, not the conjugate one: of a symmetric matrix solve().
  virtual SolveReport solve_transposed(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                                       const RefinementOptions &refinement)
  {
    return solve(columns, b, b_leading, x, x_leading, refinement);
  }

  /// The halves of solve(), or null where the backend has none.
  virtual SolveHalvesOf<T> *halves() { return nullptr; }

  /// The pivots of the last factorization, which was complete, where they are not those that the plan proposes.
  virtual PivotSequence pivots() const { return {}; }

  /// Of the matrix at its last factorization, which was complete.
  virtual ScaledProductOf<T> determinant() const = 0;

  /// The norm of the matrix at its last factorization, the largest row sum of magnitudes, and an estimate of that of
  /// its inverse, by a few solves.
  virtual double norm() const = 0;
  virtual double inverse_norm() = 0;

  /// Memory held, in bytes.
  virtual Offset bytes() const = 0;

  /// What was copied between host and device since the last call, or since the factorization was made.
  virtual Copies take_copies() { return {}; }
};
using DirectFactorization = DirectFactorizationOf<double>;

/// A factorization on the host. `plan` must outlive it. T: double or Complex. symmetry: of a complex matrix, by which
/// the plan has its sources. A Hermitian one gets L D Lᴴ or L Lᴴ; a symmetric one is not positive definite, and gets
/// L D Lᵀ whatever the kind.
template <class T = double>
std::unique_ptr<DirectFactorizationOf<T>> make_host_direct(const FrontPlan &plan, FactorKind kind,
                                                           Symmetry symmetry = Symmetry::Symmetric);

/// A factorization on the host that keeps its pivots where DirectOptions::keep_pivots asks for it: where columns are
/// delayed, or pivots come in another order or with other partners than the plan proposes, the next factorization has
/// a plan with the pivots found, see replan(). It tests them as any other, and finds others where they fail; when more
/// than a few columns are delayed again, the next plan is made of the one in use. A plan whose operations exceed twice
/// those of `plan`, which must outlive the factorization, is dropped for that. Scale factors that no longer go with the
/// values, see scale_fits(), are renewed before; of LDLᵀ also where DirectOptions::other_values says that values are
/// not those that were analysed. LLᵀ has no pivots to keep.
template <class T = double>
std::unique_ptr<DirectFactorizationOf<T>> make_keeping_direct(const FrontPlan &plan, FactorKind kind,
                                                              Symmetry symmetry = Symmetry::Symmetric);

/// A factorization in the memory of PETSc's current GPU, or null in a build without CUDA. `plan` must outlive it.
/// Throws std::bad_alloc when the device has no memory for it.
std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind);

} // namespace tessera
#endif
