"""Options of methods that more than one of the programs that compare methods has."""

GMRES = "-ksp_type gmres -ksp_gmres_restart 100 -ksp_pc_side right"
MINRES = "-ksp_type minres -pc_type jacobi -pc_jacobi_abs"
MUMPS = "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps"
MUMPS_SPACE = "-mat_mumps_icntl_14 2000"  # room for delayed pivots
BILDLT = "-ksp_type sqmr -pc_type bildlt"
