"""Defaults of options: those of the members of structures that PetscOptions...() sets."""

import re

from problems import problem
from sources import ROOT, relative, source_files

STRUCTURES = {"pc_bildlt": ("src/pc/bildlt/bildlt.hpp", "PCBILDLTOptions"),
              "pc_jldlt": ("src/pc/jldlt/jldlt.hpp", "PCJLDLTOptions"),
              "mat_tessera": ("src/mat/solver.hpp", "MatTesseraOptions")}
MEMBER_OF_OPTION = re.compile(r'PetscOptions\w+\(\s*"-(\w+)"(?:(?!PetscOptions).)*?&o\.(\w+)', re.S)


def constant(name):
    """The value of a constant of the sources."""
    for path in source_files():
        value = re.search(rf"constexpr \w+ {name} = ([^;]+);", path.read_text())
        if value:
            return value[1]
    return name


def as_option(value, symbols):
    """A value of the code as it is written on a command line."""
    for name, values in symbols.enums.items():
        if value in values:
            return value[len(common_start(values)):].lower()
    words = {"PETSC_TRUE": "true", "PETSC_FALSE": "false", "PETSC_DECIDE": "decide"}
    if value in words:
        return words[value]
    value = value if re.match(r"[\d.]", value) else constant(value)
    power = re.fullmatch(r"(?:\w+\()?1\)? << (\d+)", value)
    return str(1 << int(power[1])) if power else value


def common_start(values):
    """What all values of an enumeration begin with, up to an underscore."""
    first, last = min(values), max(values)
    length = next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), len(first))
    return first[:first.rindex("_", 0, length) + 1]


def read_defaults(options, symbols):
    """Of each option its default, as it is written on a command line."""
    members = {}
    for path in source_files():
        members.update(MEMBER_OF_OPTION.findall(path.read_text()))
    defaults = {}
    for option, (_, where) in options.items():
        file, structure = next((s for prefix, s in STRUCTURES.items() if option.startswith(prefix)), (None, None))
        body = re.search(rf"struct {structure} \{{(.*?)\n\}};", (ROOT / file).read_text(), re.S) if file else None
        value = body and re.search(rf"\b{members.get(option)} = ([^;]+);", body[1])
        if value:
            defaults[option] = as_option(value[1], symbols)
        elif file:
            problem(where, f"-{option}: its default is not found in {relative(ROOT / file)}")
    return defaults
