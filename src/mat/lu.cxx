/*
   What MATSOLVERTESSERA does for LU alone: reading rows, analysis, symbolic factorization.
*/
#include "base/integers.hpp"
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
      input.matrix.value.push_back(value[j * leading + i]);
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

} // namespace

PetscErrorCode MatTesseraAnalyzeRows(Mat F, Mat A, tessera::StepObserver *log, tessera::FirstError *error)
{
  Mat_Tessera *data = MatTesseraData(F);
  tessera::RowInput input;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(MatTesseraIsDense(A, &dense));
  PetscCall(ReadRows(A, &input, error));
  error->guard([&] {
    tessera::PlanOptions options = tessera::lu_plan_options();
    options.preprocessing = TesseraPreprocessingOf(data->options.preprocessing);
    options.ordering = MatTesseraOrderingOf(*data, dense);
    data->lu_analysis =
        tessera::make_lu_plan(input.matrix, input.source, options, data->block_triangular, data->order, log);
  });
  PetscFunctionReturn(PETSC_SUCCESS);
}
