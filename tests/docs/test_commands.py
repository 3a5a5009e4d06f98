"""What README.md and docs/ name exists: files, links with their headings, programs and targets, presets, parts of scripts,
and the options of all of them. Reads sources; needs no build."""

import functools
import glob
import json
import os
import re
import shlex
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]
FOLDERS = "scripts|benchmarks|examples|tests|src|cuda|cmake|include|docs"
# Options of PETSc begin so; PETSc knows them, not we.
PETSC = ("-ksp_", "-pc_", "-mat_", "-sub_", "-redundant_", "-st_", "-snes_", "-vec_", "-log_view", "-info", "-help",
         "-options_", "-dll_append", "-use_gpu", "-malloc", "-eps_", "-tao_")
# Our types' options are PETSc's by their beginning, and are looked up all the same.
OURS = re.compile(r"-(?:sub_|redundant_\w*?|st_)?((?:pc_bildlt|pc_jldlt|mat_tessera|ksp_sqmr)_\w+)")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def sources(*folders):
    """The text of all files below some folders of the project."""
    paths = (path for folder in folders for path in glob.glob(os.path.join(ROOT, folder, "**", "*"), recursive=True))
    kinds = (".c", ".cxx", ".hpp", ".h", ".cu", ".cuh", ".txt", ".cmake")
    return "\n".join(text_of(path) for path in paths if path.endswith(kinds))


@functools.cache
def targets(*folders):
    """Programs and libraries of some folders' CMakeLists.txt, also those of its functions and loops."""
    text = "\n".join(text_of(os.path.join(ROOT, folder, "CMakeLists.txt")) for folder in folders)
    found = set(re.findall(r"(?:add_executable|add_library|add_custom_target|\w+_test|\w+_example)\((\w+)", text))
    return found.union(*(names.split() for names in re.findall(r"foreach\(\w+ ([\w ]+)\)", text)))


def presets():
    return {p["name"] for p in json.loads(text_of(os.path.join(ROOT, "CMakePresets.json")))["configurePresets"]}


def name_of(page):
    return os.path.relpath(page, ROOT)


def anchors(page):
    """Names that links have for the headings of a page: lower case, no punctuation, - for a blank."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower()).replace(" ", "-") for heading in headings}


def commands(page):
    """(first word, other words) of each command in the indented and fenced blocks of a page, without variables that are
    set before it, comments, and what follows a pipe or a semicolon as a command of its own."""
    text = text_of(page)
    lines = re.findall(r"^ {4,}(\S.*)$", text, re.M)
    lines += "\n".join(re.findall(r"^```[^\n]*\n(.*?)^```", text, re.M | re.S)).splitlines()
    for line in lines:
        for one in re.split(r" && |; | \| ", re.sub(r"\s#.*", "", line)):
            try:
                words = shlex.split(re.sub(r"[\[\]]", "", one))
            except ValueError:
                continue  # no command: a sentence with an apostrophe
            while words and re.match(r"[A-Z_]+=", words[0]):
                words.pop(0)
            if words[:1] == ["mpiexec"]:
                words = words[3:]
            if words:
                yield words[0], words[1:]


def with_imports(text):
    """The text of a Python program and of those of the project's modules that it imports."""
    paths = {os.path.join(ROOT, "scripts", name + ".py") for name in re.findall(r"^from (\w+) import", text, re.M)}
    return text + "".join(with_imports(text_of(path)) for path in sorted(paths) if os.path.isfile(path))


def source_of(program):
    """What a program or script reads its options from; None for one that is not the project's."""
    folder, name = os.path.split(program)
    folder = folder.removeprefix("build/host").removeprefix("build/cuda").strip("/")
    script = os.path.join(ROOT, folder or "benchmarks", name)
    if folder == "scripts" and name == "study":
        script = os.path.join(ROOT, "examples", "study", "study.py")
    if folder in ("scripts", "benchmarks", "tests") and os.path.isfile(script) and os.access(script, os.R_OK):
        return with_imports(text_of(script))
    if folder in ("", "benchmarks") and name in targets("benchmarks"):
        own = [p for p in glob.glob(script + ".*") if p.endswith((".cxx", ".cu"))]
        return "\n".join(text_of(p) for p in own + glob.glob(os.path.join(ROOT, "benchmarks", "*.hpp")))
    if folder in ("", "examples") and name in targets("examples"):
        return sources("examples")
    return None


def unknown_options(program, words):
    """Those of a command's options that its program does not read. What is in quotes is one word, and is not looked at."""
    text = source_of(program)
    options = [word.split("=")[0] for word in words if re.match(r"--?[A-Za-z]", word) and " " not in word]
    # Google Benchmark has options of its own.
    return [option for option in options if not option.startswith((*PETSC, "--benchmark_"))
            and not re.search(r"""["'\s(|\[]""" + re.escape(option) + r"""["'\s)|=\]]""", text)]


class Commands(unittest.TestCase):
    def no_problems(self, problems):
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_links(self):
        problems = []
        for page in PAGES:
            for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
                path, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if "://" in link:
                    continue
                if not os.path.exists(target):
                    problems.append(f"{name_of(page)}: no file {link}")
                elif anchor and anchor not in anchors(target):
                    problems.append(f"{name_of(page)}: no heading {link}")
        self.no_problems(problems)

    def test_paths(self):
        """A path in the text is that of a file or folder, perhaps without its ending, or of a program. PETSc's tutorials,
        src/KIND/../tutorials, are not here."""
        problems = []
        for page in PAGES:
            for folder, rest in set(re.findall(rf"(?<![\w./-])({FOLDERS})/([\w./-]*\w)", text_of(page))):
                path = os.path.join(ROOT, folder, rest)
                if folder == "src" and "/tutorials/" in rest:
                    continue
                if not (glob.glob(path) or glob.glob(path + ".*") or folder in ("examples", "benchmarks")
                        and rest in targets(folder)):
                    problems.append(f"{name_of(page)}: no {folder}/{rest}")
        self.no_problems(problems)

    def test_build_folders(self):
        problems = []
        for page in PAGES:
            for preset, rest in re.findall(r"\bbuild/([\w-]+)(?:/([\w./-]*\w))?", text_of(page)):
                folder, _, name = (rest or "").partition("/")
                if rest and preset not in presets() and preset not in ("docs", "slepc"):  # which scripts of these names make
                    problems.append(f"{name_of(page)}: no preset {preset}")
                elif folder in ("examples", "benchmarks") and name and name not in targets(folder):
                    problems.append(f"{name_of(page)}: build/{preset}/{rest} is not built")
            for preset in re.findall(r"--preset[ =]([\w-]+)", text_of(page)):
                if preset not in presets():
                    problems.append(f"{name_of(page)}: no preset {preset}")
            everything = targets("examples", "benchmarks", "src", "tests/unit", "tests/plugin")
            for target in re.findall(r"--target (\w+)", text_of(page)):
                if target not in everything and f"add_custom_target({target}" not in sources("tests"):
                    problems.append(f"{name_of(page)}: no target {target}")
        self.no_problems(problems)

    def test_options_of_commands(self):
        problems, seen = [], 0
        for page in PAGES:
            for program, words in commands(page):
                if source_of(program) is None:
                    continue
                seen += 1
                problems += [f"{name_of(page)}: {program} has no option {option}"
                             for option in unknown_options(program, words)]
        self.no_problems(problems)
        self.assertGreater(seen, 60)

    def test_programs_of_commands(self):
        problems = []
        parts = set(re.findall(r"^  ([\w-]+)\)", text_of(os.path.join(ROOT, "scripts", "gpu-run")), re.M))
        for page in PAGES:
            for program, words in commands(page):
                if re.match(r"(build/\w+/)?(scripts|benchmarks|examples)/\w", program) and source_of(program) is None:
                    problems.append(f"{name_of(page)}: no program {program}")
                if program == "./run" and words and words[0] not in parts:
                    problems.append(f"{name_of(page)}: scripts/gpu-run has no part {words[0]}")
        self.no_problems(problems)

    def test_options_of_types(self):
        """Wherever they are named; a name that ends with _ stands for all that begin so."""
        text = sources("src")
        problems = [f"{name_of(page)}: no option -{option}" for page in PAGES
                    for option in set(OURS.findall(text_of(page)))
                    if f'"-{option}' + ('"' if not option.endswith("_") else "") not in text]
        self.no_problems(problems)


if __name__ == "__main__":
    unittest.main()
