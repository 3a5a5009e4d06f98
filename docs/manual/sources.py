"""Reads the sources: what the header declares, the comments that become manual pages, the options that the code reads."""

import pathlib
import re

from problems import problem

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = ROOT / "include/tessera.h"
COMMENT = re.compile(r"/\*(@C?|MC|E)[ \t]*\n(.*?)\n(?:@|M|E)\*/\n(?=(.*?[{;]))", re.S)
SECTION = re.compile(
    r"^ *(Input Parameters?|Output Parameters?|Options Database Keys?|Values|Notes?|References|Level): *(.*)$")
ITEM = re.compile(r"^ *[+.-]\s+(.*)$")
OWN_OPTION = re.compile(r"(?<![\w-])-(?:[a-z0-9_]+_)??((?:pc_bildlt|pc_jldlt|mat_tessera)_[a-z]\w*)")
OPTION_CALL = re.compile(r'PetscOptions\w+\(([^"();]*)"-(\w+)"(?:,\s*"[^"]*"(?:\s*"[^"]*")*,\s*"(\w+)")?')


def relative(path):
    return path.relative_to(ROOT).as_posix()


def source_files():
    return [HEADER, *sorted((ROOT / "src").rglob("*.[hc]*"))]


def line_number(text, position):
    return text.count("\n", 0, position) + 1


class Symbols:
    """What the header declares: functions, enumerations with their values, arrays of names, macros."""

    def __init__(self):
        code = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
        self.functions = set(re.findall(r"^PETSC_EXTERN PetscErrorCode (\w+)\(", code, re.M))
        self.enums = {name: re.findall(r"\w+", values)
                      for values, name in re.findall(r"^typedef enum \{(.*?)\} (\w+);", code, re.M | re.S)}
        self.arrays = re.findall(r"^PETSC_EXTERN const char \*const (\w+)\[\];", code, re.M)
        self.macros = dict(re.findall(r"^#define (\w+) +(\S.*)$", code, re.M))
        for word, read in (("PETSC_EXTERN", len(self.functions) + len(self.arrays)), ("typedef", len(self.enums))):
            if len(re.findall(rf"\b{word}\b", code)) != read:
                problem(relative(HEADER), f"{word} in a form that docs/manual/sources.py does not read")

    def pages(self):
        """Of every symbol the name of its page: values, arrays of names and parts of the version are on a page of others."""
        page = {name: name for name in [*self.functions, *self.enums]}
        page.update({name: re.sub(r"^(TESSERA_VERSION)_.*", r"\1", name) for name in self.macros})
        page.update({value: enum for enum, values in self.enums.items() for value in values})
        page.update({name: self.enum_of(name) for name in self.arrays})
        return page

    def enum_of(self, array):
        """The enumeration whose names an array has: the English plural is that of PETSc's arrays."""
        for enum in self.enums:
            if array in (enum + "s", re.sub("y$", "ies", enum)):
                return enum
        problem(relative(HEADER), f"{array} goes with no enumeration")


class Page:
    """One comment: its name, summary, sections in their order, and where it stands."""

    def __init__(self, path, line, text, code):
        self.path, self.where = path, f"{relative(path)}:{line}"
        self.code = " ".join(code.rstrip("{; \n").split())
        body, _, also = text.partition(".seealso:")
        self.seealso = " ".join(also.split())
        head, _, rest = body.strip().partition("\n\n")
        self.name, _, self.summary = " ".join(head.split()).partition(" - ")
        self.sections, self.level, self.collective = [], "", ""
        for line in rest.splitlines():
            self.read_line(line)

    def read_line(self, line):
        start = SECTION.match(line)
        if start and start[1] == "Level":
            self.level = start[2].strip()
            self.sections.append(("Level", []))
        elif start:
            self.sections.append((start[1], [start[2]] if start[2] else []))
        elif re.match(r"^ *(Not |Logically )?Collective\b", line):
            self.collective = line.strip()
        elif self.sections:
            self.sections[-1][1].append(line)
        elif line.strip():
            problem(self.where, f"{self.name}: text outside of a section: {line.strip()}")

    def items(self, title):
        """What the lists in the sections of this title, in the singular, name."""
        return [item.partition(" - ")[0].strip().strip("`")
                for section, lines in self.sections if section.rstrip("s") == title for item in join_items(lines)]

    def options(self):
        return {option for item in self.items("Options Database Key") for option in OWN_OPTION.findall(item)}


def join_items(lines):
    """The items of a list in PETSc's style, + for the first, . for others and - for the last, each as one line."""
    items = []
    for line in lines:
        start = ITEM.match(line)
        if start:
            items.append(start[1])
        elif items:
            items[-1] += " " + line.strip()
    return [" ".join(item.split()) for item in items]


def read_pages():
    pages = {}
    for path in source_files():
        text = path.read_text()
        for match in COMMENT.finditer(text):
            page = Page(path, line_number(text, match.start()), match[2], match[3])
            if page.name in pages:
                problem(page.where, f"{page.name} has another page at {pages[page.name].where}")
            pages[page.name] = page
        if len(re.findall(r"/\*(?:@C?|MC|E)[ \t]*\n", text)) != len(COMMENT.findall(text)):
            problem(relative(path), "a manual page without its end")
    return pages


def read_options():
    """The options that the code reads: of each the function that its help names, or None, and its place."""
    options = {}
    for path in source_files():
        text = path.read_text()
        for match in OPTION_CALL.finditer(text):
            setter = match[3] if match[3] != "None" else None
            options[match[2]] = (setter, f"{relative(path)}:{line_number(text, match.start())}")
        for name in re.findall(r'"-(\w+)"', text):
            if OWN_OPTION.match("-" + name) and name not in options:
                problem(relative(path), f"-{name} is read in a form that docs/manual/sources.py does not know")
    return options
