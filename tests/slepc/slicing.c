static char help[] =
    "Spectrum slicing of SLEPc with the factorization of -st_pc_type and -st_pc_factor_mat_solver_type, which "
    "has to tell the inertia: all eigenvalues of a Laplacian in some intervals, beside the known ones.\n"
    "  -n N          N x M points, M = N + 3; default 30\n"
    "  -generalized  A x = lambda B x with a diagonal B that cancels: the same eigenvalues\n"
    "Exit status 1 if one is missing or wrong.\n\n";

#include <slepceps.h>

/* Of S A S, the five-point Laplacian on n x m points and a diagonal scaling that grows to a factor of 4; or of B = S S.
 */
static PetscErrorCode CreateMatrices(PetscInt n, PetscInt m, PetscBool generalized, Mat *A, Mat *B)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n * m, n * m, 5, NULL, A));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n * m, n * m, 1, NULL, B));
  for (PetscInt i = 0; i < n * m; i++) {
    const PetscReal scale = generalized ? 1.0 + i % 4 : 1.0;

    for (PetscInt k = -2; k <= 2; k++) {
      const PetscInt j = i + (k == -2 ? -m : k == 2 ? m : k);
      const PetscReal other = generalized ? 1.0 + (j + n * m) % (n * m) % 4 : 1.0;

      if (j < 0 || j >= n * m || (PetscAbsInt(k) == 1 && i / m != j / m))
        continue;
      PetscCall(MatSetValue(*A, i, j, (k == 0 ? 4.0 : -1.0) * scale * other, INSERT_VALUES));
    }
    PetscCall(MatSetValue(*B, i, i, scale * scale, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvalues between low and high, ascending. */
static PetscErrorCode Known(PetscInt n, PetscInt m, PetscReal low, PetscReal high, PetscReal *value, PetscInt *count)
{
  PetscFunctionBeginUser;
  *count = 0;
  for (PetscInt i = 1; i <= n; i++)
    for (PetscInt j = 1; j <= m; j++) {
      const PetscReal x = 4.0 - 2.0 * PetscCosReal(PETSC_PI * i / (n + 1)) - 2.0 * PetscCosReal(PETSC_PI * j / (m + 1));

      if (x > low && x < high)
        value[(*count)++] = x;
    }
  PetscCall(PetscSortReal(*count, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Slice(EPS eps, PetscInt n, PetscInt m, PetscReal low, PetscReal high, PetscBool *good)
{
  PetscInt expected, found;
  PetscReal *known, largest = 0;
  PetscScalar value;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n * m, &known));
  PetscCall(Known(n, m, low, high, known, &expected));
  PetscCall(EPSSetInterval(eps, low, high));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  for (PetscInt i = 0; i < PetscMin(found, expected); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    largest = PetscMax(largest, PetscAbsScalar(value - known[i]));
  }
  *good = (PetscBool)(found == expected && largest < 1e-7);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "(%g, %g): %" PetscInt_FMT " of %" PetscInt_FMT " eigenvalues, off by %.1e: %s\n", (double)low,
                        (double)high, found, expected, (double)largest, *good ? "yes" : "NO"));
  PetscCall(PetscFree(known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscReal interval[][2] = {{0.0, 0.4}, {1.9, 2.3}, {3.9, 4.1}, {7.2, 8.5}};
  PetscInt n = 30;
  PetscBool generalized = PETSC_FALSE, good = PETSC_TRUE, all = PETSC_TRUE;
  Mat A, B;
  EPS eps;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-generalized", &generalized, NULL));
  PetscCall(CreateMatrices(n, n + 3, generalized, &A, &B));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(interval); k++) {
    PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
    PetscCall(EPSSetOperators(eps, A, generalized ? B : NULL));
    PetscCall(EPSSetProblemType(eps, generalized ? EPS_GHEP : EPS_HEP));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_ALL));
    PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
    PetscCall(EPSSetFromOptions(eps));
    PetscCall(Slice(eps, n, n + 3, interval[k][0], interval[k][1], &good));
    all = (PetscBool)(all && good);
    PetscCall(EPSDestroy(&eps));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(SlepcFinalize());
  return all ? 0 : 1;
}
