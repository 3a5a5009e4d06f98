"""One HTML file with the whole study: facts, tables, and pictures as data URIs. It needs no other file and no network."""

import base64
import html
import os

import tables
from one_run import solved

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 1180px; margin: 2em auto; padding: 0 1em; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.2em; border-bottom: 1px solid #ccc; } figure { margin: 1.2em 0; }
img { max-width: 100%; height: auto; } figcaption { color: #444; font-size: 14px; }
table { border-collapse: collapse; font-size: 13.5px; } td, th { padding: 2px 9px; border-bottom: 1px solid #ddd; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.failed td { background: #fbf1e6; } tr.group td { border-top: 2px solid #888; } code { font-size: 12.5px; }
.wide { overflow-x: auto; } dt { font-weight: 600; float: left; clear: left; width: 10em; }
dd { margin: 0 0 .35em 10.5em; } nav a { margin-right: 1.1em; }
"""


def _table(head, rows, left, classes=None):
    def cells(tag, row):
        return "".join(f'<{tag}{"" if k in left else " class=number"}>{html.escape(cell)}</{tag}>'
                       for k, cell in enumerate(row))

    lines = (f'<tr class="{classes[k] if classes else ""}">{cells("td", row)}</tr>\n' for k, row in enumerate(rows))
    return (f'<div class="wide"><table><thead><tr>{cells("th", head)}</tr></thead><tbody>\n{"".join(lines)}</tbody>'
            '</table></div>\n')


def _figure(picture):
    with open(picture.path, "rb") as f:
        data = base64.b64encode(f.read()).decode()
    title = html.escape(picture.title)
    return (f'<figure><h3>{title}</h3><img alt="{title}" src="data:image/png;base64,{data}">'
            f'<figcaption>{html.escape(picture.caption)}</figcaption></figure>\n')


def _run_classes(study):
    """Classes of the rows of the table of runs, in the order of tables.table()."""
    classes = []
    for system in study.systems:
        own = [r for r in study.results if r["system"] == system.name]
        classes += [("group " if k == 0 else "") + ("" if solved(r) else "failed") for k, r in enumerate(own)]
    return classes


def write(study, pictures):
    """Writes study.html and returns its path."""
    whole = [p for p in pictures if not p.system]
    systems = [p for p in pictures if p.system and os.path.basename(p.path).startswith("system-")]
    structures = [p for p in pictures if p.system and p not in systems]
    facts = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>\n" for name, text in tables.facts(study))
    summary = [[cell.strip("`") for cell in row] for row in tables.summary(study)]
    made = [[s.name, s.what, s.kind, str(s.rows), str(s.entries)] for s in study.systems]
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Comparison of solvers</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>\n'
        f'<h1>Comparison of solvers: {len(study.systems)} systems, {len(study.configurations)} configurations</h1>\n'
        '<nav><a href="#summary">Summary</a><a href="#systems">Systems</a><a href="#structure">Structure</a>'
        '<a href="#runs">All runs</a></nav>\n', f"<dl>{facts}</dl>",
        '<h2 id="summary">Summary</h2>\n',
        _table(["configuration", "package", "solved", "options"], summary, (0, 1, 2, 3)),
        *map(_figure, whole),
        '<h2 id="systems">System by system</h2>\n',
        _table(["system", "what", "kind", "rows", "entries"], made, (0, 1, 2)), *map(_figure, systems),
        '<h2 id="structure">What the analysis makes of them</h2>\n', *map(_figure, structures),
        '<h2 id="runs">All runs</h2>\n', _table(tables.HEAD, tables.table(study), (0, 1, 2), _run_classes(study)),
        "</body></html>\n"]
    path = os.path.join(study.folder, "study.html")
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(parts))
    return path
