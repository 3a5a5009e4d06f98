"""Pictures of what Tessera's analysis makes of a system: blockings, tiles of the factor by level, fronts by size."""

import json
import os

import matplotlib.pyplot as plt
import numpy
from matplotlib.colors import ListedColormap

from measure import run_program
from style import Picture, file_name, save

PIXELS = 420
MOST_ROWS = 50000
BLOCKINGS = (("blocking_sn", "supernodes (default of bildlt)"), ("blocking_br", "BR: similar rows, then order"),
             ("blocking_rb", "RB: order, then similar rows"), ("blocking_rbr", "RBR: RB, then order of blocks"),
             ("blocking_grid", "grid"))
# nothing, tile off the diagonal, tile on the diagonal, entry
SPY = ListedColormap(["#ffffff", "#A8D5EF", "#F5D08A", "#00456B"])


def read_structure(study, system):
    """What study_structure prints of a system."""
    program = os.path.join(study.setting.programs, "study_structure")
    run = run_program([program, "-f", system.first], 300)
    if run.status:
        raise SystemExit(f"study_structure, {system.name}: {run.errors.strip()}")
    found = json.loads(run.output)
    return {key: {name: numpy.array(v) for name, v in value.items()} if isinstance(value, dict) else value
            for key, value in found.items()}


def _pixels(rows, row, column, perm=None):
    """Which pixels of a picture have entries."""
    place = numpy.arange(rows)
    if perm is not None:
        place[perm] = numpy.arange(rows)
    image = numpy.zeros((PIXELS, PIXELS), bool)
    image[place[row] * PIXELS // rows, place[column] * PIXELS // rows] = True
    return image


def _tile_ranges(blocks, rows):
    """First pixel of each block, and the first after it; a block has a pixel at least."""
    begin = blocks["block_start"][:-1] * PIXELS // rows
    return begin, numpy.maximum(begin + 1, -(-blocks["block_start"][1:] * PIXELS // rows))


def _paint(image, blocks, rows, values, diagonal):
    """Paints the tiles of both triangles, and those on the diagonal."""
    begin, end = _tile_ranges(blocks, rows)
    for i, j, value in zip(blocks["tile_row"], blocks["tile_column"], values):
        image[begin[i]:end[i], begin[j]:end[j]] = value
        image[begin[j]:end[j], begin[i]:end[i]] = value
    for b, value in enumerate(diagonal):
        image[begin[b]:end[b], begin[b]:end[b]] = value


def _bare(axes, title):
    axes.set_title(title, fontsize=9)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color("#999999")


def draw_blockings(study, system, found):
    rows = found["rows"]
    row, column = numpy.array(found["row"]), numpy.array(found["column"])
    figure, panels = plt.subplots(2, 3, figsize=(10.5, 7.6), layout="constrained")
    panels[0, 0].imshow(3 * _pixels(rows, row, column), cmap=SPY, vmin=0, vmax=3, interpolation="nearest")
    _bare(panels[0, 0], f"the matrix as it is: {rows} rows")
    for axes, (key, title) in zip(panels.flat[1:], BLOCKINGS):
        blocks = found[key]
        image = numpy.zeros((PIXELS, PIXELS), int)
        _paint(image, blocks, rows, numpy.ones(len(blocks["tile_row"]), int), numpy.full(len(blocks["level"]), 2))
        image[_pixels(rows, row, column, blocks["perm"])] = 3
        axes.imshow(image, cmap=SPY, vmin=0, vmax=3, interpolation="nearest")
        _bare(axes, f"{title}\n{len(blocks['level'])} blocks, {len(blocks['tile_row'])} tiles, "
              f"{blocks['level'].max() + 1} levels")
    path = save(figure, study.folder, "blockings-" + file_name(system.name))
    return Picture(path, f"{system.name}: blockings", "The matrix permuted and cut into blocks of at most 32 rows by each "
                   "strategy, without fill. Dark: entries; blue: tiles off the diagonal; yellow: blocks on it. Each pixel "
                   "stands for some rows and columns.", system.name, published=True)


def draw_factor(study, system, found):
    rows, blocks = found["rows"], found["factor"]
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.9), layout="constrained")
    image = numpy.full((PIXELS, PIXELS), numpy.nan)
    _paint(image, blocks, rows, blocks["level"][blocks["tile_row"]], blocks["level"])
    shown = panels[0].imshow(image, cmap="viridis", interpolation="nearest")
    figure.colorbar(shown, ax=panels[0], label="level set: blocks of one are eliminated together", shrink=0.9)
    _bare(panels[0], f"tiles of the factor by level: {blocks['level'].max() + 1} levels")
    fill = numpy.zeros((PIXELS, PIXELS), int)
    _paint(fill, blocks, rows, 1 + (blocks["tile_fill"] > 0), numpy.ones(len(blocks["level"]), int))
    panels[1].imshow(fill, cmap=ListedColormap(["#ffffff", "#00456B", "#E69F00"]), vmin=0, vmax=2,
                     interpolation="nearest")
    own = int((blocks["tile_fill"] == 0).sum())
    _bare(panels[1], f"dark: {own} tiles of the matrix; orange: {len(blocks['tile_fill']) - own} of fill")
    path = save(figure, study.folder, "factor-" + file_name(system.name))
    return Picture(path, f"{system.name}: factor of bildlt",
                   "Tiles that the analysis of PCBILDLT provides for with default options, before anything is dropped; "
                   "the lower triangle mirrors the upper one. Left: by the level set of the block row; right: what is "
                   "fill.", system.name, published=True)


def draw_fronts(study, system, found):
    fronts = found["fronts"]
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.1), layout="constrained")
    by_level = numpy.argsort(fronts["level"], kind="stable")
    shown = panels[0].scatter(fronts["rows"][by_level], fronts["columns"][by_level], c=fronts["level"][by_level],
                              cmap="viridis", s=22, alpha=0.8, linewidths=0)
    figure.colorbar(shown, ax=panels[0], label="level in the tree, 0: leaf")
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
    panels[1].legend(frameon=False, loc="upper left")
    panels[1].set_title(f"{fronts['flops'].sum():.2g} operations in all", loc="left")
    path = save(figure, study.folder, "fronts-" + file_name(system.name))
    factor = "LDLᵀ" if found["symmetric"] else "LU"
    return Picture(path, f"{system.name}: fronts of the direct solver", f"Fronts of Tessera's {factor}, as planned, before "
                   "pivots are delayed. Operations are additions and multiplications.", system.name, published=True)


def draw_all(study):
    """Pictures of the first system of each family, which is the first word of its name; large ones are left out."""
    drawn, families = [], set()
    for system in study.systems:
        family = system.name.split()[0]
        if family in families or system.rows > MOST_ROWS:
            continue
        families.add(family)
        found = read_structure(study, system)
        if found["symmetric"]:
            drawn += [draw_blockings(study, system, found), draw_factor(study, system, found)]
        drawn.append(draw_fronts(study, system, found))
    return drawn
