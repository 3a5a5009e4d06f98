#ifndef TESSERA_MAT_SOLVER_HPP
#define TESSERA_MAT_SOLVER_HPP

#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "seam/matrix.hpp"
#include "tessera.h"

#include <algorithm>
#include <petsc/private/matimpl.h>

/// Options of a factored matrix of `MATSOLVERTESSERA`.
struct MatTesseraOptions {
  TesseraBackend backend = TESSERA_BACKEND_AUTO;
  PetscReal pivot_threshold = 0.01;
  PetscReal later_threshold = -1; ///< -1: see later_pivot_threshold()
  TesseraPreprocessing preprocessing = TESSERA_PREPROCESSING_MATCHING;
  TesseraOrdering ordering = TESSERA_ORDERING_AUTO;
  MatTesseraSingular singular = MAT_TESSERA_SINGULAR_FAIL;
  PetscReal refine_target = 1e-14;
  PetscInt refine_steps = 10;
  PetscBool reuse_pivots = PETSC_FALSE;

  /// The pivot threshold of matrices with other values than those that were analysed, unless solutions ask for more.
  /// Pivots that were good for these pass for longer by a smaller one, and refinement mends what that costs. On a
  /// device other pivots take longer to find.
  PetscReal later_pivot_threshold(bool on_device) const
  {
    const PetscReal part = on_device ? 1e-6 : 0.01, least = on_device ? 1e-8 : 1e-4;
    return later_threshold >= 0 ? later_threshold : std::min(pivot_threshold, std::max(part * pivot_threshold, least));
  }
};

/// By what a matrix is known to have the pattern that was analysed.
struct MatTesseraPattern {
  PetscObjectId matrix = 0;
  PetscObjectState state = 0; ///< of its pattern
  PetscInt entries = 0;       ///< that it stores
  PetscInt leading = 0;       ///< of a dense matrix
  std::uint64_t hash = 0;     ///< of the rows of a sparse one
};

/// By what the values of a matrix are known.
struct MatTesseraValues {
  PetscObjectId matrix = 0;
  PetscObjectState state = -1;

  bool operator==(const MatTesseraValues &other) const { return matrix == other.matrix && state == other.state; }
};

using MatTesseraFactorization = tessera::DirectFactorizationOf<PetscScalar>;

/// The data of a factored matrix of `MATSOLVERTESSERA`.
struct Mat_Tessera {
  /// Reads a matrix and analyses it. What the C++ code throws is kept in `error`.
  PetscErrorCode (*analyze)(Mat F, Mat A, bool device, tessera::StepObserver *log, tessera::FirstError *error);
  /// Whether the analysis is one for a matrix of its pattern with these values; null: it always is. What the C++ code
  /// throws is kept in `error`.
  PetscErrorCode (*fits)(Mat F, Mat A, PetscBool *fits, tessera::FirstError *error) = nullptr;
  /// Makes an empty factorization of the plan, on a device or on the host.
  std::unique_ptr<MatTesseraFactorization> (*make)(const Mat_Tessera &data, bool device);
  MatTesseraOptions options;
  tessera::FactorKind kind = tessera::FactorKind::LDLT;      ///< of a symmetric matrix
  tessera::Symmetry symmetry = tessera::Symmetry::Symmetric; ///< with complex scalars, of the matrix that was analysed
  /// The factor is L U, else one of a symmetric matrix. MAT_FACTOR_LU of such a matrix is LDLᵀ while it is symmetric.
  bool lu = false;
  bool ceased_symmetric = false;     ///< since the symbolic factorization for LU: it is not tried again
  std::vector<tessera::Index> order; ///< of the rows, the caller's; or empty
  tessera::PlanResult analysis;      ///< of a symmetric matrix
  tessera::LuPlanResult lu_analysis; ///< of another
  bool block_triangular = true;      ///< the next analysis for LU looks for diagonal blocks
  std::unique_ptr<MatTesseraFactorization> factorization; ///< of the plan
  tessera::DirectReport report;                           ///< of the last factorization
  tessera::SolveReport solved;                            ///< of the last solve
  tessera::SingularDistance singular;                     ///< by all solves with this factor
  MatFactorError solve_error = MAT_FACTOR_NOERROR;        ///< of the last solve: the factor remains
  MatTesseraPattern pattern;                              ///< that was analysed
  MatTesseraValues analysed;                              ///< of the matrix in `pattern`
  PetscInt analyses_anew = 0;                             ///< since the symbolic factorization, as pivots failed
  PetscReal factor_threshold = 0;                         ///< pivot threshold of the factor
  bool has_later_threshold = false;                       ///< that is less than the usual one
  Mat matrix = nullptr;                                   ///< of a factor with a smaller threshold: a reference
  MatFactorInfo info{};                                   ///< that it was factored with
  // Since the analysis:
  PetscReal accurate_threshold = 0; ///< solutions have missed their target with less
  PetscReal sure_threshold = 0;     ///< pivots were zero or uncertain, or solutions far from their target, with less
  PetscReal usual_error = 0;        ///< largest of solutions that have missed their target with the usual threshold
  bool left_to_host = false;        ///< since the analysis, as the factorization on the GPU had to give up
  MatTesseraValues last;            ///< that were factored
  PetscInt host_factors = 0;        ///< of other values, since it did
  PetscInt most_host_factors = 1;   ///< then the GPU is tried again
  bool factored = false;            ///< `report` says of a whole factor, be it of a singular matrix

  const tessera::FrontPlan &plan() const { return lu ? lu_analysis.plan.fronts : analysis.plan; }
  bool hermitian() const { return !lu && PetscDefined(USE_COMPLEX) && symmetry == tessera::Symmetry::Hermitian; }
  /// The pivot threshold for a matrix. other_values: it has others than those that were analysed. On a device pivots
  /// have room to become smaller after a new analysis. A larger threshold is of no use where solutions miss their
  /// target with the usual one, too.
  PetscReal threshold(bool other_values, bool on_device) const
  {
    constexpr PetscReal room = 0.01;
    const PetscReal usual = options.pivot_threshold;
    if (!other_values && (analyses_anew == 0 || !on_device))
      return usual;
    return std::max({options.later_pivot_threshold(on_device), other_values ? 0 : room * usual, sure_threshold,
                     usual_error > 0 ? 0 : accurate_threshold});
  }
  /// Whether a solution with this backward error is too far from its target to be let pass where a larger pivot
  /// threshold may do better.
  bool is_far(PetscReal error) const
  {
    constexpr PetscReal far = 1e4, worse = 100;
    return !(error <= std::max(far * options.refine_target, worse * usual_error));
  }
  /// The next pivot threshold that is larger than that of the factor.
  PetscReal stricter_threshold() const
  {
    constexpr PetscReal step = 100;
    return std::min(options.pivot_threshold, step * factor_threshold);
  }
  /// LLᵀ has none to choose.
  bool chooses_pivots() const { return lu || kind != tessera::FactorKind::LLT; }
  /// Whether pivots are static, see DirectOptions::threshold.
  bool is_static() const { return options.pivot_threshold == 0 && chooses_pivots(); }
  /// What keeps its factors from a GPU; null if nothing does.
  static constexpr const char *host_only()
  {
    return PetscDefined(USE_COMPLEX) ? "Tessera's direct solver of complex matrices" : nullptr;
  }
  /// Whether pivots have signs.
  bool has_inertia() const { return !lu && (!PetscDefined(USE_COMPLEX) || hermitian()); }
};

/// Of a factored matrix of `MATSOLVERTESSERA`.
inline Mat_Tessera *MatTesseraData(Mat F)
{
  return static_cast<Mat_Tessera *>(F->data);
}

/// What MatFactorInfo asks for; an error where that cannot be had. Of the rest, `fill` and `pivotinblocks` say nothing
/// to a solver that knows its fill and has no blocks, and a complete factor has `diagonal_fill`.
PETSC_INTERN PetscErrorCode MatTesseraTakeInfo(Mat F, const MatFactorInfo *info);
PETSC_INTERN PetscErrorCode MatTesseraSetFromOptions(Mat F);

/// Whether the factor of A is to be made on a GPU.
PETSC_INTERN PetscErrorCode MatTesseraWantsDevice(Mat F, Mat A, const MatFactorInfo *info, PetscBool *device);

/// Whether a matrix is of a dense type.
PETSC_INTERN PetscErrorCode MatTesseraIsDense(Mat A, PetscBool *dense);

/// What the analysis is told of the options. A dense matrix is one front in any order.
tessera::Ordering MatTesseraOrderingOf(const Mat_Tessera &data, bool dense);

/// By what the values of A are known.
PETSC_INTERN PetscErrorCode MatTesseraIdentifyValues(Mat A, MatTesseraValues *values);

/// The pattern of A, and whether it is one that is known.
PETSC_INTERN PetscErrorCode MatTesseraGetPattern(Mat A, MatTesseraPattern *pattern);
PETSC_INTERN PetscErrorCode MatTesseraHasPattern(Mat A, const MatTesseraPattern &known, PetscBool *same);

/// Analyses the matrix, for a device or for the host, and makes an empty factorization of its pattern there.
PETSC_INTERN PetscErrorCode MatTesseraAnalyzeFor(Mat F, Mat A, bool device);

/// The same where the options want it.
PETSC_INTERN PetscErrorCode MatTesseraAnalyze(Mat F, Mat A, const MatFactorInfo *info);

/// Sets the error of a factorization, or none, before there is a factor.
PETSC_INTERN PetscErrorCode MatTesseraSetError(Mat F, MatFactorError error);
/// Sets the error for a row that is not finite.
PETSC_INTERN PetscErrorCode MatTesseraFailNonFinite(Mat F, tessera::Index row);
/// Makes what the C++ code threw a failure of the factorization if it was for want of memory, else an error.
PETSC_INTERN PetscErrorCode MatTesseraCheckError(Mat F, const char during[], const tessera::FirstError &error);

/// What the analysis of a symmetric matrix is told, and an empty factorization of its plan.
tessera::PlanOptions MatTesseraSymmetricPlanOptions(const Mat_Tessera &data, bool device, bool dense);
std::unique_ptr<MatTesseraFactorization> MatTesseraMakeSymmetric(const Mat_Tessera &data, bool device);

/// An error where there is no factor.
PETSC_INTERN PetscErrorCode MatTesseraCheckFactored(Mat F);
/// The data of a factored matrix of MATSOLVERTESSERA with a factor; an error if it is another or has none.
PETSC_INTERN PetscErrorCode MatTesseraGetFactored(Mat F, Mat_Tessera **data);

/// What symbolic and numeric factorizations of all kinds do. order: of the rows, the caller's; or null.
PETSC_INTERN PetscErrorCode MatTesseraFactorSymbolic(Mat F, Mat A, IS order, const MatFactorInfo *info);
PETSC_INTERN PetscErrorCode MatTesseraFactorNumeric(Mat F, Mat A, const MatFactorInfo *info);
/// After a solution that has missed its target with a factor of a smaller pivot threshold: gives later matrices a
/// larger one, until the next analysis. Makes the factor again with that where the solution is far from its target, and
/// the matrix is still what it was. `done`: whether it has, be it that the factorization fails. The place of the factor
/// may be another one then.
PETSC_INTERN PetscErrorCode MatTesseraFactorMoreStrictly(Mat F, PetscBool *done);

PETSC_INTERN PetscErrorCode MatSolve_Tessera(Mat F, Vec b, Vec x);
PETSC_INTERN PetscErrorCode MatSolveTranspose_Tessera(Mat F, Vec b, Vec x);
PETSC_INTERN PetscErrorCode MatForwardSolve_Tessera(Mat F, Vec b, Vec x);
PETSC_INTERN PetscErrorCode MatBackwardSolve_Tessera(Mat F, Vec b, Vec x);
PETSC_INTERN PetscErrorCode MatMatSolve_Tessera(Mat F, Mat B, Mat X);
PETSC_INTERN PetscErrorCode MatMatSolveTranspose_Tessera(Mat F, Mat B, Mat X);
PETSC_INTERN PetscErrorCode MatGetInertia_Tessera(Mat F, PetscInt *negative, PetscInt *zero, PetscInt *positive);
PETSC_INTERN PetscErrorCode MatGetInfo_Tessera(Mat F, MatInfoType type, MatInfo *info);
PETSC_INTERN PetscErrorCode MatView_Tessera(Mat F, PetscViewer viewer);

PETSC_INTERN PetscErrorCode MatTesseraRegisterEvents();

/// Makes a factored matrix for A, but for what differs from kind to kind: Mat_Tessera::analyze and make, and the
/// operation of the symbolic factorization.
PETSC_INTERN PetscErrorCode MatTesseraCreate(Mat A, MatFactorType type, Mat *F);

/// Registers the solver type for the matrix types that it factors, all kinds or one.
PETSC_INTERN PetscErrorCode MatTesseraRegister();
PETSC_INTERN PetscErrorCode MatTesseraRegisterCholesky();
PETSC_INTERN PetscErrorCode MatTesseraRegisterLU();

/// Has PCs of type PCLU and PCCHOLESKY, of those whose type is set from now on, look at what became of each solve.
PETSC_INTERN PetscErrorCode MatTesseraRegisterFailedReasons();

#endif
