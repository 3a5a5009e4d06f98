static char help[] = "What PCBILDLT makes of tiny, singular, broken and unsuitable matrices.\n\n";

#include <petscksp.h>

#define LARGEST 6

/* A matrix of at most LARGEST rows by rows of LARGEST; what is not given is 0. */
typedef struct {
  const char *name;
  PetscInt m, n;
  PetscReal a[LARGEST][LARGEST];
} Case;

#define NO (-12345.0)   /* not stored */
#define NAN_ (-12346.0) /* stored as NaN */
#define INF_ (-12347.0) /* stored as infinity */

static const Case cases[] = {
    {"no rows", 0, 0, {{0}}},
    {"one row", 1, 1, {{-3}}},
    {"one row, zero", 1, 1, {{0}}},
    {"one row, no entries", 1, 1, {{NO}}},
    {"two rows", 2, 2, {{1, 2}, {2, 1}}},
    {"two rows, zero diagonal", 2, 2, {{0, 2}, {2, 0}}},
    {"two rows, no diagonal", 2, 2, {{NO, 2}, {2, NO}}},
    {"zero matrix", 3, 3, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
    {"no entries", 3, 3, {{NO, NO, NO}, {NO, NO, NO}, {NO, NO, NO}}},
    {"empty row", 3, 3, {{2, NO, 1}, {NO, NO, NO}, {1, NO, -1}}},
    {"row of zeros", 3, 3, {{2, 0, 1}, {0, 0, 0}, {1, 0, -1}}},
    {"rank one", 3, 3, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
    {"zeros without mirror images", 3, 3, {{2, 0, 0}, {NO, 3, NO}, {NO, 0, 4}}},
    {"NaN on the diagonal", 2, 2, {{NAN_, 1}, {1, 2}}},
    {"NaN off the diagonal", 2, 2, {{3, NAN_}, {NAN_, 2}}},
    {"NaN on one side", 2, 2, {{3, NAN_}, {1, 2}}},
    {"infinity", 2, 2, {{3, INF_}, {INF_, 2}}},
    {"nonsymmetric", 2, 2, {{3, 1}, {2, 2}}},
    {"nonsymmetric pattern", 3, 3, {{3, NO, 1}, {NO, 2, NO}, {NO, NO, 1}}},
    {"rectangular", 2, 3, {{3, 1, 2}, {1, 2, 1}}},
};

static PetscErrorCode CreateMatrix(const Case *c, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, c->m, c->n, c->m, c->n));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, LARGEST, NULL));
  for (PetscInt i = 0; i < c->m; i++)
    for (PetscInt j = 0; j < c->n; j++) {
      const PetscReal v = c->a[i][j];

      if (v != NO)
        PetscCall(MatSetValue(*A, i, j, v == NAN_ ? NAN : v == INF_ ? INFINITY : v, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the text of an error where it arises. */
static PetscErrorCode PrintError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                 PetscErrorType p, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (p == PETSC_ERROR_INITIAL)
    (void)PetscPrintf(PETSC_COMM_SELF, "error %d: %s", (int)n, message);
  return n;
}

/* By the preconditioner alone. */
static PetscErrorCode RunPC(Mat A)
{
  PC pc;
  PCFailedReason failed;
  PetscErrorCode error;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, "bildlt"));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  error = PCSetUp(pc);
  PetscCall(PetscPopErrorHandler());
  if (!error) {
    Vec r, z;
    PetscReal norm;

    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCall(MatCreateVecs(A, &z, &r));
    PetscCall(VecSet(r, 1.0));
    PetscCall(PCApply(pc, r, z));
    PetscCall(VecNorm(z, NORM_2, &norm));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, result %s", PCFailedReasons[failed],
                          PetscIsInfOrNanReal(norm) ? "not finite" : "finite"));
    PetscCall(VecDestroy(&r));
    PetscCall(VecDestroy(&z));
  }
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By a solver, for a right-hand side in the range of the matrix. A factor that is the inverse there takes one
   iteration; -at_most k: as many are few. */
static PetscErrorCode RunKSP(Mat A)
{
  PetscInt its, most = 1;
  KSP ksp;
  Vec b, x, r;
  KSPConvergedReason reason;
  PetscReal rnorm, bnorm;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %s", reason > 0 ? "CONVERGED" : KSPConvergedReasons[reason]));
  if (reason > 0) {
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAXPY(r, -1.0, b));
    PetscCall(VecNorm(r, NORM_2, &rnorm));
    PetscCall(VecNorm(b, NORM_2, &bnorm));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-at_most", &most, NULL));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", residual %s, %s", rnorm <= 1e-4 * bnorm ? "small" : "NOT SMALL",
                          its <= most ? "few iterations" : "MANY ITERATIONS"));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Case *c)
{
  Mat A;
  PetscBool symmetric;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(c, &A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: ", c->name));
  PetscCall(RunPC(A));
  symmetric = (PetscBool)(c->m == c->n);
  for (PetscInt i = 0; i < c->m && symmetric; i++)
    for (PetscInt j = 0; j < i; j++)
      if (c->a[i][j] != c->a[j][i] && PetscMax(c->a[i][j], c->a[j][i]) > 0)
        symmetric = PETSC_FALSE;
  if (symmetric)
    PetscCall(RunKSP(A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices that no assembly makes, and those of other types. */
static PetscErrorCode RunUnsuitable(void)
{
  PetscInt start[3] = {0, 3, 5}, column[5] = {1, 0, 1, 0, 1}, unsorted[3] = {0, 2, 4}, backwards[4] = {1, 0, 1, 0};
  PetscScalar value[5] = {1, 2, 1, 1, 2}, values[4] = {1, 2, 3, 1};
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 2, 2, start, column, value, &A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "repeated entry: "));
  PetscCall(RunPC(A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(MatDestroy(&A));
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 2, 2, unsorted, backwards, values, &A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "unsorted rows: "));
  PetscCall(RunPC(A));
  PetscCall(RunKSP(A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\ntold that it is not symmetric: "));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(RunPC(A));
  PetscCall(MatDestroy(&A));
  PetscCall(MatCreateDense(PETSC_COMM_SELF, 2, 2, 2, 2, NULL, &A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\ndense: "));
  PetscCall(RunPC(A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A failed factorization is an error for those who ask for that. */
static PetscErrorCode RunErrorIfNotConverged(void)
{
  KSP ksp;
  Mat A;
  Vec b;
  PetscErrorCode error;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(&cases[7], &A));
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "error if not converged: "));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  error = KSPSetUp(ksp);
  PetscCall(PetscPopErrorHandler());
  if (!error)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "NO ERROR"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); i++)
    PetscCall(Run(&cases[i]));
  PetscCall(RunUnsuitable());
  PetscCall(RunErrorIfNotConverged());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: !complex double

   testset:
      args: -pc_type bildlt
      output_file: output/bildlt_edge_1.out
      test:
         suffix: 1
         args: -pc_bildlt_preprocessing {{matching equilibrate}}
      test:
         suffix: pivoting
         args: -pc_bildlt_pivoting {{none bunch_kaufman}} -pc_bildlt_precision {{double single}}
      test:
         suffix: definite
         args: -pc_bildlt_definite -at_most 2
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type {{aij aijcusparse}} -pc_bildlt_backend cuda -pc_bildlt_check
         args: -pc_bildlt_precision {{double single}}

   testset:
      args: -pc_type jldlt
      output_file: output/bildlt_edge_jldlt.out
      test:
         suffix: jldlt
      test:
         suffix: jldlt_options
         args: -pc_jldlt_pivoting {{bunch_kaufman full}} -pc_jldlt_outer_levels {{0 2}}
      test:
         suffix: jldlt_definite
         args: -pc_jldlt_definite -at_most 2
      test:
         suffix: jldlt_cuda
         requires: cuda
         args: -mat_type {{aij aijcusparse}} -pc_jldlt_backend cuda -pc_jldlt_check

   # Without perturbation singular matrices have zero pivots, which are failures
   test:
      suffix: unperturbed
      args: -pc_type bildlt -pc_bildlt_perturbation 0

   # With one that is hardly anything their inverses overflow
   testset:
      args: -pc_type bildlt -pc_bildlt_perturbation {{1e-160 1e-300}}
      output_file: output/bildlt_edge_tiny.out
      test:
         suffix: tiny
         args: -pc_bildlt_pivoting {{none bunch_kaufman rook}} -pc_bildlt_strengthen {{0 1}}
      test:
         suffix: cuda_tiny
         requires: cuda
         args: -mat_type aijcusparse -pc_bildlt_check

TEST*/
