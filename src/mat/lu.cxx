/*
   What MATSOLVERTESSERA does for LU alone: reading rows, analysis, L U, and LDL^T while the values are symmetric.
*/
#include "base/scalar.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "mat/solver.hpp"
#include "seam/enumerations.hpp"

namespace {

/// As TesseraMatReadRows() of a dense matrix: every entry is one of the pattern.
tessera::RowInput ReadDenseRows(tessera::Index n, tessera::Offset leading, const PetscScalar *value)
{
  tessera::RowInput input;
  tessera::Pattern &pattern = input.matrix.pattern;

  pattern.rows = pattern.cols = n;
  for (tessera::Offset i = 0; i < n; ++i) {
    for (tessera::Offset j = 0; j < n; ++j) {
      pattern.column.push_back(tessera::Index(j));
      input.matrix.value.push_back(tessera::analysed(value[j * leading + i]));
      input.source.push_back(j * leading + i);
    }
    pattern.start.push_back((i + 1) * n);
  }
  return input;
}

PetscErrorCode ReadRows(Mat A, tessera::RowInput *input, tessera::FirstError *error)
{
  PetscBool dense;
  const PetscScalar *value;
  PetscInt n, leading;

  PetscFunctionBegin;
  PetscCall(MatTesseraIsDense(A, &dense));
  if (!dense) {
    PetscCall(TesseraMatReadRows(A, input, error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatDenseGetLDA(A, &leading));
  PetscCall(MatDenseGetArrayRead(A, &value));
  error->guard([&] { *input = ReadDenseRows(tessera::Index(n), leading, value); });
  PetscCall(MatDenseRestoreArrayRead(A, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the analysis is told.
tessera::PlanOptions MakePlanOptions(const Mat_Tessera &data, bool device, bool dense)
{
  tessera::PlanOptions options;
  if (device)
    tessera::prefer_device(options);
  else
    options = tessera::lu_plan_options();
  options.preprocessing = TesseraPreprocessingOf(data.options.preprocessing);
  options.ordering = MatTesseraOrderingOf(data, dense);
  return options;
}

/// Whether LU of a matrix that was read may be LDL^T: not where the caller says that it is not symmetric, or its values
/// have ceased to be.
PetscErrorCode MayBeSymmetric(Mat F, Mat A, const tessera::RowInput &input, bool *may_be)
{
  PetscBool set, said;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(A, &set, &said));
  *may_be = !input.mirror.empty() && !MatTesseraData(F)->ceased_symmetric && !(set && !said);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// LDL^T for LU of a sparse matrix. Every factorization compares the values with their mirror images.
void AnalyzeAsSymmetric(Mat_Tessera *data, tessera::RowInput &input, bool device, tessera::StepObserver *log)
{
  data->lu = false;
  data->lu_analysis = {};
  data->analysis = tessera::make_plan(input.matrix, input.source, MatTesseraSymmetricPlanOptions(*data, device, false),
                                      data->order, log);
  data->analysis.plan.mirror = std::move(input.mirror);
}

PetscErrorCode AnalyzeRows(Mat F, Mat A, bool device, tessera::StepObserver *log, tessera::FirstError *error)
{
  Mat_Tessera *data = MatTesseraData(F);
  tessera::RowInput input;
  PetscBool dense;
  bool may_be_symmetric;

  PetscFunctionBegin;
  PetscCall(MatTesseraIsDense(A, &dense));
  PetscCall(ReadRows(A, &input, error));
  PetscCall(MayBeSymmetric(F, A, input, &may_be_symmetric));
  error->guard([&] {
    tessera::PlanOptions options = MakePlanOptions(*data, device, dense);
    options.symmetric_values = may_be_symmetric;
    data->lu = true;
    data->analysis = {};
    data->lu_analysis =
        tessera::make_lu_plan(input.matrix, input.source, options, data->block_triangular, data->order, log);
    if (data->lu_analysis.suits_symmetric)
      AnalyzeAsSymmetric(data, input, device, log);
  });
  if (!data->lu)
    PetscCall(PetscInfo(F, "The values are symmetric: factors LDL^T in place of LU until they are not\n"));
  if (data->lu_analysis.keeps_columns)
    PetscCall(PetscInfo(F, "Rows keep their own columns where the matching would give a symmetric pattern up\n"));
  if (const tessera::Index levels = data->lu_analysis.left_levels; levels > 0) {
    data->block_triangular = false;
    PetscCall(PetscInfo(F,
                        "The block triangular form has %" PetscInt_FMT " levels, which a GPU would solve one after the "
                        "other: the matrix is factored as a whole\n",
                        (PetscInt)levels));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::unique_ptr<MatTesseraFactorization> MakeLU(const Mat_Tessera &data, bool device)
{
  if (!data.lu)
    return MatTesseraMakeSymmetric(data, device);
#if !PetscDefined(USE_COMPLEX)
  if (device)
    return tessera::make_cuda_lu(data.lu_analysis.plan);
#endif
  (void)device; // that has no complex factor
  return tessera::make_keeping_lu<PetscScalar>(data.lu_analysis.plan);
}

PetscErrorCode MatLUFactorNumeric_Tessera(Mat F, Mat A, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall(MatTesseraFactorNumeric(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The order of the columns is that of the rows that they are matched to.
PetscErrorCode MatLUFactorSymbolic_Tessera(Mat F, Mat A, IS row, IS, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  F->ops->lufactornumeric = MatLUFactorNumeric_Tessera;
  MatTesseraData(F)->ceased_symmetric = false;
  PetscCall(MatTesseraFactorSymbolic(F, A, row, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetFactor_Tessera_LU(Mat A, MatFactorType type, Mat *F)
{
  PetscFunctionBegin;
  PetscCall(MatTesseraCreate(A, type, F));
  MatTesseraData(*F)->analyze = AnalyzeRows;
  MatTesseraData(*F)->make = MakeLU;
  (*F)->ops->lufactorsymbolic = MatLUFactorSymbolic_Tessera;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatTesseraRegisterLU()
{
  PetscFunctionBegin;
  // A type that another one begins with comes after it: MatSolverTypeGet() takes the first that fits.
  for (MatType type : {MATSEQAIJCUSPARSE, MATSEQAIJKOKKOS, MATSEQAIJ, MATSEQDENSECUDA, MATSEQDENSE})
    PetscCall(MatSolverTypeRegister(MATSOLVERTESSERA, type, MAT_FACTOR_LU, MatGetFactor_Tessera_LU));
  PetscFunctionReturn(PETSC_SUCCESS);
}
