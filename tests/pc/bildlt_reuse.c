static char help[] = "A PCBILDLT set up again: what is reused, and what is left of a failure.\n\n";

#include <petscksp.h>

#include "grid.h"

static PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets one entry of the diagonal. */
static PetscErrorCode SetDiagonal(Mat A, PetscInt i, PetscReal value)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, i, i, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, "sqmr"));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, "bildlt"));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for a vector of ones. Prints how the solve ended, and how often the matrix was analysed and factored in it. */
static PetscErrorCode Solve(const char what[], KSP ksp)
{
  const char *const names[3] = {"PCBILDLTAnalyze", "PCBILDLTFactor", "PCBILDLTProbe"};
  static int counted[3] = {0, 0, 0};
  Mat A;
  Vec x, b;
  KSPConvergedReason reason;
  PetscReal rnorm, bnorm;
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
#if PETSC_VERSION_LT(3, 26, 0) /* where a KSP that failed does not look at its matrix again before it is set again */
  PetscCall(KSPSetOperators(ksp, A, A));
#endif
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s", what, reason > 0 ? "CONVERGED" : KSPConvergedReasons[reason]));
  if (reason > 0) {
    Vec r;

    PetscCall(VecDuplicate(b, &r));
    PetscCall(MatResidual(A, b, x, r));
    PetscCall(VecNorm(b, NORM_2, &bnorm));
    PetscCall(VecNorm(r, NORM_2, &rnorm));
    PetscCall(VecDestroy(&r));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", residual %s, %s", rnorm <= 1.001e-5 * bnorm ? "small" : "NOT SMALL",
                          its <= 3 ? "few iterations" : "MANY ITERATIONS"));
  } else if (reason == KSP_DIVERGED_PC_FAILED) {
    PC pc;
    PCFailedReason failed;

    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %s", PCFailedReasons[failed]));
  }
  for (int i = 0; i < 3; i++) {
    PetscLogEvent event;
    PetscEventPerfInfo info;

    PetscCall(PetscLogEventGetId(names[i], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    if (info.count > counted[i])
      PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %s x%d", names[i] + 8, info.count - counted[i]));
    counted[i] = info.count;
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetOption(PC pc, const char name[], const char value[])
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, name, value));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PetscOptionsClearValue(NULL, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunValuesAndPatterns(void)
{
  Mat A, B, C, D;
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(9, 0.3, PETSC_FALSE, &A));
  PetscCall(CreateGrid(9, 0.3, PETSC_TRUE, &B));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Solve("first", ksp));
  PetscCall(Solve("again", ksp));
  PetscCall(MatShift(A, -4.9));
  PetscCall(Solve("other values", ksp));
  PetscCall(Solve("again", ksp));
  PetscCall(MatScale(A, -3.0));
  PetscCall(Solve("scaled", ksp));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(Solve("other pattern", ksp));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &C));
  PetscCall(KSPSetOperators(ksp, C, C));
  PetscCall(Solve("a copy of the first", ksp));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  PetscCall(MatScale(C, 1.001));
  PetscCall(Solve("preconditioner kept", ksp));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, B, B));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(Solve("after PCReset()", ksp));
  PetscCall(KSPReset(ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(CreateGrid(6, 0.3, PETSC_FALSE, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(Solve("another size after KSPReset()", ksp));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(Solve("the same options", ksp));
  PetscCall(SetOption(pc, "-pc_bildlt_pivoting", "bunch_kaufman"));
  PetscCall(Solve("another pivoting", ksp));
  PetscCall(SetOption(pc, "-pc_bildlt_drop_tolerance", "1e-5"));
  PetscCall(Solve("another drop tolerance", ksp));
  PetscCall(MatScale(A, 1.5));
  PetscCall(SetOption(pc, "-pc_bildlt_precision", "single"));
  PetscCall(Solve("another precision, and other values", ksp));
  PetscCall(SetOption(pc, "-pc_bildlt_block_size", "16"));
  PetscCall(Solve("another block size", ksp));
  PetscCall(KSPSetOperators(ksp, D, D));
  PetscCall(SetOption(pc, "-pc_bildlt_pivoting", "rook"));
  PetscCall(Solve("another matrix, and another pivoting", ksp));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(PCSetType(pc, "bildlt"));
  PetscCall(Solve("type set again", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Diagonally dominant values first, then a diagonal of zeros in the same pattern, for which the analysis does not fit.
 */
static PetscErrorCode RunMuchWorseValues(void)
{
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(10, 100.0, PETSC_FALSE, &A));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(Solve("dominant diagonal", ksp));
  PetscCall(MatShift(A, -104.0 + 1e-9));
  PetscCall(Solve("no diagonal", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the view of a PC has a text in it. */
static PetscErrorCode ViewSays(PC pc, const char text[], PetscBool *says)
{
  char view[4096] = "", *found;
  FILE *file = tmpfile();
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no temporary file");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  view[fread(view, 1, sizeof view - 1, file)] = '\0';
  fclose(file);
  PetscCall(PetscStrstr(view, text, &found));
  *says = (PetscBool)(found != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A quasi-definite matrix, whose pairs are left apart, then values in the same pattern whose pairs have to be together.
 */
static PetscErrorCode RunPairsApart(void)
{
  Mat A;
  KSP ksp;
  PC pc;
  PetscInt edges;
  PetscBool apart;

  PetscFunctionBeginUser;
  PetscCall(CreateNetwork(12, &edges, &A));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Solve("network", ksp));
  PetscCall(ViewSays(pc, "proposed 2x2 pivots 143, rows of 143 apart", &apart));
  PetscCall(Verdict("all pairs are apart", apart));
  PetscCall(SetFirstDiagonal(A, edges, 0.5));
  PetscCall(Solve("other values", ksp));
  PetscCall(SetFirstDiagonal(A, edges, 1e-10));
  PetscCall(Solve("a small diagonal", ksp));
  PetscCall(ViewSays(pc, "apart", &apart));
  PetscCall(Verdict("no pairs are apart", (PetscBool)!apart));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunFailures(void)
{
  Mat A, Z;
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(9, 0.3, PETSC_FALSE, &A));
  PetscCall(SetDiagonal(A, 3, NAN));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Solve("NaN at first", ksp));
  PetscCall(SetDiagonal(A, 3, 4.3));
  PetscCall(Solve("repaired", ksp));
  PetscCall(SetDiagonal(A, 80, INFINITY));
  PetscCall(Solve("infinity later", ksp));
  PetscCall(Solve("again", ksp));
  PetscCall(SetDiagonal(A, 80, 4.3));
  PetscCall(Solve("repaired", ksp));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &Z));
  PetscCall(MatScale(Z, 0.0));
  PetscCall(KSPSetOperators(ksp, Z, Z));
  PetscCall(Solve("zero matrix", ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(Solve("and back", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error in the setup leaves no factor behind that the next one, or an apply, could take. */
static PetscErrorCode RunError(void)
{
  Mat A, N;
  KSP ksp;
  PC pc;
  Vec r, z;
  PetscErrorCode setup, apply;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(9, 0.3, PETSC_FALSE, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &N));
  PetscCall(MatSetOption(N, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Solve("symmetric", ksp));
  PetscCall(KSPSetOperators(ksp, N, N));
  PetscCall(MatCreateVecs(N, &r, &z));
  PetscCall(VecSet(r, 1.0));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  setup = PCSetUp(pc);
  apply = PCApply(pc, r, z);
  PetscCall(PetscPopErrorHandler());
  PetscCall(Verdict("nonsymmetric refused by setup", (PetscBool)(setup == PETSC_ERR_ARG_INCOMP)));
  PetscCall(Verdict("and by apply", (PetscBool)(apply != PETSC_SUCCESS)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(Solve("symmetric", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunTwo(void)
{
  Mat A, B;
  KSP first, second;
  PC pc;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(8, 0.3, PETSC_FALSE, &A));
  PetscCall(CreateGrid(5, -0.7, PETSC_TRUE, &B));
  PetscCall(CreateSolver(A, &first));
  PetscCall(CreateSolver(B, &second));
  PetscCall(Solve("one of two", first));
  PetscCall(Solve("two of two", second));
  PetscCall(Solve("one of two again", first));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", &viewer));
  PetscCall(KSPGetPC(first, &pc));
  PetscCall(PCView(pc, viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PCReset(pc));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(KSPDestroy(&first));
  PetscCall(Solve("two of two alone", second));
  PetscCall(KSPDestroy(&second));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(Mat A, PetscBool strengthen, PetscInt *its)
{
  KSP ksp;
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_strengthen", strengthen ? "1" : "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_drop_tolerance", "0.9"));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_strengthen"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_drop_tolerance"));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 500));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor from which nearly everything is dropped. */
static PetscErrorCode RunStrengthen(void)
{
  Mat A;
  PetscInt weak, strong;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(40, -2.03, PETSC_FALSE, &A));
  PetscCall(Iterations(A, PETSC_FALSE, &weak));
  PetscCall(Iterations(A, PETSC_TRUE, &strong));
  PetscCall(Verdict("strengthening saves half of the iterations", (PetscBool)(2 * strong < weak)));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor without fill is weak, but the next one does not fit the memory: the weak one stays. */
static PetscErrorCode RunWeakFactorStays(void)
{
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(40, -2.03, PETSC_FALSE, &A));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_fill_level", "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_drop_tolerance", "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_memory_limit", "0.2"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_precision", "double"));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_fill_level"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_drop_tolerance"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_precision"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_memory_limit"));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 20));
  PetscCall(Solve("no memory for a better factor", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The probe asks for little: a drop tolerance that the user sets stays, unless its factor is useless. */
static PetscErrorCode RunToleranceStays(void)
{
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(40, -1.03, PETSC_FALSE, &A));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_drop_tolerance", "0.9"));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_drop_tolerance"));
  PetscCall(Solve("a tolerance of the user's", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The memory is too small for the factor, then large enough. */
static PetscErrorCode RunMemory(void)
{
  const char *const limits[] = {"0", "1e-9", "0.01"};
  Mat A;
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(20, 0.3, PETSC_FALSE, &A));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(limits); i++) {
    PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_memory_limit", limits[i]));
    PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_strengthen", "0"));
    PetscCall(CreateSolver(A, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(Solve("too little memory", ksp));
    PetscCall(MatScale(A, 2.0));
    PetscCall(Solve("other values", ksp));
    PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_memory_limit", "1"));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(Solve("enough memory", ksp));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_memory_limit", "1e-9"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_bildlt_strengthen", "1"));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(Solve("too little memory for any tolerance", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_memory_limit"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_bildlt_strengthen"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(RunValuesAndPatterns());
  PetscCall(RunMuchWorseValues());
  PetscCall(RunPairsApart());
  PetscCall(RunFailures());
  PetscCall(RunError());
  PetscCall(RunTwo());
  PetscCall(RunMemory());
  PetscCall(RunWeakFactorStays());
  PetscCall(RunToleranceStays());
  PetscCall(RunStrengthen());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: !complex double

   testset:
      output_file: output/bildlt_reuse_1.out
      test:
         suffix: 1
         args: -mat_type {{aij sbaij}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type {{aij sbaij aijcusparse}} -pc_bildlt_backend cuda -pc_bildlt_check {{0 1}}

TEST*/
