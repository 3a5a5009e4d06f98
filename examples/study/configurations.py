"""The solver configurations of the study."""

import dataclasses
import os

from methods import BILDLT, GMRES, MINRES, MUMPS, MUMPS_SPACE

DEFINITE, INDEFINITE, UNSYMMETRIC = "definite", "indefinite", "unsymmetric"
SYMMETRIC = (DEFINITE, INDEFINITE)
ANY = (*SYMMETRIC, UNSYMMETRIC)
PETSC, MUMPS_FAMILY, SUITESPARSE, TESSERA, CUDSS = "PETSc", "MUMPS", "SuiteSparse", "Tessera", "cuDSS"

# Okabe & Ito's colours, which colour-blind readers tell apart; families have line styles of their own.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
LINES = {PETSC: (0, (1, 1.2)), MUMPS_FAMILY: (0, (6, 1.5, 1, 1.5)), SUITESPARSE: (0, (4, 2)), TESSERA: "-", CUDSS: "-"}


@dataclasses.dataclass(frozen=True)
class Configuration:
    """A method: PETSc options, the kinds of systems that it is for, and how pictures show it."""
    name: str
    family: str
    options: str
    kinds: tuple
    colour: str
    marker: str

    @property
    def line(self):
        return LINES[self.family]

    def suits(self, system):
        return system.kind in self.kinds


def _direct(pc, package):
    return f"-ksp_type preonly -pc_type {pc} -pc_factor_mat_solver_type {package}"


CONFIGURATIONS = (
    Configuration("sqmr+bildlt", TESSERA, BILDLT, SYMMETRIC, VERMILION, "o"),
    Configuration("sqmr+jldlt", TESSERA, "-ksp_type sqmr -pc_type jldlt", SYMMETRIC, BLUE, "s"),
    Configuration("sqmr+jacobi", TESSERA, "-ksp_type sqmr -pc_type jacobi", SYMMETRIC, GREEN, "D"),
    Configuration("tessera cholesky", TESSERA, _direct("cholesky", "tessera"), SYMMETRIC, ORANGE, "^"),
    Configuration("tessera lu", TESSERA, _direct("lu", "tessera"), ANY, PURPLE, "v"),
    Configuration("mumps ldlt", MUMPS_FAMILY, f"{MUMPS} {MUMPS_SPACE}", SYMMETRIC, BLACK, "P"),
    Configuration("mumps lu", MUMPS_FAMILY, f"{_direct('lu', 'mumps')} {MUMPS_SPACE}", (UNSYMMETRIC,), BLACK, "P"),
    Configuration("umfpack", SUITESPARSE, _direct("lu", "umfpack"), ANY, SKY, "X"),
    Configuration("klu", SUITESPARSE, _direct("lu", "klu"), ANY, BLUE, "<"),
    Configuration("cholmod", SUITESPARSE, _direct("cholesky", "cholmod"), SYMMETRIC, GREEN, ">"),
    Configuration("petsc cholesky", PETSC, _direct("cholesky", "petsc") + " -zero_diagonal", SYMMETRIC, VERMILION, "^"),
    Configuration("petsc lu", PETSC, _direct("lu", "petsc") + " -zero_diagonal -pc_factor_nonzeros_along_diagonal",
                  ANY, PURPLE, "v"),
    Configuration("minres+jacobi", PETSC, MINRES, SYMMETRIC, GREEN, "d"),
    Configuration("gmres+ilu", PETSC, f"{GMRES} -zero_diagonal -pc_type ilu", ANY, BLACK, "*"),
    Configuration("gmres+gamg", PETSC, f"{GMRES} -pc_type gamg", ANY, ORANGE, "h"),
    Configuration("cudss ldlt", CUDSS, "-mat_type aijcusparse " + _direct("cholesky", "cudss"), SYMMETRIC, SKY, "p"),
    Configuration("cudss lu", CUDSS, "-mat_type aijcusparse " + _direct("lu", "cudss"), (UNSYMMETRIC,), SKY, "p"),
)


def has_gpu_driver():
    return os.path.exists("/proc/driver/nvidia/version")


def chosen(text, more):
    """(configurations, what was left out and why). text: comma-separated names, or parts of them, to take; empty: all.
    more: NAME=OPTIONS of further ones, for every kind of system."""
    colours = (YELLOW, SKY, BLUE, GREEN)
    own = [Configuration(name, PETSC, options, ANY, colours[k % len(colours)], "8")
           for k, (name, _, options) in enumerate(one.partition("=") for one in more)]
    words = [word.strip() for word in text.split(",") if word.strip()]
    left = [c for c in CONFIGURATIONS if not words or any(word in c.name for word in words)] + own
    notes = []
    if any(c.family == CUDSS for c in left) and not has_gpu_driver():
        notes.append("cuDSS is left out: there is no driver of an NVIDIA GPU on this machine")
        left = [c for c in left if c.family != CUDSS]
    if len({c.name for c in left}) < len(left):
        raise SystemExit("two configurations have the same name: give another NAME")
    return left, notes
