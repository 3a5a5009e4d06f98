"""What the tests of the example programs share: running one, and small matrices in files."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = os.environ.get("EXAMPLES_DIR", "build/examples")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.environ.get("TESSERA_DATA") or os.path.join(os.path.dirname(ROOT), "shared")
# Small indefinite matrices delay more pivots than MUMPS's default 20% of extra workspace has room for.
DIRECT = ["-ksp_type", "preonly", "-pc_type", "cholesky", "-pc_factor_mat_solver_type", "mumps", "-mat_mumps_icntl_14",
          "500"]

def plugin(ksp, pc, *options):
    """Options of a method of Tessera; pc None: what the options say."""
    return ["-dll_append", os.environ["TESSERA_LIBRARY"], "-ksp_type", ksp, *(["-pc_type", pc] if pc else []), *options]


# A stiff symmetric indefinite matrix with a zero on the diagonal: lower triangle, 1-based.
SADDLE = [(1, 1, 4.0), (2, 1, 1.0), (2, 2, 3.0), (3, 1, 2.0), (3, 2, -1.0), (4, 4, -2.5), (4, 1, 0.5)]


def matrix_market(entries, rows, cols=None, field="real", symmetry="symmetric"):
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", "% a comment", f"{rows} {cols or rows} {len(entries)}"]
    lines += [" ".join(repr(v) for v in entry) for entry in entries]
    return "\n".join(lines) + "\n"


def array_market(values):
    return f"%%MatrixMarket matrix array real general\n{len(values)} 1\n" + "".join(f"{v!r}\n" for v in values)


def read_matrix(path):
    """Entries {(row, column): value}, 0-based, both triangles, of a file the programs wrote."""
    with open(path) as f:
        header = f.readline().split()
        rows, cols, count = map(int, f.readline().split())
        entries = {}
        for line in f:
            i, j, v = line.split()
            entries[int(i) - 1, int(j) - 1] = float(v)
        assert len(entries) == count
    if header[4] == "symmetric":
        entries.update({(j, i): v for (i, j), v in list(entries.items())})
    return rows, cols, entries


def read_vector(path):
    """Values of an array file the programs wrote."""
    with open(path) as f:
        return [float(line) for line in f.readlines()[2:]]


class ExampleTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def run_program(self, program, *args, processes=1, **more_environment):
        command = [os.path.join(PROGRAMS, program), *map(str, args)]
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1", OPENBLAS_NUM_THREADS="1", **more_environment)
        if processes > 1:
            command = [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(processes), *command]
        return subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)

    def solved(self, program, *args, processes=1):
        """Runs a program that has to solve its system; its JSON result."""
        done = self.run_program(program, *args, "-json", processes=processes)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        self.assertTrue(result["solved"])
        self.assertLessEqual(result["relative_residual"], result["accept"])
        return result

    def refused(self, program, *args, says):
        """Runs a program that has to fail with one line that contains the text."""
        # A program that ends by an error leaves its objects behind, as PETSc programs do.
        done = self.run_program(program, *args, ASAN_OPTIONS="detect_leaks=0")
        lines = done.stderr.splitlines()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("error: "), lines[0])
        self.assertIn(says, lines[0])


def need_data(*parts):
    """Path of a data file; skips the test when it is absent."""
    path = os.path.join(DATA, *parts)
    if not os.path.exists(path):
        raise unittest.SkipTest(f"{os.path.join(*parts)} is not in the folder TESSERA_DATA")
    return path


def main():
    """Runs the tests of a file; exit status 77 when all of them were skipped."""
    result = unittest.main(exit=False, verbosity=2).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.testsRun and len(result.skipped) == result.testsRun else 0)
