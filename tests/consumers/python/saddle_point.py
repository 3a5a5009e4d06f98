"""Solves a system that needs pivoting with Tessera's types, through petsc4py.

  saddle_point.py PATH/libtessera.so

The exit status is 1 unless every method solves it, and in the types it was asked for.
"""

import sys

import petsc4py

petsc4py.init(["saddle_point", "-dll_append", sys.argv[1]])
from petsc4py import PETSc  # noqa: E402  (after init)


def create_system(n):
    """[O K; K 0] with 2n rows, K = tridiag(-1, 3, -1) and O = diag(0, 1, 0, 1, ...), and the right-hand side whose
    solution is 1, 2, 3, ..."""
    a = PETSc.Mat().createAIJ(2 * n, nnz=4)
    a.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    for row in range(*a.getOwnershipRange()):
        i, other = row % n, n if row < n else 0
        for j in range(max(i - 1, 0), min(i + 2, n)):
            a[row, other + j] = 3 if i == j else -1
        a[row, row] = 1 if row < n and i % 2 else 0
    a.assemble()
    x, b = a.createVecs()
    x.setArray(range(x.owner_range[0] + 1, x.owner_range[1] + 1))
    a.mult(x, b)
    return a, b


def solve(a, b, **options):
    """Solves with these options of PETSc's; returns the KSP and the relative residual."""
    for name, value in options.items():
        PETSc.Options().setValue(name, value)
    ksp = PETSc.KSP().create()
    ksp.setOperators(a)
    ksp.setFromOptions()
    for name in options:
        PETSc.Options().delValue(name)
    x = b.duplicate()
    ksp.solve(b, x)
    return ksp, (b - a * x).norm() / b.norm()


def main():
    a, b = create_system(100)
    good = True
    for options in (
        {"ksp_type": "sqmr", "pc_type": "bildlt", "ksp_rtol": 1e-10},
        {"ksp_type": "gmres", "pc_type": "jldlt", "ksp_rtol": 1e-10},
        {"ksp_type": "preonly", "pc_type": "cholesky", "pc_factor_mat_solver_type": "tessera"},
        {"ksp_type": "preonly", "pc_type": "lu", "pc_factor_mat_solver_type": "tessera"},
    ):
        ksp, residual = solve(a, b, **options)
        types = {"ksp_type": ksp.getType(), "pc_type": ksp.pc.getType()}
        if "pc_factor_mat_solver_type" in options:
            factor = ksp.pc.getFactorMatrix()
            types["pc_factor_mat_solver_type"] = ksp.pc.getFactorSolverType()
            if options["pc_type"] == "cholesky":
                good &= factor.getInertia() == (100, 0, 100)
        solved = ksp.is_converged and residual < 1e-8 and types.items() <= options.items()
        print(" ".join(types.values()) + (": solved" if solved else f": NOT SOLVED, residual {residual}"))
        good &= solved
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
