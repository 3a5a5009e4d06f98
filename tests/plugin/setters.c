/* Linked use: every setter of PCBILDLT, values out of range, and what the getters say. Prints what is wrong. */
#include <tessera.h>

static PetscErrorCode Expect(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  if (!good)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: %s\n", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text of the last error where it arose */
static char text[1024];

static PetscErrorCode KeepText(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                               PetscErrorType p, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (p == PETSC_ERROR_INITIAL)
    (void)PetscStrncpy(text, message, sizeof(text));
  return n;
}

/* A call that must fail with an error of this kind whose text has these words. */
#define Refused(call, code, words)                                                                                     \
  do {                                                                                                                 \
    PetscErrorCode error_;                                                                                             \
    char *found_;                                                                                                      \
    text[0] = '\0';                                                                                                    \
    PetscCall(PetscPushErrorHandler(KeepText, NULL));                                                                  \
    error_ = call;                                                                                                     \
    PetscCall(PetscPopErrorHandler());                                                                                 \
    PetscCall(PetscStrstr(text, words, &found_));                                                                      \
    PetscCall(Expect(#call " is refused", (PetscBool)(error_ == code)));                                               \
    PetscCall(Expect(#call " says why", (PetscBool)(found_ != NULL)));                                                 \
  } while (0)

static PetscErrorCode RefuseOutOfRange(PC pc)
{
  PetscFunctionBeginUser;
  Refused(PCBILDLTSetBackend(pc, (TesseraBackend)3), PETSC_ERR_ARG_OUTOFRANGE, "Backend: 3");
  Refused(PCBILDLTSetPreprocessing(pc, (TesseraPreprocessing)3), PETSC_ERR_ARG_OUTOFRANGE, "Preprocessing: 3");
  Refused(PCBILDLTSetOrdering(pc, (TesseraOrdering)7), PETSC_ERR_ARG_OUTOFRANGE, "Ordering: 7");
  Refused(PCBILDLTSetBlocking(pc, (TesseraBlocking)5), PETSC_ERR_ARG_OUTOFRANGE, "Blocking: 5");
  Refused(PCBILDLTSetPivoting(pc, (PCBILDLTPivoting)3), PETSC_ERR_ARG_OUTOFRANGE, "Pivoting: 3");
  Refused(PCBILDLTSetPrecision(pc, (PCBILDLTPrecision)3), PETSC_ERR_ARG_OUTOFRANGE, "Precision: 3");
  Refused(PCBILDLTSetBlockSize(pc, 1), PETSC_ERR_ARG_OUTOFRANGE, "1 is not between 2 and 32");
  Refused(PCBILDLTSetBlockSize(pc, 33), PETSC_ERR_ARG_OUTOFRANGE, "33 is not between 2 and 32");
  Refused(PCBILDLTSetFillLevel(pc, -2), PETSC_ERR_ARG_OUTOFRANGE, "Level of fill -2");
  Refused(PCBILDLTSetFillLevel(pc, 255), PETSC_ERR_ARG_OUTOFRANGE, "Level of fill 255");
  Refused(PCBILDLTSetDropTolerance(pc, -0.5), PETSC_ERR_ARG_OUTOFRANGE, "-0.5");
  Refused(PCBILDLTSetDropTolerance(pc, NAN), PETSC_ERR_ARG_OUTOFRANGE, "DropTolerance");
  Refused(PCBILDLTSetFillRatio(pc, -1), PETSC_ERR_ARG_OUTOFRANGE, "FillRatio");
  Refused(PCBILDLTSetFillRatio(pc, NAN), PETSC_ERR_ARG_OUTOFRANGE, "FillRatio");
  Refused(PCBILDLTSetPerturbation(pc, -1e-3), PETSC_ERR_ARG_OUTOFRANGE, "Perturbation");
  Refused(PCBILDLTSetPerturbation(pc, NAN), PETSC_ERR_ARG_OUTOFRANGE, "Perturbation");
  Refused(PCBILDLTSetMemoryLimit(pc, -7), PETSC_ERR_ARG_OUTOFRANGE, "MemoryLimit");
  Refused(PCBILDLTSetMemoryLimit(pc, NAN), PETSC_ERR_ARG_OUTOFRANGE, "MemoryLimit");
  Refused(PCBILDLTSetMaxTiles(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "MaxTiles 0");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetAll(PC pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCBILDLTSetBackend(pc, TESSERA_BACKEND_HOST));
  PetscCall(PCBILDLTSetPreprocessing(pc, TESSERA_PREPROCESSING_EQUILIBRATE));
  PetscCall(PCBILDLTSetOrdering(pc, TESSERA_ORDERING_RCM));
  PetscCall(PCBILDLTSetBlocking(pc, TESSERA_BLOCKING_RB));
  PetscCall(PCBILDLTSetBlockSize(pc, 2));
  PetscCall(PCBILDLTSetFillLevel(pc, PETSC_UNLIMITED));
  PetscCall(PCBILDLTSetDropTolerance(pc, 0));
  PetscCall(PCBILDLTSetFillRatio(pc, 0));
  PetscCall(PCBILDLTSetPivoting(pc, PC_BILDLT_PIVOTING_BUNCH_KAUFMAN));
  PetscCall(PCBILDLTSetPerturbation(pc, 1e-9));
  PetscCall(PCBILDLTSetPrecision(pc, PC_BILDLT_PRECISION_SINGLE));
  PetscCall(PCBILDLTSetDefinite(pc, PETSC_TRUE));
  PetscCall(PCBILDLTSetStrengthen(pc, PETSC_FALSE));
  PetscCall(PCBILDLTSetMemoryLimit(pc, 100));
  PetscCall(PCBILDLTSetMaxTiles(pc, 1000));
  PetscCall(PCBILDLTSetCheck(pc, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RefuseOutOfRangeJacobi(PC pc)
{
  PetscReal limit;

  PetscFunctionBeginUser;
  Refused(PCJLDLTSetBlockSize(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "0 is not between 1 and 32");
  Refused(PCJLDLTSetFillLevel(pc, -7), PETSC_ERR_ARG_OUTOFRANGE, "FillLevel: -7");
  Refused(PCJLDLTSetPivoting(pc, (PCJLDLTPivoting)4), PETSC_ERR_ARG_OUTOFRANGE, "Pivoting: 4");
  Refused(PCJLDLTSetApply(pc, (PCJLDLTApply)2), PETSC_ERR_ARG_OUTOFRANGE, "Apply: 2");
  Refused(PCJLDLTSetSweeps(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "0 is not positive");
  Refused(PCJLDLTSetStages(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "0 is not from 1 to 1024");
  Refused(PCJLDLTSetApplySweeps(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "0 is not positive");
  Refused(PCJLDLTSetEpsilon(pc, -0.5), PETSC_ERR_ARG_OUTOFRANGE, "-0.5");
  Refused(PCJLDLTSetEpsilon(pc, NAN), PETSC_ERR_ARG_OUTOFRANGE, "Epsilon");
  Refused(PCJLDLTSetEpsilonDecay(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "Decay");
  Refused(PCJLDLTSetEpsilonDecay(pc, 1.5), PETSC_ERR_ARG_OUTOFRANGE, "Decay");
  Refused(PCJLDLTSetStall(pc, 1), PETSC_ERR_ARG_OUTOFRANGE, "Stall");
  Refused(PCJLDLTSetOuterLevels(pc, -1), PETSC_ERR_ARG_OUTOFRANGE, "-1 is negative");
  Refused(PCJLDLTSetOuterTolerance(pc, NAN), PETSC_ERR_ARG_OUTOFRANGE, "OuterTolerance");
  Refused(PCJLDLTSetMemoryLimit(pc, -7), PETSC_ERR_ARG_OUTOFRANGE, "MemoryLimit");
  Refused(PCJLDLTSetMaxTiles(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "MaxTiles 0");
  Refused(PCJLDLTGetReconstructionError(pc, NULL, NULL), PETSC_ERR_ORDER, "PCSetUp");
  Refused(PCJLDLTGetMemoryLimit(pc, &limit), PETSC_ERR_ORDER, "PCSetUp");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Path of 2n rows: diagonal 3 in even rows, -2 in odd ones, 1 beside it; n eigenvalues of each sign. */
static PetscErrorCode CreateMatrix(PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 2 * n, 2 * n, 3, NULL, A));
  for (PetscInt i = 0; i < 2 * n; i++) {
    PetscCall(MatSetValue(*A, i, i, i % 2 ? -2.0 : 3.0, INSERT_VALUES));
    if (i > 0) {
      PetscCall(MatSetValue(*A, i, i - 1, 1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, i - 1, i, 1.0, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ApplyError(PC, Mat, PetscReal *);

/* Setters of PCJLDLT, a warm start, and what the getter says. */
static PetscErrorCode TestJacobi(void)
{
  PC pc;
  Mat A;
  PetscReal error, apply_error;
  PetscInt cold, warm;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(300, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCJLDLT));
  PetscCall(RefuseOutOfRangeJacobi(pc));
  PetscCall(PCJLDLTSetBlocking(pc, TESSERA_BLOCKING_GRID));
  PetscCall(PCJLDLTSetOrdering(pc, TESSERA_ORDERING_NATURAL));
  PetscCall(PCJLDLTSetPreprocessing(pc, TESSERA_PREPROCESSING_NONE));
  PetscCall(PCJLDLTSetBackend(pc, TESSERA_BACKEND_HOST));
  PetscCall(PCJLDLTSetBlockSize(pc, 4));
  PetscCall(PCJLDLTSetFillLevel(pc, 0));
  PetscCall(PCJLDLTSetPivoting(pc, PC_JLDLT_PIVOTING_FULL));
  PetscCall(PCJLDLTSetSweeps(pc, 40));
  PetscCall(PCJLDLTSetStages(pc, 1));
  PetscCall(PCJLDLTSetEpsilon(pc, 0));
  PetscCall(PCJLDLTSetEpsilonDecay(pc, 0.9));
  PetscCall(PCJLDLTSetStall(pc, 0.01));
  PetscCall(PCJLDLTSetOuterLevels(pc, 1));
  PetscCall(PCJLDLTSetOuterTolerance(pc, 1e-8));
  PetscCall(PCJLDLTSetWarmStart(pc, PETSC_TRUE));
  PetscCall(PCJLDLTSetApply(pc, PC_JLDLT_APPLY_LEVELS));
  PetscCall(PCJLDLTSetApplySweeps(pc, 3));
  PetscCall(PCJLDLTSetDefinite(pc, PETSC_FALSE));
  PetscCall(PCJLDLTSetMonitor(pc, PETSC_FALSE));
  PetscCall(PCJLDLTSetCheck(pc, PETSC_FALSE));
  PetscCall(PCJLDLTSetMemoryLimit(pc, 100));
  PetscCall(PCJLDLTSetMaxTiles(pc, 1000));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCJLDLTGetReconstructionError(pc, &error, &cold));
  PetscCall(Expect("the factor of a path is exact", (PetscBool)(error < 1e-12)));
  PetscCall(ApplyError(pc, A, &apply_error));
  PetscCall(Expect("it solves", (PetscBool)(apply_error < 1e-10)));
  PetscCall(MatScale(A, 1.0 + 1e-9));
  PetscCall(PCSetUp(pc));
  PetscCall(PCJLDLTGetReconstructionError(pc, &error, &warm));
  PetscCall(Expect("a warm start takes fewer sweeps", (PetscBool)(warm < cold && warm >= 1)));
  PetscCall(Expect("and is as good", (PetscBool)(error < 1e-12)));
#if !PetscDefined(HAVE_CUDA)
  PetscCall(PCJLDLTSetCheck(pc, PETSC_TRUE));
  Refused(PCSetUp(pc), PETSC_ERR_SUP, "built without CUDA");
  PetscCall(PCJLDLTSetCheck(pc, PETSC_FALSE));
  PetscCall(PCSetUp(pc));
#endif
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||M^-1 A x - x|| for a vector of ones, over its norm */
static PetscErrorCode ApplyError(PC pc, Mat A, PetscReal *error)
{
  Vec x, b, z;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(VecSet(x, 1.0));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(MatMult(A, x, b));
  PetscCall(PCApply(pc, b, z));
  PetscCall(VecAXPY(z, -1.0, x));
  PetscCall(VecNorm(z, NORM_2, error));
  *error /= norm;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view of the preconditioner has these words. */
static PetscErrorCode ExpectView(PC pc, const char words[])
{
  PetscViewer viewer;
  char view[4096] = "", *found;
  FILE *file;

  PetscFunctionBeginUser;
  file = tmpfile();
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary file");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  view[fread(view, 1, sizeof(view) - 1, file)] = '\0';
  fclose(file);
  PetscCall(PetscStrstr(view, words, &found));
  PetscCall(Expect(words, (PetscBool)(found != NULL)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What needs a GPU is refused by a library built without CUDA, and does no harm. */
static PetscErrorCode RefuseWithoutCUDA(PC pc)
{
  PetscFunctionBeginUser;
#if !PetscDefined(HAVE_CUDA)
  PetscCall(PCBILDLTSetCheck(pc, PETSC_TRUE));
  Refused(PCSetUp(pc), PETSC_ERR_SUP, "built without CUDA");
  PetscCall(PCBILDLTSetCheck(pc, PETSC_FALSE));
  PetscCall(PCBILDLTSetBackend(pc, TESSERA_BACKEND_CUDA));
  Refused(PCSetUp(pc), PETSC_ERR_SUP, "built without CUDA");
  PetscCall(PCBILDLTSetBackend(pc, TESSERA_BACKEND_AUTO));
#endif
  PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunType(void)
{
  Mat A;
  PC pc;
  PetscInt negative, zero, positive, perturbed;
  PetscReal error;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(20, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCBILDLT));
  PetscCall(RefuseOutOfRange(pc));
  Refused(PCBILDLTGetInertia(pc, &negative, NULL, NULL), PETSC_ERR_ORDER, "after a PCSetUp()");
  Refused(PCBILDLTGetPerturbedPivots(pc, &perturbed), PETSC_ERR_ORDER, "after a PCSetUp()");
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCBILDLTGetInertia(pc, &negative, &zero, &positive));
  PetscCall(PCBILDLTGetPerturbedPivots(pc, &perturbed));
  PetscCall(Expect("inertia (20, 0, 20)", (PetscBool)(negative == 20 && zero == 0 && positive == 20)));
  PetscCall(Expect("no perturbed pivots", (PetscBool)(perturbed == 0)));
  PetscCall(ApplyError(pc, A, &error));
  PetscCall(Expect("the apply is the inverse", (PetscBool)(error < 1e-13)));

  PetscCall(SetAll(pc));
  PetscCall(PCSetUp(pc));
  PetscCall(ExpectView(pc, "preprocessing equilibrate, ordering rcm, blocking rb, block size 2"));
  PetscCall(ExpectView(pc, "pivoting bunch_kaufman, perturbation 1e-09, precision single, made definite"));
  PetscCall(ExpectView(pc, "complete fill"));
  PetscCall(PCBILDLTGetInertia(pc, NULL, NULL, &positive));
  PetscCall(Expect("20 positive eigenvalues", (PetscBool)(positive == 20)));
  PetscCall(ApplyError(pc, A, &error));
  PetscCall(Expect("with |D| the apply is not the inverse", (PetscBool)(error > 1e-2)));
  PetscCall(PCBILDLTSetDefinite(pc, PETSC_FALSE));
  PetscCall(ApplyError(pc, A, &error));
  PetscCall(Expect("in single precision it nearly is", (PetscBool)(error < 1e-5 && error > 1e-12)));
  PetscCall(PCBILDLTSetPrecision(pc, PC_BILDLT_PRECISION_DOUBLE));
  PetscCall(ApplyError(pc, A, &error));
  PetscCall(Expect("in double precision it is", (PetscBool)(error < 1e-13)));
  PetscCall(PCBILDLTSetFillLevel(pc, 1));
  PetscCall(PCSetUp(pc));
  PetscCall(ExpectView(pc, "level of fill 1"));
  PetscCall(PCBILDLTSetPrecision(pc, PC_BILDLT_PRECISION_AUTO));
  PetscCall(PCSetUp(pc));
  PetscCall(ExpectView(pc, "precision single (chosen by the solver)"));
  PetscCall(PCBILDLTSetFillLevel(pc, PETSC_UNLIMITED));
  PetscCall(PCSetUp(pc));
  PetscCall(ExpectView(pc, "precision double (chosen by the solver)"));
  PetscCall(PCBILDLTSetFillLevel(pc, 1));
  PetscCall(PCBILDLTSetDropTolerance(pc, 0.75));
  PetscCall(ApplyError(pc, A, &error));
  PetscCall(Expect("with dropping it is not", (PetscBool)(error > 1e-3)));
  PetscCall(ExpectView(pc, "drop tolerance 0.75, fill ratio 0"));
  PetscCall(RefuseOutOfRange(pc));
  PetscCall(ExpectView(pc, "drop tolerance 0.75, fill ratio 0"));
  PetscCall(RefuseWithoutCUDA(pc));

  PetscCall(MatScale(A, NAN));
  PetscCall(PCSetUp(pc));
  Refused(PCBILDLTGetInertia(pc, &negative, NULL, NULL), PETSC_ERR_ORDER, "did not fail");
  PetscCall(PCDestroy(&pc));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(USE_REAL_DOUBLE) && !PetscDefined(USE_COMPLEX)
/* The setter of the direct solver, at any time; other matrices do not mind. */
static PetscErrorCode RunDirect(void)
{
  const char words[] = "kept pivots: a plan of";
  Mat A, F;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(20, &A));
  PetscCall(MatTesseraSetReusePivots(A, PETSC_TRUE));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCFactorSetUpMatSolverType(pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatTesseraSetReusePivots(F, PETSC_TRUE));
  PetscCall(PCSetUp(pc));
  PetscCall(ExpectView(pc, words));
  PetscCall(MatTesseraSetReusePivots(F, PETSC_FALSE));
  PetscCall(MatScale(A, 2.0));
  PetscCall(PCSetUp(pc));
  PetscCall(MatTesseraSetReusePivots(F, PETSC_TRUE));
  PetscCall(MatScale(A, 2.0));
  PetscCall(PCSetUp(pc));
  PetscCall(ExpectView(pc, words));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Setters do nothing to a PC of another type, getters refuse it. */
static PetscErrorCode RunOtherType(void)
{
  PC pc;
  PetscInt perturbed;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(SetAll(pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(SetAll(pc));
  Refused(PCBILDLTGetInertia(pc, NULL, NULL, NULL), PETSC_ERR_ORDER, PCBILDLT);
  Refused(PCBILDLTGetPerturbedPivots(pc, &perturbed), PETSC_ERR_ORDER, PCBILDLT);
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where scalars are complex or not in double precision the types are there, and say what they need. */
static PetscErrorCode RunRefused(void)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  Refused(PCSetType(pc, PCBILDLT), PETSC_ERR_SUP,
          "need a PETSc with real scalars in double precision and 32- or 64-bit indices");
  Refused(PCSetType(pc, PCJLDLT), PETSC_ERR_SUP,
          "need a PETSc with real scalars in double precision and 32- or 64-bit indices");
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TesseraInitializePackage());
  if (PetscDefined(USE_REAL_DOUBLE) && !PetscDefined(USE_COMPLEX)) {
    PetscCall(RunType());
    PetscCall(TestJacobi());
  } else {
    PetscCall(RunRefused());
  }
#if PetscDefined(USE_REAL_DOUBLE) && !PetscDefined(USE_COMPLEX)
  PetscCall(RunDirect());
#endif
  PetscCall(RunOtherType());
  PetscCall(PetscFinalize());
  return 0;
}
