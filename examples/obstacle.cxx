static char help[] =
    "A membrane over an obstacle, by an interior-point method: minimize u^T A u / 2 - f^T u, u >= psi, on a grid of\n"
    "N^2 points of the unit square. Every step solves a system with the same pattern and other values,\n"
    "    [ A      -I    ] [ du ]\n"
    "    [ -I  -S Z^-1  ] [ dz ],  S = diag(u - psi), Z = diag of the multipliers z,\n"
    "by one KSP, whose later setups can use what the earlier ones have found. A line a step, then totals.\n\n"
    "  -n N                 points along an edge; default 64\n"
    "  -reduce SIGMA        factor of the barrier parameter from step to step; default 0.5\n"
    "  -tolerance TOL       largest violation of the conditions of optimality; default 1e-6\n"
    "  -most STEPS          at most so many steps; default 200\n"
    "  -mat_type TYPE       aij (default), aijcusparse\n"
    "Exit status: 0 solved, 1 an error, 2 the conditions do not hold within the tolerance.\n";

#include <algorithm>
#include <cmath>
#include <petscksp.h>
#include <petsctime.h>
#include <vector>

namespace {

/// The problem and its iterate. Unknown 2 p of a system is du of grid point p = i N + j, unknown 2 p + 1 is dz.
struct Obstacle {
  PetscInt n = 64;
  PetscReal reduce = 0.5, tolerance = 1e-6;
  PetscInt most = 200;
  std::vector<PetscReal> u, z, psi;
  PetscReal mu = 1;

  PetscInt Points() const { return n * n; }
  PetscReal Load() const { return -10.0 / ((n + 1) * (n + 1)); } ///< f, a downward force, times the area of a cell
  PetscReal Slack(PetscInt p) const { return u[p] - psi[p]; }
};

/// What the steps took.
struct Totals {
  PetscInt steps = 0, iterations = 0;
  double setup = 0, solve = 0;
};

PetscErrorCode GetOptions(Obstacle *o)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &o->n, nullptr));
  PetscCheck(o->n >= 1 && o->n <= 20000, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-n %" PetscInt_FMT ": between 1 and 20000 points along an edge", o->n);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-reduce", &o->reduce, nullptr));
  PetscCheck(o->reduce > 0 && o->reduce < 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-reduce %g: between 0 and 1",
             (double)o->reduce);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-tolerance", &o->tolerance, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-most", &o->most, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A dome in the middle of the square, below the membrane's edge; the first iterate is above it everywhere.
void Start(Obstacle *o)
{
  const PetscInt n = o->n;
  o->u.assign(o->Points(), 0.5);
  o->z.assign(o->Points(), o->mu / 0.5);
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = 0; j < n; ++j) {
      const PetscReal x = (i + 1.0) / (n + 1) - 0.5, y = (j + 1.0) / (n + 1) - 0.5;
      o->psi.push_back(0.1 - 3 * (x * x + y * y));
    }
  for (PetscInt p = 0; p < o->Points(); ++p)
    o->z[p] = o->mu / o->Slack(p);
}

/// Row p of A, the five-point stencil, times u, and its neighbours on the grid.
PetscReal Stencil(const Obstacle &o, PetscInt p, std::vector<PetscInt> *neighbours)
{
  const PetscInt n = o.n, i = p / n, j = p % n;
  neighbours->clear();
  if (i > 0)
    neighbours->push_back(p - n);
  if (j > 0)
    neighbours->push_back(p - 1);
  if (j < n - 1)
    neighbours->push_back(p + 1);
  if (i < n - 1)
    neighbours->push_back(p + n);
  PetscReal sum = 4 * o.u[p];
  for (PetscInt q : *neighbours)
    sum -= o.u[q];
  return sum;
}

PetscErrorCode CreateSystem(const Obstacle &o, Mat *a, Vec *b, Vec *x)
{
  const PetscInt rows = 2 * o.Points();
  std::vector<PetscInt> neighbours, columns;
  std::vector<PetscScalar> values;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, a));
  PetscCall(MatSetSizes(*a, rows, rows, rows, rows));
  PetscCall(MatSetType(*a, MATAIJ));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSeqAIJSetPreallocation(*a, 6, nullptr));
  for (PetscInt p = 0; p < o.Points(); ++p) {
    Stencil(o, p, &neighbours);
    columns.assign({2 * p, 2 * p + 1});
    values.assign({4.0, -1.0});
    for (PetscInt q : neighbours) {
      columns.push_back(2 * q);
      values.push_back(-1.0);
    }
    const PetscInt u_row = 2 * p, z_row = 2 * p + 1;
    const PetscScalar of_z[] = {-1.0, -1.0};
    PetscCall(MatSetValues(*a, 1, &u_row, (PetscInt)columns.size(), columns.data(), values.data(), INSERT_VALUES));
    PetscCall(MatSetValues(*a, 1, &z_row, 2, columns.data(), of_z, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*a, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*a, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatCreateVecs(*a, x, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets the values and the right-hand side of a step, and returns how far the conditions of optimality are from true.
PetscErrorCode SetStep(const Obstacle &o, Mat a, Vec b, PetscReal *violation)
{
  std::vector<PetscInt> neighbours;
  PetscScalar *right;

  PetscFunctionBeginUser;
  *violation = 0;
  PetscCall(VecGetArrayWrite(b, &right));
  for (PetscInt p = 0; p < o.Points(); ++p) {
    const PetscReal s = o.Slack(p), residual = Stencil(o, p, &neighbours) - o.Load() - o.z[p];
    PetscCall(MatSetValue(a, 2 * p + 1, 2 * p + 1, -s / o.z[p], INSERT_VALUES));
    right[2 * p] = -residual;
    right[2 * p + 1] = s - o.mu / o.z[p];
    *violation = std::max({*violation, std::fabs(residual), s * o.z[p]});
  }
  PetscCall(VecRestoreArrayWrite(b, &right));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Goes along the step, 99% of the way to where a slack or a multiplier vanishes at most, and lowers the barrier.
PetscErrorCode Update(Obstacle *o, Vec x)
{
  const PetscScalar *d;
  PetscReal length = 1;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &d));
  for (PetscInt p = 0; p < o->Points(); ++p) {
    if (d[2 * p] < 0)
      length = std::min(length, -0.99 * o->Slack(p) / d[2 * p]);
    if (d[2 * p + 1] < 0)
      length = std::min(length, -0.99 * o->z[p] / d[2 * p + 1]);
  }
  for (PetscInt p = 0; p < o->Points(); ++p) {
    o->u[p] += length * d[2 * p];
    o->z[p] += length * d[2 * p + 1];
  }
  PetscCall(VecRestoreArrayRead(x, &d));
  o->mu *= length > 0.5 ? o->reduce : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Step(Obstacle *o, KSP ksp, Mat a, Vec b, Vec x, PetscReal violation, Totals *totals)
{
  PetscLogDouble begin, middle, end;
  PetscInt iterations;

  PetscFunctionBeginUser;
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&middle));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "step %3" PetscInt_FMT "  mu %8.2e  violation %8.2e  setup %.4f s  solve %.4f s  iterations "
                        "%" PetscInt_FMT "\n",
                        totals->steps, (double)o->mu, (double)violation, middle - begin, end - middle, iterations));
  ++totals->steps;
  totals->iterations += iterations;
  totals->setup += middle - begin;
  totals->solve += end - middle;
  PetscCall(Update(o, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(PetscBool *solved)
{
  Obstacle o;
  Totals totals;
  Mat a;
  Vec b, x;
  KSP ksp;
  PetscReal violation;

  PetscFunctionBeginUser;
  PetscCall(GetOptions(&o));
  Start(&o);
  PetscCall(CreateSystem(o, &a, &b, &x));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(SetStep(o, a, b, &violation));
  while (violation > o.tolerance && totals.steps < o.most) {
    PetscCall(Step(&o, ksp, a, b, x, violation, &totals));
    PetscCall(SetStep(o, a, b, &violation));
  }
  *solved = violation <= o.tolerance ? PETSC_TRUE : PETSC_FALSE;
  PetscInt touching = 0;
  for (PetscInt p = 0; p < o.Points(); ++p)
    touching += o.z[p] > o.Slack(p);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s: %" PetscInt_FMT " steps, violation %.2e, %" PetscInt_FMT " of %" PetscInt_FMT
                        " points touch the obstacle\nsetup %.4f s, solve %.4f s, iterations %" PetscInt_FMT "\n",
                        *solved ? "solved" : "NOT SOLVED", totals.steps, (double)violation, touching, o.Points(),
                        totals.setup, totals.solve, totals.iterations));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  PetscBool solved = PETSC_FALSE;

  if (PetscInitialize(&argc, &argv, nullptr, help))
    return 1;
  const PetscErrorCode error = Run(&solved);
  if (PetscFinalize() || error)
    return 1;
  return solved ? 0 : 2;
}
