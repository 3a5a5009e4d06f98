/* A program that knows nothing of Tessera, and asks for its type by name. PETSc's own factorization types, which a
   plugin can lose by registering in the wrong order, have to be there too. */
#include <petscksp.h>

static PetscErrorCode Run(void)
{
  KSP ksp;
  PC pc;
  Mat A;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatCreateConstantDiagonal(PETSC_COMM_SELF, 1, 1, 1, 1, 1.0, &A));
  PetscCall(MatDestroy(&A));
  PetscCall(MatSolverTypeGet(MATSOLVERPETSC, MATSEQAIJ, MAT_FACTOR_LU, NULL, &found, NULL));
  if (!found)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: PETSc's own LU factorization is gone\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(Run());
  PetscCall(PetscFinalize());
  return 0;
}
