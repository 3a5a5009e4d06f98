"""Families of symmetric indefinite matrices: the functions whose names begin with s_."""

import numpy
from numpy.random import default_rng
from scipy import sparse
from scipy.spatial import cKDTree

from made_up.parts import (along, difference, divergence, faces, kkt, laplacian, magnitudes, ones, power_grid,
                           random_places, random_rows, row_sums, with_values, without_last)


def stokes(cells, axes):
    """Stokes equations on a staggered grid, whose velocities come axis by axis, without the last pressure."""
    viscosity = sparse.block_diag([laplacian(*faces(cells, axis)) for axis in axes])
    return without_last(kkt(viscosity, divergence(cells, axes)))


def random_graph(random, vertices, row, column):
    """Links with random weights, and random numbers on about half of the diagonal."""
    half = sparse.csr_matrix((random.standard_normal(len(row)), (row, column)), shape=(vertices, vertices))
    diagonal = numpy.where(random.random(vertices) < 0.5, random.standard_normal(vertices), 0)
    return half + half.T + sparse.diags(diagonal)


def s_mac_stokes():
    """Stokes equations in two dimensions on a staggered grid of 90 x 90 cells, with one pressure fixed."""
    return stokes((90, 90), (1, 0))


def s_mac_stokes3():
    """Stokes equations in three dimensions on a staggered grid of 18 x 18 x 18 cells, with one pressure fixed."""
    return stokes((18, 18, 18), (0, 1, 2))


def s_mixed_poisson():
    """Darcy flow in mixed form on 150 x 150 cells, with random resistances of faces from 1e-6 to 1e6."""
    flux = divergence((150, 150), (1, 0))
    return without_last(kkt(sparse.diags(magnitudes(default_rng(1), -6, 6, flux.shape[1])), flux))


def s_pde_control():
    """Optimal control of Poisson's equation on 120 x 120 points, with a weight of 1e-8 for the control."""
    points = 120
    identity, poisson = sparse.eye(points**2), laplacian(points, points) * points * points * 1e-2
    return kkt(sparse.block_diag([identity, 1e-8 * identity]), sparse.hstack([poisson, -identity]))


def s_helmholtz3():
    """Helmholtz equation in three dimensions: the seven-point Laplacian of 32 x 32 x 32 points, less 1.7."""
    return laplacian(32, 32, 32) - 1.7 * sparse.eye(32**3)


def s_curlcurl():
    """Maxwell's equations, curl curl less 0.3, on the edges of 60 x 60 points, with multipliers for no divergence."""
    points = 60
    curl = sparse.hstack([-along(difference(points), 0, (points, points - 1)),
                          along(difference(points), 1, (points - 1, points))])
    return without_last(kkt(curl.T @ curl - 0.3 * sparse.eye(curl.shape[1]), divergence((points, points), (1, 0))))


def s_stochastic():
    """KKT matrix of a two-stage stochastic program: 200 scenarios, coupled by 50 variables of the first stage."""
    random = default_rng(2)
    scenarios, first_stage, second_stage, constraints = 200, 50, 100, 60
    own, coupling = [], []
    for _ in range(scenarios):
        own.append(random_places(random, (constraints, second_stage), 0.05) + sparse.eye(constraints, second_stage))
        coupling.append(random_places(random, (constraints, first_stage), 0.08))
    jacobian = sparse.hstack([sparse.block_diag(own), sparse.vstack(coupling)])
    return kkt(sparse.diags(magnitudes(random, -7, 7, jacobian.shape[1])), jacobian)


def s_multistage():
    """KKT matrix of linear-quadratic optimal control: 1500 steps with 4 inputs and 12 states, half without weights."""
    random = default_rng(3)
    steps, states, inputs = 1500, 12, 4
    width = states + inputs
    weights = []
    for _ in range(steps):
        weights += [(random.random(states) < 0.5) * random.random(states), magnitudes(random, -5, 0, inputs)]
    dynamics = 0.4 * random.standard_normal((steps - 1, states, width))
    from_before = sparse.bsr_matrix((dynamics, numpy.arange(steps - 1), numpy.r_[0, numpy.arange(steps)]),
                                    shape=(steps * states, steps * width))
    now = sparse.kron(sparse.eye(steps), sparse.eye(states, width))
    return kkt(sparse.diags(numpy.concatenate(weights)), from_before - now)


def s_leastsquares():
    """Augmented system [I A; A^T 0] of a sparse least-squares problem of 30,000 equations in 10,000 unknowns."""
    random = default_rng(4)
    equations, unknowns = 30000, 10000
    matrix = random_rows(random, random.standard_normal(4 * equations), (equations, unknowns), 60)
    return kkt(sparse.eye(equations), matrix.T)


def s_least_tall():
    """KKT matrix with more constraints, 6000, than variables, 2000: a singular one."""
    random = default_rng(4)
    constraints, variables = 6000, 2000
    jacobian = random_rows(random, random.standard_normal(3 * constraints), (constraints, variables), 30)
    return kkt(sparse.eye(variables), jacobian)


def s_bipartite():
    """[0 A; A^T 0] of a random sparse A with 15,000 rows and columns."""
    random = default_rng(5)
    rows = 15000
    matrix = random_rows(random, random.standard_normal(3 * rows), (rows, rows), 100)
    regular = sparse.diags(random.standard_normal(rows)).tocsr()[random.permutation(rows)]
    return kkt(None, (matrix + regular).T)


def s_smallworld():
    """A small-world graph with random weights: a ring of 12,000 vertices, linked to the next two, 1500 shortcuts."""
    random = default_rng(6)
    vertices = 12000
    ring, shortcuts = numpy.arange(vertices), vertices // 8
    row = numpy.r_[ring, ring, random.integers(0, vertices, shortcuts)]
    column = numpy.r_[(ring + 1) % vertices, (ring + 2) % vertices, random.integers(0, vertices, shortcuts)]
    return random_graph(random, vertices, row, column)


def s_arrow():
    """An arrow: a diagonal of 60,000 numbers of both signs, bordered by 40 rows of which one place in 20 is filled."""
    random = default_rng(7)
    width, border = 60000, 40
    rows = random_places(random, (border, width), 0.05)
    return kkt(sparse.diags(random.choice([-1, 1], width) * random.uniform(0.5, 2, width)), rows)


def s_markowitz():
    """KKT matrix of Markowitz's portfolio problem: 20,000 assets, a factor model of 60 risks, and a budget."""
    random = default_rng(8)
    assets, factors = 20000, 60
    loadings = random_places(random, (factors, assets), 0.3)
    hessian = sparse.block_diag([sparse.diags(magnitudes(random, -6, 3, assets)), sparse.eye(factors)])
    return kkt(hessian, sparse.bmat([[loadings, -sparse.eye(factors)], [numpy.ones((1, assets)), None]]))


def s_bundle():
    """Augmented system of a bundle adjustment: 120 cameras, and 9000 points with four views each by cameras nearby."""
    random = default_rng(9)
    cameras, points, views = 120, 9000, 4
    row, column, values = [], [], []
    for point in range(points):
        first = random.integers(0, cameras)
        for view in range(views):
            camera = (first + random.integers(0, 8)) % cameras
            place = 6 * cameras + 3 * point
            unknowns = [*range(6 * camera, 6 * camera + 6), *range(place, place + 3)]
            equation = 2 * (point * views + view)
            row += [equation] * len(unknowns) + [equation + 1] * len(unknowns)
            column += unknowns * 2
            values.append(random.standard_normal(2 * len(unknowns)))
    shape = 2 * points * views, 6 * cameras + 3 * points
    jacobian = sparse.csr_matrix((numpy.concatenate(values), (row, column)), shape=shape)
    return kkt(sparse.eye(shape[0]), jacobian.T, -1e-6 * sparse.eye(shape[1]))


def s_multiflow():
    """KKT matrix of a multicommodity flow: 60 commodities on 240 arcs of 60 nodes, a diagonal from 1e-10 to 1e10."""
    random = default_rng(10)
    nodes, arcs, commodities = 60, 240, 60
    begin = random.integers(0, nodes, arcs)
    end = (begin + 1 + random.integers(0, nodes - 1, arcs)) % nodes
    arc = numpy.arange(arcs)
    incidence = sparse.csr_matrix((numpy.repeat([1.0, -1.0], arcs), (numpy.r_[begin, end], numpy.r_[arc, arc])),
                                  shape=(nodes, arcs))
    constraints = sparse.bmat([[sparse.block_diag([incidence[:-1]] * commodities), None],
                               [sparse.hstack([sparse.eye(arcs)] * commodities), sparse.eye(arcs)]])
    return kkt(sparse.diags(magnitudes(random, -10, 10, constraints.shape[1])), constraints)


def s_opf():
    """KKT matrix of an optimal power flow in a grid of 8000 buses with 2000 controls."""
    random = default_rng(11)
    buses = 8000
    controls = buses // 4
    conductances = power_grid(random, buses)
    susceptances = with_values(conductances, random.standard_normal(conductances.nnz) * conductances.data)
    sums = sparse.diags(row_sums(conductances))
    jacobian = sparse.bmat([[conductances - sums, susceptances], [-susceptances, conductances - 0.9 * sums]])
    values = random.standard_normal(jacobian.nnz) * 0.1
    curvature = sparse.csr_matrix((values, jacobian.nonzero()), shape=jacobian.shape)
    hessian = (curvature + curvature.T) / 2 + sparse.diags(magnitudes(random, -4, 8, 2 * buses))
    inputs = ones(random.permutation(2 * buses)[:controls], numpy.arange(controls), (2 * buses, controls))
    return kkt(sparse.block_diag([hessian, sparse.diags(magnitudes(random, -6, 6, controls))]),
               sparse.hstack([jacobian, -inputs]))


def s_geometric():
    """Laplacian, less 0.5, of a random geometric graph with random weights, of 30,000 points in a square."""
    random = default_rng(12)
    points = 30000
    places = random.random((points, 2))
    pairs = cKDTree(places).query_pairs(1.6 / numpy.sqrt(points), output_type="ndarray")
    half = sparse.csr_matrix((-random.uniform(0.1, 2, len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(points, points))
    graph = half + half.T
    return graph + sparse.diags(-row_sums(graph) - 0.5)


def s_fem_shift():
    """A vibration problem: the Laplacian of 20 x 20 x 20 points with three coupled unknowns each, less 5.1."""
    coupling = numpy.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0]])
    return sparse.kron(laplacian(20, 20, 20), coupling) - 5.1 * sparse.eye(3 * 20**3)


def s_truss():
    """Forces and displacements of a plane truss of 40 x 40 joints, with flexibilities of its bars from 1e-9 to 1e3."""
    side = 40
    bars = []
    for joint in range(side**2):
        left, right, below = joint % side > 0, joint % side < side - 1, joint < side**2 - side
        ends = ((1, right), (side, below), (side + 1, right and below), (side - 1, left and below))
        bars += [(joint, joint + step) for step, exists in ends if exists]
    begin, end = numpy.transpose(bars)
    direction = numpy.stack([end % side - begin % side, end // side - begin // side])
    direction = direction / numpy.sqrt((direction**2).sum(axis=0))
    bar = numpy.arange(len(bars))
    row = numpy.r_[bar, bar, bar, bar]
    column = numpy.r_[2 * begin, 2 * begin + 1, 2 * end, 2 * end + 1]
    stretch = sparse.csr_matrix((numpy.r_[-direction[0], -direction[1], direction[0], direction[1]], (row, column)),
                                shape=(len(bars), 2 * side**2))
    free = stretch[:, 4:]  # the first two joints do not move
    return kkt(sparse.diags(magnitudes(default_rng(13), -9, 3, len(bars))), free.T)


def s_contact():
    """A membrane on 100 x 100 points with 3000 contacts, of which half are inactive: their diagonal is 1e-8 to 1e8."""
    random = default_rng(14)
    points, contacts = 100**2, 3000
    constraints = ones(numpy.arange(contacts), random.permutation(points)[:contacts], (contacts, points))
    active = random.random(contacts) < 0.5
    corner = sparse.diags(numpy.where(active, 0, -magnitudes(random, -8, 8, contacts)))
    return kkt(laplacian(100, 100), constraints, corner)


def s_powerlaw():
    """A power-law graph with random weights: 9000 vertices, each linked to two of those before it by their degrees."""
    random = default_rng(15)
    vertices = 9000
    ends = [0]  # a vertex as often as it has links
    links = []
    for vertex in range(1, vertices):
        for _ in range(2):
            other = ends[random.integers(len(ends))]
            if other != vertex:
                links.append((vertex, other))
                ends += [other, vertex]
    return random_graph(random, vertices, *numpy.transpose(links))


def s_blocks30():
    """A block diagonal of 800 dense blocks of 30 rows, random and indefinite."""
    blocks = default_rng(16).standard_normal((800, 30, 30))
    return sparse.block_diag(blocks + blocks.transpose(0, 2, 1))


def s_dualsvm():
    """Interior-point step of a support vector machine: 4000 samples of 300 features, a diagonal from 1e-8 to 1e8."""
    random = default_rng(17)
    samples, features = 4000, 300
    matrix = random_places(random, (samples, features), 0.05)
    return kkt(sparse.diags(magnitudes(random, -8, 8, samples)), matrix.T, -sparse.eye(features))


def s_biharm():
    """Biharmonic equation in mixed form: two Poisson equations on 110 x 110 points."""
    return kkt(-sparse.eye(110**2), laplacian(110, 110))


def s_rank_kkt():
    """KKT matrix with 3150 constraints on 8000 variables, of which 150 are sums of two others: a singular one."""
    random = default_rng(18)
    variables, constraints, dependent = 8000, 3000, 150
    rows = random_rows(random, random.choice([-1.0, 1.0], 4 * constraints), (constraints, variables), 80)
    first, second = random.integers(0, constraints, dependent), random.integers(0, constraints, dependent)
    jacobian = sparse.vstack([rows, rows[first] + rows[second]])
    return kkt(sparse.diags(magnitudes(random, -5, 5, variables)), jacobian)
