"""scripts/demo-table on one system: a row for each method, and the plugin's absence said rather than hidden."""

import os
import subprocess
import sys
import unittest

from support import PROGRAMS, ROOT, main


@unittest.skipUnless(os.path.exists(os.path.join(PROGRAMS, "kkt_lp")), "kkt_lp is not built: GLPK is absent")
class DemoTable(unittest.TestCase):
    def table(self, *options):
        command = [sys.executable, os.path.join(ROOT, "scripts", "demo-table"), "--programs", PROGRAMS,
                   "--plugin", "none.so", "--only", "transport", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_rows(self):
        lines = self.table("--markdown")
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
        methods = {row[3]: row[4:] for row in cells[1:]}
        self.assertEqual(list(methods), ["minres+jacobi", "gmres+ilu", "gmres+icc", "MUMPS", "sqmr+bildlt"])
        self.assertEqual(cells[1][:3], ["transport LP", "2800", "17670"])
        self.assertEqual(methods["MUMPS"][0], "yes")
        self.assertLess(float(methods["MUMPS"][3]), 1e-10)
        self.assertEqual(methods["gmres+ilu"][0], "no")
        self.assertEqual(methods["sqmr+bildlt"], ["no", "", "", "not built"])
        self.assertIn("solved of 1: ", lines[-1])

    def test_time_limit(self):
        self.assertEqual(sum(line.endswith("time limit") for line in self.table("--time-limit", "0.01")), 4)


if __name__ == "__main__":
    main()
