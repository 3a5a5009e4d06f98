"""Real systems from the folder TESSERA_DATA (matrices/, lp/); skipped when it is absent."""

from support import DIRECT, ExampleTest, main, need_data


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


if __name__ == "__main__":
    main()
