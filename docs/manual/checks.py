"""Compares manual pages with the code: levels, parameters, values, options, and the names that they refer to."""

import re

from problems import problem
from sources import HEADER, OWN_OPTION, ROOT, line_number, relative

LEVELS = ("beginner", "intermediate", "advanced", "developer")
TYPES = {"pc_bildlt": "PCBILDLT", "pc_jldlt": "PCJLDLT", "mat_tessera": "MATSOLVERTESSERA"}
NAME = re.compile(r"`((?:PC|KSP|MAT|Mat|VEC|Vec|PETSC|Petsc|TESSERA|Tessera|TAO)\w*)(?:\(\))?`")


def check_symbols(pages, symbols):
    """Every public symbol has a page, and every page a public symbol."""
    wanted = set(symbols.pages().values())
    for name in sorted(wanted - set(pages)):
        problem(relative(HEADER), f"{name} has no manual page")
    for name in sorted(set(pages) - wanted):
        problem(pages[name].where, f"{name} has a manual page, but is not in {relative(HEADER)}")


def check_page(page, symbols):
    if page.level not in LEVELS:
        problem(page.where, f"{page.name}: its level is '{page.level}', not one of {', '.join(LEVELS)}")
    if not page.seealso or not page.summary:
        problem(page.where, f"{page.name}: without a summary, or without .seealso")
    if page.name in symbols.functions:
        check_function(page)
    if page.name in symbols.enums:
        compare(page, "value", symbols.enums[page.name], page.items("Value"))


def check_function(page):
    signature = re.search(rf"\b{page.name}\((.*)\)$", page.code)
    if not signature:
        problem(page.where, f"{page.name}: what follows is another function, {page.code}")
        return
    parameters = [] if signature[1] == "void" else [re.search(r"(\w+)$", p)[1] for p in signature[1].split(",")]
    compare(page, "parameter", parameters, page.items("Input Parameter") + page.items("Output Parameter"))
    if not page.collective:
        problem(page.where, f"{page.name}: does not say whether it is collective")


def compare(page, what, declared, documented):
    for name in declared:
        if name not in documented:
            problem(page.where, f"{page.name}: {what} '{name}' is not documented")
    for name in documented:
        if name not in declared:
            problem(page.where, f"{page.name}: has no {what} '{name}', which is documented")


def check_options(pages, options):
    """Every option that is read is on the page of its type and on that of its setter; no text names any other,
    but for docs/notes, which may tell of what was."""
    for option, (setter, where) in options.items():
        kind = next((page for prefix, page in TYPES.items() if option.startswith(prefix)), None)
        if not kind:
            problem(where, f"-{option} is read, but belongs to no type that has a manual page")
        for name in filter(None, (kind, setter)):
            if name not in pages or option not in pages[name].options():
                problem(where, f"-{option} is read, but is not among the options on the page of {name}")
    texts = {ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(page.path for page in pages.values())}
    for path in sorted(texts):
        text = path.read_text()
        for match in OWN_OPTION.finditer(text):
            if match[1] not in options:
                problem(f"{relative(path)}:{line_number(text, match.start())}", f"there is no option {match[0]}")


def check_names(pages, known):
    """What a page names in backquotes is one of Tessera's symbols or has a place in PETSc's manual pages."""
    for page in pages.values():
        text = "\n".join([page.summary, page.seealso, *(line for _, lines in page.sections for line in lines)])
        for name in sorted(set(NAME.findall(text)) - known):
            problem(page.where, f"{page.name}: '{name}' is neither Tessera's nor in docs/manual/petsc_manual_pages.txt")


def check_version(symbols):
    """The version has one source, the header."""
    version = ".".join(symbols.macros[f"TESSERA_VERSION_{part}"] for part in ("MAJOR", "MINOR", "SUBMINOR"))
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text():
        problem("CITATION.cff", f"its version is not {version}, that of {relative(HEADER)}")
