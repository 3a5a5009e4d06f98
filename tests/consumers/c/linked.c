static char help[] = "A program that links Tessera and chooses its types by calls.\n\n";

#include "saddle_point.h"

#include <tessera.h>

static PetscErrorCode ByBILDLT(KSP ksp, Vec b, Vec x, PetscBool *solved)
{
  PC pc;
  PetscInt positive, negative, zero;

  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPSQMR));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCBILDLT));
  PetscCall(PCBILDLTSetPivoting(pc, PC_BILDLT_PIVOTING_ROOK));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Solve(ksp, b, x, solved));
  PetscCall(PCBILDLTGetInertia(pc, &negative, &zero, &positive));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " negative, %" PetscInt_FMT " zero, %" PetscInt_FMT " positive\n", negative,
                        zero, positive));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Direct(KSP ksp, Vec b, Vec x, PetscBool *solved)
{
  PC pc;
  Mat F;
  PetscInt negative, zero, positive;

  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERTESSERA));
  PetscCall(Solve(ksp, b, x, solved));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatGetInertia(F, &negative, &zero, &positive));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " negative, %" PetscInt_FMT " zero, %" PetscInt_FMT " positive\n", negative,
                        zero, positive));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  Vec b, x;
  KSP ksp;
  PetscBool solved = PETSC_FALSE, solved_direct = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TesseraInitializePackage());
  PetscCall(CreateSystem(100, &A, &b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(ByBILDLT(ksp, b, x, &solved));
  PetscCall(VecZeroEntries(x));
  PetscCall(Direct(ksp, b, x, &solved_direct));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFinalize());
  return solved && solved_direct ? 0 : 1;
}
