"""PCBILDLT and PCJLDLT on the systems of the examples, in few iterations, and with the same bits again."""

import re

from support import ExampleTest, main, plugin

# Block preconditioners, and bounds on their iterations on kkt3d -n 8 and stokes -n 16 with 2 and with 4 processes
BLOCKS = {"bjacobi": ("sqmr", "-pc_type bjacobi", (14, 22), (22, 32)),
          "asm, symmetric": ("sqmr", "-pc_type asm -pc_asm_type basic", (9, 14), (16, 26)),
          "asm": ("gmres", "-pc_type asm -ksp_pc_side right", (8, 13), (15, 26))}

# system, bounds on the iterations of bildlt and jldlt; without a preconditioner sqmr takes 41 to 589
SYSTEMS = [("kkt3d -n 8", 2, 12), ("kkt3d -n 12 -alpha 1e-4", 2, 20), ("stokes -n 16 -numbering field", 2, 35),
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

    def test_blocks(self):
        # Every process has whole nodes, a slab of the domain, so that no block is singular.
        for name, (ksp, options, *bounds) in BLOCKS.items():
            for system, bound in zip(("kkt3d -n 8", "stokes -n 16"), bounds, strict=True):
                for processes, most in zip((2, 4), bound, strict=True):
                    with self.subTest(name, system=system, processes=processes):
                        method = plugin(ksp, None, *options.split(), "-sub_pc_type", "bildlt")
                        result = self.solved(*system.split(), *method, processes=processes)
                        self.assertLessEqual(result["iterations"], most)

    def test_blocks_of_single_fields(self):
        # Numbered field by field, a process has controls and adjoints without the states: its block is singular. All
        # processes have to end, and to say why.
        options = plugin("sqmr", "bjacobi", "-sub_pc_type", "bildlt", "-numbering", "field", "-row")
        done = self.run_program("kkt3d", "-n", 8, *options, processes=4)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("reason=DIVERGED_PC_FAILED", done.stdout)

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
