"""The systems of the folder TESSERA_DATA, as commands of the example programs. Shared by the programs that compare
methods."""

import concurrent.futures
import glob
import gzip
import os

from measure import data_folder


def apart(function, *args):
    """Calls a function in a process of its own, so that the programs started here do not inherit its memory's size."""
    with concurrent.futures.ProcessPoolExecutor(max_workers=1) as pool:
        return pool.submit(function, *args).result()


def is_symmetric(path):
    """Whether a Matrix Market file holds a symmetric matrix, by its header or by its values."""
    with gzip.open(path, "rt") as f:
        header = f.readline().split()
        if header[4] != "general":
            return header[4] == "symmetric"
        lines = (line.split() for line in f if not line.startswith("%"))
        rows, cols, _ = next(lines)
        entries = {(i, j): float(v) for i, j, v in lines}
    return rows == cols and all(entries.get((j, i)) == v for (i, j), v in entries.items())


def stored_files(folder, end):
    """(name, path) of the files of a folder of TESSERA_DATA that end so."""
    paths = sorted(glob.glob(os.path.join(data_folder(), folder, "*" + end)), key=str.lower)
    return [(os.path.basename(path).removesuffix(end), path) for path in paths]


def matrix_systems():
    """(name, command) of the symmetric matrices."""
    return [(name, f"solve -f {path}") for name, path in stored_files("matrices", ".mtx.gz")
            if apart(is_symmetric, path)]


def program_systems(seeds):
    """(name, command) of the KKT systems of the linear programs, with each of these seeds of the diagonal."""
    return [(f"{name} {seed}", f"kkt_lp -f {path} -seed {seed}") for name, path in stored_files("lp", ".mps.gz")
            for seed in seeds]
