static char help[] = "MatTesseraGetNullSpace: bases of the null spaces of singular matrices.\n\n";

#include "saddle_point.h"

/* Laplacians of grids that do not touch, with a null vector each; a saddle point matrix with two constraints given
   twice; a zero matrix; and a regular saddle point matrix. */
typedef enum { GRIDS, MANY, TWICE, NOTHING, REGULAR } Kind;
static const char *const names[] = {"two grids", "many grids", "constraints given twice", "zero matrix", "regular"};
static const PetscInt nullity[] = {2, 90, 2, 5, 0};

/* Of n x n points each. */
static PetscErrorCode CreateGrids(PetscInt grids, PetscInt n, Mat *A)
{
  PetscBool upper;

  PetscFunctionBeginUser;
  PetscCall(CreateSquare(grids * n * n, A, &upper));
  for (PetscInt i = 0; i < grids * n * n; i++) {
    PetscReal neighbours = 0;

    for (PetscInt k = 0; k < 4; k++) {
      const PetscInt place = i % (n * n), j = i + (k == 0 ? 1 : k == 1 ? -1 : k == 2 ? n : -n);
      const PetscBool stays = k == 0   ? (PetscBool)(place % n < n - 1)
                              : k == 1 ? (PetscBool)(place % n > 0)
                              : k == 2 ? (PetscBool)(place < n * n - n)
                                       : (PetscBool)(place >= n);

      if (!stays)
        continue;
      neighbours++;
      PetscCall(MatSetValue(*A, i, j, -1.0, INSERT_VALUES));
    }
    PetscCall(MatSetValue(*A, i, i, neighbours, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of rows, or of columns: of several sizes, and with complex scalars of several arguments. */
static PetscErrorCode CreateFactors(Mat A, PetscInt seed, Vec *factor)
{
  PetscScalar *to;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, factor, NULL));
  PetscCall(VecGetSize(*factor, &n));
  PetscCall(VecGetArrayWrite(*factor, &to));
  for (PetscInt i = 0; i < n; i++) {
    to[i] = PetscPowReal(2.0, (PetscReal)((seed * i) % 7 - 3));
    if (PetscDefined(USE_COMPLEX))
      to[i] *= PetscExpComplex(PETSC_i * (PetscReal)((seed + 1) * i));
  }
  PetscCall(VecRestoreArrayWrite(*factor, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix with its rows and columns scaled, by the same factors if it is to stay symmetric. */
static PetscErrorCode Create(Kind kind, PetscBool lu, Mat *A)
{
  const PetscInt n = 9;
  PetscBool upper;
  Vec left, right;

  PetscFunctionBeginUser;
  if (kind == GRIDS || kind == MANY) {
    PetscCall(CreateGrids(nullity[kind], kind == GRIDS ? n : 2, A));
  } else if (kind == NOTHING) {
    PetscCall(CreateSquare(nullity[kind], A, &upper));
    for (PetscInt i = 0; i < nullity[kind]; i++)
      PetscCall(MatSetValue(*A, i, i, 0.0, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  } else {
    PetscCall(CreateSaddlePoint(n, 0.1, kind == TWICE ? 5 : 3, A));
  }
  PetscCall(CreateFactors(*A, 3, &left));
  PetscCall(CreateFactors(*A, 5, &right));
  PetscCall(MatDiagonalScale(*A, left, lu ? right : left));
  PetscCall(VecDestroy(&left));
  PetscCall(VecDestroy(&right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor of A by a PC, which belongs to that. */
static PetscErrorCode Factor(Mat A, PetscBool lu, PC *pc, Mat *F)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetType(*pc, lu ? PCLU : PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(*pc, "tessera"));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetUp(*pc));
  PetscCall(PCFactorGetMatrix(*pc, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatTesseraGetNullSpace(), of a library that is loaded and not linked. */
static PetscErrorCode GetNullSpace(Mat F, Mat A, PetscBool transposed, MatNullSpace *space, PetscReal *residual)
{
  PetscErrorCode (*get)(Mat, Mat, PetscBool, MatNullSpace *, PetscReal *);

  PetscFunctionBeginUser;
  PetscCall(PetscObjectQueryFunction((PetscObject)F, "MatTesseraGetNullSpace_C", &get));
  PetscCheck(get, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The factor has no such function");
  PetscCall(get(F, A, transposed, space, residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest entry of V^H V - I, and of A V. */
static PetscErrorCode Measure(Mat A, PetscBool transposed, PetscInt k, const Vec v[], PetscReal *skew, PetscReal *size)
{
  Vec product;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, &product));
  *skew = *size = 0;
  for (PetscInt i = 0; i < k; i++) {
    PetscReal norm;

    for (PetscInt j = 0; j <= i; j++) {
      PetscScalar dot;

      PetscCall(VecDot(v[i], v[j], &dot));
      *skew = PetscMax(*skew, PetscAbsScalar(dot - (PetscReal)(i == j)));
    }
    PetscCall(transposed ? MatMultTranspose(A, v[i], product) : MatMult(A, v[i], product));
    PetscCall(VecNorm(product, NORM_INFINITY, &norm));
    *size = PetscMax(*size, norm);
  }
  PetscCall(VecDestroy(&product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(Kind kind, PetscBool lu, PetscBool transposed)
{
  Mat A, F;
  PC pc;
  MatNullSpace space;
  PetscReal residual, skew = 0, size = 0, norm;
  PetscInt k;
  const Vec *v;

  PetscFunctionBeginUser;
  PetscCall(Create(kind, lu, &A));
  PetscCall(Factor(A, lu, &pc, &F));
  PetscCall(GetNullSpace(F, A, transposed, &space, &residual));
  PetscCall(MatNullSpaceGetVecs(space, NULL, &k, &v));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", names[kind]));
  PetscCall(Verdict("  as many vectors as its nullity", (PetscBool)(k == nullity[kind])));
  PetscCall(Measure(A, transposed, k, v, &skew, &size));
  PetscCall(Verdict("  orthonormal", (PetscBool)(skew <= 1e-13)));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  PetscCall(Verdict("  null vectors", (PetscBool)(size <= 1e-14 * norm)));
  PetscCall(Verdict("  and called so", (PetscBool)(residual <= 1e-13)));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What cannot be told. */
static PetscErrorCode Refuse(PetscBool lu)
{
  Mat A, B, F;
  PC pc;
  MatNullSpace space;
  PetscReal residual;

  PetscFunctionBeginUser;
  PetscCall(Create(GRIDS, lu, &A));
  PetscCall(Factor(A, lu, &pc, &F));
  PetscCall(Create(NOTHING, lu, &B));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  (void)GetNullSpace(F, A, PETSC_FALSE, &space, &residual);
  (void)GetNullSpace(F, B, PETSC_FALSE, &space, &residual);
  PetscCall(PetscPopErrorHandler());
  PetscCall(MatDestroy(&B));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool lu = PETSC_FALSE, transposed = PETSC_FALSE, refuse = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-lu", &lu, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-transposed", &transposed, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-refuse", &refuse, NULL));
  if (refuse)
    PetscCall(Refuse(lu));
  for (Kind kind = GRIDS; kind <= REGULAR && !refuse; kind++)
    PetscCall(Check(kind, lu, transposed));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double

   testset:
      output_file: output/null_space.out
      args: -mat_tessera_singular solve
      test:
         args: -mat_type {{aij sbaij dense}} -transposed {{false true}}
      test:
         suffix: lu
         args: -lu -mat_type {{aij dense}} -transposed {{false true}}
      test:
         suffix: cuda
         requires: cuda !complex
         args: -mat_type {{aijcusparse densecuda}}
      test:
         suffix: lu_cuda
         requires: cuda !complex
         args: -lu -mat_type aijcusparse -transposed {{false true}}

   testset:
      args: -refuse
      test:
         suffix: fail
      test:
         suffix: static
         requires: !complex
         args: -mat_tessera_pivot_threshold 0

TEST*/
