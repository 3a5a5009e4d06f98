"""The systems of the folder TESSERA_DATA, as commands of the example programs. Shared by the programs that compare
methods."""

import concurrent.futures
import csv
import glob
import gzip
import os
import sys

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


def listed_matrices(least=0):
    """(name, path) of the matrices with symmetric values and at least so many rows, by what MANIFEST.tsv says of them;
    the smallest first."""
    manifest = os.path.join(data_folder(), "matrices", "MANIFEST.tsv")
    if not os.path.exists(manifest):
        raise SystemExit(f"no {manifest}: set TESSERA_DATA")
    with open(manifest, encoding="utf-8") as f:
        found = [(row["name"], int(row["rows"])) for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
                 if row["numerically_symmetric"] == "yes" and int(row["rows"]) >= least]
    paths = [(name, os.path.join(data_folder(), "matrices", f"{name}.mtx.gz"))
             for name, _ in sorted(found, key=lambda matrix: matrix[1])]
    for _, path in paths:
        if not os.path.exists(path):
            print(f"skipped, not there: {path}", file=sys.stderr)
    return [(name, path) for name, path in paths if os.path.exists(path)]


def matrix_systems():
    """(name, command) of the symmetric matrices."""
    return [(name, f"solve -f {path}") for name, path in stored_files("matrices", ".mtx.gz")
            if apart(is_symmetric, path)]


def program_systems(seeds):
    """(name, command) of the KKT systems of the linear programs, with each of these seeds of the diagonal."""
    return [(f"{name} {seed}", f"kkt_lp -f {path} -seed {seed}") for name, path in stored_files("lp", ".mps.gz")
            for seed in seeds]
