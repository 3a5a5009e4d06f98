"""Runs an example program and reads what it measured; prints tables. Shared by the programs that compare methods."""

import math
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

# Without mpiexec a program of Open MPI starts a daemon, which takes a core in the first tens of milliseconds.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1"}
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Run:
    """One run of a program: `row` has the words of its line "name=...", or is empty when it printed none."""

    def __init__(self, output, errors, status, seconds, usage, timed_out):
        line = next((line for line in output.splitlines() if line.startswith("name=")), "")
        self.row = dict(word.split("=", 1) for word in line.split())
        self.output, self.errors, self.status, self.timed_out = output, errors, status, timed_out
        self.seconds = seconds
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.peak_megabytes = usage.ru_maxrss * 1024 / 1e6

    @property
    def solved(self):
        return self.row.get("solved") == "true"

    @property
    def failure(self):
        """Why the system is not solved, in a few words; empty when it is."""
        if self.solved:
            return ""
        if self.timed_out:
            return "time limit"
        if not self.row:
            lines = [line for line in self.errors.splitlines() if any(map(str.isalnum, line))]
            lines = lines or [f"exit status {self.status}"]
            return lines[0].removeprefix("error: ")[:40]
        reason = self.row["reason"]
        return reason.removeprefix("DIVERGED_").lower() if reason.startswith("DIVERGED_") else "inaccurate"

    def number(self, key):
        return float(self.row.get(key, "nan"))

    def event(self, *names):
        """Count and seconds of the first of these events that -log_view has a line of, (0, nan) if none. With a GPU PETSc
        logs no seconds ("n/a") of what it does not wait for: nan."""
        for name in names:
            for line in self.output.splitlines():
                words = line.split()
                if len(words) > 3 and words[0] == name:
                    return int(words[1]), float("nan" if words[3] == "n/a" else words[3])
        return 0, float("nan")


def set_limits(memory, processor_seconds):
    """Limits this process' address space, in bytes, and its processor time; None: as they are."""
    for which, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, processor_seconds)):
        if limit is not None:
            hard = resource.getrlimit(which)[1]
            resource.setrlimit(which, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def run_program(command, time_limit, environment=None, folder=None, memory_limit=None, threads=None, grace=0):
    """Runs a command and waits for it, at most `time_limit` seconds. memory_limit: bytes of address space that it may
    have. threads: how many it has; their processor time is then limited too, so that it ends when its parent is killed.
    grace: seconds between asking it to end and ending it, in which mpiexec ends the processes that it has started.
    """
    processor_seconds = math.ceil(threads * time_limit) + 1 if threads else None
    limits = (lambda: set_limits(memory_limit, processor_seconds)) if memory_limit or threads else None
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=folder,
                                 env={**ALONE, **os.environ, **(environment or {})},
                                 preexec_fn=limits)
        late, ended = threading.Event(), threading.Event()

        def end():
            late.set()
            if grace:
                child.terminate()
                ended.wait(grace)
            if not ended.is_set():
                child.kill()

        timer = threading.Timer(time_limit, end)
        timer.start()
        try:
            # The resources of this child alone, which getrusage() would mix with those of earlier ones.
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        finally:
            ended.set()
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        out.seek(0)
        err.seek(0)
        return Run(out.read(), err.read(), child.returncode, seconds, usage, late.is_set())


class Budget:
    """Seconds that the runs of a program have in all, from now on; None: as many as they take."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds if seconds else math.inf

    def limit(self, seconds):
        """The time limit of a run that may take so many seconds: no more than are left."""
        return min(seconds, self.end - time.monotonic())


class Table:
    """A table whose head is printed at once and each row when it is added, so that a program that is ended loses none.
    `widths` are those of the columns at least; columns in `left` are flush left."""

    def __init__(self, columns, markdown, left=(0,), widths=()):
        self.markdown, self.left = markdown, left
        self.widths = [max(len(column), *widths[c:c + 1], 0) for c, column in enumerate(columns)]
        self.add(columns)
        rules = ["-" * w for w in self.widths]
        print("|" + "|".join("-" + r + ("-" if c in left else ":") for c, r in enumerate(rules)) + "|"
              if markdown else "  ".join(rules), flush=True)

    def add(self, row):
        cells = [cell.ljust(w) if c in self.left else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, self.widths))]
        print("| " + " | ".join(cells) + " |" if self.markdown else "  ".join(cells).rstrip(), flush=True)


def print_table(columns, rows, markdown, left=(0,), group=0):
    """Prints rows of text under the names of the columns, those in `left` flush left, an empty line every `group`."""
    table = Table(columns, markdown, left, [max(len(row[c]) for row in [columns, *rows]) for c in range(len(columns))])
    for k, row in enumerate(rows, 1):
        table.add(row)
        if group and not markdown and k % group == 0 and k < len(rows):
            print()


def show(text):
    """A line of progress that the next one overwrites; nothing where nobody watches."""
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def system_name(command):
    """A name for the system of a command of an example program."""
    return " ".join(os.path.basename(word).removesuffix(".mtx.gz").removesuffix(".petsc")
                    for word in command.split() if word not in ("solve", "-f"))


def data_folder():
    """Where matrices/*.mtx.gz and lp/*.mps.gz are, if anywhere."""
    return os.environ.get("TESSERA_DATA") or os.path.join(os.path.dirname(ROOT), "shared")


def add_program_arguments(parser):
    packed = os.path.join(ROOT, "bin")  # of an archive of scripts/gpu-pack
    parser.add_argument("--programs", default=packed if os.path.exists(os.path.join(packed, "solve")) else
                        os.path.join(ROOT, "build", "host", "examples"),
                        help="folder of the example programs; default: %(default)s")
    parser.add_argument("--plugin", help="libtessera.so; default: ../lib/libtessera.so from there")


def program_path(programs, name):
    """Where a program is: with the examples in the folder `programs`, or in that of benchmarks beside it."""
    path = os.path.join(programs, name)
    return path if os.path.exists(path) else os.path.join(os.path.dirname(programs), "benchmarks", name)


def find_programs(parser, args):
    """Checks that the programs are there, and completes args.plugin."""
    args.programs = os.path.abspath(args.programs)
    args.plugin = os.path.abspath(args.plugin or os.path.join(args.programs, "..", "lib", "libtessera.so"))
    for program in ("solve", "kkt3d", "stokes"):
        if not os.path.exists(os.path.join(args.programs, program)):
            parser.error(f"{program} is not in {args.programs}: build with scripts/demo, or give --programs")
