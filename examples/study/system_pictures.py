"""One picture for each system: times by phase, residuals by iterations, memory."""

import textwrap

import matplotlib.pyplot as plt

from configurations import TESSERA
from one_run import STAGES, reason, solved
from style import Picture, file_name, save, shown

# Okabe & Ito's colours.
PHASES = (("analysis", "#E69F00"), ("factorization", "#0072B2"), ("rest of setup", "#999999"),
          ("applications", "#CC79A7"), ("rest of solve", "#009E73"))


def phases(stage, clock):
    """Seconds of each phase, which add up to setup and solve. The parts are those of PETSc's log, which is of wall-clock
    time; by processor time they are shares of that."""
    setup, solve = stage["setup_wall"], stage["solve_wall"]
    in_setup = min(stage["analysis"] + stage["factorization"], setup)
    part = in_setup / max(stage["analysis"] + stage["factorization"], 1e-12)
    application = min(stage["application"], solve)
    wall = (part * stage["analysis"], part * stage["factorization"], setup - in_setup, application, solve - application)
    if clock == "wall":
        return wall
    scale = [stage[f"{which}_processor"] / max(stage[f"{which}_wall"], 1e-12) for which in ("setup", "solve")]
    return tuple(value * scale[k > 2] for k, value in enumerate(wall))


def _scale_of(totals):
    """Where the axis of times ends: slow runs are cut so that the others can be seen."""
    ordered = sorted(totals)
    several = 4 * ordered[len(ordered) // 2]
    return 1.02 * (ordered[-1] if ordered[-1] < 1.5 * several else several)


def _draw_times(axes, study, results):
    totals = [sum(phases(r[stage], study.clock)) for r in results for stage in STAGES if solved(r)]
    right = _scale_of(totals) if totals else 1
    for k, result in enumerate(results):
        if not solved(result):
            lines = textwrap.wrap("failed: " + reason(result), 96, max_lines=2, placeholder=" …")
            axes.text(0.01 * right, k, "\n".join(lines), va="center", fontsize=7.5, style="italic", linespacing=1)
            continue
        for at, stage in ((-0.2, "first"), (0.2, "second")):
            left = 0
            for (_, colour), value in zip(PHASES, phases(result[stage], study.clock)):
                axes.barh(k + at, min(value, max(right - left, 0)), 0.36, left=left, color=colour)
                left += value
            cut = left > right
            axes.text(min(left, right) + 0.01 * right, k + at, shown(left) + (" →" if cut else ""), va="center",
                      fontsize=6.5)
    axes.set_xlim(0, 1.22 * right)
    axes.set_ylim(len(results) - 0.5, -0.5)
    axes.set_yticks(range(len(results)), [r["configuration"] for r in results])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"seconds ({'processor' if study.clock == 'processor' else 'wall-clock'} time)")
    axes.set_title("time by phase; upper bar first, lower second solve", loc="left")
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for _, colour in PHASES]
    axes.legend(handles, [name for name, _ in PHASES], loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=5,
                frameon=False, columnspacing=1, handlelength=1.2, handletextpad=0.4)


def _draw_residuals(axes, study, results):
    last = 0
    for result in results:
        points = [(k, r) for k, r in result["history"] if r == r and r > 0]
        if len(points) < 2 or "preonly" in study.configuration(result).options:
            continue
        c = study.configuration(result)
        axes.plot([k for k, _ in points], [r for _, r in points], color=c.colour, linestyle=c.line, marker=c.marker,
                  markerfacecolor=c.filling, markevery=[len(points) - 1], markersize=5,
                  linewidth=2 if c.family == TESSERA else 1.4, label=c.name)
        last = max(last, points[-1][0])
    axes.axhline(study.setting.accept, color="black", linewidth=0.8, label="solved below")
    axes.set_yscale("log")
    axes.set_xscale("symlog", linthresh=10)
    ticks = [0, 5] + [digit * 10**power for power in (1, 2, 3, 4, 5) for digit in (1, 2, 5)]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xlim(0, 1.15 * max(last, 11))
    axes.minorticks_off()
    axes.set_xlabel("iterations")
    axes.set_title("true relative residual, second system", loc="left")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=3, columnspacing=1, frameon=False, handlelength=3)


def _draw_memory(axes, results):
    for k, result in enumerate(results):
        if result["loaded_bytes"] and solved(result):
            megabytes = result["solver_bytes"] / 1e6
            axes.barh(k, megabytes, 0.6, color="#56B4E9")
            axes.text(megabytes, k, f" {megabytes:.3g}", va="center", fontsize=7)
    axes.set_ylim(len(results) - 0.5, -0.5)
    axes.set_yticks(range(len(results)), [""] * len(results))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.2)
    axes.set_xlabel("MB")
    axes.set_title("memory beyond the systems", loc="left")


def draw(study, system):
    results = [r for r in study.results if r["system"] == system.name]
    height = 1.6 + 0.3 * max(len(results), 7)
    figure, panels = plt.subplots(1, 3, figsize=(13.5, height), width_ratios=(2.3, 1.7, 1), layout="constrained")
    _draw_times(panels[0], study, results)
    _draw_residuals(panels[1], study, results)
    _draw_memory(panels[2], results)
    path = save(figure, study.pictures, "system-" + file_name(system.name))
    return Picture(path, f"{system.name}: {system.what}", f"{system.rows} rows, {system.entries} entries, {system.kind}. "
                   "A bar with an arrow is cut. Residuals of iterative methods, computed with the original matrix in a "
                   "further, untimed solve, with markers at their ends; lines may lie upon each other.", system.name, study.is_shown(system))
