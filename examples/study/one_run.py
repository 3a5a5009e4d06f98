"""One run of a study: a process with limits that solves a system with a configuration, and what came of it."""

import dataclasses
import math
import os
import signal
import statistics

from configurations import CUDSS_CASE, DEFINITE, UNSYMMETRIC
from measure import program_path, run_program

STAGES = ("first", "second")
TIMES = ("setup_wall", "setup_processor", "solve_wall", "solve_processor", "analysis", "factorization", "application")
TICK = 1e-6  # seconds; some kernels count processor time in steps of milliseconds, and a mean may come to 0
MEMORY_WORDS = ("out of memory", "memory requested", "bad_alloc", "unable to allocate", "cannot allocate")


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all runs of a study have in common."""
    programs: str
    plugin: str
    threads: int = 1
    time_limit: float = 20  # seconds of a run, loading included
    memory_limit: int = 4096  # MiB of address space, 0: no limit
    passes: int = 20
    pass_seconds: float = 0.5
    rtol: float = 1e-8  # what methods are asked for
    accept: float = 1e-6  # true relative residual that counts as solved
    max_it: int = 1000


def command_of(system, configuration, setting):
    command = [program_path(setting.programs, configuration.program), "-f", system.first]
    if system.second:
        command += ["-second", system.second]
    command += ["-passes", str(setting.passes), "-pass_seconds", str(setting.pass_seconds)]
    if configuration.program == CUDSS_CASE:
        kind = {DEFINITE: "spd", UNSYMMETRIC: "general"}.get(system.kind, "symmetric")
        return command + ["-type", kind, *configuration.options.split()]
    if system.kind == DEFINITE:
        command += ["-spd"]
    if os.path.exists(setting.plugin):  # without it, methods of Tessera fail with PETSc's message
        command += ["-dll_append", setting.plugin]
    return command + ["-ksp_rtol", str(setting.rtol), "-ksp_max_it", str(setting.max_it),
                      *configuration.options.split()]


def _numbers(words):
    return dict(word.split("=", 1) for word in words)


def _parse(output):
    """Passes of each stage, memory, history, and whether the program came to its end. Packages print lines of their own
    between the program's, which have a known first word and key=value words only."""
    found = {"first": [], "second": [], "memory": {}, "history": [], "ended": False, "loaded": {}}
    for line in output.splitlines():
        kind, *words = line.split() or [""]
        if not all("=" in word for word in words):
            continue
        if kind == "solve":
            numbers = _numbers(words)
            found[numbers["of"]].append(numbers)
        elif kind in ("memory", "loaded"):
            found[kind] = _numbers(words)
        elif kind == "history":
            found["history"] = [(int(key), float(value)) for key, value in (word.split("=") for word in words)]
        elif kind == "end":
            found["ended"] = True
    return found


def _out_of_memory(setting):
    return f"out of memory, limit {setting.memory_limit} MiB" if setting.memory_limit else "out of memory"


def _ending(run, setting):
    """Why a program did not come to its end, in a few words."""
    if run.timed_out or run.status in (-signal.SIGXCPU, -signal.SIGKILL) and run.seconds >= setting.time_limit:
        return f"time limit, {setting.time_limit:g} s"
    errors = run.errors.strip()
    if any(word in errors.lower() for word in MEMORY_WORDS):
        return _out_of_memory(setting)
    if run.status < 0:
        return f"killed by {signal.Signals(-run.status).name}"
    lines = errors.splitlines() or [f"exit status {run.status}"]
    says = [line for line in lines if line.startswith("error: ")]
    return (says or lines)[0].removeprefix("error: ")


def _verdict(passes, setting, ending):
    """Why a stage is not solved; empty when it is: the residual computed from the original matrix decides."""
    if not passes:
        return ending
    worst = max((float(p["residual"]) for p in passes), key=lambda r: math.inf if math.isnan(r) else r)
    if worst <= setting.accept:
        return ""
    last = passes[0]
    pc, reason = last["pc_reason"], last["reason"]
    if pc == "FACTOR_OUTMEMORY":
        return _out_of_memory(setting)
    if pc not in ("FACTOR_NOERROR", "NOERROR"):
        return "setup: " + pc.removeprefix("FACTOR_").lower().replace("_", " ").replace("zeropivot", "zero pivot")
    if reason.startswith("DIVERGED"):
        if reason == "DIVERGED_ITS":
            return f"{last['iterations']} iterations, residual {worst:.1e}"
        return reason.removeprefix("DIVERGED_").lower().replace("_", " ")
    return f"inaccurate, residual {worst:.1e}"


def _stage(passes, reason):
    """What the passes of a stage come to: medians of times on the wall, means of processor times."""
    stage = {"solved": not reason, "reason": reason, "passes": len(passes)}
    if passes:
        for key in TIMES:
            average = statistics.fmean if key.endswith("processor") else statistics.median
            stage[key] = average(float(p[key]) for p in passes)
        stage.update(iterations=int(passes[0]["iterations"]), claim=passes[0]["reason"],
                     residual=max(float(p["residual"]) for p in passes),
                     backward_error=max(float(p["backward_error"]) for p in passes))
    return stage


def run_one(system, configuration, setting):
    """Runs a configuration on a system: a dictionary that JSON can hold."""
    environment = {"OMP_NUM_THREADS": str(setting.threads), "OPENBLAS_NUM_THREADS": str(setting.threads),
                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = command_of(system, configuration, setting)
    # CUDA reserves more address space than there is memory: such a run has no limit of it.
    memory_limit = 0 if configuration.on_gpu else setting.memory_limit * 2**20
    run = run_program(command, setting.time_limit, environment, memory_limit=memory_limit or None,
                      threads=setting.threads)
    found = _parse(run.output)
    ending = "" if found["ended"] else _ending(run, setting)
    stages = {stage: _stage(found[stage], _verdict(found[stage], setting, ending)) for stage in STAGES}
    return {"system": system.name, "configuration": configuration.name, "command": " ".join(command),
            **stages, "ending": ending, "seconds": run.seconds, "history": found["history"],
            "loaded_bytes": int(found["memory"].get("loaded_bytes", 0)),
            "solver_bytes": int(found["memory"].get("solver_bytes", 0))}


def solved(result):
    """Whether both systems are solved."""
    return all(result[stage]["solved"] for stage in STAGES)


def reason(result):
    """Why not, in a few words."""
    first, second = (result[stage]["reason"] for stage in STAGES)
    return first or (f"second: {second}" if second else "")


def seconds(result, stage, clock):
    """Setup and solve of a stage by a clock, "wall" or "processor"; None where it is not solved."""
    s = result[stage]
    return max(s[f"setup_{clock}"] + s[f"solve_{clock}"], TICK) if s["solved"] else None
