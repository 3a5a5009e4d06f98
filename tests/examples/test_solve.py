"""solve: formats, right-hand sides, what is reported, and that only the true residual counts."""

import gzip
import json

from support import DIRECT, SADDLE, ExampleTest, array_market, main, matrix_market, plugin, read_matrix, read_vector

GOOD = matrix_market(SADDLE, 4)
UNSYMMETRIC = [(1, 1, 4.0), (1, 2, 1.0), (2, 2, 3.0), (3, 1, -2.0), (3, 3, 5.0)]
LU = ["-ksp_type", "preonly", "-pc_type", "lu"]


class Solve(ExampleTest):
    def test_symmetric(self):
        result = self.solved("solve", "-f", self.file("m.mtx", GOOD), *DIRECT)
        self.assertEqual((result["rows"], result["entries"], result["symmetric"]), (4, 11, True))
        self.assertLess(result["forward_error"], 1e-13)
        self.assertLess(result["backward_error"], 1e-14)

    def test_upper_triangle(self):
        flipped = matrix_market([(j, i, v) for i, j, v in SADDLE], 4)
        self.solved("solve", "-f", self.file("a.mtx", GOOD), *DIRECT, "-write_matrix", self.path("a2.mtx"))
        self.solved("solve", "-f", self.file("b.mtx", flipped), *DIRECT, "-write_matrix", self.path("b2.mtx"))
        self.assertEqual(read_matrix(self.path("a2.mtx")), read_matrix(self.path("b2.mtx")))

    def test_gzip_gives_the_same(self):
        plain = self.solved("solve", "-f", self.file("m.mtx", GOOD), *DIRECT)
        packed = self.solved("solve", "-f", self.file("m.mtx.gz", gzip.compress(GOOD.encode())), *DIRECT)
        for key in ("rows", "entries", "symmetric", "forward_error"):
            self.assertEqual(plain[key], packed[key])

    def test_general_symmetric_values_are_noticed(self):
        full = SADDLE + [(j, i, v) for i, j, v in SADDLE if i != j]
        matrix = self.file("m.mtx", matrix_market(full, 4, symmetry="general"))
        self.assertTrue(self.solved("solve", "-f", matrix, *DIRECT, "-mat_type", "sbaij")["symmetric"])

    def test_symmetric_but_for_rounding(self):
        # As assembly leaves it: entries differ in their last bits, or are nearly 0 beside a 0 or beside none.
        entries = [(1, 1, 4.0), (1, 2, 1.0), (2, 1, 1.0 + 2**-50), (1, 3, 5.5e-17), (3, 1, 0.0), (2, 3, -5.5e-17),
                   (2, 2, 3.0), (3, 3, -2.0)]
        for processes in (1, 2):
            matrix = self.file("m.mtx", matrix_market(entries, 3, symmetry="general"))
            result = self.solved("solve", "-f", matrix, *LU, "-pc_factor_mat_solver_type", "mumps", processes=processes)
            self.assertTrue(result["symmetric"])
            far = self.file("far.mtx", matrix_market([*entries[:2], (2, 1, 1.0 + 1e-8), *entries[3:]], 3, symmetry="general"))
            result = self.solved("solve", "-f", far, *LU, "-pc_factor_mat_solver_type", "mumps", processes=processes)
            self.assertFalse(result["symmetric"])
        # relative to the larger of the largest entries of the two rows
        for size, symmetric in ((1e-3, True), (1e-5, False)):
            scaled = [(1, 1, 1e-7), (1, 2, 5e-14), (2, 2, size)]
            matrix = self.file("m.mtx", matrix_market(scaled, 2, symmetry="general"))
            self.assertEqual(self.solved("solve", "-f", matrix, *LU)["symmetric"], symmetric)
        # Both triangles are written, as the one does not say all of the other.
        self.solved("solve", "-f", self.file("m.mtx", matrix_market(entries, 3, symmetry="general")), *LU, "-write_matrix",
                    self.path("out.mtx"))
        self.assertEqual(read_matrix(self.path("out.mtx"))[2], {(i - 1, j - 1): v for i, j, v in entries})

    def test_unsymmetric(self):
        matrix = self.file("m.mtx", matrix_market(UNSYMMETRIC, 3, symmetry="general"))
        result = self.solved("solve", "-f", matrix, *LU)
        self.assertEqual((result["symmetric"], result["entries"]), (False, 5))

    def test_skew_symmetric(self):
        matrix = self.file("m.mtx", matrix_market([(2, 1, 3.0)], 2, symmetry="skew-symmetric"))
        self.solved("solve", "-f", matrix, *LU, "-pc_factor_mat_solver_type", "umfpack", "-write_matrix",
                    self.path("out.mtx"))
        self.assertEqual(read_matrix(self.path("out.mtx"))[2], {(1, 0): 3.0, (0, 1): -3.0})

    def test_pattern_and_integer(self):
        self.solved("solve", "-f", self.file("p.mtx", matrix_market([(1, 1), (2, 2)], 2, field="pattern")), *LU)
        self.solved("solve", "-f", self.file("i.mtx", matrix_market([(1, 1, 7), (2, 2, -3)], 2, field="integer")), *LU)

    def test_duplicates_add_up(self):
        twice = [(1, 1, 1.0), (2, 2, 4.0), (1, 1, 2.0)]
        self.solved("solve", "-f", self.file("m.mtx", matrix_market(twice, 2)), *LU, "-write_matrix",
                    self.path("out.mtx"))
        self.assertEqual(read_matrix(self.path("out.mtx"))[2], {(0, 0): 3.0, (1, 1): 4.0})

    def test_any_order(self):
        shuffled = [(2, 3, 6.0), (1, 2, 5.0), (3, 3, 1.0), (1, 3, 8.0), (1, 1, 1.0), (2, 2, 4.0), (1, 2, -2.0)]
        self.solved("solve", "-f", self.file("m.mtx", matrix_market(shuffled, 3, symmetry="general")), *LU,
                    "-write_matrix", self.path("out.mtx"))
        self.assertEqual(read_matrix(self.path("out.mtx"))[2],
                         {(0, 0): 1.0, (0, 1): 3.0, (0, 2): 8.0, (1, 1): 4.0, (1, 2): 6.0, (2, 2): 1.0})

    def test_values_survive_to_the_last_bit(self):
        values = [0.1, 1 / 3, 1e-300, 4.9e-324, 1.7976931348623157e308, -2.5e-17, 123456789012345678.0]
        entries = [(k + 1, k + 1, v) for k, v in enumerate(values)]
        self.run_program("solve", "-f", self.file("m.mtx", matrix_market(entries, 7)), "-write_matrix",
                         self.path("out.mtx"), "-pc_type", "none")
        self.assertEqual(read_matrix(self.path("out.mtx"))[2], {(k, k): v for k, v in enumerate(values)})

    def test_windows_line_ends_and_blank_lines(self):
        self.solved("solve", "-f", self.file("m.mtx", GOOD.replace("\n", "\r\n\r\n")), *DIRECT)


class RightHandSides(ExampleTest):
    def test_from_a_file(self):
        # A x = b for x = (1, -2, 3, 4).
        b = array_market([4 - 2 + 6 + 2.0, 1 - 6 - 3.0, 2 + 2.0, 0.5 - 10.0])
        result = self.solved("solve", "-f", self.file("m.mtx", GOOD), "-rhs", self.file("b.mtx", b), *DIRECT, "-write",
                             self.path("x.mtx"))
        self.assertNotIn("forward_error", result)
        for found, expected in zip(read_vector(self.path("x.mtx")), [1, -2, 3, 4], strict=True):
            self.assertAlmostEqual(found, expected, places=12)

    def test_solution_read_back(self):
        matrix = self.file("m.mtx", GOOD)
        b = self.file("b.mtx", array_market([1.0, 2.0, 3.0, 4.0]))
        for name in ("x.mtx", "x.bin"):
            self.solved("solve", "-f", matrix, "-rhs", b, *DIRECT, "-write", self.path(name))
            result = self.solved("solve", "-f", matrix, "-exact", self.path(name), *DIRECT)
            self.assertLess(result["forward_error"], 1e-13)

    def test_zero(self):
        b = self.file("b.mtx", array_market([0.0] * 4))
        result = self.solved("solve", "-f", self.file("m.mtx", GOOD), "-rhs", b, *DIRECT)
        self.assertEqual(result["backward_error"], 0)


class Report(ExampleTest):
    def test_claims_do_not_count(self):
        # A large relative tolerance satisfies the method at once; the true residual is asked for.
        done = self.run_program("kkt3d", "-n", 4, "-ksp_type", "minres", "-pc_type", "none", "-ksp_rtol", 0.5, "-accept",
                                1e-6, "-row")
        self.assertEqual(done.returncode, 2)
        row = dict(word.split("=", 1) for word in done.stdout.split())
        self.assertEqual((row["solved"], row["reason"]), ("false", "CONVERGED_RTOL"))
        self.assertIn("error: kkt3d_4: not solved: the true relative residual", done.stderr)

    def test_failed_factorization(self):
        singular = self.file("m.mtx", matrix_market([(1, 1, 1.0), (2, 2, 0.0)], 2))
        b = self.file("b.mtx", array_market([1.0, 1.0]))
        done = self.run_program("solve", "-f", singular, "-rhs", b, *LU, "-json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(done.stdout)["solved"], False)

    def test_name(self):
        matrix = self.file("m.mtx", GOOD)
        self.assertEqual(self.solved("solve", "-f", matrix, *DIRECT)["name"], "m.mtx")
        self.assertEqual(self.solved("solve", "-f", matrix, "-name", "mine", *DIRECT)["name"], "mine")

    def test_vouched_for_as_definite(self):
        # L L^T of a matrix that has a negative eigenvalue does not exist.
        matrix = self.file("m.mtx", GOOD)
        method = plugin("preonly", "cholesky", "-pc_factor_mat_solver_type", "tessera")
        self.solved("solve", "-f", matrix, *method)
        done = self.run_program("solve", "-f", matrix, "-spd", *method)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_error_trace(self):
        done = self.run_program("solve", "-f", self.path("absent.mtx"), "-error_trace", ASAN_OPTIONS="detect_leaks=0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("PETSC ERROR", done.stderr)
        self.assertGreater(len(done.stderr.splitlines()), 3)

    def test_repeat(self):
        result = self.solved("kkt3d", "-n", 4, *DIRECT, "-repeat", 3)
        self.assertEqual(result["repeats"], 3)
        self.assertTrue(result["same_bits"])
        self.assertGreater(result["repeat_setup_seconds"], 0)

    def test_row_and_json_agree(self):
        row = self.run_program("kkt3d", "-n", 3, *DIRECT, "-row").stdout
        fields = json.loads(self.run_program("kkt3d", "-n", 3, *DIRECT, "-json").stdout)
        self.assertEqual([word.split("=")[0] for word in row.split()], list(fields))

    def test_binary_matrix(self):
        matrix, binary = self.file("m.mtx", GOOD), self.path("m.bin")
        first = self.solved("solve", "-f", matrix, *DIRECT, "-write_matrix", binary)
        second = self.solved("solve", "-f", binary, *DIRECT, "-write_matrix", self.path("again.mtx"))
        self.assertEqual((first["entries"], first["symmetric"]), (second["entries"], second["symmetric"]))
        self.solved("solve", "-f", matrix, *DIRECT, "-write_matrix", self.path("direct.mtx"))
        self.assertEqual(read_matrix(self.path("again.mtx")), read_matrix(self.path("direct.mtx")))

    def test_processes(self):
        method = ["-ksp_type", "minres", "-pc_type", "none", "-ksp_rtol", "1e-9", "-accept", "1e-8"]
        for program, options in (("kkt3d", ["-n", 5]), ("stokes", ["-n", 6])):
            one = self.solved(program, *options, *method, "-write", self.path("x.mtx"))
            two = self.solved(program, *options, *method, "-exact", self.path("x.mtx"), processes=3)
            self.assertEqual((one["entries"], two["processes"]), (two["entries"], 3))
            self.assertLess(two["forward_error"], 1e-4)
        # The right-hand side comes from a file, so that a matrix with misplaced rows has another solution.
        matrix, b = self.file("m.mtx", GOOD), self.file("b.mtx", array_market([1.0, 2.0, 3.0, 4.0]))
        for processes in (1, 2):
            out = self.path(f"x{processes}.mtx")
            result = self.solved("solve", "-f", matrix, "-rhs", b, *DIRECT, "-write", out, processes=processes)
            self.assertTrue(result["symmetric"])
        one, two = (read_vector(self.path(name)) for name in ("x1.mtx", "x2.mtx"))
        for found, expected in zip(two, one, strict=True):
            self.assertAlmostEqual(found, expected, places=12)


if __name__ == "__main__":
    main()
