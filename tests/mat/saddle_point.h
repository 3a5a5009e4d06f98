/* A small indefinite system, and how the tests of MATSOLVERTESSERA print what they find. */
#ifndef TESSERA_TESTS_MAT_SADDLE_POINT_H
#define TESSERA_TESTS_MAT_SADDLE_POINT_H

#include <math.h>
#include <petscksp.h>
#include <string.h>

static inline PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An empty matrix of a type that the options name. upper: whether it stores the upper triangle alone. */
static inline PetscErrorCode CreateSquare(PetscInt rows, Mat *A, PetscBool *upper)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(PetscObjectTypeCompare((PetscObject)*A, MATSEQSBAIJ, upper));
  if (*upper)
    PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [G + shift I, B'; B, 0]: G the five-point Laplacian of an n x n grid, B with one row for every third column of the
   grid and entries 1 along it. With n = 0 an empty matrix. */
static inline PetscErrorCode CreateSaddlePoint(PetscInt n, PetscReal shift, PetscInt constraints, Mat *A)
{
  const PetscInt rows = n * n + constraints;
  PetscBool upper;

  PetscFunctionBeginUser;
  PetscCall(CreateSquare(rows, A, &upper));
  for (PetscInt i = 0; i < n * n; i++) {
    PetscCall(MatSetValue(*A, i, i, 4.0 + shift, INSERT_VALUES));
    for (PetscInt k = 0; k < 2; k++) {
      const PetscInt j = k ? i + n : i + 1;

      if (k ? j >= n * n : j % n == 0)
        continue;
      PetscCall(MatSetValue(*A, i, j, -1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, j, i, -1.0, INSERT_VALUES));
    }
  }
  for (PetscInt c = 0; c < constraints; c++) {
    PetscCall(MatSetValue(*A, n * n + c, n * n + c, 0.0, INSERT_VALUES));
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt j = (3 * c) % n + k * n;

      PetscCall(MatSetValue(*A, n * n + c, j, 1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, j, n * n + c, 1.0, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vector of random numbers, the same in every run. */
static inline PetscErrorCode SetRandom(Vec v)
{
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(VecSetRandom(v, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The scaled backward error of x, in the maximum norm. */
static inline PetscErrorCode BackwardError(Mat A, Vec x, Vec b, PetscReal *error)
{
  Vec of_x, of_b, r; /* of the type that the matrix multiplies */
  PetscReal norm, size, right, residual;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &of_x, &of_b));
  PetscCall(VecDuplicate(of_b, &r));
  PetscCall(VecCopy(x, of_x));
  PetscCall(VecCopy(b, of_b));
  PetscCall(MatResidual(A, of_b, of_x, r));
  PetscCall(MatNorm(A, NORM_INFINITY, &norm));
  PetscCall(VecNorm(x, NORM_INFINITY, &size));
  PetscCall(VecNorm(b, NORM_INFINITY, &right));
  PetscCall(VecNorm(r, NORM_INFINITY, &residual));
  *error = residual == 0 ? 0 : residual / (norm * size + right);
  PetscCall(VecDestroy(&of_x));
  PetscCall(VecDestroy(&of_b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether x solves A x = b to the tolerance. */
static inline PetscErrorCode CheckSolution(const char what[], Mat A, Vec x, Vec b, PetscReal tolerance)
{
  PetscReal error = 1;

  PetscFunctionBeginUser;
  PetscCall(BackwardError(A, x, b, &error));
  PetscCall(Verdict(what, (PetscBool)(error <= tolerance)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A KSP that applies the factor and nothing else, unless the options say otherwise. */
static inline PetscErrorCode CreateCholesky(Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the text of an error where it arises. */
static inline PetscErrorCode PrintError(MPI_Comm comm, int line, const char *function, const char *file,
                                        PetscErrorCode n, PetscErrorType p, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (p == PETSC_ERROR_INITIAL)
    (void)PetscPrintf(PETSC_COMM_SELF, "error %d: %s\n", (int)n, message);
  return n;
}

/* The view of a factor, PETSC_VIEWER_ASCII_INFO; what does not fit is left out. */
static inline PetscErrorCode ViewToString(Mat F, char view[], size_t size)
{
  PetscViewer viewer;
  FILE *file = tmpfile();

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary file");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(F, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  view[fread(view, 1, size - 1, file)] = '\0';
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pivot threshold of a later matrix, by the view of its factor, in words, as numbers are not compared. */
static inline const char *NameOfThreshold(const char view[])
{
  const char *const key = "pivot threshold, of a later matrix: ", *const line = strstr(view, key);
  double threshold = 0;

  if (!line || sscanf(line + strlen(key), "%lf", &threshold) != 1)
    return "as usual";
  switch ((int)lround(-log10(threshold))) {
  case 4:
    return "ten to the minus four";
  case 6:
    return "ten to the minus six";
  case 8:
    return "ten to the minus eight";
  case 10:
    return "ten to the minus ten";
  case 12:
    return "ten to the minus twelve";
  default:
    return "another one";
  }
}

#endif
