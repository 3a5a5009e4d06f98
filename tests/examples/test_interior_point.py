"""interior_point: linear programs of every kind beside GLPK, quadratic ones with known solutions, programs without a
solution, several solvers of the KKT systems, and bad files."""

import os
import random
import sys
import unittest

from support import PROGRAMS, ROOT, ExampleTest, main, need_data, plugin, read_vector

sys.path.insert(0, os.path.join(ROOT, "scripts"))
import glpk

# One thread: the systems are small, and threads that wait for each other suffer from other work on the machine.
os.environ["OMP_NUM_THREADS"] = "1"

TESSERA = plugin("preonly", "cholesky", "-pc_factor_mat_solver_type", "tessera")
STATUS = {"optimal": 0, "failed": 2, "infeasible": 3, "unbounded": 4}

# Every kind of row and bound, an empty row, a row without bound, an empty column, a fixed variable.
MIXED = """NAME MIXED
ROWS
 N COST
 L CAP
 G NEED
 E BAL
 L RNG
 E EMPTY
 N FREEROW
COLUMNS
 X COST 1 CAP 2
 X NEED 3 FREEROW 9
 Y COST 0.5
 Y CAP 5 BAL 7
 Z COST -1
 Z NEED 11 RNG 13
 W COST 2
 W BAL 17 RNG 19
 F COST 3 CAP 1
 ALONE COST 2
RHS
 RHS CAP 10 NEED 1
 RHS BAL 5 RNG 8
 RHS COST 4
RANGES
 RNG RNG 4
BOUNDS
 FR BND Y
 MI BND Z
 UP BND Z 4
 LO BND W -1
 UP BND W 3
 FX BND F 1.5
 LO BND ALONE -7
ENDATA
"""

# Activities x2 to x6 use goods x7 to x12 in proportion, for which x1 is paid. x4 is at least 1.5, x5 1.09 times that, x3
# 9.4 and 1.09 (x4 + x5) more, so x1 = 46.58 x3 + 37.5 x5 + 0.1896 x4. Only activities have bounds.
ACTIVITIES = """program 10 12
c 1 1
a 1 7 1
a 1 2 -260
row 1 0 *
a 2 8 1
a 2 3 -1.58
row 2 0 0
a 3 9 1
a 3 3 -30
row 3 0 0
a 4 10 1
a 4 4 -1.58
row 4 0 *
a 5 11 1
a 5 5 -30
row 5 0 *
a 6 12 1
a 6 6 -15
row 6 0 0
a 7 3 1
a 7 4 -1.09
a 7 5 -1.09
row 7 9.4 *
a 8 5 1
a 8 4 -1.09
row 8 0 *
a 9 4 1
row 9 1.5 *
a 10 1 1
a 10 7 -1.25
a 10 8 -1
a 10 9 -1.5
a 10 10 -0.12
a 10 11 -1.25
a 10 12 -0.12
row 10 0 0
""" + "".join(f"bounds {j} * *\n" for j in (1, *range(7, 13)))

# min x1^2 + x1 x2 + x2^2 - 3 x1, x1 + x2 >= 1, x1 - x2 <= 2, x2 <= 0.5, both otherwise free
QP = """% a comment
program 2 2
q 1 1 2
q 1 2 1
q 2 2 2
c 1 -3
a 1 1 1
a 1 2 1
a 2 1 1
a 2 2 -1
row 1 1 *
row 2 * 2
bounds 1 * *
bounds 2 * 0.5
"""


def random_program(seed, rows=25, cols=40):
    """MPS text of a feasible, bounded random program with all kinds of rows and bounds."""
    r = random.Random(seed)
    x = [r.uniform(-3, 3) for _ in range(cols)]
    a = [{j: r.choice([-1, 1]) * 10 ** r.uniform(-1.5, 1.5) for j in r.sample(range(cols), 4)} for _ in range(rows)]
    kinds = [r.choice("LGE") for _ in range(rows)]
    lines = ["NAME RANDOM", "ROWS", " N COST", *(f" {k} R{i}" for i, k in enumerate(kinds)), "COLUMNS"]
    # Costs that multipliers of the right signs make up, and reduced costs at a bound: the program is bounded.
    y = [{"L": -1, "G": 1, "E": r.choice([-1, 1])}[k] * r.uniform(0, 1) for k in kinds]
    bounds, rhs, ranges = [], [], []
    for j in range(cols):
        cost = sum(y[i] * row[j] for i, row in enumerate(a) if j in row)
        kind = r.randrange(5)
        if kind == 0:
            bounds.append(f" FR BND X{j}")
        elif kind == 1:
            bounds.append(f" LO BND X{j} {x[j] - 1!r}")
            cost += 1
        elif kind == 2:
            bounds += [f" MI BND X{j}", f" UP BND X{j} {x[j] + 1!r}"]
            cost -= 1
        elif kind == 3:
            bounds += [f" LO BND X{j} {x[j] - 1!r}", f" UP BND X{j} {x[j] + 0.5!r}"]
            cost += r.uniform(-2, 2)
        else:
            bounds.append(f" FX BND X{j} {x[j]!r}")
        lines.append(f" X{j} COST {cost!r}")
        lines += [f" X{j} R{i} {row[j]!r}" for i, row in enumerate(a) if j in row]
    for i, row in enumerate(a):
        activity = sum(v * x[j] for j, v in row.items())
        rhs.append(f" RHS R{i} {activity + {'L': 0.5, 'G': -0.5, 'E': 0}[kinds[i]]!r}")
        if kinds[i] != "E" and r.random() < 0.3:
            ranges.append(f" RNG R{i} 2")
    return "\n".join([*lines, "RHS", *rhs, "RANGES", *ranges, "BOUNDS", *bounds, "ENDATA"]) + "\n"


@unittest.skipUnless(os.path.exists(os.path.join(PROGRAMS, "interior_point")),
                     "interior_point is not built: GLPK is absent")
class InteriorPoint(ExampleTest):
    def solve(self, *args, status="optimal", method=TESSERA):
        """Runs the program; the words of its line."""
        done = self.run_program("interior_point", *args, *method, "-row", "-options_left", 0)
        self.assertEqual((done.returncode, done.stderr), (STATUS[status], ""), done.stdout)
        row = dict(word.split("=", 1) for word in done.stdout.split())
        self.assertEqual(row["status"], status)
        return row

    def assert_near(self, row, objective, tolerance=1e-7):
        self.assertLess(abs(float(row["objective"]) - objective), tolerance * (1 + abs(objective)))

    def qp(self, text, *args, status="optimal", method=TESSERA):
        return self.solve("-f", self.file("p.qp", text), *args, status=status, method=method)

    def beside_glpk(self, mps, *args):
        path = self.file("lp.mps", mps)
        objective = glpk.objective(path, maximize="-maximize" in args)
        if objective is None:
            self.skipTest("GLPK's library cannot be loaded")
        self.assert_near(self.solve("-f", path, *args), objective)

    def test_every_kind_of_row_and_bound(self):
        self.beside_glpk(MIXED)

    def test_maximize(self):
        turned = MIXED
        for name, cost in (("X", "1"), ("Y", "0.5"), ("Z", "-1"), ("W", "2"), ("F", "3"), ("ALONE", "2")):
            turned = turned.replace(f" {name} COST {cost}", f" {name} COST {-float(cost)}")
        self.beside_glpk(turned, "-maximize")

    def test_random_programs(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                self.beside_glpk(random_program(seed))

    def test_quadratic_program(self):
        # x2 free would be -x1/2 and x1 = 2, outside x1 - x2 <= 2: on that line 3 x1^2 - 9 x1 + 4, least at x1 = 1.5.
        x = self.path("x.mtx")
        row = self.qp(QP, "-write", x)
        self.assert_near(row, -2.75)
        for value, exact in zip(read_vector(x), (1.5, -0.5), strict=True):
            self.assertAlmostEqual(value, exact, places=3)
        negative = "maximize\n" + "".join(
            line.rsplit(" ", 1)[0] + f" {-float(line.rsplit(' ', 1)[1])}\n" if line[:2] in ("q ", "c ") else line
            for line in QP.splitlines(keepends=True)[2:])
        self.assert_near(self.qp("program 2 2\n" + negative + "constant 1\n"), 3.75)

    def test_generated_quadratic_programs(self):
        for seed in range(4):
            done = self.run_program("interior_point", "-generate", 300, "-seed", seed, *TESSERA)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertLess(float(done.stdout.split()[-1]), 1e-7)

    def test_lines_of_steps(self):
        done = self.run_program("interior_point", "-generate", 100, *TESSERA)
        lines = [line.split() for line in done.stdout.splitlines()]
        steps = [words for words in lines if words[0].isdigit() and len(words) == 15]
        self.assertEqual([int(words[0]) for words in steps], list(range(len(steps))))
        variables, rows = (int(lines[0][k]) for k in (0, 2))
        for words in steps:
            self.assertEqual([int(w) for w in words[7:10]], [variables, 0, rows])
        self.assertLessEqual(max(float(w) for w in steps[-1][1:4]), 1e-8)

    def test_equations_only_and_bounds_only(self):
        self.assert_near(self.qp("program 1 2\nq 1 1 2\nq 2 2 2\na 1 1 1\na 1 2 1\nrow 1 2 2\nbounds 1 * *\n"
                                 "bounds 2 * *\n"), 2)
        self.assert_near(self.qp("program 0 2\nq 1 1 2\nq 1 2 1\nq 2 2 2\nc 1 1\nbounds 1 * *\nbounds 2 -1 1\n"), -1 / 3)

    def test_nothing_left(self):
        self.assert_near(self.qp("program 1 2\nc 1 2\nc 2 -1\na 1 1 1\nrow 1 * 9\nbounds 1 3 3\nbounds 2 0 5\n"), 1)

    def test_dependent_rows(self):
        text = "program 3 3\nc 1 1\nc 2 2\n" + "".join(f"a 1 {j} 1\na 2 {j} 2\n" for j in (1, 2, 3)) + "row 1 3 3\n"
        self.assert_near(self.qp(text + "row 2 6 6\nbounds 3 0 1\n"), 2)
        self.qp(text + "row 2 7 7\n", status="infeasible")

    def test_equations_that_follow_from_others(self):
        """They are left out, so that no step needs regularization; not those that contradict others."""
        rows = ((1, 1, 1, 0), (0, 1, -1, 2), (1, 2, 0, 2), (-2, -2, -2, 0), (3, 1, 5, -4))  # of rank two
        text = "program 5 4\nc 1 1\nc 2 3\nc 3 2\n" + "".join(
            f"a {i} {j} {a}\n" for i, row in enumerate(rows, 1) for j, a in enumerate(row, 1) if a)
        for last, left, status in ((3, 2, "optimal"), (4, 5, "infeasible")):
            right = "".join(f"row {i} {b} {b}\n" for i, b in enumerate((3, 3, 6, -6, last), 1))
            file = self.file("p.qp", text + right)
            done = self.run_program("interior_point", "-f", file, *TESSERA)
            self.assertEqual(done.returncode, STATUS[status], done.stdout + done.stderr)
            self.assertIn(f"4 variables, {left} rows,", done.stdout)
            self.assertEqual(done.stdout.count("variables,"), 1)  # not solved once more, with other rows
            if status == "optimal":
                steps = [words for words in map(str.split, done.stdout.splitlines()) if len(words) == 15]
                self.assertGreater(len(steps), 2)
                for words in steps:
                    self.assertEqual([float(w) for w in words[10:12]], [0, 0])  # delta, gamma
                row = self.solve("-f", file)
                self.assert_near(self.solve("-f", file, method=["-pc_type", "cholesky", "-pc_factor_mat_solver_type",
                                                                 "mumps", "-mat_mumps_icntl_24", "1"]),
                                 float(row["objective"]))

    def test_nearly_dependent_rows(self):
        # The matrix of the start has eigenvalues of 1e-14.
        self.assert_near(self.qp("program 3 3\nc 3 1\na 1 1 1\na 1 2 -1\nrow 1 1 1\na 2 1 -1\na 2 2 1.0000001\n"
                                 "row 2 0.5 0.5\na 3 3 1\na 3 1 -1\nbounds 3 * *\n"), 1.5e7 + 1, tolerance=1e-6)

    def test_variables_without_bounds(self):
        # The multipliers that leave the least dual residual are next to nothing beside it.
        self.assert_near(self.qp(ACTIVITIES, "-steps", 40), 46.58 * 12.81715 + 37.5 * 1.635 + 0.1896 * 1.5)

    def test_infeasible(self):
        self.qp("program 2 2\nc 1 1\na 1 1 1\na 1 2 1\na 2 1 1\na 2 2 1\nrow 1 4 *\nrow 2 * 3\n", status="infeasible")
        self.qp("program 1 1\na 1 1 1\nrow 1 1 1\nbounds 1 2 1\n", status="infeasible")
        self.qp("program 1 1\nrow 1 1 2\n", status="infeasible")
        self.solve("-f", self.file("lp.mps", MIXED.replace("NEED 1\n", "NEED 1e4\n")), status="infeasible")

    def test_unbounded(self):
        self.qp("program 1 2\nc 1 -1\nc 2 -1\na 1 1 1\na 1 2 -1\nrow 1 0 0\n", status="unbounded")
        self.qp("program 1 2\nq 1 1 2\nc 2 -1\na 1 1 1\na 1 2 -1\nrow 1 * 1\nbounds 1 * *\n", status="unbounded")
        self.qp("program 0 1\nc 1 -1\n", status="unbounded")
        self.solve("-f", self.file("lp.mps", MIXED), "-maximize", status="unbounded")

    def test_not_convex(self):
        self.qp("program 1 2\nq 1 1 -2\nq 2 2 2\na 1 2 1\nrow 1 2 2\nbounds 1 -5 5\n", status="failed")

    def test_few_steps(self):
        self.qp(QP, "-steps", 1, status="failed")

    def test_what_is_asked_of_a_solution(self):
        # Each alone asks for less, and is reached earlier.
        lp = self.file("lp.mps", random_program(3))
        steps = int(self.solve("-f", lp)["steps"])
        both = int(self.solve("-f", lp, "-gap", 1, "-feasibility", 1)["steps"])
        self.assertLess(both, int(self.solve("-f", lp, "-gap", 1)["steps"]) + 1)
        self.assertLess(both, steps)
        self.solve("-f", lp, "-gap", 1e-300, "-steps", steps, status="failed")
        self.solve("-f", lp, "-feasibility", 1e-300, "-steps", steps, status="failed")

    def test_refinement(self):
        lp = self.file("lp.mps", random_program(3))
        without, default = self.solve("-f", lp, "-refine", 0), self.solve("-f", lp)
        self.assert_near(without, float(default["objective"]))
        # Iterations of a direct solver are solves: two for the start and for each step.
        self.assertEqual(int(without["iterations"]), 2 + 2 * int(without["steps"]))
        self.assertGreater(int(default["iterations"]), 2 + 2 * int(default["steps"]))

    def test_other_solvers(self):
        lp = self.file("lp.mps", random_program(3))
        expected = float(self.solve("-f", lp)["objective"])
        for method in (plugin("sqmr", "bildlt"), plugin("minres", "bildlt", "-pc_bildlt_definite"),
                       [*TESSERA, "-mat_type", "sbaij"], [*TESSERA, "-analyze_every", "1"],
                       ["-pc_type", "cholesky", "-pc_factor_mat_solver_type", "mumps", "-mat_mumps_icntl_14", "500",
                        "-mat_mumps_icntl_24", "1"]):
            with self.subTest(method=method):
                self.assert_near(self.solve("-f", lp, method=method), expected)

    def test_analyses(self):
        """Tessera's factorizations analyse a matrix anew themselves, so once does; others, in every step."""
        lp = self.file("lp.mps", random_program(3))
        for method, options in ((TESSERA, ()), (TESSERA, ("-analyze_every", 1)), (["-pc_type", "cholesky"], ())):
            with self.subTest(method=method, options=options):
                log = os.path.join(self.folder, "log")
                row = self.solve("-f", lp, *options, "-log_view", ":" + log, method=method)
                with open(log, encoding="utf-8") as lines:
                    count = next(int(line.split()[1]) for line in lines if line.startswith("MatCholFctrSym"))
                if method == TESSERA and not options:
                    self.assertEqual(count, 1)
                else:
                    self.assertGreater(count, int(row["steps"]))

    def test_bad_files(self):
        def refused(text, says):
            self.refused("interior_point", "-f", self.file("p.qp", text), says=says)

        refused("", "p.qp: it is empty")
        refused("program 1\n", "p.qp:1: expected 'program', rows and variables")
        refused("program 1 2\na 2 1 1\n", "p.qp:2: expected")
        refused("program 1 2\nc 1 nan\n", "p.qp:2: expected")
        refused("program 1 2\nbounds 1 - 3\n", "p.qp:2: expected")
        refused("program 1 2\nmaximise\n", "found 'maximise'")
        self.refused("interior_point", says="-f FILE")
        self.refused("interior_point", "-generate", 0, says="at least one variable")
        self.refused("interior_point", "-f", self.path("none.mps"), says="none.mps: cannot open")

    def test_real_programs(self):
        for name, objective in (("afiro", -464.75314285714), ("25fv47", 5501.8458882867), ("degen3", -987.294),
                                ("bnl2", 1811.2365403585), ("stocfor2", -39024.408537882)):
            self.assert_near(self.solve("-f", need_data("lp", f"{name}.mps.gz")), objective)


if __name__ == "__main__":
    main()
