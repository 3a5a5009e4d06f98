"""The study as a CSV file and as Markdown tables."""

import csv

from one_run import STAGES, TIMES, reason, seconds, solved

STAGE_COLUMNS = ("solved", "reason", "passes", *TIMES, "iterations", "claim", "residual", "backward_error")
COLUMNS = ("system", "kind", "rows", "entries", "configuration", "family", "solved", "reason",
           *(f"{stage}_{column}" for stage in STAGES for column in STAGE_COLUMNS), "loaded_bytes", "solver_bytes",
           "run_seconds", "threads", "commit")


def write_csv(path, study):
    """A line for each run; what there is no number of is empty. Times in seconds, by both clocks."""
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(COLUMNS)
        for result in study.results:
            system, configuration = study.system(result), study.configuration(result)
            stages = [result[stage].get(column, "") for stage in STAGES for column in STAGE_COLUMNS]
            out.writerow([system.name, system.kind, system.rows, system.entries, configuration.name,
                          configuration.family, solved(result), reason(result), *stages, result["loaded_bytes"] or "",
                          result["solver_bytes"] if result["loaded_bytes"] else "", result["seconds"],
                          study.setting.threads, result["commit"]])


def _number(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}"


def rows_of(study, system):
    """(configuration, cells) of each run of a system; a failed run has its reason in place of "yes"."""
    for result in study.results:
        if result["system"] != system.name:
            continue
        first, second = (result[stage] for stage in STAGES)
        cells = ["yes" if solved(result) else "no: " + reason(result)]
        for stage in STAGES:
            cells.append(_number(seconds(result, stage, study.clock)))
        for stage in (first, second):
            cells.append(str(stage.get("iterations", "")))
        for stage in (first, second):
            cells.append(f"{stage['residual']:.0e}" if "residual" in stage else "")
        cells.append(f"{result['solver_bytes'] / 1e6:.1f}" if result["loaded_bytes"] else "")
        yield study.configuration(result), cells


HEAD = ["system", "configuration", "solved", "first, s", "second, s", "its", "its 2nd", "residual", "residual 2nd", "MB"]


def table(study):
    """All rows, the system named in its first one."""
    rows = []
    for system in study.systems:
        for k, (configuration, cells) in enumerate(rows_of(study, system)):
            rows.append([system.name if k == 0 else "", configuration.name, *cells])
    return rows


def summary(study):
    """How many systems each configuration solves, of those that it is for."""
    rows = []
    for configuration in study.configurations:
        own = [r for r in study.results if r["configuration"] == configuration.name]
        if own:
            rows.append([configuration.name, configuration.family, f"{sum(map(solved, own))} of {len(own)}",
                         f"`{configuration.options or configuration.program}`"])
    return rows


def markdown(head, rows, left=(0, 1, 2)):
    rules = [":---" if k in left else "---:" for k in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rules, *rows)) + "\n"


def share_of_cores(study):
    """Processor time over wall-clock time of all setups and solves: other work on the machine shows here."""
    spent = {clock: sum(result[stage].get(f"{what}_{clock}", 0) for result in study.results for stage in STAGES
                        for what in ("setup", "solve")) for clock in ("processor", "wall")}
    return spent["processor"] / spent["wall"] if spent["wall"] else 0


def facts(study):
    """What a reader has to know of a study, (name, text)."""
    s = study.setting
    loads = [result["load"] for result in study.results]
    clock, average = (("processor time of all threads together", "means") if study.clock == "processor" else
                      ("wall-clock time", "medians"))
    return [
        ("machine", f"{study.machine}; load average {min(loads):.1f} to {max(loads):.1f} while the runs were made, themselves "
         f"included; setups and solves had {share_of_cores(study):.2f} cores"),
        *([("note", study.note)] if study.note else []),
        ("versions", f"Tessera, commit {study.commits()}; {study.versions}"),
        ("threads", f"{s.threads} (OMP_NUM_THREADS and OPENBLAS_NUM_THREADS), one process"),
        ("limits of a run", f"{s.time_limit:g} s, {f'{s.memory_limit} MiB' if s.memory_limit else 'any amount'} of address "
         f"space, {s.max_it} iterations"),
        ("solved", f"the true relative residual, by the original matrix, is at most {s.accept:g} in both solves, whatever "
         f"the method claims; iterative methods are asked for {s.rtol:g}"),
        ("seconds", f"{clock}; setup and solve, {average} of up to {s.passes} passes in a process, no new one after "
         f"{s.pass_seconds:g} s. First: with all analysis. Second: other values in the same pattern, same KSP"),
        ("memory", "the most that the process has resident in the first pass, less what it has when both systems are "
         "loaded (proc(5): VmHWM after clear_refs, less VmRSS)" +
         ("; of configurations on a GPU, what the GPU has in use after the first pass beyond that"
          if any(c.on_gpu for c in study.configurations) else "")),
    ] + [("left out", note) for note in study.notes]


def write_markdown(path, study):
    with open(path, "w") as f:
        f.write("# Results of the comparison study\n\n")
        f.writelines(f"- *{name}*: {text}\n" for name, text in facts(study))
        f.write("\n## Systems\n\n")
        f.write(markdown(["system", "what", "kind", "rows", "entries"],
                         [[s.name, s.what, s.kind, str(s.rows), str(s.entries)] for s in study.systems]))
        f.write("\n## Configurations\n\n")
        f.write(markdown(["configuration", "package", "solved", "options"], summary(study), (0, 1, 2, 3)))
        f.write("\n## Runs\n\n")
        f.write(markdown(HEAD, table(study)))
