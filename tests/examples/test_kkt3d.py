"""kkt3d against its definition by tensor products of matrices in one dimension, entry by entry."""

from itertools import product

from support import DIRECT, ExampleTest, main, read_matrix


def numbers(n, numbering):
    """Numbers of the states, of the controls of each face, and of the adjoints, {node: number} each."""
    nodes = list(product(range(n), repeat=3))
    faces = [[node for node in nodes if node[axis] == wall] for axis in range(3) for wall in (0, n - 1)]
    fields = [nodes, *faces, nodes]
    unknowns = [(f, node) for f, field in enumerate(fields) for node in field]
    if numbering == "node":
        unknowns.sort(key=lambda unknown: (unknown[1], unknown[0]))
    number = [{} for _ in fields]
    for k, (f, node) in enumerate(unknowns):
        number[f][node] = k
    return number[0], number[1:-1], number[-1]


def reference(n, alpha, numbering="node"):
    """Rows, and entries {(row, column): value} that are not rounding errors of a zero."""
    h = 1.0 / (n + 1)
    stiff = {(i, j): (2 if i == j else -1) / h for i in range(n) for j in range(n) if abs(i - j) <= 1}
    mass = {(i, j): (4 if i == j else 1) * h / 6 for i in range(n) for j in range(n) if abs(i - j) <= 1}
    nodes = list(product(range(n), repeat=3))
    state, controls, adjoint = numbers(n, numbering)
    entries = {}
    for (p, q) in product(nodes, nodes):
        if any((a, b) not in mass for a, b in zip(p, q)):
            continue
        factors = [[(stiff if d == e else mass)[p[e], q[e]] for e in range(3)] for d in range(3)]
        value = sum(x * y * z for x, y, z in factors)
        if abs(value) > 1e-12 * h:
            entries[adjoint[p], state[q]] = value
            entries[state[q], adjoint[p]] = value
    for node in nodes:
        entries[state[node], state[node]] = h**3
    for face in controls:
        for node, k in face.items():
            entries[k, k] = alpha * h * h
            entries[adjoint[node], k] = -h * h
            entries[k, adjoint[node]] = -h * h
    return 2 * len(nodes) + 6 * n * n, entries


class Kkt3d(ExampleTest):
    def test_entries(self):
        cases = [(n, alpha, "node") for n, alpha in ((1, 1e-2), (2, 0.5), (3, 1e-2), (4, 1e-4), (5, 1e-2))]
        for n, alpha, numbering in cases + [(1, 1e-2, "field"), (4, 1e-4, "field")]:
            out = self.path(f"{n}.mtx")
            result = self.solved("kkt3d", "-n", n, "-alpha", alpha, "-numbering", numbering, *DIRECT, "-write_matrix",
                                 out)
            rows, _, found = read_matrix(out)
            expected_rows, expected = reference(n, alpha, numbering)
            self.assertEqual((rows, len(found), result["entries"]), (expected_rows, len(expected), len(expected)))
            self.assertEqual(found.keys(), expected.keys())
            for key, value in expected.items():
                self.assertAlmostEqual(found[key] / value, 1, places=12)

    def test_zero_diagonal(self):
        out = self.path("k.mtx")
        result = self.solved("kkt3d", "-n", 3, *DIRECT, "-zero_diagonal", "-write_matrix", out)
        _, expected = reference(3, 1e-2)
        self.assertEqual(result["entries"], len(expected) + 27)
        self.assertEqual({k: v for k, v in read_matrix(out)[2].items() if v == 0},
                         {(k, k): 0.0 for k in numbers(3, "node")[2].values()})

    def test_size_at_80(self):
        done = self.run_program("kkt3d", "-n", 80, "-ksp_type", "minres", "-pc_type", "none", "-ksp_max_it", 1, "-row")
        row = dict(word.split("=", 1) for word in done.stdout.split())
        self.assertEqual((row["rows"], row["entries"]), ("1062400", "21522544"))

    def test_bad_options(self):
        self.refused("kkt3d", "-n", 0, says="-n 0: between 1 and 550")
        self.refused("kkt3d", "-n", "2x", says="2x")
        self.refused("kkt3d", "-numbering", "face", says="face")
        self.refused("kkt3d", "-alpha", -0.5, says="-alpha -0.5: a weight is positive")


if __name__ == "__main__":
    main()
