static char help[] =
    "A small constrained minimization, by TAO's primal-dual interior-point method:\n\n"
    "  min a x0^2 + 2 x1^2   subject to   x0 + x1 = 1,   x1 - x0 + 1/5 >= 0,   -2 <= x0, x1 <= 2\n\n"
    "Each step factors a symmetric indefinite KKT matrix, and the factor's inertia says whether its solution leads to "
    "a\n"
    "minimum; where it does not, the matrix is shifted and factored again. The solution is (3/5, 2/5).\n\n"
    "  -a A                      default 1; with A < 0 the objective is not convex\n"
    "  -tao_pdipm_kkt_shift_pd   shift where the inertia asks for it, for objectives that are not convex\n"
    "  -pc_factor_mat_solver_type NAME   whose factor it is, which has to tell the inertia; default tessera\n"
    "  -tao_monitor, -tao_view   what the method does; TAO has more options\n\n"
    "Load Tessera's library: -dll_append /path/to/libtessera.so. TAO takes Cholesky factors here only in a PETSc that "
    "was\n"
    "configured with MUMPS, whosever they are. Exit status: 0 solved, 2 not solved, otherwise an error.\n";

#include <petsctao.h>

/* What the functions that TAO calls need to know. */
typedef struct {
  PetscReal a;        /* of the objective */
  Mat equations;      /* one row: (1, 1) */
  Mat inequalities;   /* one row: (-1, 1) */
  Mat hessian;        /* of the objective; constraints are linear and add nothing to it */
  Vec equation_value; /* x0 + x1 - 1, which has to be 0 */
  Vec slack;          /* x1 - x0 + 1/5, which must not be negative */
} Problem;

static PetscErrorCode ObjectiveAndGradient(Tao tao, Vec x, PetscReal *f, Vec gradient, void *context)
{
  const PetscReal a = ((Problem *)context)->a;
  const PetscScalar *v;
  PetscScalar *g;

  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(VecGetArrayRead(x, &v));
  PetscCall(VecGetArrayWrite(gradient, &g));
  *f = a * v[0] * v[0] + 2 * v[1] * v[1];
  g[0] = 2 * a * v[0];
  g[1] = 4 * v[1];
  PetscCall(VecRestoreArrayWrite(gradient, &g));
  PetscCall(VecRestoreArrayRead(x, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* TAO wants the Hessian of the Lagrangian. That of constraints which are not linear, times their multipliers
   (TaoGetDualVariables()), would have to be added. */
static PetscErrorCode Hessian(Tao tao, Vec x, Mat H, Mat P, void *context)
{
  PetscFunctionBeginUser;
  (void)tao, (void)x, (void)P;
  PetscCall(MatSetValue(H, 0, 0, 2 * ((Problem *)context)->a, INSERT_VALUES));
  PetscCall(MatSetValue(H, 1, 1, 4.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(H, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(H, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Equations(Tao tao, Vec x, Vec value, void *context)
{
  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(MatMult(((Problem *)context)->equations, x, value));
  PetscCall(VecShift(value, -1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Inequalities(Tao tao, Vec x, Vec value, void *context)
{
  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(MatMult(((Problem *)context)->inequalities, x, value));
  PetscCall(VecShift(value, 0.2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of linear constraints: the matrix that TAO has stays as it is. */
static PetscErrorCode Jacobian(Tao tao, Vec x, Mat J, Mat P, void *context)
{
  PetscFunctionBeginUser;
  (void)tao, (void)x, (void)J, (void)P, (void)context;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateRow(PetscReal first, PetscReal second, Mat *row)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 1, 2, 2, NULL, row));
  PetscCall(MatSetValue(*row, 0, 0, first, INSERT_VALUES));
  PetscCall(MatSetValue(*row, 0, 1, second, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*row, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*row, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(Problem *p)
{
  PetscFunctionBeginUser;
  p->a = 1;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-a", &p->a, NULL));
  PetscCall(CreateRow(1, 1, &p->equations));
  PetscCall(CreateRow(-1, 1, &p->inequalities));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 2, 2, 1, NULL, &p->hessian));
  PetscCall(MatCreateVecs(p->equations, NULL, &p->equation_value));
  PetscCall(MatCreateVecs(p->inequalities, NULL, &p->slack));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells TAO all that it has to know. x: where it begins, and where its solution will be. */
static PetscErrorCode CreateTao(Problem *p, Vec x, Tao *tao)
{
  Vec low, high;

  PetscFunctionBeginUser;
  PetscCall(TaoCreate(PETSC_COMM_SELF, tao));
  PetscCall(TaoSetType(*tao, TAOPDIPM));
  PetscCall(TaoSetSolution(*tao, x));
  PetscCall(VecDuplicate(x, &low));
  PetscCall(VecDuplicate(x, &high));
  PetscCall(VecSet(low, -2.0));
  PetscCall(VecSet(high, 2.0));
  PetscCall(TaoSetVariableBounds(*tao, low, high));
  PetscCall(VecDestroy(&low)); /* TAO has references of its own */
  PetscCall(VecDestroy(&high));
  PetscCall(TaoSetObjectiveAndGradient(*tao, NULL, ObjectiveAndGradient, p));
  PetscCall(TaoSetHessian(*tao, p->hessian, p->hessian, Hessian, p));
  PetscCall(TaoSetEqualityConstraintsRoutine(*tao, p->equation_value, Equations, p));
  PetscCall(TaoSetJacobianEqualityRoutine(*tao, p->equations, p->equations, Jacobian, NULL));
  PetscCall(TaoSetInequalityConstraintsRoutine(*tao, p->slack, Inequalities, p));
  PetscCall(TaoSetJacobianInequalityRoutine(*tao, p->inequalities, p->inequalities, Jacobian, NULL));
  PetscCall(TaoSetTolerances(*tao, 1e-8, 0.0, 0.0));
  PetscCall(TaoSetConstraintTolerances(*tao, 1e-8, 0.0));
  PetscCall(TaoSetFromOptions(*tao));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The KKT matrices are factored once in a step, and again with each shift. */
static PetscErrorCode ChooseFactorization(Tao tao)
{
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(TaoGetKSP(tao, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints a line about the solution, and says whether it is the known one. */
static PetscErrorCode Report(Tao tao, Vec x, PetscBool *solved)
{
  const PetscScalar *v;
  TaoConvergedReason reason;
  PetscReal objective;
  PetscInt steps;

  PetscFunctionBeginUser;
  PetscCall(TaoGetSolutionStatus(tao, &steps, &objective, NULL, NULL, NULL, &reason));
  PetscCall(VecGetArrayRead(x, &v));
  *solved = (PetscBool)(reason > 0 && PetscAbsScalar(v[0] - 0.6) < 1e-4 && PetscAbsScalar(v[1] - 0.4) < 1e-4);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "x = (%.4f, %.4f), objective %.4f; %s after %" PetscInt_FMT " steps: %s\n",
                        (double)PetscRealPart(v[0]), (double)PetscRealPart(v[1]), (double)objective,
                        TaoConvergedReasons[reason], steps, *solved ? "solved" : "NOT SOLVED"));
  PetscCall(VecRestoreArrayRead(x, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Problem problem;
  Tao tao;
  Vec x;
  PetscBool solved = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateProblem(&problem));
  PetscCall(MatCreateVecs(problem.equations, &x, NULL)); /* zero */
  PetscCall(CreateTao(&problem, x, &tao));
  PetscCall(ChooseFactorization(tao));
  PetscCall(TaoSolve(tao));
  PetscCall(Report(tao, x, &solved));
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&problem.equations));
  PetscCall(MatDestroy(&problem.inequalities));
  PetscCall(MatDestroy(&problem.hessian));
  PetscCall(VecDestroy(&problem.equation_value));
  PetscCall(VecDestroy(&problem.slack));
  PetscCall(PetscFinalize());
  return solved ? 0 : 2;
}
