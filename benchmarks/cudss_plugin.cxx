/*
   MATSOLVERCUDSS: NVIDIA's direct solver cuDSS as a solver type of PETSc's, so that an application that takes any
   solver can be run with it. What benchmarks/interior_point compares with. For a symmetric MATSEQAIJCUSPARSE with both
   triangles and all diagonal entries, with one right-hand side:

     PROGRAM -dll_append libcudss_plugin.so -mat_type aijcusparse -pc_type cholesky -pc_factor_mat_solver_type cudss

   Options Database Keys:
+  -mat_cudss_matching (true|false)  - left to cuDSS; false: none
.  -mat_cudss_inertia (true|false)   - whether MatGetInertia() tells the counts that cuDSS has
.  -mat_cudss_refine k               - steps of refinement that cuDSS does; default 0, which is cuDSS's
-  -mat_cudss_threading_layer FILE   - by which its analysis has threads; `default`: that found beside the library

   Reordering and symbolic factorization, which look at values, are the symbolic phase. The first numeric phase after it
   is cuDSS's factorization, later ones its refactorization.
*/
#include <petsc/private/matimpl.h>

#include "cudss_factor.hpp"

#include <memory>
#include <optional>

#define MATSOLVERCUDSS "cudss"

namespace {

std::unique_ptr<tessera::CudssLibrary> library; // from the first factor to PetscFinalize()

struct Mat_Cudss {
  tessera::CudssOptions options;
  std::optional<tessera::CudssFactor> factor;
  bool factored = false;
};

Mat_Cudss *Data(Mat F)
{
  return static_cast<Mat_Cudss *>(F->data);
}

PetscErrorCode CloseLibrary()
{
  PetscFunctionBegin;
  library.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OpenLibrary(const std::string &threading_layer)
{
  PetscFunctionBegin;
  if (!library) {
    PetscCallCXX(library = std::make_unique<tessera::CudssLibrary>(threading_layer));
    PetscCall(PetscRegisterFinalize(CloseLibrary));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Waits for what PETSc has at work on A's values.
PetscErrorCode GetValues(Mat A, const PetscScalar **value)
{
  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, value));
  PetscCallCXX(tessera::check(cudaDeviceSynchronize(), "values of the matrix"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolve_Cudss(Mat F, Vec b, Vec x)
{
  const PetscScalar *right;
  PetscScalar *solution;

  PetscFunctionBegin;
  PetscCall(VecCUDAGetArrayRead(b, &right));
  PetscCall(VecCUDAGetArrayWrite(x, &solution));
  PetscCallCXX(tessera::check(cudaDeviceSynchronize(), "right-hand side"));
  PetscCallCXX(Data(F)->factor->set_vectors(right, solution));
  PetscCallCXX(Data(F)->factor->solve());
  PetscCall(VecCUDARestoreArrayWrite(x, &solution));
  PetscCall(VecCUDARestoreArrayRead(b, &right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetInertia_Cudss(Mat F, PetscInt *negative, PetscInt *zero, PetscInt *positive)
{
  tessera::CudssReport report;

  PetscFunctionBegin;
  PetscCallCXX(report = Data(F)->factor->report());
  if (negative)
    *negative = report.negative;
  if (zero)
    *zero = F->rmap->n - report.negative - report.positive;
  if (positive)
    *positive = report.positive;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorNumeric_Cudss(Mat F, Mat A, const MatFactorInfo *)
{
  Mat_Cudss *data = Data(F);
  const PetscScalar *value;
  int info;

  PetscFunctionBegin;
  PetscCall(GetValues(A, &value));
  PetscCallCXX(data->factor->set_values(value));
  PetscCallCXX(data->factored ? data->factor->refactor() : data->factor->factor());
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &value));
  data->factored = true;
  PetscCallCXX(info = data->factor->info());
  F->factorerrortype = info ? MAT_FACTOR_NUMERIC_ZEROPIVOT : MAT_FACTOR_NOERROR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorSymbolic_Cudss(Mat F, Mat A, IS, const MatFactorInfo *)
{
  Mat_Cudss *data = Data(F);
  const PetscInt *start, *column;
  const PetscScalar *value;
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &start, &column));
  PetscCall(GetValues(A, &value));
  data->factored = false;
  PetscCallCXX(
      data->factor.emplace(*library, A->rmap->n, std::int64_t(info.nz_used), start, column, value, data->options));
  PetscCallCXX(data->factor->reorder());
  PetscCallCXX(data->factor->factor_symbolically());
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &value));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, PETSC_FALSE, &start, &column));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_Cudss;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetInfo_Cudss(Mat, MatInfoType, MatInfo *info)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(info, sizeof *info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_Cudss(Mat F)
{
  PetscFunctionBegin;
  delete Data(F);
  F->data = nullptr;
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFactorGetSolverType_Cudss(Mat, MatSolverType *type)
{
  PetscFunctionBegin;
  *type = MATSOLVERCUDSS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOptions(Mat A, tessera::CudssOptions *options, PetscBool *inertia, std::string *threading_layer)
{
  char layer[PETSC_MAX_PATH_LEN] = "";
  PetscBool matching = PETSC_TRUE;
  PetscInt steps = 0;

  PetscFunctionBegin;
  *inertia = PETSC_TRUE;
  PetscOptionsBegin(PetscObjectComm((PetscObject)A), ((PetscObject)A)->prefix, "Options of cuDSS", "Mat");
  PetscCall(PetscOptionsBool("-mat_cudss_matching", "Matching as by default", "", matching, &matching, nullptr));
  PetscCall(PetscOptionsBool("-mat_cudss_inertia", "Tell the inertia", "", *inertia, inertia, nullptr));
  PetscCall(PetscOptionsInt("-mat_cudss_refine", "Steps of refinement", "", steps, &steps, nullptr));
  PetscCall(PetscOptionsString("-mat_cudss_threading_layer", "File", "", layer, layer, sizeof layer, nullptr));
  PetscOptionsEnd();
  options->matching = matching;
  options->refinement_steps = steps;
  *threading_layer = layer;
#ifdef CUDSS_THREADING_LAYER
  if (*threading_layer == "default")
    *threading_layer = CUDSS_THREADING_LAYER;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetFactor_Cudss(Mat A, MatFactorType type, Mat *F)
{
  Mat B;
  PetscBool inertia;
  std::string threading_layer;
  tessera::CudssOptions options;

  PetscFunctionBegin;
  PetscCall(ReadOptions(A, &options, &inertia, &threading_layer));
  PetscCall(OpenLibrary(threading_layer));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
  PetscCall(PetscStrallocpy(MATSOLVERCUDSS, &((PetscObject)B)->type_name));
  PetscCall(MatSetUp(B));
  PetscCallCXX(B->data = new Mat_Cudss{options, {}});
  B->factortype = type;
  B->canuseordering = PETSC_TRUE; // and has one of its own
  PetscCall(PetscFree(B->solvertype));
  PetscCall(PetscStrallocpy(MATSOLVERCUDSS, &B->solvertype));
  PetscCall(PetscStrallocpy(MATORDERINGEXTERNAL, const_cast<char **>(&B->preferredordering[type])));
  B->ops->choleskyfactorsymbolic = MatCholeskyFactorSymbolic_Cudss;
  B->ops->solve = MatSolve_Cudss;
  B->ops->getinertia = inertia ? MatGetInertia_Cudss : nullptr;
  B->ops->destroy = MatDestroy_Cudss;
  B->ops->getinfo = MatGetInfo_Cudss;
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatFactorGetSolverType_C", MatFactorGetSolverType_Cudss));
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* What PETSc calls after -dll_append libcudss_plugin.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_cudss_plugin(void)
{
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(MatSolverTypeRegister(MATSOLVERCUDSS, MATSEQAIJCUSPARSE, MAT_FACTOR_CHOLESKY, MatGetFactor_Cudss));
  PetscFunctionReturn(PETSC_SUCCESS);
}
