"""circuit: small networks with known solutions, the order of the time rules, the Jacobian, generated networks by several
solvers, and bad input."""

import math
import re

from support import ExampleTest, main, plugin, read_matrix, read_vector

THERMAL = 0.0259


def lu(package):
    return ["-pc_factor_mat_solver_type", package]


class Circuit(ExampleTest):
    def voltages(self, text, *options):
        """Last voltages of a network, then the currents of its sources."""
        out = self.path("v.mtx")
        done = self.run_program("circuit", "-f", self.file("network.txt", text), *options, "-write", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return read_vector(out)

    def row(self, *options):
        done = self.run_program("circuit", *options, "-row", "-options_left", 0)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return dict(word.split("=", 1) for word in done.stdout.split())

    def test_divider(self):
        v = self.voltages("% a comment\nV 1 0 dc 6\nR 1 2 1e3\nR 2 0 2e3\n", "-steps", 0)
        for found, expected in zip(v, (6, 4, -2e-3)):
            self.assertAlmostEqual(found, expected, delta=1e-12 * abs(expected))
        self.assertEqual(len(v), 3)

    def test_floating_source(self):
        # 1 V between nodes 1 and 2, each with 1 kOhm to the ground
        v = self.voltages("V 1 2 dc 1\nR 1 0 1e3\nR 2 0 1e3\n", "-steps", 0)
        for found, expected in zip(v, (0.5, -0.5, -5e-4)):
            self.assertAlmostEqual(found, expected, delta=1e-12)

    def test_diode(self):
        # (E - v) / R = s (exp(v / u) - 1), by bisection; also far above and far below what a diode takes
        for supply, resistance in ((5, 1e3), (0.3, 1e5), (1e3, 10), (-4, 1e3)):
            with self.subTest(supply=supply):
                saturation, u = 1e-14, 0.026
                low, high = min(supply, 0), max(supply, 0)
                for _ in range(200):
                    v = (low + high) / 2
                    current = saturation * math.expm1(min(v / u, 700)) + 1e-12 * v
                    low, high = (v, high) if (supply - v) / resistance > current else (low, v)
                found = self.voltages(f"V 1 0 dc {supply}\nR 1 2 {resistance}\nD 2 0 {saturation} {u}\n", "-steps", 0)
                self.assertAlmostEqual(found[1], v, delta=1e-9 * max(1, abs(supply)))

    def transistor(self, gate, drain, kind="n"):
        """Current into the drain of a transistor with its source at the ground."""
        text = f"V 1 0 dc {drain}\nV 2 0 dc {gate}\n{kind} 1 2 0 2e-3 0.5 0.1\n"
        return -self.voltages(text, "-steps", 0)[2]

    def test_transistor(self):
        # Square law in saturation: f(2.0) = 1.5 / 2u squared but for exp(-1.5 / 2u)
        self.assertAlmostEqual(self.transistor(2, 3) / (1e-3 * 1.5**2 * 1.3), 1, delta=1e-4)
        # Between: 2e-3 ((vg - vt) vd - vd^2 / 2)
        self.assertAlmostEqual(self.transistor(2, 0.5) / (2e-3 * (1.5 * 0.5 - 0.125) * 1.05), 1, delta=1e-3)
        # Below the threshold a decade for each u ln 10
        self.assertAlmostEqual(math.log(self.transistor(0.3, 2) / self.transistor(0.25, 2)), 0.05 / THERMAL, delta=0.05)
        # Drain and source change their roles: i(gate, -drain) = -i(gate + drain, drain)
        self.assertAlmostEqual(self.transistor(1, -0.5) / -self.transistor(1.5, 0.5), 1, delta=1e-9)
        # The p-channel turns all signs around
        self.assertAlmostEqual(self.transistor(-2, -3, "p") / -self.transistor(2, 3), 1, delta=1e-9)

    def test_inverter(self):
        for low, high, expected in ((0, 0, 1.8), (1.8, 0, 0)):
            v = self.voltages(f"V 1 0 dc 1.8\nV 2 0 dc {low}\nn 3 2 0 5e-4 0.4 0.05\np 3 2 1 5e-4 0.4 0.05\nC 3 0 1e-15\n",
                              "-steps", 0)
            self.assertAlmostEqual(v[2], expected, delta=1e-4)

    def error(self, text, exact, rule, steps, end):
        return abs(self.voltages(text, "-rule", rule, "-steps", steps, "-step", end / steps)[1] - exact)

    def test_order(self):
        # A capacitor is discharged after a jump; and it follows a sine from the operating point.
        tau, end = 1e-6, 2e-6
        discharge = "V 1 0 pulse 1 0 0 0 1 0\nR 1 2 1e3\nC 2 0 1e-9\n"
        period = 5e-6
        follow = f"V 1 0 sine 0 1 0 {period}\nR 1 2 1e3\nC 2 0 1e-9\n"
        a = 2 * math.pi * tau / period
        phase = a * end / tau
        sine = (math.sin(phase) - a * math.cos(phase) + a * math.exp(-end / tau)) / (1 + a * a)
        for text, exact in ((discharge, math.exp(-end / tau)), (follow, sine)):
            for rule, order in (("euler", 1), ("trapezoidal", 2)):
                with self.subTest(text=text, rule=rule):
                    errors = [self.error(text, exact, rule, steps, end) for steps in (40, 80, 160)]
                    self.assertLess(errors[0], 0.02 if order == 1 else 2e-3)
                    for coarse, fine in zip(errors, errors[1:]):
                        self.assertAlmostEqual(math.log2(coarse / fine), order, delta=0.15)

    def test_waves(self):
        # low 1, high 3, from 2 s, rise 1 s, width 2 s, again after 10 s
        pulse = "V 1 0 pulse 1 3 2 1 2 10\nR 1 0 1\n"
        sine = "V 1 0 sine 1 3 2 8\nR 1 0 1\n"
        for time, expected in ((1, 1), (2, 1), (2.5, 2), (3, 3), (5, 3), (5.5, 2), (7, 1), (12.5, 2), (14, 3)):
            self.assertAlmostEqual(self.voltages(pulse, "-steps", 1, "-step", time)[0], expected, delta=1e-9)
        for time, expected in ((2, 1), (4, 4), (8, -2)):
            self.assertAlmostEqual(self.voltages(sine, "-steps", 1, "-step", time)[0], expected, delta=1e-9)

    def test_jacobian(self):
        for options in (["-n", 60], ["-n", 300, "-seed", 7]):
            done = self.run_program("circuit", *options, "-check_jacobian")
            found = re.search(r"finite differences: (\S+)$", done.stdout, re.M)
            self.assertLess(float(found[1]), 1e-7)

    def test_matrix_is_unsymmetric_with_zero_diagonals(self):
        out = self.path("a.mtx")
        self.run_program("circuit", "-n", 200, "-steps", 80, *lu("klu"), "-write_matrix", out)
        rows, _, entries = read_matrix(out)
        self.assertEqual(rows, 200)
        self.assertTrue(3 * rows <= len(entries) <= 6 * rows)
        self.assertIn(0.0, [entries[i, i] for i in range(rows)])
        self.assertGreater(max(abs(v - entries.get((j, i), 0)) for (i, j), v in entries.items()), 1e-5)

    def solution(self, *options):
        out = self.path("v.mtx")
        row = self.row("-steps", 6, "-write", out, *options)
        self.assertEqual(row["solved"], "true")
        return row, read_vector(out)

    def test_solvers_agree(self):
        for n, seed in ((100, 1), (1000, 2)):
            expected_row, expected = self.solution("-n", n, "-seed", seed, *lu("klu"))
            self.assertEqual((len(expected), expected_row["rows"]), (n, str(n)))
            for package in ("umfpack", "mumps", "petsc"):
                with self.subTest(package=package):
                    row, found = self.solution("-n", n, "-seed", seed, *lu(package))
                    self.assertEqual(row["method"], f"preonly+lu/{package}")
                    self.assertLess(max(abs(a - b) for a, b in zip(expected, found)), 1e-5)

    def test_krylov(self):
        # Preconditioned by its own factor, a system takes an iteration or two.
        _, expected = self.solution("-n", 300, *lu("klu"))
        row, found = self.solution("-n", 300, *lu("umfpack"), "-ksp_type", "gmres")
        self.assertGreaterEqual(int(row["iterations"]), int(row["newton"]))
        self.assertLess(max(abs(a - b) for a, b in zip(expected, found)), 1e-5)

    def test_seeds(self):
        first, again, other = (self.solution("-n", 500, "-seed", seed, *lu("klu"))[1] for seed in (3, 3, 4))
        self.assertEqual(first, again)
        self.assertGreater(max(abs(a - b) for a, b in zip(first, other)), 1e-3)

    def test_sizes(self):
        for n in (10, 11, 29, 64):
            self.assertEqual(self.row("-n", n, "-steps", 2, *lu("klu"))["rows"], str(n))

    def test_few_iterations(self):
        # Without the limits of a diode's voltage and of a move: 30 and 114, 113
        diode = self.file("diode.txt", "V 1 0 dc 5\nR 1 2 1e3\nD 2 0 1e-14 0.026\n")
        self.assertLess(int(self.row("-f", diode, "-steps", 0)["operating"]), 18)
        self.assertLess(int(self.row("-n", 1000, "-steps", 0, *lu("klu"))["operating"]), 100)

    def test_view(self):
        done = self.run_program("circuit", "-n", 100, "-steps", 3, "-view_steps", *lu("klu"))
        lines = re.findall(r"^time (\S+)  newton +(\d+)  residual (\S+)  change (\S+)  assembly \S+ s  setup \S+ s  "
                           r"solve \S+ s$", done.stdout, re.M)
        counts = re.search(r"operating point: (\d+) iterations .* 3 steps to 3e-11 s: (\d+)$", done.stdout, re.M)
        self.assertEqual(len(lines), int(counts[1]) + int(counts[2]))
        self.assertEqual(float(lines[-1][0]), 3e-11)
        self.assertLess(float(lines[-1][2]), 1e-9)
        self.assertLess(float(lines[-1][3]), 1e-6)

    def test_small_pivots(self):
        # Of Tessera, unless another threshold is given
        for options, threshold in (([], "1e-06"), (["-mat_tessera_pivot_threshold", 0.25], "0.25")):
            done = self.run_program("circuit", "-n", 100, "-steps", 0, "-ksp_view",
                                    *plugin("preonly", "lu", *lu("tessera"), *options))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(f"pivot threshold {threshold},", done.stdout)

    def test_not_solved(self):
        done = self.run_program("circuit", "-n", 100, "-newton_max", 1, *lu("klu"))
        self.assertEqual((done.returncode, done.stderr), (2, ""))
        self.assertIn("not solved: Newton's method does not converge", done.stdout)
        # A change within its tolerance is not enough
        done = self.run_program("circuit", "-n", 20, "-current_tol", 1e-40, *lu("klu"))
        self.assertEqual((done.returncode, done.stderr), (2, ""))
        # Two sources that contradict each other
        network = self.file("loop.txt", "V 1 0 dc 1\nV 1 0 dc 2\nR 1 0 1\n")
        done = self.run_program("circuit", "-f", network, *lu("mumps"))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("not solved: ", done.stdout)

    def test_bad_input(self):
        for text, says in (("R 1 0\n", "network.txt:1: expected an element"), ("R 1 0 0\n", "network.txt:1: "),
                           ("R 1 0 1 1\n", "network.txt:1: "), ("C 1 -1 1\n", "network.txt:1: "),
                           ("R 1 0 1\nV 1 0 square 1\n", "network.txt:2: "), ("V 1 0 sine 0 1 0 0\n", ":1: "),
                           ("D 1 0 1e-14 nan\n", ":1: "), ("X 1 0 1\n", "found 'X 1 0 1'"), ("% none\n", "no element"),
                           ("R 0 0 1\n", "no element")):
            with self.subTest(text=text):
                self.refused("circuit", "-f", self.file("network.txt", text), says=says)
        self.refused("circuit", "-f", self.path("none.txt"), says="none.txt: cannot open")

    def test_bad_options(self):
        self.refused("circuit", "-n", 9, says="-n 9: between 10 and")
        self.refused("circuit", "-steps", -1, "-n", 20, "-row", says="-steps -1: a number of steps is not negative")
        self.refused("circuit", "-step", 0, "-n", 20, "-row", says="-step 0.: a length of time is positive")
        self.refused("circuit", "-rule", "gear", "-n", 20, "-row", says="-rule gear: trapezoidal or euler")
        self.refused("circuit", "-newton_max", 0, "-n", 20, "-row", says="-newton_max 0: at least one iteration")
        self.refused("circuit", "-voltage_tol", -1, "-n", 20, "-row", says="-voltage_tol -1.: a tolerance is positive")


if __name__ == "__main__":
    main()
