"""The systems of the study: files, sequences of interior-point matrices, and generated problems. All of them are brought
to PETSc's binary format before anything is measured."""

import dataclasses
import hashlib
import json
import os

import made_up_systems
import sequences
from configurations import DEFINITE, INDEFINITE, UNSYMMETRIC
from measure import run_program

# The matrix alone is wanted: what "solves" the system does nothing.
WRITE = "-ksp_type preonly -pc_type none -accept 1e300 -row -write_matrix"
STEPS = {"early": 0.25, "middle": 0.5, "late": 0.85}  # part of the steps of an interior-point method


@dataclasses.dataclass
class System:
    """A system: files of the values of the first and, unless `second` is None, the second solve."""
    name: str
    what: str
    first: str
    second: str = None
    kind: str = INDEFINITE
    rows: int = 0
    entries: int = 0
    key: str = ""  # hash of the files


@dataclasses.dataclass(frozen=True)
class Generated:
    """Commands of the example programs, with `write` in them where the file to write goes."""
    name: str
    what: str
    first: str
    second: str


def _problem(name, what, command, first, second, write=WRITE):
    return Generated(name, what, f"{command} {first} {write}", f"{command} {second} {write}")


DEFAULT = (
    _problem("kkt3d 12", "boundary control, 12³ nodes, α = 1e-2 and 2e-2", "kkt3d -n 12", "-alpha 1e-2", "-alpha 2e-2"),
    _problem("kkt3d 14 hard", "boundary control, 14³ nodes, α = 1e-6 and 2e-6", "kkt3d -n 14", "-alpha 1e-6",
             "-alpha 2e-6"),
    _problem("stokes 2D", "Stokes, 48² cells, viscosity 1 and 0.5", "stokes -n 48", "-viscosity 1", "-viscosity 0.5"),
    _problem("stokes 3D", "Stokes, 10³ cells, viscosity 1e-2 and 2e-2", "stokes -dim 3 -n 10", "-viscosity 1e-2",
             "-viscosity 2e-2"),
    _problem("convection 2D", "upwind, 80² points, Péclet number 1000 and 1200", "convection -n 80 -row",
             "-peclet 1000", "-peclet 1200", "-write_matrix"),
    _problem("convection 2D central", "central differences, 60² points, Péclet number 500 and 600",
             "convection -n 60 -central -row", "-peclet 500", "-peclet 600", "-write_matrix"),
    _problem("convection 3D", "upwind, 16³ points, Péclet number 100 and 120", "convection -dim 3 -n 16 -row",
             "-peclet 100", "-peclet 120", "-write_matrix"),
    _problem("circuit", "network of 4000 unknowns after 1 and 20 steps in time",
             "circuit -n 4000 -row -pc_factor_mat_solver_type klu", "-steps 1", "-steps 20", "-write_matrix"),
    _problem("circuit large", "network of 12,000 unknowns, operating point, and after 2 steps",
             "circuit -n 12000 -seed 2 -row -pc_factor_mat_solver_type klu", "-steps 0", "-steps 2", "-write_matrix"),
)
DEFAULT_PROGRAMS = (("lp transport", "transport.mps"), ("qp random", "-generate 1500"))


class Maker:
    """Makes systems in a folder, unless they are there from an earlier study."""

    def __init__(self, programs, folder, time_limit, say):
        self.programs, self.folder, self.time_limit, self.say = programs, folder, time_limit, say
        os.makedirs(folder, exist_ok=True)

    def program(self, name):
        path = os.path.join(self.programs, name)
        if not os.path.exists(path):
            raise SystemExit(f"{path} is not there: build the examples (interior_point needs GLPK)")
        return path

    def run(self, command):
        """Runs a command of an example program, which has to succeed."""
        name, *rest = command.split() if isinstance(command, str) else command
        done = run_program([self.program(name), *rest], self.time_limit)
        if done.status:
            why = "time limit" if done.timed_out else done.errors.strip() or done.output.strip()
            raise SystemExit(f"{' '.join([name, *rest])}: {why}")
        return done

    def path(self, recipe, program, end):
        """A file name of its own for a recipe and the program that follows it."""
        digest = hashlib.sha256(recipe.encode())
        with open(self.program(program), "rb") as f:
            digest.update(f.read())
        return os.path.join(self.folder, digest.hexdigest()[:16] + end)

    def written(self, command):
        """The matrix that a command writes, whose last word is -write_matrix."""
        path = self.path(" ".join(command), command[0], ".bin")
        if not os.path.exists(path):
            self.say("making " + " ".join(command[:-1]))
            self.run([*command, path + ".part"])
            os.replace(path + ".part", path)
        return path

    def generated(self, recipe):
        first, second = (self.written(command.split()) for command in (recipe.first, recipe.second))
        return System(recipe.name, recipe.what, first, second)

    def from_file(self, path):
        """A system of a matrix file, whose second values are made by study_case."""
        name = os.path.basename(path).removesuffix(".gz").removesuffix(".mtx").removesuffix(".bin")
        with open(path, "rb") as f:
            content = hashlib.sha256(f.read()).hexdigest()
        copy = self.path(content, "solve", ".bin")
        if not os.path.exists(copy):
            self.say(f"reading {path}")
            self.run(["solve", "-f", path, *WRITE.split(), copy + ".part"])
            os.replace(copy + ".part", copy)
        return System(name, f"file {os.path.basename(path)}; second values: scaled by random numbers", copy)

    def sequence(self, name, source):
        """Three pairs of consecutive matrices of an interior-point method. source: an MPS file, or -generate N."""
        if source.startswith("-generate"):
            what, recipe = source.split(), source
        else:
            what = ["-f", source]
            with open(source, "rb") as f:
                recipe = hashlib.sha256(f.read()).hexdigest()
        base = self.path(recipe, "interior_point", "")
        if not os.path.exists(base + ".late.2.bin"):
            self.say(f"interior-point steps of {name}")
            dump = base + ".part"
            solver = "-pc_factor_mat_solver_type mumps -mat_mumps_icntl_14 200 -row"
            self.run(["interior_point", *what, *solver.split(), "-ksp_view_mat", f"binary:{dump}"])
            sequences.split(dump, base, STEPS)
        return [System(f"{name} {step}", f"interior-point matrices of {os.path.basename(source)}, {step} in the course",
                       f"{base}.{step}.1.bin", f"{base}.{step}.2.bin") for step in STEPS]

    def complete(self, system, definite):
        """Finds out size and kind of a system, and hashes its files."""
        digest = hashlib.sha256()
        for path in filter(None, (system.first, system.second)):
            with open(path, "rb") as f:
                digest.update(f.read())
        system.key = digest.hexdigest()[:16]
        known = os.path.join(self.folder, system.key + ".json")
        if not os.path.exists(known):
            probe = self.run(["study_case", "-f", system.first, "-ksp_type", "preonly", "-pc_type", "none", "-no_history"])
            words = dict(word.split("=") for word in probe.output.splitlines()[0].split()[1:])
            with open(known + ".part", "w") as f:
                json.dump(words, f)
            os.replace(known + ".part", known)
        with open(known) as f:
            words = json.load(f)
        system.rows, system.entries = int(words["rows"]), int(words["entries"])
        system.kind = UNSYMMETRIC if words["symmetric"] == "false" else INDEFINITE
        if definite:
            if system.kind == UNSYMMETRIC:
                raise SystemExit(f"{system.name} is said to be definite, but is not symmetric")
            system.kind = DEFINITE
        return system


def make(maker, files, only, definite):
    """All systems: those of the files, or without files the default set. only: parts of names; definite: names."""
    systems = []
    wanted = [word.strip() for word in only.split(",") if word.strip()]
    take = lambda name: not wanted or any(word in name for word in wanted)
    if not files:
        laplacian = os.path.join(maker.folder, "laplacian.mtx")
        made_up_systems.write_laplacian(laplacian)
        if take("laplacian 3D"):
            systems.append(maker.from_file(laplacian))
            systems[-1].name, systems[-1].what = "laplacian 3D", "seven-point Laplacian on 20³ points; second: scaled"
            definite = {*definite, "laplacian 3D"}
        systems += [maker.generated(recipe) for recipe in DEFAULT if take(recipe.name)]
        made_up_systems.write_transport(os.path.join(maker.folder, "transport.mps"))
        for name, source in DEFAULT_PROGRAMS:
            if any(take(f"{name} {step}") for step in STEPS):
                path = source if source.startswith("-") else os.path.join(maker.folder, source)
                systems += maker.sequence(name, path)
    for path in files:
        if path.removesuffix(".gz").endswith((".mps", ".qp")):
            systems += maker.sequence(os.path.basename(path).removesuffix(".gz").rpartition(".")[0], path)
        else:
            systems.append(maker.from_file(path))
    chosen = [maker.complete(system, system.name in definite) for system in systems if take(system.name)]
    unknown = set(definite) - {system.name for system in chosen} - {"laplacian 3D"}
    if unknown:
        raise SystemExit(f"--definite: no system is called {', '.join(sorted(unknown))}")
    if len({system.name for system in chosen}) < len(chosen):
        raise SystemExit("two systems have the same name: rename a file")
    return chosen
