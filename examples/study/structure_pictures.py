"""Pictures of what Tessera's analysis makes of a system: blockings, tiles of the factor by level, fronts by size."""

import json
import os

import matplotlib.pyplot as plt
import numpy
from matplotlib.colors import ListedColormap
from matplotlib.ticker import MaxNLocator

from measure import run_program
from style import Picture, file_name, save

PIXELS = 420
MOST_ROWS = 50000
WINDOW = 300  # rows of an enlarged part
BLOCKINGS = (("blocking_sn", "sn: supernodes"), ("blocking_br", "br: similar rows, then order"),
             ("blocking_rb", "rb: order, then similar rows"), ("blocking_rbr", "rbr: rb, then order"),
             ("blocking_grid", "grid: equal blocks"))
# nothing, tile off the diagonal, tile on the diagonal, entry
SPY = ListedColormap(["#ffffff", "#A8D5EF", "#F5D08A", "#00456B"])


def read_structure(study, system):
    """What study_structure prints of a system; None, and a note in the study, if it fails."""
    program = os.path.join(study.setting.programs, "study_structure")
    run = run_program([program, "-f", system.first], 300)
    if run.status:
        why = "time limit" if run.timed_out else run.errors.strip() or f"exit status {run.status}"
        study.notes.append(f"the structure of {system.name}: {why}")
        return None
    found = json.loads(run.output)
    for value in found.values():
        if isinstance(value, dict):
            value.update({name: numpy.array(numbers) for name, numbers in value.items()})
    found.update(row=numpy.array(found["row"]), column=numpy.array(found["column"]))
    return found


class Canvas:
    """A square picture of the rows from `first` on of a matrix with so many rows."""

    def __init__(self, rows, first=0, kind=int, empty=0):
        self.rows, self.first = rows, first
        self.size = min(PIXELS, rows - first)
        self.image = numpy.full((self.size, self.size), empty, kind)

    def pixel(self, place):
        return (place - self.first) * self.size // (self.rows - self.first)

    def dots(self, row, column, perm, value):
        """Entries, whose rows and columns are those of the matrix; perm: their order."""
        place = numpy.empty(self.rows, int)
        place[perm] = numpy.arange(self.rows)
        row, column = place[row], place[column]
        inside = (row >= self.first) & (column >= self.first)
        self.image[self.pixel(row[inside]), self.pixel(column[inside])] = value

    def tiles(self, blocks, values, diagonal):
        """The tiles of both triangles, and those on the diagonal; each has a pixel at least."""
        start = numpy.maximum(self.pixel(blocks["block_start"]), 0)
        begin, end = start[:-1], numpy.maximum(start[1:], start[:-1] + 1)
        end[self.pixel(blocks["block_start"][1:]) <= 0] = 0  # blocks before the part that is shown
        for i, j, value in zip(blocks["tile_row"], blocks["tile_column"], values):
            self.image[begin[i]:end[i], begin[j]:end[j]] = value
            self.image[begin[j]:end[j], begin[i]:end[i]] = value
        for b, value in enumerate(diagonal):
            self.image[begin[b]:end[b], begin[b]:end[b]] = value


def _bare(axes, title):
    axes.set_title(title, fontsize=9)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color("#999999")


def _spy(axes, found, blocks, first):
    """Entries on their tiles."""
    canvas = Canvas(found["rows"], first)
    canvas.tiles(blocks, numpy.ones(len(blocks["tile_row"]), int), numpy.full(len(blocks["level"]), 2))
    canvas.dots(found["row"], found["column"], blocks["perm"], 3)
    axes.imshow(canvas.image, cmap=SPY, vmin=0, vmax=3, interpolation="nearest")


def draw_blockings(study, system, found):
    first = max(0, found["rows"] - WINDOW)
    figure, panels = plt.subplots(2, 5, figsize=(13.5, 6.1), layout="constrained")
    for k, (key, title) in enumerate(BLOCKINGS):
        blocks = found[key]
        _spy(panels[0, k], found, blocks, 0)
        _bare(panels[0, k], f"{title}\n{len(blocks['level'])} blocks, {len(blocks['tile_row'])} tiles,\n"
              f"{blocks['level'].max() + 1} levels")
        _spy(panels[1, k], found, blocks, first)
        _bare(panels[1, k], f"its last {found['rows'] - first} rows")
    path = save(figure, study.pictures, "blockings-" + file_name(system.name))
    return Picture(path, f"{system.name}: blockings", "The matrix permuted and cut into blocks of at most 32 rows by each "
                   "strategy, without fill. Dark: entries; blue: tiles off the diagonal; yellow: blocks on it. A pixel of "
                   "the upper row may stand for several rows and columns.", system.name, study.is_shown(system))


def draw_factor(study, system, found):
    rows, blocks = found["rows"], found["factor"]
    figure, panels = plt.subplots(1, 3, figsize=(13.5, 4.5), width_ratios=(1, 1.08, 1), layout="constrained")
    matrix = Canvas(rows)
    matrix.dots(found["row"], found["column"], numpy.arange(rows), 3)
    panels[0].imshow(matrix.image, cmap=SPY, vmin=0, vmax=3, interpolation="nearest")
    _bare(panels[0], f"the matrix as it is: {rows} rows")
    levels = Canvas(rows, 0, float, numpy.nan)
    levels.tiles(blocks, blocks["level"][blocks["tile_row"]], blocks["level"])
    shown = panels[1].imshow(levels.image, cmap="viridis", interpolation="nearest")
    figure.colorbar(shown, ax=panels[1], label="level set", shrink=0.9, ticks=MaxNLocator(integer=True))
    _bare(panels[1], f"tiles of the factor by level: {blocks['level'].max() + 1} levels")
    fill = Canvas(rows)
    fill.tiles(blocks, 1 + (blocks["tile_fill"] > 0), numpy.ones(len(blocks["level"]), int))
    panels[2].imshow(fill.image, cmap=ListedColormap(["#ffffff", "#00456B", "#E69F00"]), vmin=0, vmax=2,
                     interpolation="nearest")
    own = int((blocks["tile_fill"] == 0).sum())
    _bare(panels[2], f"dark: {own} tiles of the matrix; orange: {len(blocks['tile_fill']) - own} of fill")
    path = save(figure, study.pictures, "factor-" + file_name(system.name))
    return Picture(path, f"{system.name}: factor of bildlt",
                   "Tiles that the analysis of PCBILDLT provides for with default options, before anything is dropped; "
                   "the lower triangle mirrors the upper one. Middle: by the level set of the block row; blocks of one "
                   "level are eliminated at the same time. Right: what is fill.", system.name, study.is_shown(system))


def draw_fronts(study, system, found):
    fronts = found["fronts"]
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.1), layout="constrained")
    by_level = numpy.argsort(fronts["level"], kind="stable")
    shown = panels[0].scatter(fronts["rows"][by_level], fronts["columns"][by_level], c=fronts["level"][by_level],
                              cmap="viridis", s=22, alpha=0.8, linewidths=0)
    figure.colorbar(shown, ax=panels[0], label="level in the tree, 0: leaf", ticks=MaxNLocator(integer=True))
    largest = max(2, int(fronts["rows"].max()))
    panels[0].plot([1, largest], [1, largest], color="#999999", linewidth=0.8)
    panels[0].set(xscale="log", yscale="log", xlabel="rows of a front", ylabel="columns that it eliminates")
    panels[0].set_title(f"{len(fronts['rows'])} fronts; on the line: roots", loc="left")
    order = numpy.argsort(fronts["rows"], kind="stable")
    ascending = fronts["rows"][order]
    for values, name, colour, line in ((numpy.ones(len(order)), "fronts", "#0072B2", "--"),
                                       (fronts["flops"][order], "operations", "#D55E00", "-")):
        panels[1].step(ascending, numpy.cumsum(values) / max(values.sum(), 1e-300), where="post", color=colour,
                       linestyle=line, linewidth=2, label=name)
    panels[1].set(xscale="log", ylim=(0, 1.02), xlabel="rows of a front", ylabel="part in fronts of at most so many rows")
    panels[1].legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2, handlelength=3)
    panels[1].set_title(f"{fronts['flops'].sum():.2g} operations in all", loc="left")
    path = save(figure, study.pictures, "fronts-" + file_name(system.name))
    factor = "LDLᵀ" if found["symmetric"] else "LU"
    return Picture(path, f"{system.name}: fronts of the direct solver", f"Fronts of Tessera's {factor}, as planned, before "
                   "pivots are delayed. Operations are additions and multiplications.", system.name, study.is_shown(system))


def draw_all(study):
    """Pictures of the first system of each family, which is the first word of its name; large ones are left out."""
    drawn, families = [], set()
    for system in study.systems:
        family = system.name.split()[0]
        if family in families or system.rows > MOST_ROWS:
            continue
        families.add(family)
        found = read_structure(study, system)
        if not found:
            continue
        if found["symmetric"]:
            drawn += [draw_blockings(study, system, found), draw_factor(study, system, found)]
        drawn.append(draw_fronts(study, system, found))
    return drawn
