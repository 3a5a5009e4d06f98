"""PCBILDLT and PCJLDLT on the systems of the examples, in few iterations, and with the same bits again."""

import re

from support import ExampleTest, main, plugin

# system, bounds on the iterations of bildlt and jldlt; without a preconditioner sqmr takes 41 to 589
SYSTEMS = [("kkt3d -n 8", 2, 12), ("kkt3d -n 12 -alpha 1e-4", 2, 20), ("stokes -n 16", 2, 35),
           ("stokes -n 24 -viscosity 1e-3", 2, 80), ("stokes -dim 3 -n 6", 2, 35)]


class Examples(ExampleTest):
    def few_iterations(self, pc, bound, *command):
        result = self.solved(*command, *plugin("sqmr", pc))
        self.assertLessEqual(result["iterations"], bound)

    def test_bildlt(self):
        for system, bound, _ in SYSTEMS:
            with self.subTest(system):
                self.few_iterations("bildlt", bound, *system.split())

    def test_jldlt(self):
        for system, _, bound in SYSTEMS:
            with self.subTest(system):
                self.few_iterations("jldlt", bound, *system.split())

    def test_several_setups(self):
        # The last factor of jldlt is near the next matrix; with two levels of fill few iterations are enough.
        for options, bound in ((plugin("sqmr", "bildlt"), 2), (plugin("sqmr", "jldlt", "-pc_jldlt_fill_level", 2), 30)):
            run = self.run_program("waves", "-n", 24, "-steps", 4, *options)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            iterations = [int(i) for i in re.findall(r"^step .* iterations (\d+) ", run.stdout, re.M)]
            self.assertEqual(len(iterations), 4, run.stdout)
            self.assertLessEqual(max(iterations), bound)


if __name__ == "__main__":
    main()
