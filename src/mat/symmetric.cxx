/*
   What MATSOLVERTESSERA does for symmetric matrices alone: reading both triangles, analysis, LDL^T and LL^T.
*/
#include "seam/symmetric_matrix.hpp"

#include "mat/solver.hpp"
#include "seam/enumerations.hpp"

namespace {

/// As TesseraMatReadSymmetric() of a dense matrix: every entry is one of the pattern.
tessera::SymmetricInput ReadDense(tessera::Index n, tessera::Offset leading, const PetscScalar *value,
                                  bool check_symmetry)
{
  std::vector<tessera::Offset> start(n + 1);
  std::vector<tessera::Index> row(tessera::Offset(n) * n);
  std::vector<double> packed(row.size());

  for (tessera::Offset j = 0; j < n; ++j) {
    start[j + 1] = (j + 1) * n;
    for (tessera::Offset i = 0; i < n; ++i) {
      row[j * n + i] = tessera::Index(i);
      packed[j * n + i] = value[j * leading + i];
    }
  }
  tessera::SymmetricInput input = tessera::read_full(n, start.data(), row.data(), packed.data(), check_symmetry);
  for (tessera::Offset &source : input.source)
    source = source / n * leading + source % n;
  return input;
}

/// Reads both triangles of A. What the C++ code throws is kept in `error`.
PetscErrorCode ReadMatrix(Mat A, tessera::SymmetricInput *input, tessera::FirstError *error)
{
  PetscBool dense, known, symmetric;
  const PetscScalar *value;
  PetscInt n, leading;

  PetscFunctionBegin;
  PetscCall(MatTesseraIsDense(A, &dense));
  if (!dense) {
    PetscCall(TesseraMatReadSymmetric(A, "Solver type " MATSOLVERTESSERA, input, error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatDenseGetLDA(A, &leading));
  PetscCall(MatDenseGetArrayRead(A, &value));
  error->guard([&] { *input = ReadDense(tessera::Index(n), leading, value, !(known && symmetric)); });
  PetscCall(MatDenseRestoreArrayRead(A, &value));
  PetscCall(TesseraMatCheckInput(A, "Solver type " MATSOLVERTESSERA, *input));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the analysis is told.
tessera::PlanOptions MakePlanOptions(const Mat_Tessera &data, bool device, bool dense)
{
  tessera::PlanOptions options;
  options.preprocessing = data.kind == tessera::FactorKind::LLT ? tessera::Preprocessing::None
                                                                : TesseraPreprocessingOf(data.options.preprocessing);
  options.ordering = MatTesseraOrderingOf(data, dense);
  if (device)
    tessera::prefer_device(options);
  return options;
}

PetscErrorCode AnalyzeSymmetric(Mat F, Mat A, bool device, tessera::StepObserver *log, tessera::FirstError *error)
{
  Mat_Tessera *data = MatTesseraData(F);
  PetscBool dense;
  tessera::SymmetricInput input;

  PetscFunctionBegin;
  PetscCall(MatTesseraIsDense(A, &dense));
  PetscCall(ReadMatrix(A, &input, error));
  error->guard([&] {
    data->analysis =
        tessera::make_plan(input.matrix, input.source, MakePlanOptions(*data, device, dense), data->order, log);
  });
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::unique_ptr<tessera::DirectFactorization> MakeSymmetric(const Mat_Tessera &data, bool device)
{
  return device ? tessera::make_cuda_direct(data.analysis.plan, data.kind)
                : tessera::make_keeping_direct(data.analysis.plan, data.kind);
}

PetscErrorCode MatCholeskyFactorNumeric_Tessera(Mat F, Mat A, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall(MatTesseraFactorNumeric(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorSymbolic_Tessera(Mat F, Mat A, IS perm, const MatFactorInfo *info)
{
  PetscBool known, definite;

  PetscFunctionBegin;
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_Tessera;
  PetscCall(MatIsSPDKnown(A, &known, &definite));
  MatTesseraData(F)->kind = known && definite ? tessera::FactorKind::LLT : tessera::FactorKind::LDLT;
  PetscCall(MatTesseraFactorSymbolic(F, A, perm, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetFactor_Tessera_Cholesky(Mat A, MatFactorType type, Mat *F)
{
  PetscFunctionBegin;
  PetscCall(MatTesseraCreate(A, type, F));
  MatTesseraData(*F)->analyze = AnalyzeSymmetric;
  MatTesseraData(*F)->make = MakeSymmetric;
  (*F)->ops->choleskyfactorsymbolic = MatCholeskyFactorSymbolic_Tessera;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatTesseraRegisterCholesky()
{
  PetscFunctionBegin;
  // A type that another one begins with comes after it: MatSolverTypeGet() takes the first that fits.
  for (MatType type : {MATSEQAIJCUSPARSE, MATSEQAIJKOKKOS, MATSEQSBAIJ, MATSEQAIJ, MATSEQDENSECUDA, MATSEQDENSE})
    PetscCall(MatSolverTypeRegister(MATSOLVERTESSERA, type, MAT_FACTOR_CHOLESKY, MatGetFactor_Tessera_Cholesky));
  PetscFunctionReturn(PETSC_SUCCESS);
}
