"""PETSc's tutorials that scripts/tutorials runs: with which arguments and types, and what is to come of it."""

import dataclasses

DIRECT = "-pc_factor_mat_solver_type tessera"
SQMR = "-ksp_type sqmr -pc_type bildlt"
BILDLT = "-ksp_type gmres -pc_type bildlt"
JLDLT = "-ksp_type gmres -pc_type jldlt"
CHOLESKY = f"-ksp_type preonly -pc_type cholesky {DIRECT}"
SQMR_CHOLESKY = f"-ksp_type sqmr -pc_type cholesky {DIRECT}"
LU = f"-ksp_type preonly -pc_type lu {DIRECT}"
GMRES_LU = f"-ksp_type gmres -pc_type lu {DIRECT}"
ITERATIVE = (SQMR, BILDLT, JLDLT)
SYMMETRIC = (*ITERATIVE, CHOLESKY, LU)
ANY = (LU, GMRES_LU)
PETSC_LU = "-ksp_type preonly -pc_type lu"
SPLIT = "-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_type schur"
SPLIT_CHOLESKY = (f"{SPLIT} -fieldsplit_u_ksp_type preonly -fieldsplit_u_pc_type cholesky "
                  "-fieldsplit_u_pc_factor_mat_solver_type tessera")
SPLIT_BILDLT = f"{SPLIT} -fieldsplit_u_ksp_type sqmr -fieldsplit_u_pc_type bildlt"


def refused(message, *methods):
    """Methods that have to end with this message."""
    return tuple((method, message) for method in methods)


NOT_SYMMETRIC = refused("is for symmetric matrices", SQMR, CHOLESKY)


@dataclasses.dataclass
class Tutorial:
    """A program and what it solves. methods: options of the solver without the program's prefix of it; one that has to
    end with a message comes with a piece of that message. default: options of PETSc's own run, where its defaults fail
    or are not accurate enough to compare with."""

    source: str
    what: str
    arguments: str
    methods: tuple
    prefix: str = ""
    default: str = ""

    @property
    def name(self):
        return self.source.replace("/tutorials", "")

    @property
    def solver(self):
        """ksp, snes, ts or tao: what the program calls, and the first part of the names of its options."""
        first = self.source.split("/")[0]
        return "ksp" if first == "dm" else first

    @property
    def tolerances(self):
        """Options that make the answer of a nonlinear solver or an optimizer comparable."""
        return {"ksp": "", "tao": "-tao_gatol 1e-9 -tao_grtol 0 -tao_gttol 0"}.get(self.solver, "-snes_rtol 1e-10")


TRIANGULAR = "the preconditioner gets a block triangular matrix"
DIAGONAL = "the preconditioner gets a block diagonal matrix"
QUADRILATERALS = "-dm_plex_simplex 0"
TAYLOR_HOOD = f"{QUADRILATERALS} -vel_petscspace_degree 2 -pres_petscspace_degree 1 -dm_refine 3"

TUTORIALS = (
    Tutorial("ksp/ksp/tutorials/ex2", "Laplacian in 2D", "-m 60 -n 70", SYMMETRIC),
    Tutorial("ksp/ksp/tutorials/ex5", "two systems of one pattern, the second one", "-m 40", SYMMETRIC),
    Tutorial("ksp/ksp/tutorials/ex23", "tridiagonal matrix", "-n 1000", SYMMETRIC, default=PETSC_LU),
    Tutorial("ksp/ksp/tutorials/ex45", "Laplacian in 3D; its boundary rows are those of the unit matrix",
             "-da_grid_x 15 -da_grid_y 15 -da_grid_z 15", (*ANY, *NOT_SYMMETRIC)),
    Tutorial("ksp/ksp/tutorials/ex50", "Laplacian in 2D with Neumann conditions: singular",
             "-da_grid_x 33 -da_grid_y 33",
             (*ITERATIVE, f"{CHOLESKY} -mat_tessera_singular solve", f"{LU} -mat_tessera_singular solve",
              *refused("FACTOR_NUMERIC_ZEROPIVOT", CHOLESKY, LU))),
    Tutorial("ksp/ksp/tutorials/ex42", f"stabilized Stokes equations in 3D; {TRIANGULAR}",
             "-mx 8", (SPLIT_BILDLT, SPLIT_CHOLESKY, GMRES_LU, *NOT_SYMMETRIC), "stokes_"),
    Tutorial("ksp/ksp/tutorials/ex43", f"stabilized Stokes equations in 2D; {TRIANGULAR}",
             "-mx 24 -my 24", (SPLIT_BILDLT, SPLIT_CHOLESKY, GMRES_LU, *NOT_SYMMETRIC), "stokes_"),
    Tutorial("ksp/ksp/tutorials/ex49", "elasticity in 2D, a stiff and a soft material",
             "-mx 20 -my 30 -no_view -c_str 3 -sponge_E0 1 -sponge_E1 1000 -sponge_nu0 0.4 -sponge_nu1 0.2 -sponge_t 1 "
             "-sponge_w 8", SYMMETRIC, "elas_"),
    Tutorial("ksp/ksp/tutorials/ex56", "elasticity in 3D", "-ne 9 -alpha 1e-3", SYMMETRIC),
    Tutorial("dm/impls/stag/tutorials/ex2", "Stokes equations on a staggered grid in 2D",
             "-stag_grid_x 24 -stag_grid_y 24", (*ANY, *NOT_SYMMETRIC), default=f"{PETSC_LU} -pc_factor_mat_solver_type umfpack"),
    Tutorial("dm/impls/stag/tutorials/ex3", "Stokes equations on a staggered grid in 3D", "",
             (*ANY, *NOT_SYMMETRIC), default=f"{PETSC_LU} -pc_factor_mat_solver_type umfpack"),
    Tutorial("snes/tutorials/ex5", "Bratu's equation in 2D", "-da_refine 3 -par 6", SYMMETRIC),
    Tutorial("snes/tutorials/ex12", "Poisson's equation, finite elements",
             f"{QUADRILATERALS} -dm_refine 4 -run_type full -bc_type dirichlet -petscspace_degree 1", SYMMETRIC),
    Tutorial("snes/tutorials/ex17", "elasticity in 2D, finite elements",
             f"{QUADRILATERALS} -dm_refine 4 -sol_type elas_quad -displacement_petscspace_degree 1", SYMMETRIC),
    Tutorial("snes/tutorials/ex19", "driven cavity", "-da_refine 3", (*ANY, *NOT_SYMMETRIC)),
    Tutorial("snes/tutorials/ex62", f"Stokes equations, finite elements; {DIAGONAL}",
             f"-sol trig {TAYLOR_HOOD}", (*ITERATIVE, SQMR_CHOLESKY, GMRES_LU)),
    Tutorial("snes/tutorials/ex69",
             f"Stokes equations with variable viscosity, finite elements; {DIAGONAL}",
             f"-dm_plex_separate_marker {TAYLOR_HOOD}", (*ITERATIVE, SQMR_CHOLESKY, GMRES_LU)),
    Tutorial("snes/tutorials/ex77", "hyperelasticity in 3D, displacements and pressure",
             f"{QUADRILATERALS} -dm_plex_dim 3 -dm_refine 1 -run_type full -def_petscspace_degree 2 "
             "-pres_petscspace_degree 1 -elastMat_petscspace_degree 0 -wall_pres_petscspace_degree 0 -bc_fixed 1 "
             "-bc_pressure 2 -wall_pressure 0.4",
             ANY, default=f"{PETSC_LU} -pc_factor_mat_solver_type umfpack"),
    Tutorial("tao/constrained/tutorials/ex1", "toy quadratic program, interior-point method",
             "-tao_type pdipm -tao_pdipm_kkt_shift_pd", (CHOLESKY,)),
    Tutorial("tao/unconstrained/tutorials/eptorsion1", "elastic-plastic torsion, Newton's method",
             "-mx 30 -my 30 -tao_type nls", SYMMETRIC, "tao_nls_"),
    Tutorial("tao/unconstrained/tutorials/minsurf2", "minimal surface, Newton's method",
             "-da_grid_x 30 -da_grid_y 30 -tao_type nls", SYMMETRIC, "tao_nls_"),
    Tutorial("tao/unconstrained/tutorials/rosenbrock1",
             "Rosenbrock's function, Newton's method; its matrix is of type baij",
             "-n 20 -tao_type nls", refused("seqbaij", SQMR, CHOLESKY, LU), "tao_nls_"),
    Tutorial("tao/bound/tutorials/jbearing2", "journal bearing, Newton's method with bounds",
             "-mx 30 -my 30 -tao_type bnls", SYMMETRIC, "tao_bnk_"),
    Tutorial("tao/bound/tutorials/plate2", "minimal surface over an obstacle, Newton's method with bounds",
             "-mx 20 -my 20 -tao_type bnls", SYMMETRIC, "tao_bnk_"),
    Tutorial("ts/tutorials/ex3", "heat equation in 1D", "-nox -m 200 -ts_type beuler -ts_max_steps 20", ANY,
             default=PETSC_LU),
    Tutorial("ts/tutorials/ex8", "Oregonator, a stiff reaction", "-problem_type orego", ANY, default=PETSC_LU),
    Tutorial("ts/tutorials/ex17", "differential-algebraic equations in 1D", "", ANY, default=PETSC_LU),
    Tutorial("ts/tutorials/ex19", "van der Pol's equation as a differential-algebraic one", "", ANY, default=PETSC_LU),
    Tutorial("ts/tutorials/ex20", "van der Pol's equation", "", ANY, default=PETSC_LU),
    Tutorial("ts/tutorials/ex26", "driven cavity in time", "-da_grid_x 16 -da_grid_y 16 -ts_max_steps 20", ANY,
             default=PETSC_LU),
    Tutorial("ts/tutorials/ex45", "heat equation in 2D, finite elements",
             f"{QUADRILATERALS} -dm_refine 4 -temp_petscspace_degree 1", SYMMETRIC, default=PETSC_LU),
)
