static char help[] = "What MATSOLVERTESSERA makes of tiny, singular, broken, badly scaled and unsuitable matrices.\n\n";

#include "saddle_point.h"

#define LARGEST 4
#define NO (-12345.0)   /* not stored */
#define NAN_ (-12346.0) /* stored as NaN */
#define INF_ (-12347.0) /* stored as infinity */

/* A matrix of m rows and n columns; what is not given is 0. */
typedef struct {
  const char *name;
  PetscInt m, n;
  PetscReal a[LARGEST][LARGEST];
} Case;

static const Case cases[] = {
    {"no rows", 0, 0, {{0}}},
    {"one row", 1, 1, {{-3}}},
    {"one row, zero", 1, 1, {{0}}},
    {"one row, no entries", 1, 1, {{NO}}},
    {"two rows", 2, 2, {{1, 2}, {2, 1}}},
    {"two rows, zero diagonal", 2, 2, {{0, 2}, {2, 0}}},
    {"two rows, no diagonal", 2, 2, {{NO, 2}, {2, NO}}},
    {"zero matrix", 3, 3, {{0}}},
    {"no entries", 3, 3, {{NO, NO, NO}, {NO, NO, NO}, {NO, NO, NO}}},
    {"empty row", 3, 3, {{2, NO, 1}, {NO, NO, NO}, {1, NO, -1}}},
    {"row of zeros", 3, 3, {{2, 0, 1}, {0, 0, 0}, {1, 0, -1}}},
    {"rank one", 3, 3, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
    {"zeros without mirror images", 3, 3, {{2, 0, 0}, {NO, 3, NO}, {NO, 0, 4}}},
    {"entries of all sizes", 3, 3, {{1e-10, 1, 0}, {1, 0, 1e5}, {0, 1e5, 1}}},
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
  PetscBool dense;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, c->m, c->n, c->m, c->n));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)*A, MATSEQDENSE, &dense));
  for (PetscInt i = 0; i < c->m; i++)
    for (PetscInt j = 0; j < c->n; j++) {
      const PetscReal v = c->a[i][j];

      if (v == NO && dense)
        PetscCall(MatSetValue(*A, i, j, 0.0, INSERT_VALUES));
      else if (v != NO)
        PetscCall(MatSetValue(*A, i, j, v == NAN_ ? NAN : v == INF_ ? INFINITY : v, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How a right-hand side in the range of A is solved for. */
static PetscErrorCode Solve(Mat A, PC pc)
{
  Vec b, x;
  PetscReal size, error = 0;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(PCApply(pc, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &size));
  if (PetscIsInfOrNanReal(size)) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", result flagged\n"));
  } else {
    PetscCall(BackwardError(A, x, b, &error));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", solved: %s\n", error <= 1e-14 ? "yes" : "NO"));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(Mat A)
{
  PC pc;
  Mat F;
  PCFailedReason failed;
  PetscErrorCode error;
  PetscBool error_if_failure = PETSC_FALSE, lu = PETSC_FALSE, definite = PETSC_FALSE;
  PetscInt n, negative, zero, positive;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-lu", &lu, NULL));
  PetscCall(PCSetType(pc, lu ? PCLU : PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-error_if_failure", &error_if_failure, NULL));
  PetscCall(PCSetErrorIfFailure(pc, error_if_failure));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-definite", &definite, NULL));
  if (definite)
    PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  error = PCSetUp(pc);
  PetscCall(PetscPopErrorHandler());
  if (!error) {
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", PCFailedReasons[failed]));
    PetscCall(MatGetSize(A, &n, NULL));
    if (!failed && n > 0 && !lu) {
      PetscCall(PCFactorGetMatrix(pc, &F));
      PetscCall(MatGetInertia(F, &negative, &zero, &positive));
      PetscCall(PetscPrintf(PETSC_COMM_SELF, ", inertia %" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT, negative,
                            zero, positive));
    }
    PetscCall(Solve(A, pc));
  }
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); i++) {
    PetscCall(CreateMatrix(&cases[i], &A));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: ", cases[i].name));
    PetscCall(Run(A));
    PetscCall(MatDestroy(&A));
  }
  for (PetscReal scale = 1e-20; scale < 1e25; scale *= 1e20) {
    PetscCall(CreateSaddlePoint(9, 0.1, 3, &A));
    PetscCall(MatScale(A, scale));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "scaled: "));
    PetscCall(Run(A));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      output_file: output/direct_edge.out
      test:
         args: -mat_tessera_ordering {{auto natural}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type aijcusparse

   testset:
      output_file: output/direct_edge_solve.out
      args: -mat_tessera_singular solve
      test:
         suffix: solve
         args: -mat_tessera_preprocessing {{matching equilibrate none}} -mat_type {{aij dense}}
      test:
         suffix: solve_cuda
         requires: cuda
         args: -mat_type aijcusparse

   testset:
      args: -lu
      test:
         suffix: lu
         args: -mat_tessera_ordering {{auto natural}}
      test:
         suffix: lu_cuda
         requires: cuda
         output_file: output/direct_edge_lu.out
         args: -mat_type aijcusparse
      test:
         suffix: lu_solve
         args: -mat_tessera_singular solve -mat_tessera_preprocessing {{matching none}} -mat_type {{aij dense}}

   test:
      suffix: errors
      args: -error_if_failure
      filter: grep -E "^(zero matrix|NaN|infinity|rank one)"

   test:
      suffix: errors_definite
      args: -error_if_failure -definite
      filter: grep -E "^(one row|two rows|row of zeros)"

TEST*/
