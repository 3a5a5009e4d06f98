"""examples/study: runs with limits, resuming, what counts as solved, tables, pictures, the page."""

import base64
import csv
import dataclasses
import html.parser
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

from support import PROGRAMS, ROOT, ExampleTest, main, matrix_market

STUDY = os.path.join(ROOT, "examples", "study")
PLUGIN = os.environ.get("TESSERA_LIBRARY", "")
sys.path[:0] = [STUDY, os.path.join(ROOT, "scripts")]
import all_runs
import configurations
import made_up_systems
import measure
import one_run
import systems
import tables
from configurations import ANY, INDEFINITE, PETSC, Configuration
from systems import System

try:
    import numpy
    import pictures  # which needs Matplotlib
    from PIL import Image
except ImportError:
    numpy = None

linked = subprocess.run(["ldd", os.path.join(PROGRAMS, "study_case")], capture_output=True, text=True).stdout
SANITIZED = "libasan" in linked  # AddressSanitizer reserves more address space than any limit leaves
SETTING = one_run.Setting(PROGRAMS, PLUGIN, memory_limit=0 if SANITIZED else 2048, passes=2, time_limit=60)
LU = "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type "
TESSERA_LU, UMFPACK = LU + "tessera", LU + "umfpack"


def saddle_point(n=60, m=25):
    """Lower triangle of [H A^T; A 0] with random sparse A."""
    rng = random.Random(2)
    entries = [(i, i, 2.0 + rng.random()) for i in range(1, n + 1)]
    entries += [(n + k, j, rng.uniform(-1, 1)) for k in range(1, m + 1) for j in sorted(rng.sample(range(1, n + 1), 5))]
    return matrix_market(entries, n + m)


def unsymmetric(n, off=4):
    """Random entries beside a diagonal that outweighs them."""
    rng = random.Random(3)
    entries = [(i, j, 5.0 if i == j else rng.uniform(-1, 1))
               for i in range(1, n + 1) for j in {i, *rng.sample(range(1, n + 1), off)}]
    return matrix_market(entries, n, symmetry="general")


def configuration(options):
    return Configuration("tried", PETSC, options, ANY, "#000000", "o")


class OneRun(ExampleTest):
    def run_one(self, matrix, options, **setting):
        system = System("tried", "", self.file("m.mtx", matrix))
        return one_run.run_one(system, configuration(options), dataclasses.replace(SETTING, **setting))

    def test_solved(self):
        result = self.run_one(saddle_point(), "-ksp_type sqmr -pc_type bildlt")
        self.assertTrue(one_run.solved(result), result)
        self.assertEqual(one_run.reason(result), "")
        for stage in one_run.STAGES:
            own = result[stage]
            self.assertEqual(own["passes"], 2)
            self.assertLess(own["residual"], 1e-8)
            self.assertGreater(own["setup_wall"], own["factorization"])
            self.assertGreater(own["factorization"], 0)
        self.assertNotEqual(result["first"]["residual"], result["second"]["residual"])  # other values
        self.assertGreater(result["first"]["analysis"], 0)
        self.assertEqual(result["second"]["analysis"], 0)  # the pattern is known
        iterations = [k for k, _ in result["history"]]
        self.assertEqual((iterations[0], iterations[-1]), (0, result["second"]["iterations"]))
        self.assertLess(result["history"][-1][1], 1e-8)
        self.assertGreater(result["loaded_bytes"], 1e6)
        self.assertGreater(result["solver_bytes"], 0)

    @unittest.skipIf(SANITIZED, "AddressSanitizer keeps freed memory")
    def test_memory_is_that_of_the_solver(self):
        # This method has eight vectors of 15,000 numbers; both systems take some 5 MB, the program 20.
        result = self.run_one(unsymmetric(15000, 6), "-ksp_type bcgs -pc_type jacobi")
        self.assertLess(result["solver_bytes"], 3e6)
        # The factor of this one is nearly dense: 1.5 million numbers.
        result = self.run_one(unsymmetric(1500), TESSERA_LU)
        self.assertGreater(result["solver_bytes"], 1e7)
        self.assertGreater(result["loaded_bytes"], 1e7)

    def test_time_limit(self):
        result = self.run_one(unsymmetric(9000, 6), UMFPACK, time_limit=1.5)
        self.assertEqual(one_run.reason(result), "time limit, 1.5 s")
        self.assertFalse(one_run.solved(result))
        self.assertIsNone(one_run.seconds(result, "first", "wall"))
        self.assertLess(result["seconds"], 10)

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs an unlimited address space")
    def test_memory_limit(self):
        result = self.run_one(unsymmetric(9000, 6), TESSERA_LU, memory_limit=500)
        self.assertEqual(one_run.reason(result), "out of memory, limit 500 MiB")
        self.assertTrue(one_run.solved(self.run_one(saddle_point(), TESSERA_LU, memory_limit=500)))

    def test_failing_solvers(self):
        result = self.run_one(saddle_point(), "-ksp_type preonly -pc_type cholesky -zero_diagonal "
                              "-pc_factor_mat_ordering_type natural -pc_factor_zeropivot 1e9")
        self.assertEqual(one_run.reason(result), "setup: numeric zero pivot")
        result = self.run_one(saddle_point(), "-ksp_type gmres -pc_type none -ksp_max_it 3")
        self.assertRegex(one_run.reason(result), "^3 iterations, residual ")
        result = self.run_one(saddle_point(), "-pc_type no_such_type")
        self.assertIn("no_such_type", one_run.reason(result))
        self.assertEqual(result["first"]["passes"], 0)

    def test_the_second_solve_counts(self):
        easy = matrix_market([(i, i, 2.0) for i in range(1, 21)] + [(i + 1, i, 1e-9) for i in range(1, 20)], 20)
        hard = matrix_market([(i, i, 2.0) for i in range(1, 21)] + [(i + 1, i, 1.0) for i in range(1, 20)], 20)
        system = System("tried", "", self.file("easy.mtx", easy), self.file("hard.mtx", hard))
        result = one_run.run_one(system, configuration("-ksp_type cg -pc_type none -ksp_max_it 3"), SETTING)
        self.assertFalse(one_run.solved(result))
        self.assertTrue(result["first"]["solved"])
        self.assertRegex(one_run.reason(result), "^second: 3 iterations, residual ")

    def test_the_last_residual_is_in_the_history(self):
        result = self.run_one(unsymmetric(300, 20), "-ksp_type richardson -pc_type none -ksp_richardson_scale 1e-3 "
                              "-ksp_max_it 78")
        iterations = [k for k, _ in result["history"]]
        self.assertEqual(iterations[:51], list(range(50)) + [51])
        self.assertEqual(iterations[-2:], [77, 78])

    def test_claims_do_not_count(self):
        result = self.run_one(saddle_point(), "-ksp_type gmres -pc_type none", rtol=0.5)
        self.assertRegex(one_run.reason(result), "^inaccurate, residual ")
        self.assertEqual(result["first"]["claim"], "CONVERGED_RTOL")

    def test_a_crash(self):
        # Lines that packages print are not the program's.
        fake = self.file("study_case", "#!/bin/sh\necho loaded rows=1\necho\necho solve it\necho end of file\n"
                         "kill -SEGV $$\n")
        os.chmod(fake, 0o755)
        result = self.run_one(saddle_point(), "", programs=self.folder)
        self.assertEqual(one_run.reason(result), "killed by SIGSEGV")

    def test_cudss(self):
        """Another program, whose options say what kind of matrix it is, and no limit of address space."""
        line = ("setup_wall=1 setup_processor=1 solve_wall=1 solve_processor=1 analysis=0 factorization=1 application=1 "
                "iterations=1 reason=CONVERGED_ITS pc_reason=FACTOR_NOERROR residual=1e-12 backward_error=1e-16")
        fake = self.file("cudss_case", '#!/bin/sh\n[ "$(ulimit -v)" = unlimited ] || exit 1\n'
                         f'case "$*" in *"-passes 2 -pass_seconds 0.5 -type "*) ;; *) exit 1 ;; esac\n'
                         f"echo solve pass=0 of=first {line}\necho solve pass=0 of=second {line}\necho end\n")
        os.chmod(fake, 0o755)
        cudss = next(c for c in configurations.CONFIGURATIONS if c.name == "cudss")
        setting = dataclasses.replace(SETTING, programs=self.folder)
        for kind, option in (("definite", "spd"), (INDEFINITE, "symmetric"), ("unsymmetric", "general")):
            result = one_run.run_one(System("tried", "", self.file("m.mtx", ""), kind=kind), cudss, setting)
            self.assertTrue(one_run.solved(result), result)
            self.assertRegex(result["command"], f"-type {option}$")
        with unittest.mock.patch.object(configurations, "has_gpu_driver", lambda: True):
            self.assertEqual(configurations.chosen(self.folder, "cudss", []), ([cudss], []))
            os.remove(fake)
            self.assertEqual(configurations.chosen(self.folder, "cudss", []), ([], ["cudss: cudss_case has not been built"]))

    def test_on_a_gpu(self):
        """Without a limit of address space, where there are a driver and programs that were built with CUDA."""
        line = ("setup_wall=1 setup_processor=1 solve_wall=1 solve_processor=1 analysis=0 factorization=1 application=1 "
                "iterations=1 reason=CONVERGED_ITS pc_reason=NOERROR residual=1e-12 backward_error=1e-16")
        fake = self.file("study_case", '#!/bin/sh\n[ "$(ulimit -v)" = unlimited ] || exit 1\n'
                         'case "$*" in *aijcusparse*) ;; *) exit 1 ;; esac\n'
                         f"echo solve pass=0 of=first {line}\necho solve pass=0 of=second {line}\necho end\n")
        os.chmod(fake, 0o755)
        setting = dataclasses.replace(SETTING, programs=self.folder)
        of_gpu = [c for c in configurations.CONFIGURATIONS if c.name.endswith(" gpu")]
        self.assertGreater(len(of_gpu), 5)
        for c in of_gpu:
            result = one_run.run_one(System("tried", "", self.file("m.mtx", "")), c, setting)
            self.assertTrue(one_run.solved(result), result)
            host = [h for h in configurations.CONFIGURATIONS if h.name == c.name.removesuffix(" gpu")]
            self.assertEqual([(h.colour, h.marker, h.kinds) for h in host], [(c.colour, c.marker, c.kinds)])
        names = ", ".join(c.name for c in of_gpu)
        with unittest.mock.patch.object(configurations, "has_gpu_driver", lambda: False):
            self.assertEqual(configurations.chosen(self.folder, " gpu", []),
                             ([], [f"{names}: there is no driver of an NVIDIA GPU on this machine"]))
        with unittest.mock.patch.object(configurations, "has_gpu_driver", lambda: True):
            self.assertEqual(configurations.chosen(self.folder, " gpu", []),
                             ([], [f"{names}: the programs were built without CUDA"]))
            with unittest.mock.patch.object(configurations, "shared_libraries", lambda _: ["/lib/libcudart.so.13"]):
                self.assertEqual(configurations.chosen(self.folder, " gpu", []), (of_gpu, []))

    def test_no_history(self):
        system = self.file("m.mtx", saddle_point())
        for option, lines in (("-no_history", 0), ("-passes", 1)):
            done = self.run_program("study_case", "-f", system, "-ksp_type", "gmres", "-pc_type", "jacobi", option)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sum(line.startswith("history ") for line in done.stdout.splitlines()), lines)

    def test_other_patterns_are_refused(self):
        first, second = self.file("a.mtx", saddle_point()), self.file("b.mtx", saddle_point(61, 24))
        self.refused("study_case", "-f", first, "-second", second, says="has not the pattern")


class Systems(ExampleTest):
    def maker(self):
        return systems.Maker(PROGRAMS, self.path("systems"), 100, lambda _: None)

    def check(self, system, kind, rows, definite=False):
        """Size and kind of a system, and that both of its matrices are solved, with the pattern in common."""
        system = self.maker().complete(system, definite)
        self.assertEqual((system.kind, system.rows), (kind, rows))
        result = one_run.run_one(system, configuration(UMFPACK), SETTING)
        self.assertTrue(one_run.solved(result), result)
        with open(system.first, "rb") as one, open(system.second or os.devnull, "rb") as other:
            self.assertNotEqual(one.read(), other.read())

    def test_generated(self):
        recipe = dataclasses.replace(systems.DEFAULT[0], first=systems.DEFAULT[0].first.replace("-n 12", "-n 3"),
                                     second=systems.DEFAULT[0].second.replace("-n 12", "-n 3"))
        system = self.maker().generated(recipe)
        self.check(system, INDEFINITE, 2 * 27 + 6 * 9)
        made = os.stat(system.first).st_mtime_ns
        self.assertEqual(os.stat(self.maker().generated(recipe).first).st_mtime_ns, made)  # not made again

    def test_definite(self):
        made_up_systems.write_laplacian(self.path("laplacian.mtx"), 5)
        self.check(self.maker().from_file(self.path("laplacian.mtx")), "definite", 125, True)
        other = self.maker().from_file(self.file("random.mtx", unsymmetric(30)))
        with self.assertRaisesRegex(SystemExit, "not symmetric"):
            self.maker().complete(other, True)

    @unittest.skipUnless(numpy and os.path.exists(os.path.join(PROGRAMS, "interior_point")), "needs NumPy and GLPK")
    def test_linear_program(self):
        made_up_systems.write_transport(self.path("transport.mps"), 5, 8)
        found = self.maker().sequence("lp", self.path("transport.mps"))
        self.assertEqual([system.name for system in found], ["lp early", "lp middle", "lp late"])
        self.check(found[0], INDEFINITE, 40)

    def test_a_failing_generator(self):
        with self.assertRaisesRegex(SystemExit, "kkt3d -n 0 .*between 1 and 550"):
            self.maker().written(["kkt3d", "-n", "0", "-write_matrix"])


class Keys(ExampleTest):
    def test_what_a_result_depends_on(self):
        def path(setting=SETTING, options="", **system):
            own = System("tried", "", "", **{"key": "1", **system})
            return all_runs.Store(self.path("runs"), setting).path(own, configuration(options))

        plugin = dataclasses.replace(SETTING, plugin=self.file("plugin", "one"))
        paths = [path(), path(options="-ksp_type cg"), path(key="2"), path(kind="definite"), path(plugin),
                 path(dataclasses.replace(SETTING, threads=2))]
        self.file("plugin", "two")
        paths.append(path(plugin))
        self.assertEqual(len(set(paths)), 7)
        self.assertEqual(path(), paths[0])


class Limits(ExampleTest):
    def test_the_program_ends_with_its_caller(self):
        class Stopped(Exception):
            pass

        def stop(*_):
            raise Stopped

        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.7)
        begin = time.monotonic()
        with self.assertRaises(Stopped):
            measure.run_program(["sh", "-c", f"echo $$ > {self.path('pid')}; exec sleep 60"], 100)
        self.assertLess(time.monotonic() - begin, 30)
        with open(self.path("pid")) as f:
            self.assertRaises(ProcessLookupError, os.kill, int(f.read()), 0)

    def test_processor_time(self):
        run = measure.run_program(["sh", "-c", "ulimit -t"], 10, threads=3)
        self.assertEqual(run.output, "31\n")


class Structure(ExampleTest):
    def structure(self, matrix):
        done = self.run_program("study_structure", "-f", self.file("m.mtx", matrix))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_symmetric(self):
        found = self.structure(saddle_point())
        for name in ("factor", "blocking_sn", "blocking_br", "blocking_rb", "blocking_rbr", "blocking_grid"):
            blocks = found[name]
            self.assertEqual(sorted(blocks["perm"]), list(range(85)))
            self.assertEqual((blocks["block_start"][0], blocks["block_start"][-1]), (0, 85))
            self.assertTrue(all(0 < b - a <= 32 for a, b in zip(blocks["block_start"], blocks["block_start"][1:])))
            for i, j in zip(blocks["tile_row"], blocks["tile_column"]):
                self.assertLess(i, j)
                self.assertLess(blocks["level"][i], blocks["level"][j])
        self.assertEqual(set(found["blocking_rb"]["tile_fill"]) - {0}, set())
        self.check_fronts(found["fronts"], 85)

    def test_unsymmetric(self):
        found = self.structure(unsymmetric(50))
        self.assertFalse(found["symmetric"])
        self.check_fronts(found["fronts"], 50)

    def check_fronts(self, fronts, rows):
        self.assertEqual(sum(fronts["columns"]), rows)
        for columns, own, parent, level in zip(*(fronts[key] for key in ("columns", "rows", "parent", "level"))):
            self.assertLessEqual(columns, own)
            self.assertEqual(columns == own, parent < 0)
            self.assertTrue(parent < 0 or fronts["level"][parent] > level)


class Links(html.parser.HTMLParser):
    """What a page refers to, and what can be referred to."""

    def __init__(self):
        super().__init__()
        self.links, self.images, self.names = [], [], set()

    def handle_starttag(self, tag, attributes):
        own = dict(attributes)
        self.names.add(own.get("id"))
        self.links += [own[key] for key in ("href", "src") if key in own and tag != "img"]
        self.images += [own["src"]] if tag == "img" else []


@unittest.skipUnless(numpy, "this Python has no Matplotlib, NumPy or Pillow")
class Whole(ExampleTest):
    """A study of two systems and three configurations that is killed, goes on, and is started once more."""

    def command(self, *more, folder="results"):
        files = [self.file("saddle.mtx", saddle_point()), self.file("random.mtx", unsymmetric(40))]
        return [sys.executable, os.path.join(STUDY, "study.py"), *files, "--programs", PROGRAMS, "--plugin", PLUGIN,
                "--folder", self.path(folder), "--configurations", "tessera lu,umfpack,petsc lu", "--passes", "2",
                "--memory-limit", str(SETTING.memory_limit), *more]

    def study(self, *more, folder="results"):
        done = subprocess.run(self.command(*more, folder=folder), capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.splitlines()

    def kept(self):
        folder = self.path("results/runs")
        return {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)
                if name.endswith(".json")}

    def start_and_kill(self):
        child = subprocess.Popen(self.command(), stderr=subprocess.PIPE, text=True)
        for line in child.stderr:
            if line.startswith("[2/6]"):
                child.send_signal(signal.SIGKILL)
        child.wait()
        child.stderr.close()
        self.assertEqual(child.returncode, -signal.SIGKILL)

    def test_whole(self):
        self.start_and_kill()
        before = self.kept()
        self.assertIn(len(before), (2, 3))
        lines = self.study("--publish", self.path("docs"))
        self.assertEqual(sum("(kept)" in line for line in lines), len(before))
        after = self.kept()
        self.assertEqual(len(after), 6)
        self.assertEqual({name: after[name] for name in before}, before)
        self.check_csv()
        self.check_markdown()
        self.check_pictures()
        self.check_page()
        # the results are those of a study that nobody stopped
        self.study(folder="whole")
        self.assertEqual(self.lasting("results"), self.lasting("whole"))
        self.check_that_options_are_heard()
        # another option is another run
        lines = self.study("--rtol", "1e-9", "--configurations", "umfpack")
        self.assertEqual(sum("(kept)" in line for line in lines), 0)
        self.assertEqual(len(self.kept()), 8)

    def check_that_options_are_heard(self):
        """One run, whose results say what was asked for."""
        lines = self.study("--systems", "saddle", "--definite", "saddle", "--without", "a,e,i,o,u,j",
                           "--configurations", "", "--configuration", "mine=-ksp_type gmres -pc_type none", "--threads", "2", "--time-limit", "77",
                           "--pass-seconds", "9", "--accept", "0.5", "--max-it", "2", "--clock", "processor", "--note",
                           "of a test", folder="options")
        self.assertIn("[1/1] saddle: mine", "\n".join(lines))
        with open(self.path("options/study.csv"), newline="") as f:
            row = next(csv.DictReader(f))
        self.assertEqual((row["kind"], row["threads"], row["first_iterations"]), ("definite", "2", "2"))
        self.assertEqual(row["solved"] == "True", all(float(row[f"{s}_residual"]) <= 0.5 for s in ("first", "second")))
        with open(self.path("options/study.md")) as f:
            text = f.read()
        for word in ("of a test", "77 s", "2 iterations", "at most 0.5 ", "after 9 s", "processor time of all threads"):
            self.assertIn(word, text)

    def test_without_matplotlib(self):
        self.file("matplotlib.py", "raise ImportError('no Matplotlib')")
        done = subprocess.run(self.command("--systems", "saddle", "--configurations", "umfpack"), capture_output=True,
                              text=True, timeout=200, env={**os.environ, "PYTHONPATH": self.folder})
        self.assertEqual((done.returncode, done.stdout), (0, self.path("results/study.md") + "\n"), done.stderr)
        with open(self.path("results/study.md")) as f:
            self.assertIn("- *left out*: pictures, and the page: no Matplotlib\n", f.read())
        self.assertTrue(os.path.exists(self.path("results/study.csv")))

    def lasting(self, folder):
        """The rows of a study's table, without what takes time and memory."""
        columns = [*tables.COLUMNS[:tables.COLUMNS.index("reason") + 1], "threads"]
        for stage in ("first", "second"):
            columns += [f"{stage}_{what}" for what in ("solved", "iterations", "claim", "residual", "backward_error")]
        with open(self.path(f"{folder}/study.csv"), newline="") as f:
            rows = [[row[column] for column in columns] for row in csv.DictReader(f)]
        self.assertEqual(len(rows), 6)
        return rows

    def check_csv(self):
        with open(self.path("results/study.csv"), newline="") as f:
            head, *rows = csv.reader(f)
        self.assertEqual(tuple(head), tables.COLUMNS)
        rows = [dict(zip(head, row, strict=True)) for row in rows]
        self.assertEqual([(row["system"], row["configuration"]) for row in rows],
                         [(s, c) for s in ("saddle", "random") for c in ("tessera lu", "umfpack", "petsc lu")])
        for row in rows:
            self.assertEqual((row["solved"], row["reason"]), ("True", ""))
            self.assertGreater(float(row["first_setup_wall"]), 0)
            self.assertLess(float(row["second_residual"]), 1e-8)
            self.assertEqual(row["threads"], "1")
        self.assertEqual({row["kind"] for row in rows}, {"indefinite", "unsymmetric"})

    def check_markdown(self):
        with open(self.path("docs/study-results.md")) as f:
            text = f.read()
        self.assertIn("| umfpack | SuiteSparse | 2 of 2 |", text)
        for word in ("machine", "versions", "threads", "petsc"):
            self.assertIn(word, text)

    def check_pictures(self):
        names = set(os.listdir(self.path("results/pictures")))
        self.assertEqual(names, {f"{kind}-{name}.png" for kind, name in (
            ("overview", "symmetric"), ("overview", "unsymmetric"), ("profile", "symmetric"), ("profile", "unsymmetric"),
            ("system", "saddle"), ("system", "random"), ("blockings", "saddle"), ("factor", "saddle"),
            ("fronts", "saddle"), ("fronts", "random"))})
        for name in names:
            with Image.open(self.path("results/pictures/" + name)) as image:
                colours = image.convert("RGB").getcolors(1 << 20)
                width, height = image.size
            self.assertGreater(min(width, height), 150, name)
            self.assertGreater(len(colours), 8, name)
            self.assertLess(max(count for count, _ in colours), 0.99 * width * height, name)
        self.assertIn("study-profile-symmetric.png", os.listdir(self.path("docs/pictures")))

    def check_page(self):
        with open(self.path("results/study.html"), encoding="utf-8") as f:
            text = f.read()
        page = Links()
        page.feed(text)
        self.assertEqual(len(page.images), 10)
        for image in page.images:
            kind, _, data = image.partition(",")
            self.assertEqual(kind, "data:image/png;base64")
            with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as decoded:
                decoded.load()
        self.assertGreater(len(page.links), 3)
        for link in page.links:
            self.assertTrue(link.startswith("#") and link[1:] in page.names, link)
        self.assertNotIn("http", text)


if __name__ == "__main__":
    main()
