static char help[] =
    "All eigenvalues of a symmetric matrix in an interval, by SLEPc's spectrum slicing: A - s B is factored for some "
    "shifts\n"
    "s, and by the law of inertia the negative eigenvalues of the factor are as many as there are eigenvalues below s, "
    "so\n"
    "that none is missed. A is the five-point Laplacian on a grid, whose eigenvalues are known.\n\n"
    "  -n N                    N x (N + 3) points; default 30\n"
    "  -generalized            A x = lambda B x with B = S S and S A S in the place of A, S diagonal: the same "
    "eigenvalues\n"
    "  -eps_interval LOW,HIGH  default: four intervals, one after the other\n"
    "  -st_pc_factor_mat_solver_type NAME   whose factor it is, which has to tell the inertia; default tessera\n"
    "  -st_mat_tessera_...     options of Tessera's factor; SLEPc's own begin with -eps_ and -st_\n\n"
    "Load Tessera's library: -dll_append /path/to/libtessera.so. A line an interval. Exit status: 0 all eigenvalues "
    "are found,\n"
    "2 some are missing or wrong, otherwise an error.\n";

#include <slepceps.h>

typedef struct {
  PetscInt n, m;         /* points of the grid */
  PetscBool generalized; /* whether there is a B */
  Mat A, B;
} Problem;

/* Entry i of S: 1, or with B 1 to 4 by turns. */
static PetscReal ScaleOf(const Problem *p, PetscInt i)
{
  return p->generalized ? 1.0 + i % 4 : 1.0;
}

/* S A S for the Laplacian A, and B = S S. */
static PetscErrorCode CreateMatrices(Problem *p)
{
  const PetscInt rows = p->n * p->m;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 5, NULL, &p->A));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 1, NULL, &p->B));
  for (PetscInt i = 0; i < rows; i++) {
    const PetscInt column = i % p->m;
    const PetscInt neighbour[4] = {i - p->m, column > 0 ? i - 1 : -1, column + 1 < p->m ? i + 1 : -1,
                                   i + p->m < rows ? i + p->m : -1};
    const PetscReal s = ScaleOf(p, i);

    PetscCall(MatSetValue(p->A, i, i, 4.0 * s * s, INSERT_VALUES));
    for (PetscInt k = 0; k < 4; k++)
      if (neighbour[k] >= 0)
        PetscCall(MatSetValue(p->A, i, neighbour[k], -s * ScaleOf(p, neighbour[k]), INSERT_VALUES));
    PetscCall(MatSetValue(p->B, i, i, s * s, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(p->B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The known eigenvalues between low and high, ascending. value: as long as the matrix has rows. */
static PetscErrorCode Known(const Problem *p, PetscReal low, PetscReal high, PetscReal *value, PetscInt *count)
{
  PetscFunctionBeginUser;
  *count = 0;
  for (PetscInt i = 1; i <= p->n; i++)
    for (PetscInt j = 1; j <= p->m; j++) {
      const PetscReal x =
          4.0 - 2.0 * PetscCosReal(PETSC_PI * i / (p->n + 1)) - 2.0 * PetscCosReal(PETSC_PI * j / (p->m + 1));

      if (x > low && x < high)
        value[(*count)++] = x;
    }
  PetscCall(PetscSortReal(*count, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver for all eigenvalues in an interval. Shift and invert, with a factor of the shifted matrix in the place of a
   Krylov method, is what spectrum slicing works with; options may name another factorization. */
static PetscErrorCode CreateSolver(const Problem *p, EPS *eps)
{
  ST st;
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(EPSCreate(PETSC_COMM_SELF, eps));
  PetscCall(EPSSetOperators(*eps, p->A, p->generalized ? p->B : NULL));
  PetscCall(EPSSetProblemType(*eps, p->generalized ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(*eps, EPSKRYLOVSCHUR));
  PetscCall(EPSSetWhichEigenpairs(*eps, EPS_ALL));
  PetscCall(EPSGetST(*eps, &st));
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(EPSKrylovSchurGetKSP(*eps, &ksp)); /* of the solver inside, which slices; that of the ST is another one */
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(EPSSetFromOptions(*eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the eigenvalues in the interval of the solver, prints a line, and says whether they are the known ones. */
static PetscErrorCode Slice(const Problem *p, EPS eps, PetscBool *good)
{
  PetscInt expected, found;
  PetscReal low, high, *known, largest = 0;
  PetscScalar value;

  PetscFunctionBeginUser;
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetInterval(eps, &low, &high));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCall(PetscMalloc1(p->n * p->m, &known));
  PetscCall(Known(p, low, high, known, &expected));
  for (PetscInt i = 0; i < PetscMin(found, expected); i++) {
    PetscCall(EPSGetEigenpair(eps, i, &value, NULL, NULL, NULL)); /* a Vec in the third place gets the eigenvector */
    largest = PetscMax(largest, PetscAbsScalar(value - known[i]));
  }
  PetscCall(PetscFree(known));
  *good = (PetscBool)(found == expected && largest < 1e-7);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "(%g, %g): %" PetscInt_FMT " of %" PetscInt_FMT " eigenvalues, off by %.1e: %s\n", (double)low,
                        (double)high, found, expected, (double)largest, *good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The interval of -eps_interval, or else four, each by a solver of its own. */
static PetscErrorCode SliceAll(const Problem *p, PetscBool *good)
{
  const PetscReal interval[][2] = {{0.0, 0.4}, {1.9, 2.3}, {3.9, 4.1}, {7.2, 8.5}};
  PetscBool one, this_one = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-eps_interval", &one));
  *good = PETSC_TRUE;
  for (size_t k = 0; k < (one ? 1 : PETSC_STATIC_ARRAY_LENGTH(interval)); k++) {
    EPS eps;

    PetscCall(CreateSolver(p, &eps));
    if (!one)
      PetscCall(EPSSetInterval(eps, interval[k][0], interval[k][1]));
    PetscCall(Slice(p, eps, &this_one));
    *good = (PetscBool)(*good && this_one);
    PetscCall(EPSDestroy(&eps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Problem problem = {.n = 30, .generalized = PETSC_FALSE};
  PetscBool good = PETSC_FALSE;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &problem.n, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-generalized", &problem.generalized, NULL));
  problem.m = problem.n + 3; /* not a square, so that few eigenvalues are alike */
  PetscCall(CreateMatrices(&problem));
  PetscCall(SliceAll(&problem, &good));
  PetscCall(MatDestroy(&problem.A));
  PetscCall(MatDestroy(&problem.B));
  PetscCall(SlepcFinalize());
  return good ? 0 : 2;
}
