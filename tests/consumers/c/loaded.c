static char help[] = "A program that knows nothing of Tessera: options load the library and choose its types.\n\n";

#include "saddle_point.h"

int main(int argc, char **argv)
{
  Mat A;
  Vec b, x;
  KSP ksp;
  PetscBool solved = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateSystem(100, &A, &b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Solve(ksp, b, x, &solved));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFinalize());
  return solved ? 0 : 1;
}
