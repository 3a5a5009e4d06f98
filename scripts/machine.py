"""Says what machine a benchmark ran on."""

import os
import subprocess


def command_output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return ""


def print_machine(threads, only_load=False):
    """Prints model, cores, compiler, threads and load of this machine."""
    load = "load average {:.2f} (1 minute), {:.2f} (5 minutes)".format(*os.getloadavg())
    if only_load:
        print(f"\nAfterwards: {load}")
        return
    model = next((line.split(":", 1)[1].strip() for line in command_output("lscpu").splitlines()
                  if line.startswith("Model name")), "unknown CPU")
    compiler = (command_output("c++", "--version").splitlines() or ["unknown"])[0]
    print(f"{model}, {len(os.sched_getaffinity(0))} cores; {compiler}; {threads} thread(s); {load}\n", flush=True)
