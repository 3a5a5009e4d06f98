"""What families of made-up matrices are put together from: Laplacians and divergences of grids, KKT matrices, random
numbers, rows and networks. A random number generator comes first, and is drawn from in the order of the code: another
order makes other matrices.
"""

import functools
import operator

import numpy
from scipy import sparse


def magnitudes(random, least, most, size=None):
    """Random numbers from 10^least to 10^most, whose logarithms are uniform."""
    return 10 ** random.uniform(least, most, size)


def row_sums(matrix):
    return numpy.asarray(matrix.sum(axis=1)).ravel()


def with_values(matrix, values):
    """A matrix of the same pattern, with values in the order of its rows and, in a row, of its columns."""
    return sparse.csr_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def ones(row, column, shape):
    """Ones at some places, added up where a place comes again."""
    return sparse.csr_matrix((numpy.ones(len(row)), (row, column)), shape=shape)


def without_last(matrix):
    """The matrix without its last row and column."""
    return matrix.tocsr()[:-1, :-1]


def kkt(hessian, constraints, corner=None):
    """[H A^T; A C] with C zero by default."""
    return sparse.bmat([[hessian, constraints.T], [constraints, corner]])


# Grids: points are numbered line by line, the last axis fastest.


def along(line, axis, sides):
    """The operator of a line, on all lines along an axis of a grid."""
    factors = [line if place == axis else sparse.eye(side) for place, side in enumerate(sides)]
    return functools.reduce(sparse.kron, factors)


def second_difference(points):
    """Minus the second difference of points of a line, zero beyond its ends."""
    return sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(points, points))


def difference(points):
    """The differences of neighbours on a line."""
    return sparse.diags([-1.0, 1.0], [0, 1], shape=(points - 1, points))


def laplacian(*sides):
    """Minus the Laplacian of a grid by its nearest neighbours, zero beyond its ends; its rows are sorted."""
    terms = [along(second_difference(side), axis, sides) for axis, side in enumerate(sides)]
    return sparse.csr_matrix(functools.reduce(operator.add, terms))


def faces(cells, axis):
    """How many faces between cells a grid has along each axis, of those that stand across one axis."""
    return tuple(count - (place == axis) for place, count in enumerate(cells))


def divergence(cells, axes):
    """The divergence, in each cell, of fluxes through the faces between cells. The fluxes come axis by axis, in the
    order of `axes`; minus the transpose is the gradient."""
    return sparse.hstack([along(difference(cells[axis]).T, axis, cells) for axis in axes])


# Random matrices.


def random_places(random, shape, density):
    """Normal random numbers at a part `density` of all places, each of which is as likely."""
    rows, columns = shape
    places = random.choice(rows * columns, size=round(density * rows * columns), replace=False)
    return sparse.csr_matrix((random.standard_normal(len(places)), (places % rows, places // rows)), shape=shape)


def random_rows(random, values, shape, reach):
    """Values, as many in each row, in random columns less than `reach` to the right of the diagonal. The diagonal runs
    from corner to corner, also where the matrix is not square; the first column follows the last one."""
    rows, columns = shape
    row = numpy.repeat(numpy.arange(rows), len(values) // rows)
    column = (row * columns // rows + random.integers(0, reach, len(row))) % columns
    return sparse.csr_matrix((values, (row, column)), shape=shape)


def network(random, nodes, reach, links, link_reach, least, most):
    """The symmetric matrix of conductances, from 10^least to 10^most, of a random tree with further links. The parent
    of a node is one of the `reach` nodes before it; a link leads less than `link_reach` nodes ahead."""
    child = numpy.arange(1, nodes)
    parent = numpy.maximum(0, child - 1 - random.integers(0, reach, nodes - 1))
    begin = random.integers(0, nodes, links)
    end = numpy.minimum(nodes - 1, begin + random.integers(1, link_reach, links))
    row, column = numpy.r_[child, begin], numpy.r_[parent, end]
    apart = row != column
    row, column = row[apart], column[apart]
    half = sparse.csr_matrix((magnitudes(random, least, most, len(row)), (row, column)), shape=(nodes, nodes))
    return half + half.T


def power_grid(random, buses):
    """The conductances of a made-up power grid."""
    return network(random, buses, 40, buses // 3, 60, -1, 2)
