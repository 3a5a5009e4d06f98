static char help[] =
    "Waves in a medium that drifts: the Helmholtz equation -div grad u - k^2 c(x, t)^2 u = f on a grid of N^2 points "
    "of\n"
    "the unit square, for times t = 0, 1, .. The systems are symmetric indefinite, their pattern is the same and "
    "their\n"
    "values change a little from one to the next. One KSP solves them all, so that its later setups can use what the\n"
    "earlier ones have found. A line a step, then totals.\n\n"
    "  -n N                 points along an edge; default 64\n"
    "  -k K                 wave number; default 20\n"
    "  -drift V             how far the phase of the medium moves in a step; default 0.02\n"
    "  -steps STEPS         default 10\n"
    "  -mat_type TYPE       aij (default), aijcusparse\n"
    "  -accept TOL          largest true relative residual that counts as solved; default 1e-6\n"
    "Exit status: 0 all solved, 1 an error, 2 one of them is not.\n";

#include <cmath>
#include <petscksp.h>
#include <petsctime.h>

namespace {

struct Waves {
  PetscInt n = 64, steps = 10;
  PetscReal k = 20, drift = 0.02, accept = 1e-6;

  PetscInt Points() const { return n * n; }

  /// Diagonal entry of grid point p at time t, of the equation times the area of a cell.
  PetscReal Diagonal(PetscInt p, PetscInt t) const
  {
    const PetscReal h = 1.0 / (n + 1), x = (p / n + 1) * h, y = (p % n + 1) * h, phase = drift * t;
    const PetscReal c = 1 + 0.3 * std::sin(6 * (2 * x + y) + phase) * std::cos(6 * (x - 2 * y) - phase);
    return 4 - k * k * h * h * c * c;
  }
};

/// What the steps took.
struct Totals {
  PetscInt iterations = 0, solved = 0;
  double setup = 0, later_setups = 0, solve = 0;
};

PetscErrorCode GetOptions(Waves *w)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &w->n, nullptr));
  PetscCheck(w->n >= 1 && w->n <= 20000, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-n %" PetscInt_FMT ": between 1 and 20000 points along an edge", w->n);
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps", &w->steps, nullptr));
  PetscCheck(w->steps >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-steps %" PetscInt_FMT ": at least 1",
             w->steps);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-k", &w->k, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-drift", &w->drift, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-accept", &w->accept, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The matrix with its pattern and the neighbours of every point, without values on the diagonal.
PetscErrorCode CreateMatrix(const Waves &w, Mat *a)
{
  const PetscInt n = w.n;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, a));
  PetscCall(MatSetSizes(*a, w.Points(), w.Points(), w.Points(), w.Points()));
  PetscCall(MatSetType(*a, MATAIJ));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSeqAIJSetPreallocation(*a, 5, nullptr));
  for (PetscInt p = 0; p < w.Points(); ++p) {
    PetscCall(MatSetValue(*a, p, p, 0.0, INSERT_VALUES));
    if (p / n > 0)
      PetscCall(MatSetValue(*a, p, p - n, -1.0, INSERT_VALUES));
    if (p / n < n - 1)
      PetscCall(MatSetValue(*a, p, p + n, -1.0, INSERT_VALUES));
    if (p % n > 0)
      PetscCall(MatSetValue(*a, p, p - 1, -1.0, INSERT_VALUES));
    if (p % n < n - 1)
      PetscCall(MatSetValue(*a, p, p + 1, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*a, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*a, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetTime(const Waves &w, PetscInt t, Mat a)
{
  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < w.Points(); ++p)
    PetscCall(MatSetValue(a, p, p, w.Diagonal(p, t), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// ||b - A x|| / ||b||; r is work.
PetscErrorCode Residual(Mat a, Vec b, Vec x, Vec r, PetscReal *residual)
{
  PetscReal size;

  PetscFunctionBeginUser;
  PetscCall(MatMult(a, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, residual));
  PetscCall(VecNorm(b, NORM_2, &size));
  *residual /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Step(const Waves &w, PetscInt t, KSP ksp, Mat a, Vec b, Vec x, Vec r, Totals *totals)
{
  PetscLogDouble begin, middle, end;
  PetscInt iterations;
  PetscReal residual;

  PetscFunctionBeginUser;
  PetscCall(SetTime(w, t, a));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&middle));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(Residual(a, b, x, r, &residual));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "step %3" PetscInt_FMT "  setup %.4f s  solve %.4f s  iterations %" PetscInt_FMT
                        "  relative residual %.2e\n",
                        t, middle - begin, end - middle, iterations, (double)residual));
  totals->iterations += iterations;
  totals->solved += residual <= w.accept; // false for NaN
  totals->setup += middle - begin;
  totals->later_setups += t > 0 ? middle - begin : 0;
  totals->solve += end - middle;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(PetscBool *solved)
{
  Waves w;
  Totals totals;
  Mat a;
  Vec b, x, r;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(GetOptions(&w));
  PetscCall(CreateMatrix(w, &a));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSetValue(b, w.Points() / 3, 1.0, INSERT_VALUES)); // a source at a point
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(ksp));
  for (PetscInt t = 0; t < w.steps; ++t)
    PetscCall(Step(w, t, ksp, a, b, x, r, &totals));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%" PetscInt_FMT " of %" PetscInt_FMT " solved: setup %.4f s, without the first %.4f s, solve "
                        "%.4f s, iterations %" PetscInt_FMT "\n",
                        totals.solved, w.steps, totals.setup, totals.later_setups, totals.solve, totals.iterations));
  *solved = totals.solved == w.steps ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
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
