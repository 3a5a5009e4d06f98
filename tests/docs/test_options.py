"""Every option that is documented is given to a program by a test: those of Tessera's types, with every value of those that
take one of a few names, those of the example programs, and those of the study. Reads sources; needs no build. That the
documents name every option, and no other ones, docs/manual and test_commands.py check."""

import functools
import glob
import os
import re
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STRING = r'"((?:[^"\\\n]|\\.)*)"'


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def texts(folder, *kinds):
    """The texts of all files below a folder of the project whose names end so; those beside this one give no options."""
    paths = glob.glob(os.path.join(ROOT, folder, "**", "*"), recursive=True)
    return [text_of(path) for path in sorted(paths) if path.endswith(kinds) and os.path.dirname(path) != HERE]


def given_by_program(text):
    """What a test in C or C++ gives to programs: the arguments of its TEST blocks and its strings, but for its help."""
    blocks = "\n".join(re.findall(r"/\*TEST(.*?)TEST\*/", text, re.S))
    code = re.sub(r"/\*.*?\*/|^\s*//.*?$|\bhelp\[\] =.*?;", "", text, flags=re.S | re.M)
    return " ".join(re.findall(r"^\s*args:(.*)$", blocks, re.M) + re.findall(STRING, code))


def given_by_script(text):
    """What a test in Python gives to programs: its strings, but for those in comments. A list of words is one text."""
    code = re.sub(r'""".*?"""|^\s*#.*?$', "", text, flags=re.S | re.M)
    return re.sub(r'["\'\s,]+', " ", code)


@functools.cache
def given():
    """All that tests give to programs, those of scripts/slepc too."""
    return "\n".join([given_by_program(text) for text in texts("tests", ".c", ".cxx", ".cu", ".h", ".hpp")] +
                     [given_by_script(text) for text in texts("tests", ".py")] +
                     [re.sub(r"#.*", "", text) for text in (*texts("tests", "CMakeLists.txt"), *texts("scripts", "slepc"))])


def values_given(option):
    """The words that tests give after an option, behind any prefix of its object; {{a b}} is what the harness tries."""
    found = re.findall(rf"-(?:\w+_)??{option}(?=[\s=]+(\{{\{{.*?\}}[^}}]*\}}|[\w.+-]+)|\b)", given())
    return {word for words in found for word in re.sub(r"[{}]|separate output|shared", " ", words).split()}


def is_given(option, prefix=r"(?:\w+_)??"):
    return re.search(rf"(?<![\w-])-{prefix}{option}\b", given()) is not None


class Options(unittest.TestCase):
    def none(self, problems):
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_what_is_read(self):
        """Of texts like those of tests, what counts as given."""
        program = ('static char help[] = "-pc_bildlt_a\\n";\n/* -pc_bildlt_b */ Set("-pc_bildlt_c", "two");\n'
                   "/*TEST\n   # -pc_bildlt_d\n   args: -sub_pc_bildlt_e {{x y}}\nTEST*/\n")
        self.assertEqual(sorted(re.findall(r"pc_bildlt_(\w)", given_by_program(program))), ["c", "e"])
        script = '"""-pc_jldlt_a"""\n# -pc_jldlt_b\nrun("-pc_jldlt_c", "one", "-pc_jldlt_d")\n'
        self.assertIn("-pc_jldlt_c one -pc_jldlt_d", given_by_script(script))
        self.assertNotIn("_b", given_by_script(script))

    def test_options_of_types(self):
        options = set(re.findall(r'"-((?:pc_bildlt|pc_jldlt|mat_tessera|ksp_sqmr)_\w+)"', "\n".join(texts("src", ".cxx"))))
        self.assertGreater(len(options), 40)
        self.none([f"no test has -{option}" for option in sorted(options) if not is_given(option)])

    def test_values_of_enumerations(self):
        source = "\n".join(texts("src", ".cxx"))
        # PETSc's arrays of names end with the name of the enumeration and the beginning of its values.
        arrays = {name: re.findall(STRING, words)[:-2]
                  for name, words in re.findall(r"const char \*const (\w+)\[\] = \{(.*?)\};", source, re.S)}
        options = re.findall(rf'PetscOptionsEnum\("-(\w+)",\s*{STRING},\s*{STRING},\s*(\w+),', source)
        self.assertEqual(len(options), source.count('PetscOptionsEnum("'))
        self.assertGreater(len(options), 12)
        self.none([f"no test has -{option} {value}" for option, _, _, array in options
                   for value in arrays[array] if value not in values_given(option)])

    def test_options_of_examples(self):
        """Those that an example reads, by PETSc's functions."""
        source = "\n".join(texts("examples", ".cxx", ".hpp", ".c"))
        options = set(re.findall(r'PetscOptions(?:Get|Has)\w+\([^;]*?"-(\w+)"', source))
        self.assertGreater(len(options), 40)
        self.none([f"no test has -{option}" for option in sorted(options) if not is_given(option, "")])

    def test_options_of_the_study(self):
        source = text_of(os.path.join(ROOT, "examples", "study", "study.py"))
        options = re.findall(r'add_argument\("(--[\w-]+)"', source)
        self.assertGreater(len(options), 12)
        self.none([f"no test has {option}" for option in options if not re.search(rf"{option}(?![\w-])", given())])


if __name__ == "__main__":
    unittest.main()
