#!/usr/bin/env python3
"""Compares solver configurations on a set of systems, and writes tables, pictures, and a page with all of it.

  scripts/study                                   the default set, all of it generated
  scripts/study FILE ... --definite NAME          files: Matrix Market, PETSc binary, linear programs in MPS
  scripts/study --systems kkt3d,stokes --configurations tessera,mumps
  scripts/study --configuration "asm=-ksp_type gmres -pc_type asm"

(scripts/study finds a Python with Matplotlib, builds what is missing, and calls this program.) Every run is a process
of its own with limits of time and memory. A study that was stopped goes on where it was when it is started again. In
the folder of results: study.html, study.csv, study.md, and pictures. docs/study.md says what is measured.
"""

import argparse
import dataclasses
import os
import shutil
import signal
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "scripts"))
import all_runs
import configurations
import systems
import tables
from machine import compiler, gpu, processor, shared_libraries
from measure import ROOT, add_program_arguments, find_programs, program_path
from one_run import Setting


@dataclasses.dataclass
class Study:
    """What was measured, and where."""
    systems: list
    configurations: list
    results: list
    setting: Setting
    clock: str
    note: str
    notes: list  # what was left out, and why
    machine: str
    versions: str
    folder: str

    @property
    def pictures(self):
        return os.path.join(self.folder, "pictures")

    def system(self, result):
        return next(s for s in self.systems if s.name == result["system"])

    def configuration(self, result):
        return next(c for c in self.configurations if c.name == result["configuration"])

    def is_shown(self, system):
        """Whether --publish copies the pictures of this system: the first indefinite one, or else the first one."""
        indefinite = [s for s in self.systems if s.kind == configurations.INDEFINITE]
        return system is (indefinite or self.systems)[0]

    def commits(self):
        return ", ".join(sorted({result["commit"] or "unknown" for result in self.results}))


def versions(programs):
    """Names, with versions, of the libraries that do the work for these programs."""
    words = ("petsc", "mumps", "umfpack", "klu", "cholmod", "blas", "metis", "libmpi.", "cudss", "cudart")
    found = []
    for path in sorted({path for program in programs for path in shared_libraries(program)}):
        folder, name = os.path.split(path)
        if name.startswith("libblas."):  # several packages have a file of this name, in folders of their own
            name = os.path.basename(folder) + "/" + name
        if any(word in name for word in words):
            found.append(name.removeprefix("lib"))
    return ", ".join(found)


def parse_arguments():
    default = Setting("", "")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_program_arguments(parser)
    parser.add_argument("files", nargs="*", metavar="FILE", help="a matrix, or a linear program; none: the default set")
    parser.add_argument("--systems", default="", metavar="A,B", help="only those with one of these texts in their name")
    parser.add_argument("--definite", action="append", default=[], metavar="NAME",
                        help="vouch that this system is positive definite; may be given again")
    parser.add_argument("--configurations", default="", metavar="A,B", help="only those with one of these texts")
    parser.add_argument("--without", default="", metavar="A,B", help="none with one of these texts")
    parser.add_argument("--configuration", action="append", default=[], metavar="NAME=OPTIONS", help="a further one")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "study"), help="of results; default: %(default)s")
    parser.add_argument("--threads", type=int, default=default.threads)
    parser.add_argument("--time-limit", type=float, default=default.time_limit,
                        help="seconds of a run; default: %(default)g")
    parser.add_argument("--memory-limit", type=int, default=default.memory_limit,
                        help="MiB of address space, 0: none; default: %(default)d")
    parser.add_argument("--passes", type=int, default=default.passes, help="at most; default: %(default)d")
    parser.add_argument("--pass-seconds", type=float, default=default.pass_seconds,
                        help="no new pass after so many; default: %(default)g")
    parser.add_argument("--accept", type=float, default=default.accept, help="residual; default: %(default)g")
    parser.add_argument("--rtol", type=float, default=default.rtol, help="asked of methods; default: %(default)g")
    parser.add_argument("--max-it", type=int, default=default.max_it, help="iterations; default: %(default)d")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="what tables and pictures show")
    parser.add_argument("--note", default="", help="to be shown with the results")
    parser.add_argument("--publish", metavar="FOLDER", help="also write FOLDER/study-results.md and FOLDER/pictures")
    args = parser.parse_args()
    find_programs(parser, args)
    if min(args.threads, args.passes) < 1 or args.memory_limit < 0 or args.time_limit <= 0:
        parser.error("--threads, --passes and --time-limit are positive, --memory-limit is not negative")
    for one in args.configuration:
        if not one.partition("=")[0] or not one.partition("=")[2]:
            parser.error(f"--configuration {one}: NAME=OPTIONS")
    return args


def measure(args):
    """Makes the systems, runs everything, and collects the results."""
    fields = {field.name for field in dataclasses.fields(Setting)}
    setting = Setting(**{key: value for key, value in vars(args).items() if key in fields})
    chosen, notes = configurations.chosen(setting.programs, args.configurations, args.configuration, args.without)
    progress = all_runs.Progress(0)
    for note in notes:
        progress.say(note)
    maker = systems.Maker(setting.programs, os.path.join(args.folder, "systems"), 600, progress.say)
    made = systems.make(maker, args.files, args.systems, set(args.definite))
    if not made or not chosen:
        raise SystemExit("nothing to run: no system, or no configuration, has such a name")
    store = all_runs.Store(os.path.join(args.folder, "runs"), setting)
    results = all_runs.run_all(made, chosen, setting, store, progress)
    machine = "; ".join(filter(None, (processor(), gpu() if any(c.on_gpu for c in chosen) else "", compiler())))
    return Study(made, chosen, results, setting, args.clock, args.note, notes, machine,
                 versions({program_path(setting.programs, c.program) for c in chosen}), args.folder)


def draw(study):
    """The pictures, and the path of the page with all of them; neither where this Python cannot draw."""
    # Matplotlib comes after the runs: a large process starts others more slowly.
    try:
        import page
        import pictures
    except ImportError as missing:
        study.notes.append(f"pictures, and the page: {missing}")
        return [], None
    drawn = pictures.draw_all(study)
    return drawn, page.write(study, drawn)


def publish(study, pictures, folder):
    """Copies table and pictures to where documents are."""
    os.makedirs(os.path.join(folder, "pictures"), exist_ok=True)
    shutil.copyfile(os.path.join(study.folder, "study.md"), os.path.join(folder, "study-results.md"))
    for picture in (p for p in pictures if p.published):
        shutil.copyfile(picture.path, os.path.join(folder, "pictures", "study-" + os.path.basename(picture.path)))


def main():
    args = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that the running process is ended, too
    study = measure(args)
    tables.write_csv(os.path.join(args.folder, "study.csv"), study)
    drawn, path = draw(study)
    tables.write_markdown(os.path.join(args.folder, "study.md"), study)
    if args.publish:
        publish(study, drawn, args.publish)
    print(path or os.path.join(args.folder, "study.md"))


if __name__ == "__main__":
    main()
