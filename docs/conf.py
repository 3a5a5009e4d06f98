"""Sphinx's configuration. scripts/docs calls it, on a copy of docs/ with the manual pages added."""

import json
import logging
import pathlib
import re

from docutils import nodes

# A pattern in the index may have no page yet. suppress_warnings does not know this warning.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", None) != "empty_glob")

root = pathlib.Path(__file__).resolve().parent.parent
header = (root / "include/tessera.h").read_text()

project = "Tessera"
author = "Tessera authors"
copyright = "2026, Tessera authors"
version = release = ".".join(re.findall(r"#define TESSERA_VERSION_\w+ (\d+)", header))

extensions = ["myst_parser"]
myst_heading_anchors = 4  # as on repository sites
nitpicky = True
highlight_language = "none"  # blocks without a language are commands and output

html_theme = "pydata_sphinx_theme"
html_title = f"Tessera {version}"
html_static_path = [str(root / "docs/static")]
html_css_files = ["tessera.css"]
templates_path = [str(root / "docs/templates")]
html_sidebars = {"**": ["sections"]}
html_show_sourcelink = False
html_theme_options = {
    "navbar_center": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def target_of(text, names, builder, docname):
    """Where a name in backquotes leads to: a manual page of Tessera's or of PETSc's, or the options of a type."""
    name = re.sub(r"\(\)$", "", text)
    option = re.match(r"-(?:\w+_)??((?:pc_bildlt|pc_jldlt|mat_tessera)_\w+)", text)
    page, anchor = names["pages"].get(name), ""
    if option:
        page, anchor = names["options"].get(option[1]), "#options-database-keys"
    if page:
        own = f"manualpages/{page}"
        return None if own == docname else builder.get_relative_uri(docname, own) + anchor
    petsc = names["petsc"].get(name)
    return petsc and f"https://petsc.org/release/manualpages/{petsc}/"


def link_names(app, doctree, docname):
    """Makes links of names in backquotes, as PETSc's documentation does, so that the Markdown needs none."""
    names = app.config.tessera_names
    for literal in list(doctree.findall(nodes.literal)):
        inside = (literal.parent, literal.parent.parent)
        if any(isinstance(node, (nodes.reference, nodes.title)) for node in inside):
            continue
        target = target_of(literal.astext(), names, app.builder, docname)
        if target:
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=target, internal=":" not in target))


def read_names(app):
    app.config.tessera_names = json.loads(pathlib.Path(app.srcdir, "manualpages/names.json").read_text())


def setup(app):
    app.add_config_value("tessera_names", {}, "env")
    app.connect("builder-inited", read_names)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
