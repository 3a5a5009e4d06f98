"""Real systems from the folder TESSERA_DATA (matrices/, lp/); skipped when it is absent."""

from support import DIRECT, ExampleTest, main, need_data, plugin

# Iterations that are enough for PCBILDLT, two but for a few matrices, and for PCJLDLT. The diagonal in place of the factor
# takes more on each, mostly hundreds, or does not converge.
BILDLT = {"bratu3d": 9, "kkt_cvxqp3_l": 17, "stokes64": 3}
BILDLT.update(dict.fromkeys(
    """1138_bus ACTIVSg200_AC_kkt aug3dcqp bcsstk16 bcsstk18 bcsstk19 bloweya kkt_aug2dc kkt_boyd1 kkt_boyd2 kkt_cont300
    kkt_dtoc3 kkt_gouldqp3 kkt_powell20 kkt_qpilotno kkt_ubh1 laser Lshape_matrices4 matrices_homogeneous4 mhd3200b mna_ibmpg2
    reorientation_1 shallow_water1 sherman1 tuma1 tumorAntiAngiogenesis_2 zenios""".split(), 2))
JLDLT = {"1138_bus": 23, "ACTIVSg200_AC_kkt": 90, "bcsstk16": 37, "bcsstk18": 70, "bcsstk19": 6, "bloweya": 3,
         "bratu3d": 32, "kkt_aug2dc": 58, "kkt_gouldqp3": 2, "laser": 2, "Lshape_matrices4": 27,
         "mhd3200b": 2, "reorientation_1": 27, "shallow_water1": 6, "sherman1": 12, "tumorAntiAngiogenesis_2": 2, "zenios": 2}
# KKT systems of linear programs, by PCJLDLT with two levels of fill
PROGRAMS = {"afiro": 2, "adlittle": 2, "nug08": 95, "perold": 60, "stocfor2": 40, "25fv47": 85, "ken_07": 20, "pds_02": 15}


class Matrices(ExampleTest):
    def check(self, name, rows, entries, symmetric, *options):
        path = need_data("matrices", name + ".mtx.gz")
        result = self.solved("solve", "-f", path, *options)
        self.assertEqual((result["rows"], result["entries"], result["symmetric"]), (rows, entries, symmetric))
        self.assertLess(result["backward_error"], 1e-12)

    def test_symmetric(self):
        self.check("bcsstk18", 11948, 149090, True, *DIRECT)

    def test_indefinite(self):
        self.check("tuma1", 22967, 87760, True, *DIRECT)

    def test_unsymmetric(self):
        self.check("sherman5", 3312, 20793, False, "-ksp_type", "preonly", "-pc_type", "lu")

    def test_general_file_with_symmetric_values(self):
        self.check("sherman1", 1000, 3750, True, *DIRECT)


class LinearPrograms(ExampleTest):
    def test_bab5_has_the_published_size(self):
        # Block iLDL^T evaluation, Table 5.1: m = 30,199, nnz = 343,545.
        path = need_data("lp", "bab5.mps.gz")
        done = self.run_program("kkt_lp", "-f", path, "-row", "-pc_type", "none", "-ksp_max_it", 1)
        row = dict(word.split("=", 1) for word in done.stdout.split())
        self.assertEqual((row["rows"], row["entries"]), ("30199", "343545"))

    def test_pilot(self):
        result = self.solved("kkt_lp", "-f", need_data("lp", "pilot.mps.gz"), *DIRECT)
        self.assertLess(result["backward_error"], 1e-10)


class Preconditioners(ExampleTest):
    def few_iterations(self, bounds, program, folder, suffix, *options):
        need_data(folder)
        for name, bound in bounds.items():
            with self.subTest(name):
                path = need_data(folder, name + suffix)
                result = self.solved(program, "-f", path, *options, "-ksp_max_it", 2 * bound)
                self.assertLessEqual(result["iterations"], bound)

    def test_bildlt(self):
        self.few_iterations(BILDLT, "solve", "matrices", ".mtx.gz", *plugin("sqmr", "bildlt"))

    def test_jldlt(self):
        self.few_iterations(JLDLT, "solve", "matrices", ".mtx.gz", *plugin("sqmr", "jldlt"))

    def test_bildlt_linear_programs(self):
        bounds = dict.fromkeys(PROGRAMS, 2)
        self.few_iterations(bounds, "kkt_lp", "lp", ".mps.gz", *plugin("sqmr", "bildlt"))

    def test_jldlt_linear_programs(self):
        options = plugin("sqmr", "jldlt", "-pc_jldlt_fill_level", 2)
        self.few_iterations(PROGRAMS, "kkt_lp", "lp", ".mps.gz", *options)


if __name__ == "__main__":
    main()
