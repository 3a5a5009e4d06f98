"""Families of unsymmetric matrices: the functions whose names begin with u_."""

import numpy
from numpy.random import default_rng
from scipy import sparse

from made_up.parts import (along, divergence, faces, laplacian, magnitudes, network, ones, power_grid, row_sums,
                           second_difference, with_values, without_last)


def off_diagonal(matrix):
    """Which entries of a matrix are off its diagonal."""
    entries = matrix.tocoo()
    return entries.row != entries.col


def u_conv2():
    """Convection and diffusion on 250 x 250 points by upwind differences, with cell Péclet numbers of 8 and 12."""
    points = 250
    diffusion, upwind = second_difference(points), sparse.diags([-1.0, 1.0], [-1, 0], shape=(points, points))
    return (along(diffusion + 12 * upwind, 0, (points, points)) +
            along(diffusion + 8 * upwind, 1, (points, points)))


def u_oseen():
    """Oseen equations on a staggered grid of 80 x 80 cells, with random convection and one pressure fixed."""
    random = default_rng(20)
    cells, axes = (80, 80), (1, 0)
    velocities = []
    for axis in axes:
        viscosity = laplacian(*faces(cells, axis))
        convection = random.uniform(-1, 1, viscosity.nnz) * 20 * off_diagonal(viscosity)
        velocities.append(with_values(viscosity, viscosity.data + convection))
    flux = divergence(cells, axes)
    return without_last(sparse.bmat([[sparse.block_diag(velocities), flux.T], [-flux, None]]))


def u_powerflow():
    """Jacobian of the power flow in a grid of 20,000 buses, which are numbered at random."""
    random = default_rng(21)
    buses = 20000
    conductances = power_grid(random, buses)
    susceptances = with_values(conductances, conductances.data * random.uniform(-0.3, 0.3, conductances.nnz))
    sums = sparse.diags(row_sums(conductances))
    jacobian = sparse.bmat([[sums - conductances, susceptances], [-susceptances, 1.02 * sums - conductances]]).tocsr()
    order = random.permutation(2 * buses)
    return jacobian[order][:, order]


def u_semicond():
    """Drift-diffusion equations of a semiconductor on 70 x 70 points, with random densities from 6e-6 to 2e5."""
    random = default_rng(22)
    poisson = laplacian(70, 70)
    points = poisson.shape[0]
    density = sparse.diags(numpy.exp(random.uniform(-1, 1, points) * 12))
    recombination = 1e-2 * sparse.eye(points)

    def current():
        return with_values(poisson, poisson.data * numpy.exp(random.uniform(-3, 3, poisson.nnz)))

    return sparse.bmat([[poisson, density * 1e-3, -density * 1e-3],
                        [current() @ density, current(), recombination],
                        [-current() @ density, recombination, current()]])


def u_process():
    """Flowsheet of a chemical plant: a chain of units of 1 to 200 equations with 200 recycles, numbered at random."""
    random = default_rng(23)
    size = 30000
    entries = []  # row, column, value
    first = 0
    while first < size:
        unit = min(size - first, int(random.choice([1, 2, 5, 20, 200])))
        for place in range(unit):
            row = first + place
            for _ in range(4):
                column = first + random.integers(unit)
                entries.append((row, column, random.standard_normal() * magnitudes(random, -3, 3)))
            # 7 divides no unit's size: a permutation, which makes the unit regular
            entries.append((row, first + (7 * place + 3) % unit, random.standard_normal()))
            if first > 0 and random.random() < 0.7:
                column = max(0, first - 1 - random.integers(300))
                entries.append((row, column, random.standard_normal()))
        first += unit
    for _ in range(200):
        entries.append((random.integers(size // 2), size // 2 + random.integers(size // 2), 1.0))
    row, column, values = zip(*entries, strict=True)
    matrix = sparse.csr_matrix((values, (row, column)), shape=(size, size))
    return matrix[random.permutation(size)][:, random.permutation(size)]


def u_opamp():
    """Modified nodal analysis of a circuit of 25,000 nodes with 3000 operational amplifiers of gain 1e5."""
    random = default_rng(24)
    nodes, amplifiers = 25000, 3000
    conductances = network(random, nodes, 30, nodes // 2, 40, -6, 0)
    output = random.permutation(nodes)[:amplifiers]
    plus = (output + random.integers(1, 10, amplifiers)) % nodes
    minus = (output + random.integers(11, 20, amplifiers)) % nodes
    amplifier = numpy.arange(amplifiers)
    currents = ones(output, amplifier, (nodes, amplifiers))
    places = numpy.tile(amplifier, 3), numpy.r_[plus, minus, output]
    voltages = sparse.csr_matrix((numpy.repeat([1.0, -1.0, -1e-5], amplifiers), places), shape=(amplifiers, nodes))
    return sparse.bmat([[sparse.diags(row_sums(conductances) + 1e-9) - conductances, currents], [voltages, None]])


def u_markov():
    """Steady state of a Markov chain, two queues with 160 x 160 states; 1e-12 on the diagonal makes it regular."""
    states = 160, 160
    rates = (along(sparse.diags([1.1, 0.2], [-1, 1], shape=states), 0, states) +
             along(sparse.diags([0.3, 0.7], [-1, 1], shape=states), 1, states))
    return sparse.diags(row_sums(rates.T) + 1e-12) - rates


def u_random3():
    """Three random entries, from 1e-4 to 1e4 in size, in each of 5000 rows, and a random permutation."""
    random = default_rng(26)
    rows, each = 5000, 3
    values = random.standard_normal(rows * each) * magnitudes(random, -4, 4, rows * each)
    places = numpy.repeat(numpy.arange(rows), each), random.integers(0, rows, rows * each)
    matrix = sparse.csr_matrix((values, places), shape=(rows, rows))
    values = random.standard_normal(rows)
    return matrix + sparse.csr_matrix((values, (numpy.arange(rows), random.permutation(rows))), shape=(rows, rows))


def u_pagerank():
    """PageRank with a damping of 0.85 for 12,000 pages, which link to earlier and mostly popular ones, a few to any."""
    random = default_rng(27)
    pages = 12000
    linked = [0]  # a page as often as it is linked to
    links = []
    for page in range(1, pages):
        for _ in range(3):
            other = linked[random.integers(len(linked))] if random.random() < 0.8 else random.integers(page)
            links.append((page, other))
            linked.append(other)
    any_pages = random.integers(0, pages, (2, pages // 2))
    links = ones(*numpy.concatenate([numpy.transpose(links), any_pages], axis=1), (pages, pages))
    return sparse.eye(pages) - 0.85 * (sparse.diags(1 / numpy.maximum(1, row_sums(links))) @ links).T


def u_chem():
    """Reacting flow through 300 cells in a row, with reactions of 53 species at rates from 1e-6 to 1e6."""
    random = default_rng(28)
    cells, species = 300, 53
    reactions = []
    for _ in range(cells):
        rates = random.standard_normal((species, species)) * (random.random((species, species)) < 0.3)
        rates = rates * magnitudes(random, -6, 6, (species, 1))
        reactions.append(rates + numpy.diag(magnitudes(random, -6, 6, species)))
    matrix = sparse.block_diag(reactions)
    return matrix + sparse.diags([-1.0, -0.5], [-species, species], shape=matrix.shape)


def u_reservoir():
    """Two-phase flow in an oil reservoir of 22 x 22 x 22 cells, with 40 wells through 20 random cells each."""
    random = default_rng(29)
    neighbours = laplacian(22, 22, 22).tocoo()
    cells = neighbours.shape[0]
    wells, depth = 40, 20
    permeability = magnitudes(random, -3, 3, cells)
    harmonic = 2 / (1 / permeability[neighbours.row] + 1 / permeability[neighbours.col])
    flow = with_values(neighbours.tocsr(), numpy.where(off_diagonal(neighbours), -harmonic, 0))
    flow = flow - sparse.diags(row_sums(flow))
    upwind = with_values(flow, flow.data * random.uniform(0, 1, flow.nnz))
    perforations = ones(numpy.repeat(numpy.arange(wells), depth), random.permutation(cells)[:wells * depth],
                        (wells, 2 * cells))
    identity = sparse.eye(cells)
    phases = sparse.bmat([[flow + 0.01 * identity, upwind], [upwind.T * 0.3, identity * 0.1 + flow * 0.2]])
    return sparse.bmat([[phases, -perforations.T], [perforations, -20 * sparse.eye(wells)]])


def u_band():
    """A full band of random numbers: 12,000 rows, 30 diagonals below and 59 above the main one."""
    random = default_rng(30)
    rows, diagonals = 12000, range(-30, 60)
    return sparse.diags([random.standard_normal(rows - abs(diagonal)) for diagonal in diagonals], diagonals)


def u_zero_diag_grid():
    """Random numbers between neighbours of a grid of 150 x 150 points, and a diagonal of zeros."""
    grid = laplacian(150, 150)
    values = numpy.zeros(grid.nnz)
    places = off_diagonal(grid)
    values[places] = default_rng(31).standard_normal(places.sum())
    return with_values(grid, values)


def u_dg():
    """Blocks as of a discontinuous Galerkin method: 3000 elements of 10 unknowns, coupled to the next and the 57th."""
    random = default_rng(32)
    elements, unknowns = 3000, 10
    own = random.standard_normal((elements, unknowns, unknowns)) + 4 * numpy.eye(unknowns)
    element = numpy.arange(elements)
    neighbours = numpy.sort(numpy.stack([(element + 1) % elements, (element + 57) % elements], axis=1), axis=1)
    coupling = random.standard_normal((2 * elements, unknowns, unknowns)) * 0.2
    starts = numpy.arange(0, 2 * elements + 1, 2)
    return sparse.block_diag(own) + sparse.bsr_matrix((coupling, neighbours.ravel(), starts))


def u_hub():
    """A ring of 30,000 vertices, linked to the next and the 200th, with 15 hubs, linked to 6000 and from them."""
    random = default_rng(33)
    vertices, hubs, links = 30000, 15, 6000
    vertex = numpy.arange(vertices)
    shape = vertices, vertices
    diagonal = sparse.diags(random.standard_normal(vertices))
    ends = numpy.r_[(vertex + 1) % vertices, (vertex + 200) % vertices]
    ring = sparse.csr_matrix((random.standard_normal(2 * vertices), (numpy.r_[vertex, vertex], ends)), shape=shape)
    hub = random.permutation(vertices)[:hubs]
    values = random.standard_normal(hubs * links)
    others = numpy.concatenate([random.permutation(vertices)[:links] for _ in hub])
    star = sparse.csr_matrix((values, (numpy.repeat(hub, links), others)), shape=shape)
    return diagonal + ring + star + star.T * 0.5


def u_maxwell_pml():
    """A wave equation on 26 x 26 x 26 points: the Laplacian, of whose entries 30 % are stretched, less 2.5."""
    random = default_rng(34)
    grid = laplacian(26, 26, 26)
    stretch = 1 + 3 * random.random(grid.nnz) * (random.random(grid.nnz) < 0.3)
    return with_values(grid, grid.data * stretch) - 2.5 * sparse.eye(grid.shape[0])
