// What MATSOLVERTESSERA does for LU with a device that is not there: see fake_device.cxx.
#include "fake_device.hpp"

#include "tessera.h"

/// As many diagonal blocks as rows, each on a level of its own.
static PetscErrorCode CreateBidiagonal(PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 2, nullptr, A));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(*A, i, i, 2, INSERT_VALUES));
    if (i + 1 < n)
      PetscCall(MatSetValue(*A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Diagonal blocks on many levels, which a device does not solve one after the other, are factored by the host when the
/// device gives up. before: factorizations that were left to the host.
PetscErrorCode TestBlocksOnManyLevels(int before)
{
  Mat A, F;

  PetscFunctionBeginUser;
  PetscCall(CreateBidiagonal(40, &A));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, MAT_FACTOR_LU, &F));
  for (const Device kind : {Device::Works, Device::NeedsHost, Device::Works}) {
    const bool works = kind == Device::Works;

    device = kind;
    factorizations = 0;
    PetscCall(FactorSymbolic(F, A));
    PetscCall(FactorNumeric(F, A));
    PetscCall(MatShift(A, 0.25));
    PetscCall(FactorNumeric(F, A));
    PetscCall(Solve(A, F));
    PetscCall(Expect("the device is asked again", factorizations == 2));
    PetscCall(ExpectView(F, works ? "backend cuda\n" : "backend host: the GPU could not take the pivots\n"));
    PetscCall(
        ExpectView(F, works ? "block triangular form: not used\n" : "block triangular form: 40 diagonal blocks\n"));
  }
  PetscCall(ExpectLeftToHost(before + 2));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A block that is singular is factored as a whole by the host, too, and found to be singular.
PetscErrorCode TestSingularBlock(int before)
{
  const PetscInt n = 40;
  Mat A, F;
  MatFactorError failed;

  PetscFunctionBeginUser;
  PetscCall(CreateBidiagonal(n, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetValue(A, 1, 0, -4, INSERT_VALUES)); // [2 -1; -4 2]
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, MAT_FACTOR_LU, &F));
  device = Device::NeedsHost;
  factorizations = 0;
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  device = Device::Works;
  PetscCall(MatFactorGetError(F, &failed));
  PetscCall(Expect("a singular block is found", failed == MAT_FACTOR_NUMERIC_ZEROPIVOT));
  PetscCall(Expect("the device is asked with the blocks and as a whole", factorizations == 2));
  PetscCall(ExpectView(F, "block triangular form: not used\n"));
  PetscCall(ExpectLeftToHost(before + 2));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// [H C; B 0] with a small diagonal H of 2n rows, rows of B that join three variables each, and C its transpose times
/// `above`.
static PetscErrorCode CreateSaddlePoint(PetscInt n, PetscScalar above, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3 * n, 3 * n, 4, nullptr, A));
  for (PetscInt i = 0; i < 2 * n; i++)
    PetscCall(MatSetValue(*A, i, i, 0.001, INSERT_VALUES));
  for (PetscInt i = 0; i < n; i++) {
    for (const PetscInt j : {2 * i, (2 * i + 1) % (2 * n), (2 * i + 2) % (2 * n)}) {
      PetscCall(MatSetValue(*A, 2 * n + i, j, j % 3 + 1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, j, 2 * n + i, above * (j % 3 + 1.0), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyses A and factors it twice. entries: of the last factor.
static PetscErrorCode FactorTwice(Mat F, Mat A, PetscLogDouble *entries)
{
  MatInfo info;

  PetscFunctionBeginUser;
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &info));
  *entries = info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// LU that a device leaves to the host has the host's plan there, which keeps rows and columns of a symmetric pattern
/// together.
PetscErrorCode TestPlanOfHost()
{
  Mat A, on_host, F;
  PetscLogDouble host, works, left;

  PetscFunctionBeginUser;
  PetscCall(CreateSaddlePoint(60, 2, &A));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, MAT_FACTOR_LU, &F));
  device = Device::Works;
  PetscCall(FactorTwice(F, A, &works));
  device = Device::NeedsHost;
  factorizations = 0;
  PetscCall(FactorTwice(F, A, &left));
  device = Device::Works;
  PetscCall(Expect("the device is asked once", factorizations == 1));
  PetscCall(Solve(A, F));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_tessera_backend", "host"));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, MAT_FACTOR_LU, &on_host));
  PetscCall(FactorTwice(on_host, A, &host));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_tessera_backend", "cuda"));
  PetscCall(Expect("a plan for the device has more entries", works > host));
  PetscCall(Expect("what is left to the host has its plan", left == host));
  PetscCall(MatDestroy(&on_host));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// LU of a symmetric matrix is LDLᵀ, on the device and where that gives up, until an entry differs from its mirror
/// image.
PetscErrorCode TestSymmetric(int before)
{
  Mat A, F;
  PetscLogDouble entries;

  PetscFunctionBeginUser;
  PetscCall(CreateSaddlePoint(60, 1, &A));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, MAT_FACTOR_LU, &F));
  for (const Device kind : {Device::Works, Device::NeedsHost}) {
    device = kind;
    PetscCall(FactorTwice(F, A, &entries));
    PetscCall(Solve(A, F));
    PetscCall(ExpectView(F, "direct solver: LDL^T of a symmetric matrix, in place of LU\n"));
    PetscCall(ExpectView(F, kind == Device::Works ? "backend cuda\n" : "backend host: the GPU could not"));
  }
  device = Device::Works;
  PetscCall(MatSetValue(A, 120, 0, 1.5, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(FactorNumeric(F, A));
  PetscCall(Solve(A, F));
  PetscCall(ExpectView(F, "direct solver: LU\n"));
  PetscCall(ExpectView(F, "backend cuda\n"));
  PetscCall(ExpectLeftToHost(before + 1));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
