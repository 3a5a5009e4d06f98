#ifndef TESSERA_MAT_SOLVER_HPP
#define TESSERA_MAT_SOLVER_HPP

#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "tessera.h"

#include <petsc/private/matimpl.h>

/// Options of a factored matrix of `MATSOLVERTESSERA`.
struct MatTesseraOptions {
  PetscReal pivot_threshold = 0.01;
  TesseraPreprocessing preprocessing = TESSERA_PREPROCESSING_MATCHING;
  TesseraOrdering ordering = TESSERA_ORDERING_AUTO;
  MatTesseraSingular singular = MAT_TESSERA_SINGULAR_FAIL;
  PetscReal refine_target = 1e-14;
  PetscInt refine_steps = 10;
};

/// The data of a factored matrix of `MATSOLVERTESSERA`.
struct Mat_Tessera {
  MatTesseraOptions options;
  tessera::FactorKind kind = tessera::FactorKind::LDLT;
  std::vector<tessera::Index> order; ///< of the rows, the caller's; or empty
  tessera::PlanResult analysis;
  std::unique_ptr<tessera::DirectFactorization> factorization; ///< of the plan in `analysis`
  tessera::DirectReport report;                                ///< of the last factorization
  tessera::SolveReport solved;                                 ///< of the last solve
  PetscInt matrix_entries = 0;                                 ///< stored in the matrix that was analysed
  bool factored = false;                                       ///< `report` says of a factor that can be applied
};

/// Of a factored matrix of `MATSOLVERTESSERA`.
inline Mat_Tessera *MatTesseraData(Mat F)
{
  return static_cast<Mat_Tessera *>(F->data);
}

PETSC_INTERN PetscErrorCode MatCholeskyFactorSymbolic_Tessera(Mat F, Mat A, IS perm, const MatFactorInfo *info);
PETSC_INTERN PetscErrorCode MatCholeskyFactorNumeric_Tessera(Mat F, Mat A, const MatFactorInfo *info);
PETSC_INTERN PetscErrorCode MatSolve_Tessera(Mat F, Vec b, Vec x);
PETSC_INTERN PetscErrorCode MatMatSolve_Tessera(Mat F, Mat B, Mat X);
PETSC_INTERN PetscErrorCode MatGetInertia_Tessera(Mat F, PetscInt *negative, PetscInt *zero, PetscInt *positive);
PETSC_INTERN PetscErrorCode MatGetInfo_Tessera(Mat F, MatInfoType type, MatInfo *info);
PETSC_INTERN PetscErrorCode MatView_Tessera(Mat F, PetscViewer viewer);

/// Registers the solver type for the matrix types that it factors.
PETSC_INTERN PetscErrorCode MatTesseraRegister();

#endif
