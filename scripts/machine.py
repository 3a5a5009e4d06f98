"""Says what machine a benchmark ran on."""

import os
import subprocess


def command_output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return ""


def load_average():
    return "load average {:.2f} (1 minute), {:.2f} (5 minutes)".format(*os.getloadavg())


def processor():
    """Model and number of cores that this process may use."""
    model = next((line.split(":", 1)[1].strip() for line in command_output("lscpu").splitlines()
                  if line.startswith("Model name")), "unknown CPU")
    return f"{model}, {len(os.sched_getaffinity(0))} cores"


def compiler():
    return (command_output("c++", "--version").splitlines() or ["unknown"])[0]


def gpu():
    """Names of the GPUs, and their driver; empty where there is none."""
    return "; ".join(command_output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines())


def shared_libraries(program):
    """Real paths of the shared libraries that a program is linked with."""
    lines = [line.split() for line in command_output("ldd", program).splitlines()]
    return sorted({os.path.realpath(words[2]) for words in lines if len(words) > 2 and words[2].startswith("/")})


def print_machine(threads, only_load=False):
    """Prints model, cores, compiler, threads and load of this machine."""
    if only_load:
        print(f"\nAfterwards: {load_average()}")
        return
    print(f"{processor()}; {compiler()}; {threads} thread(s); {load_average()}\n", flush=True)
