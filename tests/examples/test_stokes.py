"""stokes: entries of the smallest grid worked out by hand, and properties of larger ones."""

from support import DIRECT, ExampleTest, main, read_matrix


class Stokes(ExampleTest):
    def matrix(self, *options):
        out = self.path("k.mtx")
        self.run_program("stokes", *options, "-pc_type", "none", "-write_matrix", out)
        return read_matrix(out)

    def test_two_by_two(self):
        # Unknowns: u on the lower and upper half of the middle line, v on the left and right half, three pressures.
        # A face has a wall across its direction on both sides, and one wall beside it at half a cell.
        rows, _, entries = self.matrix("-n", 2, "-viscosity", 3, "-numbering", "field")
        expected = {(0, 0): 15, (1, 1): 15, (0, 1): -3, (2, 2): 15, (3, 3): 15, (2, 3): -3,
                    (0, 4): -0.5, (0, 5): 0.5, (1, 6): -0.5, (2, 4): -0.5, (2, 6): 0.5, (3, 5): -0.5}
        expected.update({(j, i): v for (i, j), v in list(expected.items())})
        self.assertEqual((rows, entries), (7, expected))
        # Cell by cell: u and v in front of the first cell and its pressure, v and the pressure of the one right of it, ...
        by_cell = {0: 0, 1: 5, 2: 1, 3: 3, 4: 2, 5: 4, 6: 6}
        rows, _, entries = self.matrix("-n", 2, "-viscosity", 3)
        self.assertEqual((rows, entries), (7, {(by_cell[i], by_cell[j]): v for (i, j), v in expected.items()}))

    def test_numberings_have_the_same_entries(self):
        for options in (("-n", 5), ("-dim", 3, "-n", 4), ("-n", 4, "-null_space")):
            node, field = (self.matrix(*options, "-numbering", way) for way in ("node", "field"))
            self.assertEqual(node[0], field[0])
            self.assertEqual(*(sorted(self.rows_of(entries).values()) for _, _, entries in (node, field)))

    def rows_of(self, entries):
        rows = {}
        for (i, _), v in sorted(entries.items()):
            rows.setdefault(i, []).append(v)
        return {i: sorted(values) for i, values in rows.items()}

    def test_constant_pressure_is_in_the_null_space(self):
        for dim, n in ((2, 5), (3, 3)):
            rows, _, entries = self.matrix("-dim", dim, "-n", n, "-null_space", "-numbering", "field")
            first = dim * n ** (dim - 1) * (n - 1)
            self.assertEqual(rows, first + n**dim)
            sums = [0.0] * rows
            for (i, j), v in entries.items():
                if j >= first:
                    sums[i] += v
            self.assertLess(max(map(abs, sums)), 1e-15)

    def test_parallel_flow(self):
        # Row sums of the viscous part are the friction at the walls: 2 mu a parallel face, mu a perpendicular one.
        for dim, weight in ((2, 1.0), (3, 1 / 4)):
            n = 4
            _, _, entries = self.matrix("-dim", dim, "-n", n, "-numbering", "field")
            first = dim * n ** (dim - 1) * (n - 1)
            friction = sum(v for (i, j), v in entries.items() if i < first and j < first)
            parallel = 2 * (dim - 1) * n ** (dim - 2) * (n - 1) * 2
            perpendicular = 2 * n ** (dim - 1)
            self.assertAlmostEqual(friction, weight * dim * (parallel + perpendicular), places=10)

    def test_solved(self):
        for options in (["-n", 8], ["-n", 8, "-viscosity", 1e-3], ["-dim", 3, "-n", 5], ["-n", 2], ["-n", 8, "-lid"]):
            self.solved("stokes", *options, *DIRECT)
            self.solved("stokes", *options, *DIRECT, "-numbering", "field")
        minres = ["-ksp_type", "minres", "-pc_type", "none", "-ksp_rtol", "1e-10", "-accept", "1e-9"]
        for processes in (1, 3):
            result = self.solved("stokes", "-n", 6, "-null_space", *minres, processes=processes)
            self.assertLess(result["forward_error"], 1e-6)

    def test_bad_options(self):
        self.refused("stokes", "-dim", 4, says="-dim 4: 2 or 3")
        self.refused("stokes", "-n", 1, says="-n 1: between 2 and")
        self.refused("stokes", "-viscosity", -0.5, says="-viscosity -0.5: a viscosity is positive")


if __name__ == "__main__":
    main()
