"""convection: the order of the differences, entries worked out by hand, the Jacobian, several processes and bad options."""

import math
import re

from support import ExampleTest, main, read_matrix, read_vector

DIRECT = ["-pc_factor_mat_solver_type", "mumps"]


class Convection(ExampleTest):
    def row(self, *options, processes=1, status=0):
        done = self.run_program("convection", *options, *DIRECT, "-row", processes=processes)
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return dict(word.split("=", 1) for word in done.stdout.split())

    def test_order(self):
        for options, sizes, order in ((["-central"], (15, 31, 63), 2), (["-central", "-dim", 3], (7, 15), 2),
                                      (["-central", "-reaction", "exp"], (15, 31, 63), 2),
                                      (["-central", "-dim", 3, "-reaction", "exp", "-k", 0.5], (7, 15), 2),
                                      ([], (31, 63, 127), 1), (["-dim", 3], (7, 15), 1), (["-k", 0], (31, 63, 127), 1)):
            with self.subTest(options=options):
                errors = [float(self.row("-n", n, *options)["error"]) for n in sizes]
                for coarse, fine in zip(errors, errors[1:]):
                    self.assertAlmostEqual(math.log2(coarse / fine), order, delta=0.2)

    def matrix(self, *options):
        out = self.path("a.mtx")
        self.row(*options, "-write_matrix", out)
        return read_matrix(out)

    def test_two_by_two(self):
        # h = 1/3, points at 1/3 and 2/3; the flow (y - 1/2, 1/2 - x) is -1/6 or 1/6 in each direction; k = 0
        eps, half = 0.1, 1 / 36 # half: h |b| / 2
        rows, _, entries = self.matrix("-n", 2, "-k", 0, "-central")
        expected = {(i, i): 4 * eps for i in range(4)}
        # The point behind has eps - h b / 2 with the sign changed, the point before eps + h b / 2.
        expected.update({(0, 1): -eps - half, (1, 0): -eps + half, (2, 3): -eps + half, (3, 2): -eps - half,
                         (0, 2): -eps + half, (2, 0): -eps - half, (1, 3): -eps - half, (3, 1): -eps + half})
        self.assertEqual((rows, set(entries)), (4, set(expected)))
        for place, value in expected.items():
            self.assertAlmostEqual(entries[place], value, delta=1e-15)

    def test_upwind_is_an_m_matrix(self):
        for dim, n in ((2, 6), (3, 4)):
            rows, _, entries = self.matrix("-dim", dim, "-n", n, "-peclet", 1e4)
            self.assertEqual(rows, n**dim)
            sums = [0.0] * rows
            for (i, j), value in entries.items():
                sums[i] += value
                self.assertTrue(value > 0 if i == j else value < 0)
            self.assertGreater(min(sums), 0)

    def test_jacobian(self):
        for options in (["-reaction", "exp"], ["-p", 2.5], ["-dim", 3, "-n", 4]):
            done = self.run_program("convection", "-n", 6, *options, *DIRECT, "-snes_test_jacobian")
            found = re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = (\S+),", done.stdout)
            self.assertGreater(len(found), 1, done.stdout)
            self.assertLess(max(map(float, found)), 1e-6)

    def test_processes(self):
        out = self.path("u.mtx")
        for dim, n in ((2, 9), (3, 5)):
            one = self.row("-dim", dim, "-n", n, "-write", out)
            two = self.row("-dim", dim, "-n", n, processes=2)
            self.assertEqual(len(read_vector(out)), n**dim)
            self.assertAlmostEqual(float(one["error"]), float(two["error"]), delta=1e-7)

    def test_default_and_krylov(self):
        done = self.run_program("convection", "-n", 10)
        self.assertIn("preonly+lu", done.stdout)
        self.assertEqual(done.returncode, 0)
        krylov = ["-ksp_type", "gmres", "-pc_type", "ilu"]
        done = self.run_program("convection", "-n", 10, *krylov)
        self.assertEqual(done.returncode, 0)

    def test_not_solved(self):
        self.assertEqual(self.row("-snes_max_it", 1, status=2)["reason"], "DIVERGED_MAX_IT")

    def test_bad_options(self):
        self.refused("convection", "-dim", 1, says="-dim 1: 2 or 3")
        self.refused("convection", "-n", 1, says="-n 1: between 2 and")
        self.refused("convection", "-peclet", 0, says="-peclet 0.: a Peclet number is positive")
        self.refused("convection", "-reaction", "none", says="-reaction none: power or exp")
        self.refused("convection", "-k", -1, says="-k -1.: the weight is not negative")
        self.refused("convection", "-p", 0.5, says="-p 0.5: the exponent is at least 1")


if __name__ == "__main__":
    main()
