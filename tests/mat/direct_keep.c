static char help[] = "MATSOLVERTESSERA: one analysis for many matrices, and the pivots that are kept.\n\n";

#include "saddle_point.h"

/* The diagonal of [D B; B' -D]. */
static PetscErrorCode SetDiagonal(Mat A, PetscReal d)
{
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(MatSetValue(A, i, i, i < n / 2 ? d : -d, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [D B; B' -D] with four entries in each row of B. With D = 0 no row has a pivot of its own. */
static PetscErrorCode CreateMatrix(PetscInt half, Mat *A)
{
  const PetscInt offset[] = {0, 1, 30, 61};

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, 2 * half, 2 * half, 2 * half, 2 * half));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < half; i++)
    for (PetscInt k = 0; k < 4; k++) {
      const PetscInt j = half + (i + offset[k]) % half;
      const PetscReal value = 0.5 + ((7 * i + 5 * k) % 11) / 8.0;

      PetscCall(MatSetValue(*A, i, j, value, INSERT_VALUES));
      PetscCall(MatSetValue(*A, j, i, value, INSERT_VALUES));
    }
  PetscCall(SetDiagonal(*A, 3.0));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view of the factor says of delays and kept pivots. */
static PetscErrorCode PrintView(Mat F)
{
  char view[4096], *line;
  int plans, analyses;
  double delays = -1;

  PetscFunctionBeginUser;
  PetscCall(ViewToString(F, view, sizeof(view)));
  PetscCall(PetscStrstr(view, "uncertain, ", &line));
  if (line)
    sscanf(line, "uncertain, %lf delays", &delays);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  delays: %s\n", delays == 0 ? "none" : "some"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  pivot threshold: %s\n", NameOfThreshold(view)));
  PetscCall(PetscStrstr(view, "kept pivots: ", &line));
  if (line &&
      sscanf(line, "kept pivots: a plan of %*s flops, %d plans of found pivots, %d analyses", &plans, &analyses) == 2)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  plans of found pivots: %s, analyses anew: %d\n",
                          plans == 0 ? "none" : "some", analyses));
  PetscCall(PetscStrstr(view, "pivots failed: ", &line));
  if (line && sscanf(line, "pivots failed: %d analyses", &analyses) == 1)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  analyses anew: %d\n", analyses));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Factor(const char what[], Mat F, Mat A)
{
  Vec x, b;
  PetscReal error = 0;
  PetscInt n, negative = 0;

  PetscFunctionBeginUser;
  PetscCall(MatCholeskyFactorNumeric(F, A, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(BackwardError(A, x, b, &error));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetInertia(F, &negative, NULL, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: solves %s, inertia %s\n", what, error <= 1e-14 ? "yes" : "NO",
                        negative == n / 2 ? "yes" : "NO"));
  PetscCall(PrintView(F));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Diagonals that fail by more and less. */
static PetscErrorCode FactorSequence(Mat F, Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(Factor("with a diagonal", F, A));
  PetscCall(SetDiagonal(A, 1e-3));
  PetscCall(Factor("with a thousandth", F, A));
  PetscCall(SetDiagonal(A, 0.0));
  PetscCall(Factor("without", F, A));
  PetscCall(SetDiagonal(A, 1e-9));
  PetscCall(Factor("next to nothing", F, A));
  PetscCall(SetDiagonal(A, 1e-8));
  PetscCall(Factor("a little more", F, A));
  PetscCall(SetDiagonal(A, 3.0));
  PetscCall(Factor("with a diagonal again", F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with the factor of a matrix that may have changed since. */
static PetscErrorCode SolveLate(Mat F, Mat A)
{
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a target that solutions miss by little, whatever the threshold: the next matrix has a larger one, until that is
   the usual one and they miss it with that, too. */
static PetscErrorCode FactorWithMisses(Mat F, Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCholeskyFactorNumeric(F, A, NULL));
  PetscCall(SetDiagonal(A, 2.9));
  PetscCall(MatCholeskyFactorNumeric(F, A, NULL));
  PetscCall(PrintView(F));
  PetscCall(SetDiagonal(A, 2.8));
  PetscCall(SolveLate(F, A));
  PetscCall(PrintView(F));
  PetscCall(MatCholeskyFactorNumeric(F, A, NULL));
  PetscCall(PrintView(F));
  PetscCall(Factor("one that missed its target", F, A));
  PetscCall(SetDiagonal(A, 2.7));
  PetscCall(Factor("one that missed it again", F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, F;
  PetscInt half = 300;
  PetscBool misses = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-half", &half, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-misses", &misses, NULL));
  PetscCall(CreateMatrix(half, &A));
  PetscCall(MatGetFactor(A, "tessera", MAT_FACTOR_CHOLESKY, &F));
  PetscCall(MatCholeskyFactorSymbolic(F, A, NULL, NULL));
  if (misses)
    PetscCall(FactorWithMisses(F, A));
  else
    PetscCall(FactorSequence(F, A));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      args: -mat_tessera_ordering natural
      test:
         suffix: off
      test:
         suffix: off_few
         args: -half 30
      test:
         suffix: strict
         args: -mat_tessera_later_pivot_threshold 0.01
      test:
         suffix: misses
         args: -misses -mat_tessera_refine_target 1e-19
      test:
         suffix: misses_cuda
         requires: cuda
         filter: grep -v delays
         args: -misses -mat_tessera_refine_target 1e-19 -mat_type aijcusparse
      test:
         suffix: anew
         args: -mat_tessera_reuse_pivots
      test:
         suffix: found
         args: -mat_tessera_reuse_pivots -half 30
      test:
         suffix: cuda
         requires: cuda
         filter: grep -v delays
         args: -mat_type aijcusparse

TEST*/
