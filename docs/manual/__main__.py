"""Writes Tessera's manual pages, one for each symbol of include/tessera.h, from the comments in PETSc's style, /*@ @*/ for
functions, /*MC M*/ for types and macros, /*E E*/ for enumerations, and compares them with the code.

    python3 docs/manual FOLDER

What is wrong is printed, and the exit status is 1. PETSc makes its own pages of such comments with doctext of the sowing
package, which compares nothing.
"""

import json
import pathlib
import sys

import checks
import defaults
import markdown
import problems
import sources


def names(symbols, pages, options, petsc):
    """What docs/conf.py makes links of."""
    types = {option: checks.TYPES[next(p for p in checks.TYPES if option.startswith(p))] for option in options}
    return {"pages": symbols.pages(), "petsc": petsc, "options": types}


def main(folder):
    symbols, pages, options = sources.Symbols(), sources.read_pages(), sources.read_options()
    table = pathlib.Path(__file__).with_name("petsc_manual_pages.txt").read_text().splitlines()
    petsc = dict(line.split() for line in table if line and not line.startswith("#"))
    checks.check_symbols(pages, symbols)
    checks.check_version(symbols)
    for page in pages.values():
        checks.check_page(page, symbols)
    checks.check_options(pages, options)
    checks.check_names(pages, {*symbols.pages(), *pages, *petsc})
    of_options = defaults.read_defaults(options, symbols)
    index = markdown.index_page(pages)
    if problems.found:
        sys.exit("\n".join(problems.found))
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages.values():
        (folder / f"{page.name}.md").write_text(markdown.manual_page(page, symbols, of_options))
    (folder / "index.md").write_text(index)
    (folder / "names.json").write_text(json.dumps(names(symbols, pages, options, petsc), indent=1))
    print(f"{len(pages)} manual pages, {len(options)} options")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
