"""Reads matrices and vectors that PETSc's binary viewer wrote, with real scalars and 32-bit indices."""

import array
import math
import sys

VECTOR, MATRIX = 1211214, 1211216


def read_array(f, kind, count):
    values = array.array(kind)
    values.frombytes(f.read(values.itemsize * count))
    if len(values) != count:
        raise ValueError(f"{f.name} ends early")
    if sys.byteorder == "little":
        values.byteswap()
    return values


def read_header(f, expected, count):
    """The whole numbers that follow the number of the class."""
    header = read_array(f, "i", 1 + count)
    if header[0] != expected:
        raise ValueError(f"{f.name} holds another object: {header[0]}")
    return header[1:]


def read_vector(path):
    with open(path, "rb") as f:
        (rows,) = read_header(f, VECTOR, 1)
        return read_array(f, "d", rows)


def read_matrix(path):
    """Number of columns, lengths of the rows, columns and values of the entries by rows."""
    with open(path, "rb") as f:
        rows, columns, entries = read_header(f, MATRIX, 3)
        return columns, read_array(f, "i", rows), read_array(f, "i", entries), read_array(f, "d", entries)


def relative_residual(matrix_path, right_path, solution_path):
    """||b - A x|| / ||b||, and how many rows A has."""
    _, lengths, columns, values = read_matrix(matrix_path)
    b, x = read_vector(right_path), read_vector(solution_path)
    residuals, k = [], 0
    for right, length in zip(b, lengths):
        residuals.append(right - math.fsum(values[i] * x[columns[i]] for i in range(k, k + length)))
        k += length
    return math.hypot(*residuals) / math.hypot(*b), len(b)


def relative_difference(path, reference_path):
    """||x - y|| / ||y||, and how long they are."""
    x, y = read_vector(path), read_vector(reference_path)
    if len(x) != len(y):
        raise ValueError(f"{path} and {reference_path} have other lengths")
    return math.dist(x, y) / math.hypot(*y), len(x)
