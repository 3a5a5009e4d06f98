static char help[] =
    "Solves generated symmetric systems with -pc_type bildlt, by itself or inside a block preconditioner.\n\
  -problem (saddle|helmholtz|spd|graph|arrow)   -n <size>   -scale <s>: of the matrix\n\
  -store_zeros: the zero block of a saddle point matrix has a stored diagonal\n\
  -at_most <k>: iterations that are good enough   -transpose: KSPSolveTranspose()\n\n";

#include <petscksp.h>

typedef enum { SADDLE, HELMHOLTZ, SPD, GRAPH, ARROW } Problem;

/* Saddle point matrix [H, B'; B, 0] with n + n/2 rows: H tridiagonal and definite, three entries in a row of B. */
static PetscErrorCode SetSaddle(Mat A, PetscInt n, PetscReal s, PetscBool zeros)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    if (i < n) {
      PetscCall(MatSetValue(A, i, i, s * (2.5 + 0.1 * (i % 7)), INSERT_VALUES));
      if (i > 0)
        PetscCall(MatSetValue(A, i, i - 1, -s, INSERT_VALUES));
      if (i + 1 < n)
        PetscCall(MatSetValue(A, i, i + 1, -s, INSERT_VALUES));
    } else {
      const PetscInt k = i - n;
      const PetscInt column[3] = {2 * k, 2 * k + 1, (2 * k + n / 3 + 2) % n};
      const PetscScalar value[3] = {s, -2.0 * s, 0.5 * s};

      if (zeros)
        PetscCall(MatSetValue(A, i, i, 0.0, INSERT_VALUES));
      for (PetscInt j = 0; j < 3; j++) {
        PetscCall(MatSetValue(A, i, column[j], value[j], INSERT_VALUES));
        PetscCall(MatSetValue(A, column[j], i, value[j], INSERT_VALUES));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five-point Laplacian on an n x n grid with row sums 0, plus shift I. */
static PetscErrorCode SetGrid(Mat A, PetscInt n, PetscReal s, PetscReal shift)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt neighbour[4] = {i >= n ? i - n : -1, i % n > 0 ? i - 1 : -1, i % n < n - 1 ? i + 1 : -1,
                                   i + n < n * n ? i + n : -1};
    PetscReal sum = 0.0;

    for (PetscInt j = 0; j < 4; j++) {
      if (neighbour[j] < 0)
        continue;
      PetscCall(MatSetValue(A, i, neighbour[j], -s, INSERT_VALUES));
      sum += 1.0;
    }
    PetscCall(MatSetValue(A, i, i, s * (sum + shift), INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense first row and column, and a diagonal of both signs. */
static PetscErrorCode SetArrow(Mat A, PetscInt n, PetscReal s)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(A, i, i, s * (i % 3 ? 2.0 : -1.0), INSERT_VALUES));
    for (PetscInt j = i == 0 ? 1 : n; j < n; j++) {
      PetscCall(MatSetValue(A, i, j, s / j, INSERT_VALUES));
      PetscCall(MatSetValue(A, j, i, s / j, INSERT_VALUES));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(Problem problem, PetscInt n, PetscReal s, PetscBool zeros, Mat *A)
{
  const PetscInt N = problem == SADDLE ? n + n / 2 : problem == ARROW ? n : n * n;
  MatType type;
  PetscBool symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetType(*A, &type));
  PetscCall(PetscStrendswith(type, "sbaij", &symmetric));
  if (symmetric)
    PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  switch (problem) {
  case SADDLE:
    PetscCall(SetSaddle(*A, n, s, zeros));
    break;
  case HELMHOLTZ:
    PetscCall(SetGrid(*A, n, s, -0.73));
    break;
  case SPD:
    PetscCall(SetGrid(*A, n, s, 0.2));
    break;
  case GRAPH:
    PetscCall(SetGrid(*A, n, s, 0.0));
    break;
  case ARROW:
    PetscCall(SetArrow(*A, n, s));
    break;
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, PetscBool singular, PetscInt most, PetscBool transpose)
{
  KSP ksp;
  Vec solution, b, x, r;
  PetscRandom random;
  PetscReal bnorm, rnorm, error;
  PetscInt its;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &solution));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  PetscCall(VecSetRandom(solution, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatMult(A, solution, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 400));
  PetscCall(KSPGMRESSetRestart(ksp, 400));
  PetscCall(KSPSetFromOptions(ksp));
  if (transpose) {
    PetscCall(KSPSolveTranspose(ksp, b, x));
  } else {
    PetscCall(KSPSolve(ksp, b, x));
  }
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(b, NORM_2, &bnorm));
  PetscCall(VecNorm(r, NORM_2, &rnorm));
  PetscCall(VecAXPY(x, -1.0, solution));
  PetscCall(VecNorm(x, NORM_INFINITY, &error));
  PetscCall(Verdict("converged", (PetscBool)(reason > 0)));
  PetscCall(Verdict("||b - A x|| <= 1e-8 ||b||", (PetscBool)(rnorm <= 1e-8 * bnorm)));
  PetscCall(Verdict("error < 1e-6", (PetscBool)(singular || error < 1e-6)));
  PetscCall(Verdict("few iterations", (PetscBool)(its <= most)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&solution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  const char *problems[] = {"saddle", "helmholtz", "spd", "graph", "arrow"};
  PetscInt problem = 0, n, most = 400;
  PetscReal scale = 1.0;
  PetscBool zeros = PETSC_FALSE, transpose = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-problem", problems, 5, &problem, NULL));
  n = problem == SADDLE || problem == ARROW ? 200 : 20;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-at_most", &most, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-scale", &scale, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-store_zeros", &zeros, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-transpose", &transpose, NULL));
  PetscCall(CreateMatrix((Problem)problem, n, scale, zeros, &A));
  PetscCall(Solve(A, (PetscBool)(problem == GRAPH), most, transpose));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

// Filters of outputs are longer than a line.
// clang-format off
/*TEST

   build:
      requires: !complex double

   # Bounds on the iterations are about half of what the diagonal, or nothing, takes in place of the factor, or less: it
   # takes 3 and 5 iterations for an arrow, 57 and more for the others. So every test notices a factor of no use.

   # A complete factor is the inverse but for rounding and for perturbed pivots, whatever the options that shape it.
   testset:
      output_file: output/bildlt_solved.out
      args: -pc_type bildlt -ksp_type sqmr -at_most 2
      test:
         suffix: defaults
         args: -problem {{saddle helmholtz spd arrow}} -ksp_type {{sqmr gmres}} -ksp_norm_type unpreconditioned
      test:
         suffix: zeros
         args: -problem saddle -store_zeros {{0 1}} -mat_type {{aij sbaij}}
      test:
         suffix: sbaij
         args: -problem {{helmholtz spd arrow}} -mat_type sbaij
      test:
         suffix: block_matrix
         args: -problem {{saddle helmholtz}} -mat_type {{aij sbaij}} -mat_block_size 2
      test:
         suffix: singular
         args: -problem graph -mat_type {{aij sbaij}} -pc_bildlt_pivoting {{none bunch_kaufman rook}}
      test:
         suffix: scale
         args: -problem {{saddle arrow}} -scale {{1e-20 1e20}} -pc_bildlt_preprocessing {{matching equilibrate none}}
      test:
         suffix: preprocessing
         args: -problem {{saddle helmholtz}} -pc_bildlt_preprocessing {{equilibrate none}}
         args: -pc_bildlt_pivoting {{bunch_kaufman rook}}
      test:
         suffix: ordering
         args: -problem saddle -pc_bildlt_ordering {{auto natural amd nd metis rcm color}} -pc_bildlt_blocking {{sn rbr}}
      test:
         suffix: blocking
         args: -problem helmholtz -pc_bildlt_blocking {{br rb}}
      test:
         suffix: block_size
         args: -problem saddle -pc_bildlt_block_size {{2 5 16}} -pc_bildlt_pivoting {{none bunch_kaufman rook}}
      test:
         suffix: complete
         args: -problem helmholtz -pc_bildlt_fill_level {{decide unlimited 100}}
         args: -pc_bildlt_drop_tolerance {{decide 0}} -pc_bildlt_strengthen {{0 1}}
      test:
         suffix: perturbation
         args: -problem saddle -pc_bildlt_perturbation {{0 1e-12}}
      test:
         suffix: memory
         args: -problem saddle -pc_bildlt_memory_limit {{decide 1 1e300}}
      test:
         suffix: transpose
         args: -problem {{saddle helmholtz}} -transpose -ksp_type {{sqmr gmres}} -ksp_norm_type unpreconditioned

   testset:
      output_file: output/bildlt_solved.out
      args: -pc_type bildlt -ksp_type {{sqmr gmres}} -ksp_norm_type unpreconditioned
      test:
         suffix: dropping
         args: -problem {{saddle helmholtz spd}} -pc_bildlt_drop_tolerance {{1e-8 1e-2}} -at_most 15
      test:
         suffix: levels
         args: -problem {{saddle spd}} -pc_bildlt_fill_level {{0 1 3}} -pc_bildlt_block_size 8 -at_most 28
      test:
         suffix: single
         args: -problem {{saddle helmholtz}} -pc_bildlt_precision single -pc_bildlt_drop_tolerance {{0 1e-2}}
         args: -at_most 15
      test:
         suffix: perturbed
         args: -problem saddle -pc_bildlt_perturbation 1e-1 -at_most 15
      # a limit in which the complete factor does not fit
      test:
         suffix: little_memory
         args: -problem helmholtz -n 40 -pc_bildlt_memory_limit 0.26 -at_most 200

   # |D|, for methods that want a definite preconditioner
   testset:
      output_file: output/bildlt_solved.out
      args: -pc_type bildlt -pc_bildlt_definite -ksp_rtol 1e-12 -at_most 20
      test:
         suffix: definite
         args: -problem {{saddle helmholtz}} -ksp_type {{minres symmlq}} -at_most 8
      test:
         suffix: definite_dropping
         args: -problem {{saddle helmholtz spd}} -ksp_type minres -pc_bildlt_drop_tolerance 1e-2
      test:
         suffix: cg
         args: -problem spd -ksp_type cg -pc_bildlt_drop_tolerance {{0 1e-2}} -ksp_norm_type {{natural preconditioned}}

   # Jacobi-LDLT, whose factor is incomplete
   testset:
      output_file: output/bildlt_solved.out
      args: -pc_type jldlt -ksp_type sqmr -ksp_norm_type unpreconditioned -at_most 20
      test:
         suffix: jldlt
         args: -problem {{saddle spd}} -ksp_type {{sqmr gmres}} -mat_type {{aij sbaij}}
      test:
         suffix: jldlt_arrow
         args: -problem arrow -ksp_type {{sqmr gmres}} -mat_type {{aij sbaij}} -at_most 1
      # 157 and more than 400 by the diagonal
      test:
         suffix: jldlt_helmholtz
         args: -problem helmholtz -mat_type {{aij sbaij}} -at_most 75
      test:
         suffix: jldlt_helmholtz_gmres
         args: -problem helmholtz -mat_type {{aij sbaij}} -at_most 150 -ksp_type gmres
      test:
         suffix: jldlt_pivoting
         args: -problem saddle -pc_jldlt_pivoting {{none bunch_kaufman rook full}} -pc_jldlt_block_size 8
      test:
         suffix: jldlt_blocking
         args: -problem {{saddle spd}} -pc_jldlt_blocking {{sn br rb rbr grid}} -pc_jldlt_ordering {{amd rcm}}
      test:
         suffix: jldlt_ordering
         args: -problem {{saddle spd}} -pc_jldlt_ordering {{auto natural nd metis color}}
      test:
         suffix: jldlt_backend
         args: -problem saddle -pc_jldlt_backend {{auto host}}
      test:
         suffix: jldlt_memory
         args: -problem saddle -pc_jldlt_memory_limit {{decide 10 1e300}}
      test:
         suffix: jldlt_fill_level
         args: -problem {{saddle spd}} -pc_jldlt_fill_level {{1 unlimited}} -pc_jldlt_sweeps 30 -at_most 10
      test:
         suffix: jldlt_epsilon
         args: -problem {{saddle spd}} -pc_jldlt_epsilon {{0 0.01}} -pc_jldlt_epsilon_decay {{1 0.5}}
      test:
         suffix: jldlt_outer
         args: -problem saddle -pc_jldlt_outer_levels 2 -pc_jldlt_outer_tolerance 0.05
         args: -pc_jldlt_preprocessing {{matching none}}
      # 60 by the diagonal
      test:
         suffix: jldlt_scalar
         args: -problem spd -pc_jldlt_block_size 1 -at_most 40
      test:
         suffix: jldlt_apply
         args: -problem {{saddle spd}} -pc_jldlt_apply jacobi -pc_jldlt_apply_sweeps {{2 8}}
      test:
         suffix: jldlt_scale
         args: -problem saddle -scale {{1e-20 1e20}}
      test:
         suffix: jldlt_scale_arrow
         args: -problem arrow -scale {{1e-20 1e20}} -at_most 1
      test:
         suffix: jldlt_transpose
         args: -problem saddle -transpose -ksp_type {{sqmr gmres}}

   testset:
      output_file: output/bildlt_solved.out
      args: -pc_type jldlt -pc_jldlt_definite -ksp_rtol 1e-12 -at_most 25
      test:
         suffix: jldlt_definite
         args: -problem {{saddle spd}} -ksp_type minres -pc_jldlt_apply {{levels jacobi}}
      test:
         suffix: jldlt_definite_fill
         args: -problem helmholtz -ksp_type minres -pc_jldlt_fill_level 3
      test:
         suffix: jldlt_cg
         args: -problem spd -ksp_type cg -pc_jldlt_apply {{levels jacobi}}

   # In parallel, and in pieces
   testset:
      output_file: output/bildlt_solved.out
      nsize: {{1 2}}
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -n 12 -pc_type bjacobi -pc_bjacobi_blocks 4
      test:
         suffix: bjacobi
         args: -problem spd -sub_pc_type {{bildlt jldlt}} -mat_type {{aij sbaij}} -at_most 28
      # 389 by the diagonal
      test:
         suffix: bjacobi_helmholtz
         args: -problem helmholtz -sub_pc_type {{bildlt jldlt}} -mat_type {{aij sbaij}} -at_most 150

   test:
      suffix: asm
      output_file: output/bildlt_solved.out
      nsize: {{1 2}}
      args: -problem {{saddle helmholtz}} -pc_type asm -pc_asm_overlap 2 -sub_pc_type bildlt
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -at_most 28

   testset:
      args: -pc_type jldlt -ksp_type sqmr -problem saddle -n 6 -ksp_view
      filter: sed -n "/[0-9] sweep r/p;/type: jldlt/,/linear system/p" | sed "s/error [0-9.]*e-1[5-9]/error of rounding/;s/error 0[.]*$/error of rounding/;s/residual [0-9.]*e-1[5-9]/residual of rounding/;s/residual 0[.]* /residual of rounding /;s/[0-9.e-]* MB/some MB/;s/e-/e_/" | tr . _
      test:
         suffix: jldlt_view
      test:
         suffix: jldlt_view_cuda
         requires: cuda
         output_file: output/bildlt_jldlt_view.out
         args: -mat_type aijcusparse
         filter: sed -n "/type: jldlt/,/linear system/p" | sed "/in device memory/d" | sed "s/error [0-9.]*e-1[5-9]/error of rounding/;s/error 0[.]*$/error of rounding/;s/residual [0-9.]*e-1[5-9]/residual of rounding/;s/residual 0[.]* /residual of rounding /;s/[0-9.e-]* MB/some MB/;s/e-/e_/" | tr . _
      test:
         suffix: jldlt_view_options
         args: -pc_jldlt_monitor -pc_jldlt_sweeps 3 -pc_jldlt_epsilon 1e-3 -pc_jldlt_outer_levels 1
         args: -pc_jldlt_apply jacobi -pc_jldlt_apply_sweeps 2 -pc_jldlt_block_size 4 -pc_jldlt_definite
         args: -pc_jldlt_preprocessing equilibrate -pc_jldlt_ordering natural -pc_jldlt_blocking grid

   # On the GPU, with the factor of the host beside it: matrices and vectors of the host, and those in device memory
   testset:
      requires: cuda
      output_file: output/bildlt_solved.out
      args: -pc_type bildlt -pc_bildlt_backend cuda -pc_bildlt_check -ksp_norm_type unpreconditioned
      test:
         suffix: cuda
         args: -problem {{saddle helmholtz spd graph arrow}} -mat_type {{aij sbaij aijcusparse}} -at_most 2
         args: -ksp_type sqmr
      test:
         suffix: cuda_pivoting
         args: -problem saddle -mat_type aijcusparse -pc_bildlt_block_size {{2 5 16}} -at_most 2 -ksp_type sqmr
         args: -pc_bildlt_pivoting {{none bunch_kaufman rook}}
      test:
         suffix: cuda_dropping
         args: -problem {{saddle helmholtz}} -mat_type aijcusparse -pc_bildlt_drop_tolerance 1e-2 -ksp_type gmres
         args: -pc_bildlt_precision {{double single}} -pc_bildlt_fill_ratio {{0 4}} -at_most 28
      test:
         suffix: cuda_levels
         args: -problem {{saddle spd}} -mat_type aijcusparse -pc_bildlt_fill_level {{0 1 3}} -pc_bildlt_block_size 8
         args: -ksp_type sqmr -at_most 28
      test:
         suffix: cuda_scale
         args: -problem {{saddle arrow}} -scale {{1e-20 1e20}} -mat_type aijcusparse -ksp_type sqmr -at_most 2
      test:
         suffix: cuda_little_memory
         args: -problem helmholtz -n 40 -pc_bildlt_memory_limit 0.26 -mat_type aijcusparse -ksp_type sqmr
         args: -at_most 200
      test:
         suffix: cuda_transpose
         args: -problem saddle -transpose -mat_type aijcusparse -ksp_type gmres -at_most 2

   testset:
      requires: cuda
      output_file: output/bildlt_solved.out
      args: -pc_type bildlt -pc_bildlt_definite -ksp_rtol 1e-12 -mat_type aijcusparse -at_most 20
      test:
         suffix: cuda_definite
         args: -problem {{saddle helmholtz}} -ksp_type {{minres symmlq}} -at_most 8
      test:
         suffix: cuda_cg
         args: -problem spd -ksp_type cg -pc_bildlt_drop_tolerance {{0 1e-2}}

   # Processes share a GPU, or have one each where there are several
   testset:
      requires: cuda
      output_file: output/bildlt_solved.out
      nsize: {{1 2}}
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -sub_pc_bildlt_check -sub_pc_jldlt_check -options_left 0
      args: -mat_type aijcusparse
      test:
         suffix: cuda_bjacobi
         args: -n 12 -problem spd -pc_type bjacobi -pc_bjacobi_blocks {{2 4}} -sub_pc_type {{bildlt jldlt}} -at_most 28
      test:
         suffix: cuda_asm
         args: -problem {{saddle helmholtz}} -pc_type asm -pc_asm_overlap 2 -sub_pc_type bildlt -at_most 28

   # Jacobi-LDLT on the GPU, by default where the matrix is
   testset:
      requires: cuda
      output_file: output/bildlt_solved.out
      args: -pc_type jldlt -pc_jldlt_check -ksp_type sqmr -ksp_norm_type unpreconditioned -mat_type aijcusparse
      args: -at_most 20
      test:
         suffix: cuda_jldlt
         args: -problem {{saddle spd}} -ksp_type {{sqmr gmres}}
      test:
         suffix: cuda_jldlt_arrow
         args: -problem arrow -at_most 1
      test:
         suffix: cuda_jldlt_helmholtz
         args: -problem helmholtz -at_most 75
      test:
         suffix: cuda_jldlt_host_matrix
         args: -problem {{saddle spd}} -mat_type {{aij sbaij}} -pc_jldlt_backend cuda
      test:
         suffix: cuda_jldlt_pivoting
         args: -problem saddle -pc_jldlt_block_size 8 -pc_jldlt_pivoting {{none bunch_kaufman rook full}}
      test:
         suffix: cuda_jldlt_blocks
         args: -problem {{saddle spd}} -pc_jldlt_blocking {{sn grid}} -pc_jldlt_block_size {{4 16 32}} -at_most 28
      test:
         suffix: cuda_jldlt_fill_level
         args: -problem {{saddle spd}} -pc_jldlt_fill_level {{1 unlimited}} -pc_jldlt_sweeps 30 -at_most 10
      test:
         suffix: cuda_jldlt_outer
         args: -problem saddle -pc_jldlt_outer_levels 2 -pc_jldlt_outer_tolerance 0.05
         args: -pc_jldlt_preprocessing {{matching none}}
      test:
         suffix: cuda_jldlt_apply
         args: -problem {{saddle spd}} -pc_jldlt_apply jacobi -pc_jldlt_apply_sweeps {{2 8}}
      test:
         suffix: cuda_jldlt_scale
         args: -problem saddle -scale {{1e-20 1e20}}
      test:
         suffix: cuda_jldlt_transpose
         args: -problem saddle -transpose

   testset:
      requires: cuda
      output_file: output/bildlt_solved.out
      args: -pc_type jldlt -pc_jldlt_definite -pc_jldlt_check -ksp_rtol 1e-12 -mat_type aijcusparse -at_most 25
      test:
         suffix: cuda_jldlt_definite
         args: -problem {{saddle spd}} -ksp_type minres -pc_jldlt_apply {{levels jacobi}}
      test:
         suffix: cuda_jldlt_cg
         args: -problem spd -ksp_type cg -pc_jldlt_apply {{levels jacobi}}

   # The first factor exceeds the limit: the view tells of those before the one that stands.
   test:
      suffix: view_attempts
      args: -pc_type bildlt -ksp_type sqmr -ksp_view -problem helmholtz -n 40 -pc_bildlt_memory_limit 0.26 -at_most 200
      filter: sed -n "s,factored [0-9]* times,factored some times,p"

   # Limits that no factor keeps to
   testset:
      output_file: output/bildlt_over_limit.out
      args: -ksp_type sqmr -problem helmholtz -ksp_converged_reason
      filter: grep -o "PC failed.*"
      test:
         suffix: many_tiles
         args: -pc_type bildlt -pc_bildlt_max_tiles 1
      test:
         suffix: jldlt_many_tiles
         args: -pc_type jldlt -pc_jldlt_max_tiles 1
      test:
         suffix: jldlt_little_memory
         args: -pc_type jldlt -pc_jldlt_memory_limit 1e-3

   # A complete factor names the direct solver where that is predicted to take less time; others do not.
   testset:
      args: -pc_type bildlt -ksp_type sqmr -ksp_view
      filter: sed -n -e "s, in [0-9a-z.]* of the time, in a part of the time,p" -e "s,growth.*,growth,p"
      test:
         suffix: direct_named
         args: -problem helmholtz -n 30
   testset:
      output_file: output/bildlt_direct_not_named.out
      args: -pc_type bildlt -ksp_type sqmr -ksp_view
      filter: sed -n -e "s, in [0-9a-z.]* of the time, in a part of the time,p" -e "s,growth.*,growth,p"
      test:
         suffix: direct_not_named_dropping
         args: -problem helmholtz -n 30 -pc_bildlt_drop_tolerance 1e-2
      test:
         suffix: direct_not_named_precision
         args: -problem helmholtz -n 30 -pc_bildlt_precision single
      test:
         suffix: direct_not_named_blocking
         args: -problem helmholtz -n 30 -pc_bildlt_blocking grid
      test:
         suffix: direct_not_named_arrow
         args: -problem arrow -n 300

   # What the preconditioner says of itself. The comparison ignores numbers with a point or an exponent: options have
   # theirs replaced, and what is of the size of rounding is called so
   testset:
      args: -pc_type bildlt -ksp_type sqmr -problem saddle -n 6 -ksp_view
      filter: sed -n "/type: bildlt/,/linear system/p" | sed "s/error [0-9.]*e-1[5-9]/error of rounding/;s/error 0[.]*$/error of rounding/;s/residual [0-9.]*e-1[5-9]/residual of rounding/;s/residual 0[.]* /residual of rounding /;s/[0-9.e-]* MB/some MB/;s/e-/e_/" | tr . _
      test:
         suffix: view
      test:
         suffix: view_cuda
         requires: cuda
         output_file: output/bildlt_view.out
         args: -mat_type aijcusparse
         filter: sed -n "/type: bildlt/,/linear system/p" | sed "/in device memory/d" | sed "s/error [0-9.]*e-1[5-9]/error of rounding/;s/error 0[.]*$/error of rounding/;s/residual [0-9.]*e-1[5-9]/residual of rounding/;s/residual 0[.]* /residual of rounding /;s/[0-9.e-]* MB/some MB/;s/e-/e_/" | tr . _
      test:
         suffix: view_options
         args: -pc_bildlt_drop_tolerance 0.01 -pc_bildlt_fill_level 1 -pc_bildlt_pivoting bunch_kaufman
         args: -pc_bildlt_definite -pc_bildlt_precision single -pc_bildlt_preprocessing equilibrate
         args: -pc_bildlt_ordering natural -pc_bildlt_block_size 4 -pc_bildlt_strengthen 0

TEST*/
