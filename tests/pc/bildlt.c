#include "generated.h"

static char help[] = "Solves generated symmetric systems with -pc_type bildlt, by itself or inside a block "
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

   # A complete factor is the inverse but for rounding and for perturbed pivots, whatever the options that shape it.
   testset:
      output_file: output/generated_solved.out
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
      output_file: output/generated_solved.out
      args: -pc_type bildlt -ksp_type {{sqmr gmres}} -ksp_norm_type unpreconditioned
      test:
         suffix: dropping
         args: -problem {{saddle helmholtz spd}} -pc_bildlt_drop_tolerance {{1e-8 1e-2}} -at_most 15
      test:
         suffix: levels
         args: -problem {{saddle spd}} -pc_bildlt_fill_level {{0 1 3}} -pc_bildlt_block_size 8 -at_most 28
      test:
         suffix: single
         args: -problem {{saddle helmholtz}} -pc_bildlt_precision {{auto single}} -pc_bildlt_drop_tolerance {{0 1e-2}}
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
      output_file: output/generated_solved.out
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

   # In parallel, and in pieces
   testset:
      output_file: output/generated_solved.out
      nsize: {{1 2}}
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -n 12 -pc_type bjacobi -pc_bjacobi_blocks 4
      test:
         suffix: bjacobi
         args: -problem spd -sub_pc_type bildlt -mat_type {{aij sbaij}} -at_most 28
      # 389 by the diagonal
      test:
         suffix: bjacobi_helmholtz
         args: -problem helmholtz -sub_pc_type bildlt -mat_type {{aij sbaij}} -at_most 150

   test:
      suffix: asm
      output_file: output/generated_solved.out
      nsize: {{1 2}}
      args: -problem {{saddle helmholtz}} -pc_type asm -pc_asm_overlap 2 -sub_pc_type bildlt
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -at_most 28

   # On the GPU, with the factor of the host beside it: matrices and vectors of the host, and those in device memory
   testset:
      requires: cuda
      output_file: output/generated_solved.out
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
      output_file: output/generated_solved.out
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
      output_file: output/generated_solved.out
      nsize: {{1 2}}
      args: -ksp_type gmres -ksp_norm_type unpreconditioned -sub_pc_bildlt_check -mat_type aijcusparse
      test:
         suffix: cuda_bjacobi
         args: -n 12 -problem spd -pc_type bjacobi -pc_bjacobi_blocks {{2 4}} -sub_pc_type bildlt -at_most 28
      test:
         suffix: cuda_asm
         args: -problem {{saddle helmholtz}} -pc_type asm -pc_asm_overlap 2 -sub_pc_type bildlt -at_most 28

   # The first factor exceeds the limit: the view tells of those before the one that stands.
   test:
      suffix: view_attempts
      args: -pc_type bildlt -ksp_type sqmr -ksp_view -problem helmholtz -n 40 -pc_bildlt_memory_limit 0.26 -at_most 200
      filter: sed -n "s,factored [0-9]* times,factored some times,p"

   # A limit that no factor keeps to
   test:
      suffix: many_tiles
      output_file: output/generated_over_limit.out
      args: -pc_type bildlt -ksp_type sqmr -problem helmholtz -ksp_converged_reason -pc_bildlt_max_tiles 1
      filter: grep -o "PC failed.*"

   # A complete factor names the direct solver where that is predicted to take less time; others do not.
   testset:
      args: -pc_type bildlt -ksp_type sqmr -ksp_view
      filter: sed -n -e "s, in [0-9a-z.]* of the time, in a part of the time,p" -e "s,growth.*,growth,p"
      test:
         suffix: direct_named
         args: -problem helmholtz -n 30
      test:
         suffix: direct_named_cuda
         requires: cuda
         args: -problem helmholtz -n 30 -mat_type aijcusparse
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
         suffix: direct_not_named_cuda
         requires: cuda
         args: -problem helmholtz -n 30 -mat_type aijcusparse -pc_bildlt_drop_tolerance 1e-2
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
         filter: sed -n "/type: bildlt/,/linear system/p" | sed "/in device memory/d;/direct solver/d" | sed "s/error [0-9.]*e-1[5-9]/error of rounding/;s/error 0[.]*$/error of rounding/;s/residual [0-9.]*e-1[5-9]/residual of rounding/;s/residual 0[.]* /residual of rounding /;s/[0-9.e-]* MB/some MB/;s/e-/e_/" | tr . _
      test:
         suffix: view_options
         args: -pc_bildlt_drop_tolerance 0.01 -pc_bildlt_fill_level 1 -pc_bildlt_pivoting bunch_kaufman
         args: -pc_bildlt_definite -pc_bildlt_precision single -pc_bildlt_preprocessing equilibrate
         args: -pc_bildlt_ordering natural -pc_bildlt_block_size 4 -pc_bildlt_strengthen 0

TEST*/
