"""Writes manual pages as Markdown, in the order of PETSc's own."""

import re

from problems import problem
from sources import ITEM, OWN_OPTION, ROOT, join_items, relative

FAMILIES = {"Krylov method": r"KSP", "Preconditioners": r"PC", "Direct solver": r"Mat", "Library": r"Tessera"}
CHAPTERS = {"[](ch_ksp)": "[KSP: Linear System Solvers](https://petsc.org/release/manual/ksp/)"}


def typeset(text):
    """Comments are ASCII; a page is not."""
    return text.replace("^T", "ᵀ").replace("^H", "ᴴ")


def synopsis(page, symbols):
    if page.name in symbols.functions:
        start, _, parameters = page.code.partition("(")
        return page.code + ";" if len(page.code) < 80 else f"{start}(\n  " + parameters.replace(", ", ",\n  ") + ";"
    if page.name in symbols.enums:
        values = ",\n  ".join(symbols.enums[page.name])
        arrays = [a for a in symbols.arrays if symbols.enum_of(a) == page.name]
        return "\n".join([f"typedef enum {{\n  {values}\n}} {page.name};",
                          *(f"extern const char *const {a}[];" for a in arrays)])
    return "\n".join(f"#define {name} {value}" for name, value in symbols.macros.items()
                     if symbols.pages()[name] == page.name)


def with_default(name, defaults):
    option = OWN_OPTION.match(name)
    return f" (default `{defaults[option[1]]}`)" if option else ""


def section(title, lines, defaults):
    heading = [] if title == "Level" else [f"## {title}", ""]
    if not any(ITEM.match(line) for line in lines):
        return heading + [line.strip() for line in lines] + [""]
    if title == "References":
        return heading + [f"- {re.sub(' - ', ' ', item, count=1)}" for item in join_items(lines)] + [""]
    items = (item.partition(" - ") for item in join_items(lines))
    return heading + [f"- `{name.strip().strip('`')}`: {said.strip()}{with_default(name.strip(), defaults)}"
                      for name, _, said in items] + [""]


def examples(page, symbols):
    """Programs that call a function, as PETSc lists them."""
    if page.name not in symbols.functions:
        return []
    programs = [path for folder in ("examples", "tests") for path in sorted((ROOT / folder).rglob("*.c*"))
                if path.suffix in (".c", ".cxx") and f"{page.name}(" in path.read_text()]
    return ["## Examples", "", *(f"- `{relative(path)}`" for path in programs), ""] if programs else []


def manual_page(page, symbols, defaults):
    lines = [f"# {page.name}", "", typeset(page.summary), "", "## Synopsis", "", "```c", '#include "tessera.h"',
             synopsis(page, symbols), "```", ""]
    lines += [page.collective, ""] if page.collective else []
    for title, text in page.sections:
        lines += section(title, [typeset(line) for line in text], defaults)
    seealso = page.seealso
    for reference, link in CHAPTERS.items():
        seealso = seealso.replace(reference, link)
    lines += ["## See Also", "", seealso, "", "## Level", "", page.level, "", "## Location", "",
              f"`{page.where.partition(':')[0]}`", "", *examples(page, symbols)]
    return "\n".join(lines)


def index_page(pages):
    lines = ["# Manual pages", "",
             "One page for each type, function, enumeration and macro. All are declared in `tessera.h`, which a program",
             "that loads the library at run time does not need.", ""]
    listed = set()
    for title, prefix in FAMILIES.items():
        mine = [page for name, page in sorted(pages.items()) if re.match(prefix, name, re.I)]
        listed.update(page.name for page in mine)
        lines += [f"## {title}", "", "| page | level | |", "|---|---|---|"]
        for page in mine:
            summary = re.sub(r" \[\d\]", "", typeset(page.summary)).split(". ")[0].replace("|", r"\|")
            lines.append(f"| [{page.name}]({page.name}.md) | {page.level} | {summary} |")
        lines.append("")
    for name in sorted(set(pages) - listed):
        problem(pages[name].where, f"{name} belongs to none of {', '.join(FAMILIES)}")
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *sorted(pages), "```", ""])
