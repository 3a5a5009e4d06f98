/* The example, by the harness. */
#include "../../examples/pdipm.c"

/*TEST

   build:
      requires: double !complex

   # TAOPDIPM takes no Cholesky factor in a PETSc without MUMPS, whosever it is
   test:
      requires: mumps
      args: -a {{1 -1 -10}} -tao_pdipm_kkt_shift_pd
      filter: sed -e "s,.*objective [-0-9.]*. ,," -e "s, after [0-9]* steps,,"
   test:
      suffix: shift
      requires: mumps
      args: -a -10 -tao_pdipm_kkt_shift_pd -info :tao
      filter: grep -o "Updated deltaw" | sort -u

TEST*/
