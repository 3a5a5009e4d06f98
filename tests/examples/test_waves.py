"""waves: a sequence of systems by one KSP, whatever the method."""

import re

from support import DIRECT, ExampleTest, main


class Waves(ExampleTest):
    def steps(self, *options):
        run = self.run_program("waves", "-n", 12, "-k", 9, "-steps", 3, *options)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        found = re.findall(r"^step +(\d+) .* iterations (\d+)  relative residual (\S+)$", run.stdout, re.M)
        self.assertIn("3 of 3 solved", run.stdout)
        return [(int(step), float(residual)) for step, _, residual in found]

    def test_solved(self):
        for options in (DIRECT, ["-ksp_type", "gmres", "-ksp_rtol", "1e-9", "-pc_type", "jacobi"]):
            steps = self.steps(*options)
            self.assertEqual([step for step, _ in steps], [0, 1, 2])
            self.assertLess(max(residual for _, residual in steps), 1e-7)

    def test_drift(self):
        # Where nothing moves, all systems are the first one; direct solvers and GMRES have the same bits each time.
        residuals = {drift: {residual for _, residual in self.steps(*DIRECT, "-drift", drift)} for drift in (0, 0.7)}
        self.assertEqual((len(residuals[0]), len(residuals[0.7])), (1, 3))

    def test_not_solved(self):
        run = self.run_program("waves", "-n", 12, "-k", 9, "-steps", 2, "-ksp_max_it", 1, "-pc_type", "none")
        self.assertEqual(run.returncode, 2)
        self.assertIn("0 of 2 solved", run.stdout)


if __name__ == "__main__":
    main()
