"""kkt_lp: the standard form of a program with every kind of row and bound, scaling, and bad files."""

import gzip
import math
import os
import unittest

from support import DIRECT, PROGRAMS, ExampleTest, main, read_matrix

# Rows: <=, >=, =, a range, an empty one, one without bound. Variables: x >= 0, y free, z <= 4 without lower bound, w
# between 1 and 3, an integer one.
MPS = """NAME MIXED
ROWS
 N COST
 L CAP
 G NEED
 E BAL
 L RNG
 E EMPTY
 N FREEROW
COLUMNS
 X COST 1 CAP 2
 X NEED 3 FREEROW 9
 Y CAP 5 BAL 7
 Z NEED 11 RNG 13
 W BAL 17 RNG 19
 MARK1 'MARKER' 'INTORG'
 I CAP 23
 MARK2 'MARKER' 'INTEND'
RHS
 RHS CAP 10 NEED 1
 RHS BAL 5 RNG 8
RANGES
 RNG RNG 4
BOUNDS
 FR BND Y
 MI BND Z
 UP BND Z 4
 LO BND W 1
 UP BND W 3
ENDATA
"""

# Constraint rows in the columns X, Y+, Y-, Z turned around, W, I, slacks of CAP, NEED, RNG.
SPLIT = [{0: 2, 1: 5, 2: -5, 5: 23, 6: 1}, {0: 3, 3: -11, 7: -1}, {1: 7, 2: -7, 4: 17}, {3: -13, 4: 19, 8: 1}]


@unittest.skipUnless(os.path.exists(os.path.join(PROGRAMS, "kkt_lp")), "kkt_lp is not built: GLPK is absent")
class KktLp(ExampleTest):
    def kkt(self, mps, *options):
        """Diagonal and constraint rows of the matrix; checks the block structure."""
        out = self.path("k.mtx")
        lp = self.file("lp.mps", mps)
        result = self.solved("kkt_lp", "-f", lp, *DIRECT, "-write_matrix", out, *options)
        rows, cols, entries = read_matrix(out)
        self.assertTrue(result["symmetric"])
        variables = sum((k, k) in entries for k in range(rows))
        a = [{} for _ in range(rows - variables)]
        for (i, j), v in entries.items():
            self.assertTrue(i == j < variables or (i < variables) != (j < variables))
            if i >= variables:
                a[i - variables][j] = v
                self.assertEqual(entries[j, i], v)
        return [entries[k, k] for k in range(variables)], a

    def test_standard_form(self):
        diagonal, a = self.kkt(MPS, "-scale", 0)
        self.assertEqual((len(diagonal), a), (9, SPLIT))

    def test_free_kept(self):
        _, a = self.kkt(MPS, "-scale", 0, "-free", "keep")
        expected = [{c - (c > 2): v for c, v in row.items() if c != 2} for row in SPLIT]
        self.assertEqual(a, expected)

    def test_bound_rows(self):
        # Of W, of the slack of the range, and of the integer variable, which GLPK bounds by 1 for want of a bound.
        diagonal, a = self.kkt(MPS, "-scale", 0, "-bounds", "rows")
        self.assertEqual(a[:4], SPLIT)
        self.assertEqual(a[4:], [{4: 1, 9: 1}, {5: 1, 10: 1}, {8: 1, 11: 1}])
        self.assertEqual(len(diagonal), 12)

    def test_random_diagonal(self):
        first, _ = self.kkt(MPS, "-scale", 0)
        again, _ = self.kkt(MPS, "-scale", 0, "-seed", 1)
        other, _ = self.kkt(MPS, "-scale", 0, "-seed", 2)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        # splitmix64 with seed 1 starts with 0x910a2dec89025cc1: 0.5665615... of log2(1e6) octaves below 1.
        down = (0x910A2DEC89025CC1 >> 11) * 2.0**-53 * 19.931568569324174
        self.assertEqual(first[0], math.ldexp(1 - (down - math.floor(down)) / 2, -math.floor(down)))

    def test_range_of_the_diagonal(self):
        count = 4000
        mps = "ROWS\n N C\n E R\nCOLUMNS\n" + "".join(f" X{k} R 1\n" for k in range(count)) + "ENDATA\n"
        diagonal, _ = self.kkt("NAME WIDE\n" + mps)
        self.assertTrue(all(1e-6 <= d <= 1 for d in diagonal))
        for decade in range(6):
            share = sum(10.0 ** -(decade + 1) <= d < 10.0**-decade for d in diagonal) / count
            self.assertAlmostEqual(share, 1 / 6, delta=0.03)

    def test_scaling(self):
        _, plain = self.kkt(MPS.replace("CAP 2", "CAP 2e6").replace("RNG 13", "RNG 1.3e-5"), "-scale", 0)
        _, scaled = self.kkt(MPS.replace("CAP 2", "CAP 2e6").replace("RNG 13", "RNG 1.3e-5"))
        spread = [max(v) / min(v) for v in ([abs(x) for r in a for c, x in r.items() if c < 6] for a in (plain, scaled))]
        self.assertLess(spread[1], spread[0] / 100)
        for before, after in zip(plain, scaled, strict=True):
            for column, value in before.items():
                self.assertIn(math.frexp(after[column] / value)[0], (0.5,))  # a power of two: nothing was rounded

    def test_gzip_and_fixed_format(self):
        _, free = self.kkt(MPS, "-scale", 0)
        packed = self.file("lp.mps.gz", gzip.compress(MPS.encode()))
        self.solved("kkt_lp", "-f", packed, *DIRECT)
        fixed = "NAME          BLANKS\nROWS\n N  COST\n L  ROW ONE\nCOLUMNS\n"
        fixed += "    COL ONE   COST               1.0   ROW ONE            2.0\n"
        fixed += "RHS\n    RHS       ROW ONE            4.0\nENDATA\n"
        _, a = self.kkt(fixed, "-scale", 0)
        self.assertEqual(a, [{0: 2, 1: 1}])

    def test_bad_files(self):
        self.refused("kkt_lp", says="-f FILE")
        self.refused("kkt_lp", "-f", self.path("none.mps"), says="none.mps: cannot open")
        bad = self.file("bad.mps", MPS.replace("X NEED 3", "X NOWHERE 3"))
        self.refused("kkt_lp", "-f", bad, says="bad.mps:12: row 'NOWHERE' not found")
        cut = self.file("cut.mps", MPS[: MPS.index("RHS\n")])
        self.refused("kkt_lp", "-f", cut, says="cut.mps:")
        empty = self.file("empty.mps", "NAME E\nROWS\n N C\n E R\nCOLUMNS\n X C 1\nENDATA\n")
        self.refused("kkt_lp", "-f", empty, says="no constraint has an entry")
        self.refused("kkt_lp", "-f", self.file("lp.mps", MPS), "-free", "maybe", says="maybe")


if __name__ == "__main__":
    main()
