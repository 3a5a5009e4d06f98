/* Linked use: the types are registered by TesseraInitializePackage(), again after a second PetscInitialize(). */
#include <tessera.h>

static PetscErrorCode Run(void)
{
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(TesseraInitializePackage());
  PetscCall(TesseraInitializePackage());
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPSQMR));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Init(&argc, &argv)); /* so that PETSc may be initialized more than once */
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(Run());
    PetscCall(PetscFinalize());
  }
  PetscCallMPI(MPI_Finalize());
  return 0;
}
