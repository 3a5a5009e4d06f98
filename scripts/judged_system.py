"""A system whose solutions by the example programs are judged apart from any solver. Shared by the programs that compare
the accuracy of direct solvers."""

import os

from measure import add_program_arguments, find_programs, run_program

WRITE = "-ksp_type preonly -pc_type none -row -accept 1"


class JudgedSystem:
    """A system, its matrix, right-hand side and last solution as files in a folder. The right-hand side is A times 1,
    `rows` is empty where there is no system. args: what find_judge() has completed."""

    def __init__(self, command, folder, args):
        self.command, self.programs = command.split(), args.programs
        self.judge, self.time_limit = args.judge, args.time_limit
        self.matrix, self.rhs, self.solution = (os.path.join(folder, f"{name}.mtx") for name in "Abx")
        self.rows = self.run(f"{WRITE} -write_matrix {self.matrix}").row.get("rows", "")
        self.check("rhs", self.matrix, self.rhs)

    def check(self, *words):
        """The words that accuracy_check prints."""
        return run_program([self.judge, *words], self.time_limit, {"OPENBLAS_NUM_THREADS": "1"}).output.split()

    def run(self, options, threads=1, blas_threads=1):
        """A run of the example program with these options."""
        program, *rest = self.command
        environment = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(blas_threads)}
        command = [os.path.join(self.programs, program), *rest, *options.split()]
        return run_program(command, self.time_limit, environment)

    def solve(self, options, threads=1, blas_threads=1):
        """A run that solves for the right-hand side, and writes the solution."""
        return self.run(f"{options} -rhs {self.rhs} -write {self.solution}", threads, blas_threads)

    def error(self):
        """The scaled backward error of the last solution."""
        return float(self.check("error", self.matrix, self.rhs, self.solution)[0])


def add_judge_arguments(parser):
    parser.add_argument("--time-limit", type=float, default=120, help="seconds of a run; default: %(default)g")
    add_program_arguments(parser)


def find_judge(parser, args):
    """Checks that the programs are there, and completes args.plugin and args.judge."""
    find_programs(parser, args)
    args.judge = os.path.join(args.programs, "..", "benchmarks", "accuracy_check")
    if not os.path.exists(args.judge):
        parser.error(f"{args.judge} is missing: build the target accuracy_check")
