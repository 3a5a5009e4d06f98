"""Takes matrices apart that a PETSc program has written one after the other into a binary file."""

import os
import struct

MAT_FILE_CLASSID = 1211216


def _matrices(path):
    """(beginning, end) of each matrix of a file, in bytes, and the numbers that tell its values."""
    with open(path, "rb") as f:
        f.seek(0, os.SEEK_END)
        size = f.tell()
        at = 0
        while at < size:
            f.seek(at)
            classid, rows, _, entries = struct.unpack(">4i", f.read(16))
            if classid != MAT_FILE_CLASSID:
                raise SystemExit(f"{path}: no matrix of 32-bit indices at byte {at}")
            f.seek(4 * (rows + entries), os.SEEK_CUR)
            values = f.read(8 * entries)
            yield at, f.tell(), values
            at = f.tell()


def _distinct(path):
    """Places of the matrices whose values are not those of the one before."""
    last, places = None, []
    for begin, end, values in _matrices(path):
        if values != last:
            places.append((begin, end))
        last = values
    return places


def split(path, base, steps):
    """Writes for each of `steps` (name: part of the way) two consecutive matrices, as BASE.NAME.1.bin and .2.bin, and
    removes the file and what PETSc has written beside it. The last file appears when all are there."""
    places = _distinct(path)
    if len(places) < 2:
        raise SystemExit(f"{path}: only {len(places)} different matrices")
    with open(path, "rb") as f:
        for name, part in steps.items():
            k = min(int(part * len(places)), len(places) - 2)
            for which in (1, 2):
                begin, end = places[k + which - 1]
                f.seek(begin)
                with open(f"{base}.{name}.{which}.part", "wb") as out:
                    out.write(f.read(end - begin))
                os.replace(f"{base}.{name}.{which}.part", f"{base}.{name}.{which}.bin")
    for leftover in (path, path + ".info"):
        if os.path.exists(leftover):
            os.remove(leftover)
