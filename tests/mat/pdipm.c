static char help[] =
    "TAO's interior-point method with factors of MATSOLVERTESSERA, whose inertia says when to shift.\n\n";

#include <petsctao.h>

/* min a x0^2 + 2 x1^2 with x0 + x1 = 1, x1 - x0 + 1/5 >= 0 and -2 <= x <= 2: (3/5, 2/5), where the inequality is
   active. With a = -10 the matrices on the way there have a negative eigenvalue too many. */
static PetscReal a = 1;

static PetscErrorCode Objective(Tao tao, Vec x, PetscReal *f, Vec g, void *context)
{
  const PetscScalar *v;
  PetscScalar *w;

  PetscFunctionBeginUser;
  (void)tao, (void)context;
  PetscCall(VecGetArrayRead(x, &v));
  PetscCall(VecGetArrayWrite(g, &w));
  *f = a * v[0] * v[0] + 2 * v[1] * v[1];
  w[0] = 2 * a * v[0];
  w[1] = 4 * v[1];
  PetscCall(VecRestoreArrayWrite(g, &w));
  PetscCall(VecRestoreArrayRead(x, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constraints are linear, so that the Hessian is that of the objective. */
static PetscErrorCode Hessian(Tao tao, Vec x, Mat H, Mat P, void *context)
{
  PetscFunctionBeginUser;
  (void)tao, (void)x, (void)P, (void)context;
  PetscCall(MatSetValue(H, 0, 0, 2 * a, INSERT_VALUES));
  PetscCall(MatSetValue(H, 1, 1, 4.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(H, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(H, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c = J x + shift. */
static PetscErrorCode Constraint(Mat J, PetscReal shift, Vec x, Vec c)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(J, x, c));
  PetscCall(VecShift(c, shift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Equality(Tao tao, Vec x, Vec c, void *J)
{
  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(Constraint((Mat)J, -1.0, x, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Inequality(Tao tao, Vec x, Vec c, void *J)
{
  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(Constraint((Mat)J, 0.2, x, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobians do not change. */
static PetscErrorCode Jacobian(Tao tao, Vec x, Mat J, Mat P, void *context)
{
  PetscFunctionBeginUser;
  (void)tao, (void)x, (void)J, (void)P, (void)context;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateRow(PetscReal first, PetscReal second, Mat *J)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_WORLD, 1, 2, 2, NULL, J));
  PetscCall(MatSetValue(*J, 0, 0, first, INSERT_VALUES));
  PetscCall(MatSetValue(*J, 0, 1, second, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Tao tao;
  KSP ksp;
  PC pc;
  Mat H, E, N;
  Vec x, low, high, e, i;
  TaoConvergedReason reason;
  const PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-a", &a, NULL));
  PetscCall(CreateRow(1, 1, &E));
  PetscCall(CreateRow(-1, 1, &N));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_WORLD, 2, 2, 1, NULL, &H));
  PetscCall(MatCreateVecs(E, &x, &e));
  PetscCall(VecDuplicate(e, &i));
  PetscCall(VecDuplicate(x, &low));
  PetscCall(VecDuplicate(x, &high));
  PetscCall(VecSet(low, -2.0));
  PetscCall(VecSet(high, 2.0));
  PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
  PetscCall(TaoSetType(tao, TAOPDIPM));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(TaoSetVariableBounds(tao, low, high));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, Objective, NULL));
  PetscCall(TaoSetEqualityConstraintsRoutine(tao, e, Equality, E));
  PetscCall(TaoSetJacobianEqualityRoutine(tao, E, E, Jacobian, NULL));
  PetscCall(TaoSetInequalityConstraintsRoutine(tao, i, Inequality, N));
  PetscCall(TaoSetJacobianInequalityRoutine(tao, N, N, Jacobian, NULL));
  PetscCall(TaoSetHessian(tao, H, H, Hessian, NULL));
  PetscCall(TaoSetTolerances(tao, 1e-8, 0.0, 0.0));
  PetscCall(TaoSetConstraintTolerances(tao, 1e-8, 0.0));
  PetscCall(TaoSetFromOptions(tao));
  PetscCall(TaoGetKSP(tao, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(TaoSolve(tao));
  PetscCall(TaoGetConvergedReason(tao, &reason));
  PetscCall(VecGetArrayRead(x, &v));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "converged: %s, to the solution: %s\n", reason > 0 ? "yes" : "NO",
                        PetscAbsScalar(v[0] - 0.6) < 1e-4 && PetscAbsScalar(v[1] - 0.4) < 1e-4 ? "yes" : "NO"));
  PetscCall(VecRestoreArrayRead(x, &v));
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&low));
  PetscCall(VecDestroy(&high));
  PetscCall(VecDestroy(&e));
  PetscCall(VecDestroy(&i));
  PetscCall(MatDestroy(&H));
  PetscCall(MatDestroy(&E));
  PetscCall(MatDestroy(&N));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   # TAOPDIPM takes no Cholesky factor in a PETSc without MUMPS, whosever it is
   test:
      requires: mumps
      args: -a {{1 -1 -10}} -tao_pdipm_kkt_shift_pd
   test:
      suffix: shift
      requires: mumps
      args: -a -10 -tao_pdipm_kkt_shift_pd -info :tao
      filter: grep -o "Updated deltaw" | sort -u

TEST*/
