"""Made-up programs and systems in files, the same on every machine. Shared by the programs that compare methods."""

import random


def write_transport(path, sources=40, sinks=150, seed=7):
    """A transportation problem with 2 supplies and a demand of some links: an LP in MPS form."""
    rng = random.Random(seed)
    links = [(s, t) for s in range(sources) for t in range(sinks) if rng.random() < 0.4]
    with open(path, "w") as f:
        f.write("NAME TRANSPORT\nROWS\n N COST\n")
        f.writelines(f" L S{s}\n L W{s}\n" for s in range(sources))
        f.writelines(f" E T{t}\n" for t in range(sinks))
        f.write("COLUMNS\n")
        for s, t in links:
            f.write(f" X{s}_{t} COST {rng.uniform(1, 9):.3f} S{s} 1\n X{s}_{t} T{t} 1 W{s} {10 ** rng.uniform(-2, 2):.4g}\n")
        f.write("RHS\n")
        f.writelines(f" RHS S{s} 100 W{s} 1000\n" for s in range(sources))
        f.writelines(f" RHS T{t} 10\n" for t in range(sinks))
        f.write("ENDATA\n")


def write_quadratic(path, variables=12000, constraints=5000, seed=11):
    """[H A^T; A 0] with a badly scaled tridiagonal H and random sparse rows in A, as Matrix Market text."""
    rng = random.Random(seed)
    entries = []
    for j in range(1, variables + 1):
        scale = 10 ** rng.uniform(-4, 2)
        entries.append((j, j, 2.5 * scale))
        if j > 1:
            entries.append((j, j - 1, -min(scale, last)))
        last = scale
    for i in range(constraints):
        own = 1 + i * variables // constraints
        columns = {own} | {rng.randint(1, variables) for _ in range(3)}
        entries += [(variables + 1 + i, j, rng.choice((-1, 1)) * 10 ** rng.uniform(-1, 1)) for j in sorted(columns)]
    size = variables + constraints
    with open(path, "w") as f:
        f.write(f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(entries)}\n")
        f.writelines(f"{i} {j} {v!r}\n" for i, j, v in entries)


def write_laplacian(path, n=20):
    """The seven-point Laplacian on n x n x n points, as Matrix Market text."""
    entries = []
    for v in range(n**3):
        entries.append((v, v, 6.0))
        for step, place in ((1, v % n), (n, v // n % n), (n * n, v // (n * n))):
            if place > 0:
                entries.append((v, v - step, -1.0))
    with open(path, "w") as f:
        f.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n**3} {n**3} {len(entries)}\n")
        f.writelines(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in entries)
