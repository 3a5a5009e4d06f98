static char help[] = "MATSOLVERTESSERA: LDL^T of complex symmetric matrices, LDL^H and LL^H of Hermitian ones.\n\n";

#include "saddle_point.h"

/* How a matrix is made. */
typedef struct {
  PetscBool hermitian;  /* else symmetric */
  PetscBool real;       /* no imaginary parts */
  PetscInt n;           /* points in a row of the grid */
  PetscInt constraints; /* at most n, of which every third column of the grid has one */
  PetscReal shift;      /* of the diagonal of the grid */
} Kind;

/* An entry and its mirror image. */
static PetscErrorCode SetPair(Mat A, Kind kind, PetscInt i, PetscInt j, PetscReal size, PetscReal argument)
{
  const PetscScalar x = kind.real ? size : PetscCMPLX(size * PetscCosReal(argument), size * PetscSinReal(argument));

  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, i, j, x, INSERT_VALUES));
  PetscCall(MatSetValue(A, j, i, kind.hermitian ? PetscConj(x) : x, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [G, B'; B, 0] or [G, B^H; B, 0]: G the five-point Laplacian of an n x n grid plus shift I, its entries turned, and
   where it is symmetric with an imaginary part on the diagonal; B with one row for every third column of the grid. */
static PetscErrorCode Fill(Mat A, Kind kind)
{
  const PetscInt grid = kind.n * kind.n;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < grid; i++) {
    const PetscReal argument = 0.3 * (PetscReal)(i % 17) - 2;

    PetscCall(
        MatSetValue(A, i, i, PetscCMPLX(4.0 + kind.shift, kind.hermitian || kind.real ? 0.0 : 0.5), INSERT_VALUES));
    if (i % kind.n < kind.n - 1)
      PetscCall(SetPair(A, kind, i, i + 1, -1.0, argument));
    if (i < grid - kind.n)
      PetscCall(SetPair(A, kind, i, i + kind.n, -1.0, 2 * argument));
  }
  for (PetscInt c = 0; c < kind.constraints; c++) {
    PetscCall(MatSetValue(A, grid + c, grid + c, 0.0, INSERT_VALUES));
    for (PetscInt k = 0; k < kind.n; k++)
      PetscCall(SetPair(A, kind, (3 * c) % kind.n + k * kind.n, grid + c, 1.0, (PetscReal)(k + c)));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix in the type that the options name, and beside it one of type aij of which nothing is known. A type that
   stores one triangle is told whether it is Hermitian, others if the options say so. */
static PetscErrorCode CreateMatrices(Kind kind, Mat *A, Mat *plain)
{
  const PetscInt rows = kind.n * kind.n + kind.constraints;
  PetscBool upper, said = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(CreateSquare(rows, A, &upper));
  if (upper && kind.hermitian)
    PetscCall(MatSetOption(*A, MAT_HERMITIAN, PETSC_TRUE));
  PetscCall(Fill(*A, kind));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-said", &said, NULL));
  if (said)
    PetscCall(MatSetOption(*A, kind.hermitian ? MAT_HERMITIAN : MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 8 + 2 * kind.n, NULL, plain));
  PetscCall(MatSetOption(*plain, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(Fill(*plain, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with the matrix, in range, and says how that ended. */
static PetscErrorCode Solve(const char what[], KSP ksp, Mat plain)
{
  Vec x, b;
  PC pc;
  KSPConvergedReason reason;
  PCFailedReason failed;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(plain, &x, &b));
  PetscCall(SetRandom(x));
  PetscCall(MatMult(plain, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  if (reason > 0)
    PetscCall(CheckSolution(what, plain, x, b, 1e-14));
  else
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s, %s\n", what, KSPConvergedReasons[reason], PCFailedReasons[failed]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One vector and several, with the matrix and its transpose, by halves. */
static PetscErrorCode SolveInEveryWay(Mat F, Mat plain, PetscBool definite)
{
  Mat transpose, B, X, C;
  Vec b, x, y;
  PetscInt rows;
  PetscReal error, size;
  PetscScalar left, right;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(plain, MAT_INITIAL_MATRIX, &transpose));
  PetscCall(MatCreateVecs(plain, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(CheckSolution("MatSolve", plain, x, b, 1e-14));
  PetscCall(MatSolveTranspose(F, b, x));
  PetscCall(CheckSolution("MatSolveTranspose", transpose, x, b, 1e-14));
  PetscCall(MatForwardSolve(F, b, y));
  PetscCall(MatBackwardSolve(F, y, x));
  PetscCall(CheckSolution("MatForwardSolve and MatBackwardSolve", plain, x, b, 1e-12));
  if (definite) { /* x = L^-H b, so that b^H y = x^H b for y = L^-1 b */
    PetscCall(MatBackwardSolve(F, b, x));
    PetscCall(VecDot(y, b, &left));
    PetscCall(VecDot(b, x, &right));
    PetscCall(Verdict("halves are adjoint", (PetscBool)(PetscAbsScalar(left - right) <= 1e-12 * PetscAbsScalar(left))));
  }
  PetscCall(MatGetSize(plain, &rows, NULL));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, rows, 35, NULL, &B));
  PetscCall(MatSetRandom(B, NULL));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  for (PetscInt t = 0; t < 2; t++) {
    PetscCall(t ? MatMatSolveTranspose(F, B, X) : MatMatSolve(F, B, X));
    PetscCall(MatMatMult(t ? transpose : plain, X, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
    PetscCall(MatAXPY(C, -1.0, B, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(C, NORM_INFINITY, &error));
    PetscCall(MatNorm(X, NORM_INFINITY, &size));
    PetscCall(Verdict(t ? "MatMatSolveTranspose" : "MatMatSolve", (PetscBool)(error <= 1e-12 * size)));
    PetscCall(MatDestroy(&C));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&transpose));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the inertia, or why there is none. */
static PetscErrorCode PrintInertia(Mat F)
{
  PetscInt count[3];
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  ierr = MatGetInertia(F, &count[0], &count[1], &count[2]);
  PetscCall(PetscPopErrorHandler());
  if (!ierr)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "inertia: %" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT "\n", count[0],
                          count[1], count[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of a kind, with other values of the kind the second time. */
static PetscErrorCode TestKind(const char what[], Kind first, PetscBool definite, PetscBool singular)
{
  Kind kind = first;
  Mat A, plain, F;
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", what));
  PetscCall(CreateMatrices(kind, &A, &plain));
  if (definite)
    PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(CreateCholesky(A, &ksp));
  PetscCall(Solve("solved", ksp, plain));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  if (!singular)
    PetscCall(SolveInEveryWay(F, plain, definite));
  PetscCall(PrintInertia(F));
  kind.shift = -kind.shift - 2;
  PetscCall(Fill(A, kind));
  PetscCall(Fill(plain, kind));
  PetscCall(Solve("with other values", ksp, plain));
  if (!definite)
    PetscCall(PrintInertia(F));
  PetscCall(MatSetValue(A, 0, 0, PetscCMPLX(INFINITY, 0.0), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Solve("with an infinity", ksp, plain));
  PetscCall(Fill(A, first));
  PetscCall(Fill(plain, first));
  PetscCall(Solve("after failures", ksp, plain));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of one kind, then of another, then of the first again, in one factored matrix. */
static PetscErrorCode TestChange(const char what[], Kind first, Kind second)
{
  Mat A, plain, F;
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", what));
  PetscCall(CreateMatrices(first, &A, &plain));
  PetscCall(CreateCholesky(A, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (PetscInt i = 0; i < 3; i++) {
    PetscCall(Fill(A, i == 1 ? second : first));
    PetscCall(Fill(plain, i == 1 ? second : first));
    PetscCall(Solve(i == 1 ? "second" : "first", ksp, plain));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(PrintInertia(F));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has no Cholesky factor. */
static PetscErrorCode TestRefused(void)
{
  const Kind kind = {PETSC_FALSE, PETSC_FALSE, 3, 0, 0.0};
  Mat A, plain;
  KSP of_a, of_plain;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrices(kind, &A, &plain));
  PetscCall(CreateCholesky(A, &of_a));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(CreateCholesky(plain, &of_plain));
  PetscCall(MatSetValue(plain, 1, 0, PetscCMPLX(0.25, 0.5), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(plain, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(plain, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  (void)KSPSetUp(of_a);
  (void)KSPSetUp(of_plain);
  PetscCall(PetscPopErrorHandler());
  PetscCall(KSPDestroy(&of_a));
  PetscCall(KSPDestroy(&of_plain));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Kind symmetric = {PETSC_FALSE, PETSC_FALSE, 12, 4, 0.25}, hermitian = {PETSC_TRUE, PETSC_FALSE, 12, 4, 0.25},
             definite = {PETSC_TRUE, PETSC_FALSE, 12, 0, 0.25}, real = {PETSC_FALSE, PETSC_TRUE, 12, 4, 0.25},
             dependent = {PETSC_TRUE, PETSC_TRUE, 9, 5, 0.25};
  PetscBool refused = PETSC_FALSE, one_triangle = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-refused", &refused, NULL));
  if (refused) {
    PetscCall(TestRefused());
  } else {
    PetscCall(TestKind("complex symmetric", symmetric, PETSC_FALSE, PETSC_FALSE));
    PetscCall(TestKind("Hermitian", hermitian, PETSC_FALSE, PETSC_FALSE));
    PetscCall(TestKind("Hermitian positive definite", definite, PETSC_TRUE, PETSC_FALSE));
    PetscCall(TestKind("without imaginary parts", real, PETSC_FALSE, PETSC_FALSE));
    PetscCall(TestKind("dependent constraints", dependent, PETSC_FALSE, PETSC_TRUE));
    PetscCall(TestChange("symmetric values, which come to have imaginary parts", real, symmetric));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-one_triangle", &one_triangle, NULL));
    if (!one_triangle)
      PetscCall(TestChange("Hermitian values, which come to be symmetric", hermitian, symmetric));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double complex

   testset:
      args: -mat_tessera_singular solve
      output_file: output/complex_direct.out
      test:
         suffix: aij
         args: -said {{0 1}} -mat_tessera_ordering {{auto nd amd natural}}
      test:
         suffix: sbaij
         output_file: output/complex_direct_sbaij.out
         args: -mat_type sbaij -one_triangle -mat_tessera_preprocessing {{matching equilibrate none}}
      test:
         suffix: dense
         args: -mat_type dense -said {{0 1}}
      test:
         suffix: threshold
         args: -mat_tessera_pivot_threshold {{0.001 0.5}} -mat_tessera_reuse_pivots {{0 1}}
   test:
      suffix: view
      args: -ksp_view
      filter: grep -E "direct solver:|inertia:"
   test:
      suffix: refused
      args: -refused -mat_type {{aij sbaij dense}}

TEST*/
