#include "generated.h"

static char help[] = "Solves generated symmetric systems with -pc_type jldlt, by itself or inside a block "
                     "preconditioner.\n" GENERATED_OPTIONS;

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(SolveGenerated());
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

   # The factor is incomplete.
   testset:
      output_file: output/generated_solved.out
      args: -pc_type jldlt -ksp_type sqmr -ksp_norm_type unpreconditioned -at_most 20
      test:
         suffix: defaults
         args: -problem {{saddle spd}} -ksp_type {{sqmr gmres}} -mat_type {{aij sbaij}}
      test:
         suffix: arrow
         args: -problem arrow -ksp_type {{sqmr gmres}} -mat_type {{aij sbaij}} -at_most 1
      # 157 and more than 400 by the diagonal
      test:
         suffix: helmholtz
         args: -problem helmholtz -mat_type {{aij sbaij}} -at_most 75
      test:
         suffix: helmholtz_gmres
         args: -problem helmholtz -mat_type {{aij sbaij}} -at_most 150 -ksp_type gmres
      test:
         suffix: pivoting
         args: -problem saddle -pc_jldlt_pivoting {{none bunch_kaufman rook full}} -pc_jldlt_block_size 8
      test:
         suffix: blocking
         args: -problem {{saddle spd}} -pc_jldlt_blocking {{sn br rb rbr grid}} -pc_jldlt_ordering {{amd rcm}}
      test:
         suffix: ordering
         args: -problem {{saddle spd}} -pc_jldlt_ordering {{auto natural nd metis color}}
      test:
         suffix: backend
         args: -problem saddle -pc_jldlt_backend {{auto host}}
      test:
         suffix: memory
         args: -problem saddle -pc_jldlt_memory_limit {{decide 10 1e300}}
      test:
         suffix: fill_level
         args: -problem {{saddle spd}} -pc_jldlt_fill_level {{1 unlimited}} -pc_jldlt_sweeps 30 -at_most 10
      test:
         suffix: epsilon
         args: -problem {{saddle spd}} -pc_jldlt_epsilon {{0 0.01}} -pc_jldlt_epsilon_decay {{1 0.5}}
      test:
         suffix: outer
         args: -problem saddle -pc_jldlt_outer_levels 2 -pc_jldlt_outer_tolerance 0.05
         args: -pc_jldlt_preprocessing {{matching none}}
      # 60 by the diagonal
      test:
         suffix: scalar
         args: -problem spd -pc_jldlt_block_size 1 -at_most 40
      test:
         suffix: apply
         args: -problem {{saddle spd}} -pc_jldlt_apply jacobi -pc_jldlt_apply_sweeps {{2 8}}
      test:
         suffix: scale
         args: -problem saddle -scale {{1e-20 1e20}}
      test:
         suffix: scale_arrow
         args: -problem arrow -scale {{1e-20 1e20}} -at_most 1
      test:
         suffix: transpose
         args: -problem saddle -transpose -ksp_type {{sqmr gmres}}

   testset:
      output_file: output/generated_solved.out
      args: -pc_type jldlt -pc_jldlt_definite -ksp_rtol 1e-12 -at_most 25
      test:
         suffix: definite
         args: -problem {{saddle spd}} -ksp_type minres -pc_jldlt_apply {{levels jacobi}}
      test:
         suffix: definite_fill
         args: -problem helmholtz -ksp_type minres -pc_jldlt_fill_level 3
      test:
         suffix: cg
         args: -problem spd -ksp_type cg -pc_jldlt_apply {{levels jacobi}}

   # In parallel, and in pieces
   testset:
      output_file: output/generated_solved.out
      nsize: {{1 2}}
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -n 12 -pc_type bjacobi -pc_bjacobi_blocks 4
      test:
         suffix: bjacobi
         args: -problem spd -sub_pc_type jldlt -mat_type {{aij sbaij}} -at_most 28
      # 389 by the diagonal
      test:
         suffix: bjacobi_helmholtz
         args: -problem helmholtz -sub_pc_type jldlt -mat_type {{aij sbaij}} -at_most 150

   testset:
      args: -pc_type jldlt -ksp_type sqmr -problem saddle -n 6 -ksp_view
      filter: sed -n "/[0-9] sweep r/p;/type: jldlt/,/linear system/p" | sed "s/error [0-9.]*e-1[5-9]/error of rounding/;s/error 0[.]*$/error of rounding/;s/residual [0-9.]*e-1[5-9]/residual of rounding/;s/residual 0[.]* /residual of rounding /;s/[0-9.e-]* MB/some MB/;s/e-/e_/" | tr . _
      test:
         suffix: view
      test:
         suffix: view_cuda
         requires: cuda
         output_file: output/jldlt_view.out
         args: -mat_type aijcusparse
         filter: sed -n "/type: jldlt/,/linear system/p" | sed "/in device memory/d" | sed "s/error [0-9.]*e-1[5-9]/error of rounding/;s/error 0[.]*$/error of rounding/;s/residual [0-9.]*e-1[5-9]/residual of rounding/;s/residual 0[.]* /residual of rounding /;s/[0-9.e-]* MB/some MB/;s/e-/e_/" | tr . _
      test:
         suffix: view_options
         args: -pc_jldlt_monitor -pc_jldlt_sweeps 3 -pc_jldlt_epsilon 1e-3 -pc_jldlt_outer_levels 1
         args: -pc_jldlt_apply jacobi -pc_jldlt_apply_sweeps 2 -pc_jldlt_block_size 4 -pc_jldlt_definite
         args: -pc_jldlt_preprocessing equilibrate -pc_jldlt_ordering natural -pc_jldlt_blocking grid

   # Processes share a GPU, or have one each where there are several
   testset:
      requires: cuda
      output_file: output/generated_solved.out
      nsize: {{1 2}}
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -sub_pc_jldlt_check -mat_type aijcusparse
      test:
         suffix: cuda_bjacobi
         args: -n 12 -problem spd -pc_type bjacobi -pc_bjacobi_blocks {{2 4}} -sub_pc_type jldlt -at_most 28

   # On the GPU, by default where the matrix is
   testset:
      requires: cuda
      output_file: output/generated_solved.out
      args: -pc_type jldlt -pc_jldlt_check -ksp_type sqmr -ksp_norm_type unpreconditioned -mat_type aijcusparse
      args: -at_most 20
      test:
         suffix: cuda
         args: -problem {{saddle spd}} -ksp_type {{sqmr gmres}}
      test:
         suffix: cuda_arrow
         args: -problem arrow -at_most 1
      test:
         suffix: cuda_helmholtz
         args: -problem helmholtz -at_most 75
      test:
         suffix: cuda_host_matrix
         args: -problem {{saddle spd}} -mat_type {{aij sbaij}} -pc_jldlt_backend cuda
      test:
         suffix: cuda_pivoting
         args: -problem saddle -pc_jldlt_block_size 8 -pc_jldlt_pivoting {{none bunch_kaufman rook full}}
      test:
         suffix: cuda_blocks
         args: -problem {{saddle spd}} -pc_jldlt_blocking {{sn grid}} -pc_jldlt_block_size {{4 16 32}} -at_most 28
      test:
         suffix: cuda_fill_level
         args: -problem {{saddle spd}} -pc_jldlt_fill_level {{1 unlimited}} -pc_jldlt_sweeps 30 -at_most 10
      test:
         suffix: cuda_outer
         args: -problem saddle -pc_jldlt_outer_levels 2 -pc_jldlt_outer_tolerance 0.05
         args: -pc_jldlt_preprocessing {{matching none}}
      test:
         suffix: cuda_apply
         args: -problem {{saddle spd}} -pc_jldlt_apply jacobi -pc_jldlt_apply_sweeps {{2 8}}
      test:
         suffix: cuda_scale
         args: -problem saddle -scale {{1e-20 1e20}}
      test:
         suffix: cuda_transpose
         args: -problem saddle -transpose

   testset:
      requires: cuda
      output_file: output/generated_solved.out
      args: -pc_type jldlt -pc_jldlt_definite -pc_jldlt_check -ksp_rtol 1e-12 -mat_type aijcusparse -at_most 25
      test:
         suffix: cuda_definite
         args: -problem {{saddle spd}} -ksp_type minres -pc_jldlt_apply {{levels jacobi}}
      test:
         suffix: cuda_cg
         args: -problem spd -ksp_type cg -pc_jldlt_apply {{levels jacobi}}

   # Limits that no factor keeps to
   testset:
      output_file: output/generated_over_limit.out
      args: -pc_type jldlt -ksp_type sqmr -problem helmholtz -ksp_converged_reason
      filter: grep -o "PC failed.*"
      test:
         suffix: many_tiles
         args: -pc_jldlt_max_tiles 1
      test:
         suffix: little_memory
         args: -pc_jldlt_memory_limit 1e-3

TEST*/
