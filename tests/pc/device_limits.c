static char help[] = "Preconditioners on a GPU that is too old, and on one whose tensor cores round otherwise.\n\n";

#include <petscksp.h>

#include <stdlib.h>

static char said[1024];

/* Keeps the text of an error where it arises. */
static PetscErrorCode KeepError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                PetscErrorType p, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (p == PETSC_ERROR_INITIAL)
    (void)PetscStrncpy(said, message, sizeof said);
  return n;
}

/* The Laplacian of a path less a multiple of the identity: indefinite. */
static PetscErrorCode CreateMatrix(PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, A));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(*A, i, i, 1.3, INSERT_VALUES));
    if (i > 0) {
      PetscCall(MatSetValue(*A, i, i - 1, -1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, i - 1, i, -1.0, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Says(const char *what, const char *text)
{
  char *found;

  PetscFunctionBeginUser;
  PetscCall(PetscStrstr(said, text, &found));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  says %s: %s\n", what, found ? "yes" : "no"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp)
{
  Mat A;
  Vec b, x;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", reason > 0 ? "solved" : KSPConvergedReasons[reason]));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  KSP ksp;
  PC pc;
  Mat A;
  PCType type;
  char limits[64] = "", option[64], way_out[64];
  PetscErrorCode error;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-limits", limits, sizeof limits, NULL));
  setenv("TESSERA_DEVICE_LIMITS", limits, 1); /* read when the device is first used */
  PetscCall(CreateMatrix(200, &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscPushErrorHandler(KeepError, NULL));
  error = KSPSetUp(ksp);
  PetscCall(PetscPopErrorHandler());
  if (error) {
    PetscCall(PCGetType(pc, &type));
    PetscCall(PetscSNPrintf(option, sizeof option, "-pc_%s_backend", type));
    PetscCall(PetscSNPrintf(way_out, sizeof way_out, "%s host", option));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", error == PETSC_ERR_SUP ? "not supported" : "another error"));
    PetscCall(Says("what the device has", "has compute capability 7.5"));
    PetscCall(Says("what is needed", "needs 8.0 or newer"));
    PetscCall(Says("the way out", way_out));
    PetscCall(PetscOptionsSetValue(NULL, option, "host"));
    PetscCall(KSPSetFromOptions(ksp));
  }
  PetscCall(Solve(ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    requires: cuda
    args: -ksp_type sqmr -ksp_max_it 20

    test:
      suffix: cuda_too_old
      args: -limits capability=75 -pc_type {{bildlt jldlt}} -pc_bildlt_backend cuda -pc_jldlt_backend cuda
      args: -options_left 0

    test:
      suffix: cuda_no_tensor_cores
      args: -limits tensor_cores=0 -pc_type bildlt -pc_bildlt_backend cuda -pc_bildlt_check -ksp_view
      filter: grep -E "slower|solved"

    test:
      suffix: cuda_no_tensor_cores_jldlt
      args: -limits tensor_cores=0 -pc_type jldlt -pc_jldlt_backend cuda -ksp_view
      filter: grep -E "slower|solved"

TEST*/
