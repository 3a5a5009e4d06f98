#include "dependent_rows.hpp"

#include "iterate.hpp"

#include <algorithm>
#include <cmath>
#include <petscblaslapack.h>
#include <petscmat.h>
#include <petsctime.h>

namespace examples {
namespace {

constexpr PetscReal accurate = 1e-11; // residual of a null vector, and b^T y beside the largest entry of b
constexpr char prefix[] = "dependent_rows_";

std::vector<PetscInt> Equations(const Program &p)
{
  std::vector<PetscInt> equation;
  for (PetscInt i = 0; i < p.rows(); ++i)
    if (p.row.lower[i] == p.row.upper[i])
      equation.push_back(i);
  return equation;
}

/// [I A_E^T; A_E 0] of the equations.
PetscErrorCode CreateMatrix(const Program &p, const std::vector<PetscInt> &equation, Mat *matrix)
{
  const PetscInt n = p.variables(), size = n + static_cast<PetscInt>(equation.size());
  PetscBool sbaij;
  Mat s;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &s));
  PetscCall(MatSetSizes(s, size, size, size, size));
  PetscCall(MatSetType(s, MATAIJ));
  PetscCall(MatSetFromOptions(s));
  PetscCall(PetscObjectTypeCompare((PetscObject)s, MATSEQSBAIJ, &sbaij));
  Triples entries;
  for (PetscInt j = 0; j < size; ++j)
    entries.Append(j, j, j < n ? 1 : 0);
  for (PetscInt e = 0; e < size - n; ++e)
    for (PetscInt k = p.a.start[equation[e]]; k < p.a.start[equation[e] + 1]; ++k) {
      entries.Append(p.a.column[k], n + e, p.a.value[k]);
      if (!sbaij)
        entries.Append(n + e, p.a.column[k], p.a.value[k]);
    }
  PetscCall(MatSetPreallocationCOO(s, static_cast<PetscCount>(entries.value.size()), entries.row.data(),
                                   entries.column.data()));
  PetscCall(MatSetValuesCOO(s, entries.value.data(), INSERT_VALUES));
  PetscCall(MatSetOption(s, MAT_SYMMETRIC, PETSC_TRUE));
  *matrix = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The null space of a symmetric matrix by Tessera's factorization; null where that is not there or fails, or where the
/// vectors are too many or not accurate.
PetscErrorCode FindNullSpace(Mat s, MatNullSpace *space)
{
  constexpr PetscReal most_numbers = 2e8;
  PetscBool available;
  Mat factor;
  MatFactorError error;
  PetscInt size, zero = 0;
  PetscReal residual = PETSC_INFINITY;
  PetscErrorCode (*get)(Mat, Mat, PetscBool, MatNullSpace *, PetscReal *);

  PetscFunctionBeginUser;
  *space = nullptr;
  PetscCall(MatGetFactorAvailable(s, "tessera", MAT_FACTOR_CHOLESKY, &available));
  if (!available) {
    PetscCall(PetscInfo(s, "Tessera was not loaded: does not look for equations that follow from others\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsSetValue(nullptr, (std::string("-") + prefix + "mat_tessera_singular").c_str(), "solve"));
  PetscCall(MatSetOptionsPrefixFactor(s, prefix));
  PetscCall(MatGetFactor(s, "tessera", MAT_FACTOR_CHOLESKY, &factor));
  PetscCall(MatCholeskyFactorSymbolic(factor, s, nullptr, nullptr));
  PetscCall(MatCholeskyFactorNumeric(factor, s, nullptr));
  PetscCall(MatFactorGetError(factor, &error));
  PetscCall(MatGetSize(s, &size, nullptr));
  if (error == MAT_FACTOR_NOERROR)
    PetscCall(MatGetInertia(factor, nullptr, &zero, nullptr));
  PetscCall(PetscObjectQueryFunction((PetscObject)factor, "MatTesseraGetNullSpace_C", &get));
  if (get && zero > 0 && static_cast<PetscReal>(zero) * static_cast<PetscReal>(size) <= most_numbers)
    PetscCall(get(factor, s, PETSC_FALSE, space, &residual));
  if (!(residual <= accurate)) {
    PetscCall(PetscInfo(s, "No multipliers of dependent equations: %s, %" PetscInt_FMT " zero pivots, residual %g\n",
                        error ? "the factorization failed" : "factored", zero, (double)residual));
    PetscCall(MatNullSpaceDestroy(space));
  }
  PetscCall(MatDestroy(&factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// [k, equations] the multipliers of the vectors, the last part of each.
PetscErrorCode GetMultipliers(MatNullSpace space, PetscInt variables, PetscInt equations, PetscInt *k, Values *y)
{
  const Vec *vector;

  PetscFunctionBeginUser;
  PetscCall(MatNullSpaceGetVecs(space, nullptr, k, &vector));
  for (PetscInt j = 0; j < *k; ++j) {
    const PetscScalar *from;
    PetscCall(VecGetArrayRead(vector[j], &from));
    y->insert(y->end(), from + variables, from + variables + equations);
    PetscCall(VecRestoreArrayRead(vector[j], &from));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether b^T y = 0 but for rounding, for the multipliers y of every vector.
bool AreConsistent(const Program &p, const std::vector<PetscInt> &equation, PetscInt k, const Values &y)
{
  PetscReal largest = 0;
  for (const PetscInt i : equation)
    largest = std::max(largest, std::abs(p.row.lower[i]));
  for (PetscInt j = 0; j < k; ++j) {
    PetscReal sum = 0;
    for (std::size_t e = 0; e < equation.size(); ++e)
      sum += y[j * equation.size() + e] * p.row.lower[equation[e]];
    if (!(std::abs(sum) <= accurate * largest))
      return false;
  }
  return true;
}

/// The rows that have the pivots of an elimination of the vectors, which is overwritten; none where it has a zero
/// pivot.
PetscErrorCode ChooseRows(const std::vector<PetscInt> &equation, PetscInt k, Values *y, std::vector<PetscInt> *chosen)
{
  PetscBLASInt rows, columns, info;
  std::vector<PetscInt> order(equation);
  std::vector<PetscBLASInt> exchange(k);

  PetscFunctionBeginUser;
  PetscCall(PetscBLASIntCast(static_cast<PetscCount>(equation.size()), &rows));
  PetscCall(PetscBLASIntCast(k, &columns));
  PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&rows, &columns, y->data(), &rows, exchange.data(), &info));
  if (info != 0)
    PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < k; ++j)
    std::swap(order[j], order[exchange[j] - 1]);
  chosen->assign(order.begin(), order.begin() + k);
  std::sort(chosen->begin(), chosen->end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The rows of a matrix of CreateMatrix().
PetscErrorCode Find(Mat matrix, const Program &p, const std::vector<PetscInt> &equation, std::vector<PetscInt> *row)
{
  const auto equations = static_cast<PetscInt>(equation.size());
  MatNullSpace space;

  PetscFunctionBeginUser;
  PetscCall(FindNullSpace(matrix, &space));
  if (space) {
    PetscInt k;
    Values y;
    PetscCall(GetMultipliers(space, p.variables(), equations, &k, &y));
    const bool consistent = AreConsistent(p, equation, k, y);
    if (k <= equations && consistent)
      PetscCall(ChooseRows(equation, k, &y, row));
    PetscCall(PetscInfo(matrix, "%" PetscInt_FMT " equations depend on others%s, %" PetscInt_FMT " are left out\n", k,
                        consistent ? "" : " and contradict them", static_cast<PetscInt>(row->size())));
  }
  PetscCall(MatNullSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FindDependentRows(const Program &program, DependentRows *dependent)
{
  const std::vector<PetscInt> equation = Equations(program);
  PetscLogDouble begin, end;
  Mat matrix;

  PetscFunctionBeginUser;
  if (equation.empty())
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CreateMatrix(program, equation, &matrix));
  PetscCall(PetscTime(&begin));
  PetscCall(Find(matrix, program, equation, &dependent->row));
  PetscCall(PetscTime(&end));
  dependent->seconds = end - begin;
  PetscCall(MatDestroy(&matrix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Program WithoutRows(const Program &program, const DependentRows &dependent, Scaling *scaling)
{
  Program left = program;
  left.a = Csr();
  left.a.cols = program.a.cols;
  left.row = Bounds();
  Values scale;
  for (PetscInt i = 0; i < program.rows(); ++i) {
    if (std::binary_search(dependent.row.begin(), dependent.row.end(), i))
      continue;
    for (PetscInt k = program.a.start[i]; k < program.a.start[i + 1]; ++k)
      left.a.Append(program.a.column[k], program.a.value[k]);
    left.a.EndRow();
    left.row.Append(program.row.lower[i], program.row.upper[i]);
    scale.push_back(scaling->row[i]);
  }
  scaling->row = scale;
  return left;
}

PetscReal Violation(const Program &program, const Scaling &scaling, const DependentRows &dependent, const Values &x)
{
  PetscReal largest = 0;
  Values activity(program.rows(), 0);
  AddProduct(program.a, 1, x, &activity);
  for (const PetscInt i : dependent.row)
    largest = std::max(largest, std::abs(activity[i] - program.row.lower[i]) / scaling.row[i]);
  return largest / (1 + LargestBound(program, scaling));
}

} // namespace examples
