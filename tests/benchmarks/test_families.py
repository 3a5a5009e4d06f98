"""benchmarks/families: its list, its files, and that the matrices stay the same. Needs NumPy and SciPy, not a build."""

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCHMARKS = os.path.join(ROOT, "benchmarks")
# Small families without powers of ten, whose last bits differ from machine to machine, and the SHA-256 of their files
SYMMETRIC, UNSYMMETRIC = "s_least_tall", "u_zero_diag_grid"
SUMS = {SYMMETRIC: "570f5278b46d9c1bf70a287bfac4dbe174fcca14bfa0a8b33c18087c52beb0c0",
        UNSYMMETRIC: "2cd54bcf77fe9e74cb9c82c79ac4ead55a19aedc810e82bca121d57a677ff9c2"}


def families(*args):
    return subprocess.run([sys.executable, os.path.join(BENCHMARKS, "families"), *args], capture_output=True, text=True,
                          timeout=120)


def read_file(path):
    """The words of the header, the numbers of the line of sizes, and (row, column) of each entry."""
    with open(path) as f:
        header = f.readline().split()
        sizes = [int(word) for word in f.readline().split()]
        return header, sizes, [tuple(map(int, line.split()[:2])) for line in f]


class Families(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, folder, *names):
        """The paths of the families' files."""
        done = families(os.path.join(self.folder, folder), *names)
        paths = [os.path.join(self.folder, folder, f"{name}.mtx") for name in names]
        self.assertEqual((done.returncode, done.stderr, done.stdout.splitlines()), (0, "", paths))
        return paths

    def listed(self):
        """(name, rows, entries, description) of each line of the list."""
        done = families("--list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [re.fullmatch(r"(\w+) +(\d+) +(\d+)  (\S.*\.)", line) for line in done.stdout.splitlines()]
        self.assertNotIn(None, rows, done.stdout)
        return [row.groups() for row in rows]

    def test_list(self):
        """It has each family once, with a description of its own, and the sizes of the files."""
        names, rows, entries, descriptions = zip(*self.listed(), strict=True)
        written = []
        for module in ("symmetric", "unsymmetric"):
            with open(os.path.join(BENCHMARKS, "made_up", module + ".py"), encoding="utf-8") as f:
                written += re.findall(r"^def ([su]_\w+)\(", f.read(), re.M)
        self.assertEqual(list(names), written)
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(len(set(descriptions)), len(descriptions))
        for path in self.write("a", SYMMETRIC, UNSYMMETRIC):
            header, sizes, places = read_file(path)
            off_diagonal = sum(i != j for i, j in places)
            place = names.index(os.path.basename(path).removesuffix(".mtx"))
            self.assertEqual(int(rows[place]), sizes[0])
            self.assertEqual(int(entries[place]), len(places) + off_diagonal * (header[4] == "symmetric"))

    def test_same_matrices(self):
        """Files are the same in each run, and those of the runs before."""
        for first, second in zip(self.write("a", *SUMS), self.write("b", *SUMS), strict=True):
            with open(first, "rb") as f, open(second, "rb") as g:
                content = f.read()
                self.assertEqual(content, g.read(), first)
            self.assertEqual(hashlib.sha256(content).hexdigest(),
                             SUMS[os.path.basename(first).removesuffix(".mtx")], first)

    def test_files(self):
        """A symmetric family is square and stored as its lower triangle, an unsymmetric one as a whole."""
        for path, kind in zip(self.write("a", SYMMETRIC, UNSYMMETRIC), ("symmetric", "general"), strict=True):
            header, (rows, columns, count), places = read_file(path)
            self.assertEqual(header, ["%%MatrixMarket", "matrix", "coordinate", "real", kind])
            self.assertEqual((rows, count), (columns, len(places)))
            self.assertEqual(len(set(places)), count)
            self.assertEqual(places, sorted(places))
            self.assertTrue(all(1 <= i <= rows and 1 <= j <= rows for i, j in places))
            self.assertEqual(kind == "symmetric", all(i >= j for i, j in places))

    def test_symmetric_families(self):
        """What is left out of their files is what is in them."""
        sys.path.insert(0, BENCHMARKS)
        self.addCleanup(sys.path.remove, BENCHMARKS)
        from made_up import symmetric
        from scipy import sparse
        functions = {name: function for name, function in vars(symmetric).items() if name.startswith("s_")}
        self.assertGreater(len(functions), 20)
        for name, function in functions.items():
            matrix = sparse.csr_matrix(function())
            self.assertEqual(matrix.shape[0], matrix.shape[1], name)
            self.assertEqual(abs(matrix - matrix.T).max(), 0, name)

    def test_refusals(self):
        folder = os.path.join(self.folder, "a")
        for args, says in (((folder, SYMMETRIC, "u_typo"), "no family u_typo: --list names all"), ((), "no FOLDER")):
            done = families(*args)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.splitlines()[-1], f"families: error: {says}")
        self.assertFalse(os.path.exists(folder))

    def test_without_scipy(self):
        with open(os.path.join(self.folder, "scipy.py"), "w") as f:
            f.write("raise ImportError('no SciPy here')\n")
        done = subprocess.run([sys.executable, os.path.join(BENCHMARKS, "families"), "--list"], capture_output=True,
                              text=True, timeout=120, env={**os.environ, "PYTHONPATH": self.folder})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "benchmarks/families needs NumPy and SciPy: no SciPy here\n")


if __name__ == "__main__":
    missing = [name for name in ("numpy", "scipy") if not importlib.util.find_spec(name)]
    if missing:
        print(f"skipped: this Python has no {' and no '.join(missing)}")
        sys.exit(77)
    unittest.main(verbosity=2)
