"""The solver configurations of the study."""

import dataclasses
import os

from machine import shared_libraries
from measure import program_path
from methods import BILDLT, GMRES, MINRES, MUMPS, MUMPS_SPACE

DEFINITE, INDEFINITE, UNSYMMETRIC = "definite", "indefinite", "unsymmetric"
SYMMETRIC = (DEFINITE, INDEFINITE)
ANY = (*SYMMETRIC, UNSYMMETRIC)
PETSC, MUMPS_FAMILY, SUITESPARSE, TESSERA, CUDSS = "PETSc", "MUMPS", "SuiteSparse", "Tessera", "cuDSS"

# Okabe & Ito's colours, which colour-blind readers tell apart; families have line styles of their own.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
LINES = {PETSC: (0, (1, 1.2)), MUMPS_FAMILY: (0, (6, 1.5, 1, 1.5)), SUITESPARSE: (0, (4, 2)), TESSERA: "-", CUDSS: "-"}
LINE_ON_GPU = (0, (9, 2))

# Matrix and vectors in the memory of a GPU. PETSc would take an MPI that knows nothing of GPUs for an error.
GPU = "-mat_type aijcusparse -use_gpu_aware_mpi 0"
CUDSS_CASE = "cudss_case"  # a program without PETSc, which is there where CMake has found cuDSS


@dataclasses.dataclass(frozen=True)
class Configuration:
    """A method: options of its program, the kinds of systems that it is for, and how pictures show it."""
    name: str
    family: str
    options: str
    kinds: tuple
    colour: str
    marker: str
    program: str = "study_case"  # which takes PETSc options

    @property
    def on_gpu(self):
        return self.program == CUDSS_CASE or "-mat_type aijcusparse" in self.options

    @property
    def line(self):
        return LINE_ON_GPU if self.on_gpu else LINES[self.family]

    @property
    def filling(self):
        """Of its markers: those of the same method on a GPU are hollow."""
        return "white" if self.on_gpu else self.colour

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
    Configuration("sqmr+bildlt gpu", TESSERA, f"{BILDLT} {GPU}", SYMMETRIC, VERMILION, "o"),
    Configuration("sqmr+jldlt gpu", TESSERA, f"-ksp_type sqmr -pc_type jldlt {GPU}", SYMMETRIC, BLUE, "s"),
    Configuration("sqmr+jacobi gpu", TESSERA, f"-ksp_type sqmr -pc_type jacobi {GPU}", SYMMETRIC, GREEN, "D"),
    Configuration("tessera cholesky gpu", TESSERA, f"{_direct('cholesky', 'tessera')} {GPU}", SYMMETRIC, ORANGE, "^"),
    Configuration("tessera lu gpu", TESSERA, f"{_direct('lu', 'tessera')} {GPU}", ANY, PURPLE, "v"),
    Configuration("minres+jacobi gpu", PETSC, f"{MINRES} {GPU}", SYMMETRIC, GREEN, "d"),
    Configuration("gmres+ilu gpu", PETSC,
                  f"{GMRES} -zero_diagonal -pc_type ilu -pc_factor_mat_solver_type cusparse {GPU}", ANY, BLACK, "*"),
    Configuration("gmres+gamg gpu", PETSC, f"{GMRES} -pc_type gamg {GPU}", ANY, ORANGE, "h"),
    Configuration("cudss", CUDSS, "", ANY, SKY, "p", CUDSS_CASE),
)


def has_gpu_driver():
    return os.path.exists("/proc/driver/nvidia/version")


def _missing(configuration, programs):
    """Why a configuration cannot be run on this machine; empty if it can."""
    if not configuration.on_gpu:
        return ""
    if not has_gpu_driver():
        return "there is no driver of an NVIDIA GPU on this machine"
    program = program_path(programs, configuration.program)
    if configuration.program == CUDSS_CASE:
        return "" if os.path.exists(program) else f"{CUDSS_CASE} has not been built"
    return "" if any("cudart" in path for path in shared_libraries(program)) else "the programs were built without CUDA"


def chosen(programs, text, more, without=""):
    """(configurations, what was left out and why). programs: their folder. text: comma-separated names, or parts of
    them, to take; empty: all. without: likewise, to leave out of these. more: NAME=OPTIONS of further ones, for every
    kind of system."""
    colours = (YELLOW, SKY, BLUE, GREEN)
    own = [Configuration(name, PETSC, options, ANY, colours[k % len(colours)], "8")
           for k, (name, _, options) in enumerate(one.partition("=") for one in more)]
    words, others = ([word.strip() for word in words.split(",") if word.strip()] for words in (text, without))
    left = [c for c in CONFIGURATIONS if (not words or any(word in c.name for word in words))
            and not any(word in c.name for word in others)] + own
    if len({c.name for c in left}) < len(left):
        raise SystemExit("two configurations have the same name: give another NAME")
    missing = {c.name: _missing(c, programs) for c in left}
    notes = []
    for why in sorted(set(filter(None, missing.values()))):
        notes.append(f"{', '.join(name for name in missing if missing[name] == why)}: {why}")
    return [c for c in left if not missing[c.name]], notes
