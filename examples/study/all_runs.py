"""All runs of a study, each kept in a file of its own as soon as it is done, so that a study that was stopped goes on
where it was."""

import dataclasses
import functools
import hashlib
import json
import os
import sys
import time

import one_run
from machine import command_output, shared_libraries
from measure import ROOT, program_path
from one_run import reason, run_one, solved


def file_hash(path):
    if not os.path.exists(path):
        return "absent"
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:16]


def commit():
    """The commit of the project, with a + where files are changed; empty where that is not known. An archive of
    scripts/gpu-pack, which is no repository, has a file that names it."""
    packed = os.path.join(ROOT, "commit")
    if os.path.exists(packed):
        with open(packed) as f:
            return f.read().strip()
    name = command_output("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip()
    return name + ("+" if name and command_output("git", "-C", ROOT, "status", "--porcelain", "-uno").strip() else "")


class Store:
    """Results in a folder. The key of a run has all that its result depends on: the system's files, options, limits, the
    bytes of program and plugin, which libraries the program is linked with, and how its output is judged. Results say
    of which commit they are, and how loaded the machine was."""

    def __init__(self, folder, setting):
        self.folder = folder
        self.commit = commit()
        os.makedirs(folder, exist_ok=True)
        self.programs = setting.programs
        self.common = json.dumps([dataclasses.asdict(setting), file_hash(setting.plugin), file_hash(one_run.__file__)])

    @functools.cache
    def program_key(self, name):
        program = program_path(self.programs, name)
        return [file_hash(program), [(path, os.path.getsize(path)) for path in shared_libraries(program)]]

    def path(self, system, configuration):
        own = json.dumps([system.key, system.kind, configuration.options, self.program_key(configuration.program)])
        key = hashlib.sha256((self.common + own).encode()).hexdigest()[:16]
        name = "".join(c if c.isalnum() else "_" for c in f"{system.name}--{configuration.name}")
        return os.path.join(self.folder, f"{name}--{key}.json")

    def load(self, system, configuration):
        path = self.path(system, configuration)
        if not os.path.exists(path):
            return None
        with open(path) as f:
            return json.load(f)

    def save(self, system, configuration, result):
        """Appears whole or not at all."""
        result.update(commit=self.commit, load=os.getloadavg()[0])
        path = self.path(system, configuration)
        with open(path + ".part", "w") as f:
            json.dump(result, f)
        os.replace(path + ".part", path)


class Progress:
    """A bar that stays on one line of a terminal; elsewhere a line for each run."""

    def __init__(self, total, stream=sys.stderr):
        self.total, self.done, self.stream = total, 0, stream
        self.bar = stream.isatty()
        self.begin = time.monotonic()

    def _write(self, text, end):
        print(text, end=end, file=self.stream, flush=True)

    def say(self, text):
        self._write(("\r\033[K" if self.bar else "") + text, "\n")

    def starts(self, what):
        if self.bar:
            filled = 24 * self.done // max(self.total, 1)
            spent = time.monotonic() - self.begin
            bar = f"[{'#' * filled}{'.' * (24 - filled)}] {self.done}/{self.total} {spent:.0f} s  {what}"
            self._write("\r\033[K" + bar[:79], "")

    def ends(self, what, outcome):
        self.done += 1
        if not self.bar:
            self._write(f"[{self.done}/{self.total}] {what}: {outcome}", "\n")

    def close(self):
        if self.bar:
            self._write("\r\033[K", "")


def outcome(result):
    return "solved" if solved(result) else "failed: " + reason(result)


def run_all(systems, configurations, setting, store, progress):
    """Results of all pairs that suit each other, in order; those that are kept are not run again."""
    results = []
    pairs = [(s, c) for s in systems for c in configurations if c.suits(s)]
    progress.total = len(pairs)
    kept = 0
    for system, configuration in pairs:
        what = f"{system.name}: {configuration.name}"
        result = store.load(system, configuration)
        if result:
            kept += 1
            progress.ends(what, outcome(result) + " (kept)")
        else:
            progress.starts(what)
            result = run_one(system, configuration, setting)
            store.save(system, configuration, result)
            progress.ends(what, outcome(result))
        results.append(result)
    progress.close()
    progress.say(f"{len(results)} runs, {kept} of them kept from before, "
                 f"{sum(map(solved, results))} solved; {time.monotonic() - progress.begin:.0f} s")
    return results
