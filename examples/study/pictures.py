"""The pictures of the study that show all systems, and the list of all pictures."""

import math
import os
import shutil

import matplotlib.pyplot as plt
import numpy
from matplotlib.colors import LogNorm

import structure_pictures
import system_pictures
from configurations import SYMMETRIC, TESSERA, UNSYMMETRIC
from one_run import STAGES, reason, seconds, solved
from style import Picture, save, shown

CLASSES = (("symmetric", SYMMETRIC), ("unsymmetric", (UNSYMMETRIC,)))
WORDS = (("time limit", "time"), ("out of memory", "memory"), ("iterations", "its"), ("zero pivot", "zero\npivot"),
         ("breakdown", "break-\ndown"), ("not positive definite", "indef-\ninite"),
         ("inaccurate", "inacc-\nurate"), ("killed", "killed"), ("setup", "setup"))


def short_reason(result):
    """A failure in the few letters that a cell has room for; the tables have it in full."""
    text = reason(result).lower()
    return next((short for word, short in WORDS if word in text), "error")


def _of_class(study, kinds):
    """Systems, configurations and {(system, configuration): result} of a class."""
    systems = [s for s in study.systems if s.kind in kinds]
    names = {s.name for s in systems}
    found = {(r["system"], r["configuration"]): r for r in study.results if r["system"] in names}
    configurations = [c for c in study.configurations if any(key[1] == c.name for key in found)]
    return systems, configurations, found


def profile(times):
    """Steps of a performance profile (Dolan & Moré 2002). times: {configuration: [seconds or None by system]}. For each
    configuration ratios to the best, ascending, of the systems that it solves, and the fraction of all systems."""
    best = [min((t for t in column if t is not None), default=None) for column in zip(*times.values())]
    steps = {}
    for name, own in times.items():
        ratios = sorted(t / b for t, b in zip(own, best) if t is not None)
        steps[name] = (ratios, [(k + 1) / len(best) for k in range(len(ratios))])
    return steps


def _draw_profile(axes, steps, configurations, right):
    for c in configurations:
        ratios, fractions = steps[c.name]
        # With nothing solved the line lies on the axis, where it can be seen.
        x = [1, *ratios, right]
        y = [0, *fractions, fractions[-1] if fractions else 0]
        axes.step(x, y, where="post", color=c.colour, linestyle=c.line, linewidth=2.2 if c.family == TESSERA else 1.5,
                  marker=c.marker, markerfacecolor=c.filling, markersize=5, markevery=max(1, len(x) // 6), label=c.name,
                  clip_on=False)
    axes.set_xscale("log")
    axes.set_xlim(1, right)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("τ: time over that of the fastest")


def draw_profile(study, name, kinds):
    systems, configurations, found = _of_class(study, kinds)
    height = max(4.2, 0.2 * len(configurations) + 0.4)  # of the legend
    figure, panels = plt.subplots(1, 2, figsize=(10.5, height), sharey=True, layout="constrained")
    profiles = [profile({c.name: [seconds(found[s.name, c.name], stage, study.clock) if solved(found[s.name, c.name])
                                  else None for s in systems] for c in configurations}) for stage in STAGES]
    largest = max((r for steps in profiles for ratios, _ in steps.values() for r in ratios), default=1)
    right = 10 ** math.ceil(math.log10(max(largest, 2) * 1.1))
    for axes, steps, stage in zip(panels, profiles, STAGES):
        _draw_profile(axes, steps, configurations, right)
        axes.set_title("first setup and solve, with analysis" if stage == "first" else
                       "second setup and solve: other values, same pattern")
    panels[0].set_ylabel(f"part of the {len(systems)} systems solved within τ")
    panels[1].legend(loc="center left", bbox_to_anchor=(1.03, 0.5), handlelength=3.2, frameon=False)
    path = save(figure, study.pictures, f"profile-{name}")
    caption = (f"Performance profiles of the {len(systems)} {name} systems: the part of them that a configuration solves "
               "in at most τ times the time of the fastest one on each. The height at the right end is the part that it "
               "solves at all; one that solves nothing lies on the axis.")
    return Picture(path, f"Performance profiles, {name} systems", caption, published=True)


def _cell(result, stage, clock):
    if result is None:
        return "", None
    if not solved(result):
        return short_reason(result), None
    value = seconds(result, stage, clock)
    return shown(value).replace(" ", "\n"), value


def draw_overview(study, name, kinds):
    """Systems by configurations: the time, coloured by its ratio to the fastest of the row, or why there is none."""
    systems, configurations, found = _of_class(study, kinds)
    ratio = numpy.full((len(systems), len(configurations)), numpy.nan)
    texts = {}
    for i, system in enumerate(systems):
        cells = [_cell(found.get((system.name, c.name)), "first", study.clock) for c in configurations]
        best = min((value for _, value in cells if value is not None), default=None)
        for j, (text, value) in enumerate(cells):
            texts[i, j] = text
            if value is not None:
                ratio[i, j] = value / best
    figure, axes = plt.subplots(figsize=(2.9 + 0.68 * len(configurations), 1.6 + 0.42 * len(systems)),
                                layout="constrained")
    image = axes.imshow(ratio, norm=LogNorm(1, 100), cmap="viridis_r", aspect="auto")
    axes.set_facecolor("#f4f4f4")
    for (i, j), text in texts.items():
        dark = not math.isnan(ratio[i, j]) and ratio[i, j] > 8
        axes.text(j, i, text, ha="center", va="center", fontsize=7.5, linespacing=0.95,
                  color="white" if dark else "black", style="italic" if math.isnan(ratio[i, j]) else "normal")
    axes.set_xticks(range(len(configurations)), [c.name for c in configurations], rotation=40, ha="right",
                    rotation_mode="anchor")
    axes.set_yticks(range(len(systems)), [s.name for s in systems])
    axes.tick_params(length=0)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.colorbar(image, ax=axes, label="time over that of the fastest", extend="max", shrink=0.9, pad=0.01)
    path = save(figure, study.pictures, f"overview-{name}")
    return Picture(path, f"All runs, {name} systems", "Time of the first setup and solve, coloured by its ratio to the "
                   "fastest of the row. In italics on grey: why a run failed (its: too many iterations; time, memory: a "
                   "limit; error: what a package said, see the table).", published=True)


def draw_all(study):
    """Draws everything anew, and returns the pictures in the order of the page."""
    shutil.rmtree(study.pictures, ignore_errors=True)
    os.makedirs(study.pictures)
    drawn = []
    for name, kinds in CLASSES:
        if any(s.kind in kinds for s in study.systems) and _of_class(study, kinds)[1]:
            drawn += [draw_overview(study, name, kinds), draw_profile(study, name, kinds)]
    drawn += [system_pictures.draw(study, system) for system in study.systems]
    return drawn + structure_pictures.draw_all(study)
