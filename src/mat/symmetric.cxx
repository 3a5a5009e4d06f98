/*
   What MATSOLVERTESSERA does for symmetric and Hermitian matrices alone: reading both triangles, analysis, LDL^T and
   LL^T, LDL^H and LL^H.
*/
#include "seam/symmetric_matrix.hpp"

#include "mat/solver.hpp"
#include "seam/enumerations.hpp"

namespace {

/// As TesseraMatReadSymmetric() of a dense matrix: every entry is one of the pattern.
tessera::SymmetricInput ReadDense(tessera::Index n, tessera::Offset leading, const PetscScalar *value,
                                  bool check_symmetry, tessera::Symmetry said)
{
  std::vector<tessera::Offset> start(n + 1);
  std::vector<tessera::Index> column(tessera::Offset(n) * n);
  std::vector<PetscScalar> packed(column.size());

  for (tessera::Offset i = 0; i < n; ++i) {
    start[i + 1] = (i + 1) * n;
    for (tessera::Offset j = 0; j < n; ++j) {
      column[i * n + j] = tessera::Index(j);
      packed[i * n + j] = value[j * leading + i];
    }
  }
  tessera::SymmetricInput input =
      tessera::read_full(n, start.data(), column.data(), packed.data(), check_symmetry, said);
  for (tessera::Offset &source : input.source) {
    const tessera::Offset from = tessera::stored_at<PetscScalar>(source), to = from % n * leading + from / n;
    source = from == source ? to : ~to;
  }
  return input;
}

/// Reads both triangles of A. What the C++ code throws is kept in `error`.
PetscErrorCode ReadMatrix(Mat A, tessera::SymmetricInput *input, tessera::FirstError *error)
{
  PetscBool dense, known;
  tessera::Symmetry said;
  const PetscScalar *value;
  PetscInt n, leading;

  PetscFunctionBegin;
  PetscCall(MatTesseraIsDense(A, &dense));
  if (!dense) {
    PetscCall(TesseraMatReadSymmetric(A, "Solver type " MATSOLVERTESSERA, input, error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TesseraMatSymmetryKnown(A, &known, &said));
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatDenseGetLDA(A, &leading));
  PetscCall(MatDenseGetArrayRead(A, &value));
  error->guard([&] { *input = ReadDense(tessera::Index(n), leading, value, !known, said); });
  PetscCall(MatDenseRestoreArrayRead(A, &value));
  PetscCall(TesseraMatCheckInput(A, "Solver type " MATSOLVERTESSERA, *input));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AnalyzeSymmetric(Mat F, Mat A, bool device, tessera::StepObserver *log, tessera::FirstError *error)
{
  Mat_Tessera *data = MatTesseraData(F);
  PetscBool dense;
  tessera::SymmetricInput input;

  PetscFunctionBegin;
  PetscCall(MatTesseraIsDense(A, &dense));
  PetscCall(ReadMatrix(A, &input, error));
  if (error->any())
    PetscFunctionReturn(PETSC_SUCCESS); // nothing is known of the matrix
  data->symmetry = input.symmetry;
  PetscCheck(data->kind != tessera::FactorKind::LLT || data->has_inertia(), PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_INCOMP,
             "The matrix is said to be positive definite (MAT_SPD), but it is complex symmetric and not Hermitian. A "
             "matrix of type sbaij that stores the upper triangle of a Hermitian one needs MatSetOption() with "
             "MAT_HERMITIAN too");
  error->guard([&] {
    data->analysis = tessera::make_plan(input.matrix, input.source,
                                        MatTesseraSymmetricPlanOptions(*data, device, dense), data->order, log);
  });
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(USE_COMPLEX)
/// Values that come to be symmetric where others were Hermitian want another factor, and the analysis says where its
/// conjugates are.
PetscErrorCode FitsSymmetry(Mat F, Mat A, PetscBool *fits, tessera::FirstError *error)
{
  const Mat_Tessera *data = MatTesseraData(F);
  MatTesseraValues values;
  PetscBool known;
  tessera::Symmetry said;
  tessera::SymmetricInput input;

  PetscFunctionBegin;
  PetscCall(TesseraMatSymmetryKnown(A, &known, &said));
  PetscCall(MatTesseraIdentifyValues(A, &values));
  *fits = (PetscBool)(known && said == data->symmetry);
  if (*fits || (known && said == tessera::Symmetry::Hermitian))
    PetscFunctionReturn(PETSC_SUCCESS);
  *fits = (PetscBool)(values == data->analysed);
  if (*fits)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReadMatrix(A, &input, error));
  *fits = (PetscBool)(input.symmetry == data->symmetry);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

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
  MatTesseraData(*F)->make = MatTesseraMakeSymmetric;
#if PetscDefined(USE_COMPLEX)
  MatTesseraData(*F)->fits = FitsSymmetry;
#endif
  (*F)->ops->choleskyfactorsymbolic = MatCholeskyFactorSymbolic_Tessera;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

tessera::PlanOptions MatTesseraSymmetricPlanOptions(const Mat_Tessera &data, bool device, bool dense)
{
  tessera::PlanOptions options;
  options.preprocessing = data.kind == tessera::FactorKind::LLT ? tessera::Preprocessing::None
                                                                : TesseraPreprocessingOf(data.options.preprocessing);
  options.ordering = MatTesseraOrderingOf(data, dense);
  if (device)
    tessera::prefer_device(options);
  return options;
}

std::unique_ptr<MatTesseraFactorization> MatTesseraMakeSymmetric(const Mat_Tessera &data, bool device)
{
#if !PetscDefined(USE_COMPLEX)
  if (device)
    return tessera::make_cuda_direct(data.analysis.plan, data.kind);
#endif
  (void)device; // that has no complex factor
  return tessera::make_keeping_direct<PetscScalar>(data.analysis.plan, data.kind, data.symmetry);
}

PetscErrorCode MatTesseraRegisterCholesky()
{
  PetscFunctionBegin;
  // A type that another one begins with comes after it: MatSolverTypeGet() takes the first that fits.
  for (MatType type : {MATSEQAIJCUSPARSE, MATSEQAIJKOKKOS, MATSEQSBAIJ, MATSEQAIJ, MATSEQDENSECUDA, MATSEQDENSE})
    PetscCall(MatSolverTypeRegister(MATSOLVERTESSERA, type, MAT_FACTOR_CHOLESKY, MatGetFactor_Tessera_Cholesky));
  PetscFunctionReturn(PETSC_SUCCESS);
}
