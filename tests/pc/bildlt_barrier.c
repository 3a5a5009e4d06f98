static char help[] = "PCBILDLT on small KKT systems as they come up in the last steps of an interior-point method: "
                     "barrier terms spread over\n"
                     "10 to 20 decades, degenerate active sets, constraints that depend on each other up to 1e-9. "
                     "Systems count of which a\n"
                     "factor with delayed pivots (options with the prefix direct_) gives the solution at once, with a "
                     "tenth of the residual\n"
                     "that is asked for; others have none to find, or only as the BLAS rounds.\n"
                     "  -systems N       how many; default 200\n"
                     "  -first K         number of the first; default 0\n"
                     "  -at_most I       iterations of each; default 5\n"
                     "  -each            prints a line for each system\n\n";

#include <petscksp.h>

/* splitmix64: the same numbers on every platform */
static uint64_t state;

static PetscReal Uniform(void)
{
  uint64_t z = state += 0x9e3779b97f4a7c15;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return (PetscReal)(z >> 11) / 9007199254740992.0;
}

static PetscReal Signed(void)
{
  return 2 * Uniform() - 1;
}

static PetscInt Below(PetscInt n)
{
  return PetscMin((PetscInt)(Uniform() * (PetscReal)n), n - 1);
}

/* [H + Z/X, B'; B, -delta I] with n variables, m constraints and B of `entries` entries a row */
typedef struct {
  PetscInt n, m, entries;
  PetscInt dependent; /* constraints that are the sum of two others, */
  PetscReal nearly;   /* whose entries then change relatively by at most this */
  PetscReal decades;  /* spread of Z/X */
  PetscInt basic;     /* variables off their bounds, for which Z/X is small */
  PetscInt undecided; /* variables for which neither is: X and Z are both small */
  PetscReal delta;
  PetscBool quadratic; /* H is tridiagonal; otherwise 0 */
} Program;

static Program MakeProgram(PetscInt number)
{
  static const PetscReal nearly[] = {1e-4, 1e-6, 1e-8, 1e-9}, delta[] = {0, 0, 1e-12, 1e-8};
  PetscInt rows;
  Program p;

  state = 1000 + (uint64_t)number;
  rows = 20 + Below(181);
  p.m = PetscMax(4, (PetscInt)((PetscReal)rows * (0.15 + 0.3 * Uniform())));
  p.n = rows - p.m;
  p.entries = 2 + Below(Uniform() < 0.3 ? p.n : 4);
  p.dependent = Below(4);
  p.nearly = nearly[Below(4)];
  p.decades = 10 + 10 * Uniform();
  p.basic = PetscMin(p.n, p.m + Below(p.m / 2 + 1) - p.m / 4);
  p.undecided = Below(p.n / 8 + 1);
  p.delta = delta[Below(4)];
  p.quadratic = (PetscBool)(Uniform() < 0.5);
  return p;
}

/* B, [m x n] by rows */
static void SetConstraints(const Program *p, PetscReal B[])
{
  for (PetscInt i = 0; i < p->m - p->dependent; i++)
    for (PetscInt k = 0; k < p->entries; k++)
      B[i * p->n + Below(p->n)] = Signed();
  for (PetscInt i = p->m - p->dependent; i < p->m; i++) {
    const PetscInt one = Below(p->m - p->dependent), two = Below(p->m - p->dependent);

    for (PetscInt j = 0; j < p->n; j++)
      B[i * p->n + j] = (B[one * p->n + j] + B[two * p->n + j]) * (1 + p->nearly * Signed());
  }
}

/* Variables are basic first, then undecided, then at their bounds; B's columns are random. */
static PetscReal Barrier(const Program *p, PetscInt j)
{
  const PetscReal half = p->decades / 2;
  const PetscReal at = j < p->basic ? -half : j < p->basic + p->undecided ? half * Signed() : half;

  return PetscPowReal(10, at + Signed());
}

static PetscErrorCode SetSymmetric(Mat A, PetscInt i, PetscInt j, PetscReal v)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, i, j, v, INSERT_VALUES));
  PetscCall(MatSetValue(A, j, i, v, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(const Program *p, Mat *A)
{
  const PetscInt rows = p->n + p->m;
  PetscReal *B;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(p->m * p->n, &B));
  SetConstraints(p, B);
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt j = 0; j < p->n; j++) {
    PetscCall(MatSetValue(*A, j, j, (p->quadratic ? 2 : 0) + Barrier(p, j), INSERT_VALUES));
    if (p->quadratic && j > 0)
      PetscCall(SetSymmetric(*A, j - 1, j, -1));
  }
  for (PetscInt i = 0; i < p->m; i++) {
    for (PetscInt j = 0; j < p->n; j++)
      if (B[i * p->n + j] != 0)
        PetscCall(SetSymmetric(*A, j, p->n + i, B[i * p->n + j]));
    if (p->delta > 0)
      PetscCall(MatSetValue(*A, p->n + i, p->n + i, -p->delta, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(PetscFree(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetRandom(Vec v)
{
  PetscScalar *x;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &x));
  for (PetscInt i = 0; i < n; i++)
    x[i] = Signed();
  PetscCall(VecRestoreArrayWrite(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PetscReal tolerance = 1e-6; /* of relative residuals */
static const PetscReal certain = 0.1;    /* of it: a system counts where a direct solve reaches that */

/* What a solve says of itself, and the true relative residual */
typedef struct {
  PetscInt iterations;
  KSPConvergedReason reason;
  PetscReal residual;
} Solution;

/* Solves A x = b with options of a prefix. */
static PetscErrorCode Solve(Mat A, Vec b, const char prefix[], Solution *s)
{
  Vec x, r;
  KSP ksp;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, prefix));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, tolerance, PETSC_CURRENT, PETSC_CURRENT, 1000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &s->iterations));
  PetscCall(KSPGetConvergedReason(ksp, &s->reason));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatResidual(A, b, x, r));
  PetscCall(VecNorm(r, NORM_2, &s->residual));
  PetscCall(VecDestroy(&r));
  s->residual /= norm;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the solves of many systems came to */
typedef struct {
  PetscInt systems, worst, slow, wrong;
  PetscInt untrue; /* said to have converged, with a larger residual, up to rounding */
} Found;

/* Solves a system, if it is one that counts. */
static PetscErrorCode Run(PetscInt number, PetscInt at_most, PetscBool each, Found *found)
{
  const Program p = MakeProgram(number);
  Solution s;
  Mat A;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(&p, &A));
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(SetRandom(b));
  PetscCall(Solve(A, b, "direct_", &s));
  if (s.residual < certain * tolerance) {
    PetscCall(Solve(A, b, NULL, &s));
    found->systems++;
    found->worst = PetscMax(found->worst, s.iterations);
    found->slow += s.iterations > at_most;
    found->wrong += !(s.residual < 10 * tolerance);
    found->untrue += s.reason > 0 && !(s.residual < 1.01 * tolerance);
    if (each)
      PetscCall(PetscPrintf(PETSC_COMM_SELF,
                            "%" PetscInt_FMT ": rows %" PetscInt_FMT " decades %.1f dependent %" PetscInt_FMT
                            " nearly %g basic-m %" PetscInt_FMT " delta %g: %" PetscInt_FMT
                            " iterations, residual %.1e, %s\n",
                            number, p.n + p.m, (double)p.decades, p.dependent, (double)p.nearly, p.basic - p.m,
                            (double)p.delta, s.iterations, (double)s.residual, KSPConvergedReasons[s.reason]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  PetscInt systems = 200, first = 0, at_most = 5;
  PetscBool each = PETSC_FALSE;
  Found found = {0, 0, 0, 0, 0};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &args, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-systems", &systems, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-first", &first, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-at_most", &at_most, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-each", &each, NULL));
  for (PetscInt k = first; k < first + 4 * systems && found.systems < systems; k++)
    PetscCall(Run(k, at_most, each, &found));
  if (each)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "worst %" PetscInt_FMT ", slow %" PetscInt_FMT ", wrong %" PetscInt_FMT "\n",
                          found.worst, found.slow, found.wrong));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%" PetscInt_FMT " systems\n", found.systems));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "all solved: %s\n", found.wrong ? "NO" : "yes"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "converged only where solved: %s\n", found.untrue ? "NO" : "yes"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "few iterations: %s\n", found.slow ? "NO" : "yes"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      output_file: output/bildlt_barrier.out
      args: -pc_type bildlt -ksp_type sqmr
      args: -direct_ksp_type preonly -direct_pc_type cholesky -direct_pc_factor_mat_solver_type tessera
      test:
         suffix: default
      test:
         suffix: complete
         args: -pc_bildlt_fill_level unlimited -pc_bildlt_drop_tolerance 0
      test:
         suffix: pivoting
         args: -pc_bildlt_pivoting none
      test:
         suffix: bunch_kaufman
         args: -pc_bildlt_pivoting bunch_kaufman

TEST*/
