static char help[] =
    "Convection, diffusion and reaction in the unit square or cube, by SNES:\n"
    "    -eps div grad u + b . grad u + k r(u) = f,   r(u) = |u|^(p-1) u  or  exp(u),   eps = 1 / Peclet number,\n"
    "b a flow around the middle, which also rises in a cube. Finite differences on a grid of n^d points, u is given "
    "at\n"
    "the walls, f is made from a known solution. Any -snes_, -ksp_ and -pc_ options; the default is an LU "
    "factorization.\n\n"
    "  -n N                 points along an edge; default 32\n"
    "  -dim D               2 (default) or 3\n"
    "  -peclet P            default 10\n"
    "  -central             differences of second order for b . grad u, instead of upwind ones of first order\n"
    "  -reaction R          power (default) or exp\n"
    "  -k K                 weight of the reaction, not negative; default 1\n"
    "  -p P                 exponent of the power, at least 1; default 3\n"
    "  -mat_type TYPE       aij (default), aijcusparse\n"
    "  -write FILE          write the solution; .mtx: Matrix Market text, otherwise PETSc binary\n"
    "  -write_matrix FILE   write the last matrix, likewise\n"
    "  -row                 print one line of key=value words only\n"
    "Exit status: 0 solved, 1 an error, 2 not solved.\n";

#include "common/main.hpp"
#include "common/method_name.hpp"
#include "common/vector_file.hpp"
#include <array>
#include <cmath>
#include <cstring>
#include <petscdmda.h>
#include <petscsnes.h>
#include <petsctime.h>

using namespace examples;

namespace {

using Point = std::array<PetscReal, 3>;

constexpr Point wave_number = {2, 3, 4}; // of the known solution 1 + sin(wave_number . x) / 2

struct Convection {
  PetscInt n = 32, dim = 2;
  PetscReal peclet = 10, k = 1, p = 3;
  bool central = false, exponential = false;

  PetscReal h() const { return 1.0 / (n + 1); }

  /// The known solution; its gradient is cos(phase) / 2 times the wave number.
  PetscReal Phase(const Point &x) const
  {
    PetscReal phase = 0;
    for (PetscInt d = 0; d < dim; ++d)
      phase += wave_number[d] * x[d];
    return phase;
  }
  PetscReal Exact(const Point &x) const { return 1 + std::sin(Phase(x)) / 2; }

  Point Flow(const Point &x) const { return {x[1] - 0.5, 0.5 - x[0], 0.5}; }

  PetscReal Reaction(PetscReal u) const { return exponential ? std::exp(u) : std::pow(std::abs(u), p - 1) * u; }
  PetscReal ReactionSlope(PetscReal u) const { return exponential ? std::exp(u) : p * std::pow(std::abs(u), p - 1); }

  PetscReal RightSide(const Point &x) const
  {
    const Point b = Flow(x);
    PetscReal f = k * Reaction(Exact(x));
    for (PetscInt d = 0; d < dim; ++d)
      f += wave_number[d] * wave_number[d] * std::sin(Phase(x)) / (2 * peclet) +
           b[d] * wave_number[d] * std::cos(Phase(x)) / 2;
    return f;
  }
};

/// Weights of a point, times h^2, in the linear part of its equation.
struct Stencil {
  PetscReal middle = 0;
  PetscReal side[3][2] = {}; // by direction: before, behind

  Stencil(const Convection &c, const Point &x)
  {
    const Point b = c.Flow(x);
    for (PetscInt d = 0; d < c.dim; ++d) {
      const PetscReal eps = 1 / c.peclet, flow = c.h() * b[d];
      const PetscReal upwind = c.central ? 0 : std::abs(flow) / 2; // diffusion that upwind differences add
      side[d][0] = -eps - upwind - flow / 2;
      side[d][1] = -eps - upwind + flow / 2;
      middle += 2 * (eps + upwind);
    }
  }
};

/// This process' part of the grid, the same for squares and cubes: places in arrays with a layer of neighbours.
struct Part {
  DMDALocalInfo info;
  PetscInt stride[3];

  explicit Part(const DMDALocalInfo &local) : info(local), stride{1, local.gxm, local.gxm * local.gym} {}

  PetscInt Place(PetscInt i, PetscInt j, PetscInt k) const
  {
    return (i - info.gxs) + stride[1] * (j - info.gys) + stride[2] * (k - info.gzs);
  }

  /// Calls visit(position, place) for every point that the process owns.
  template <class Visit>
  PetscErrorCode ForEach(Visit visit) const
  {
    PetscFunctionBeginUser;
    for (PetscInt k = info.zs; k < info.zs + info.zm; ++k)
      for (PetscInt j = info.ys; j < info.ys + info.ym; ++j)
        for (PetscInt i = info.xs; i < info.xs + info.xm; ++i)
          PetscCall(visit(std::array<PetscInt, 3>{i, j, k}, Place(i, j, k)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

Point Coordinates(const Convection &c, const std::array<PetscInt, 3> &position)
{
  Point x = {};
  for (PetscInt d = 0; d < c.dim; ++d)
    x[d] = (position[d] + 1) * c.h();
  return x;
}

/// Value of the equation of a point; u: around its place.
PetscReal Residual(const Convection &c, const Part &part, const std::array<PetscInt, 3> &position, const PetscReal *u)
{
  const Point x = Coordinates(c, position);
  const Stencil s(c, x);
  PetscReal sum = s.middle * *u + c.h() * c.h() * (c.k * c.Reaction(*u) - c.RightSide(x));
  for (PetscInt d = 0; d < c.dim; ++d) {
    for (const PetscInt side : {0, 1}) {
      const PetscInt step = 2 * side - 1, to = position[d] + step;
      Point neighbour = x;
      neighbour[d] += step * c.h();
      sum += s.side[d][side] * (to >= 0 && to < c.n ? u[step * part.stride[d]] : c.Exact(neighbour));
    }
  }
  return sum;
}

PetscErrorCode FormResidual(SNES snes, Vec u, Vec f, void *convection)
{
  const auto &c = *static_cast<const Convection *>(convection);
  DM grid;
  DMDALocalInfo info;
  Vec local;
  const PetscScalar *from;
  PetscScalar *to;

  PetscFunctionBeginUser;
  PetscCall(SNESGetDM(snes, &grid));
  PetscCall(DMDAGetLocalInfo(grid, &info));
  PetscCall(DMGetLocalVector(grid, &local));
  PetscCall(DMGlobalToLocal(grid, u, INSERT_VALUES, local));
  PetscCall(VecGetArrayRead(local, &from));
  PetscCall(VecGetArrayWrite(f, &to));
  const Part part(info);
  PetscInt row = 0;
  PetscCall(part.ForEach([&](const std::array<PetscInt, 3> &position, PetscInt place) {
    to[row++] = Residual(c, part, position, from + place);
    return PETSC_SUCCESS;
  }));
  PetscCall(VecRestoreArrayWrite(f, &to));
  PetscCall(VecRestoreArrayRead(local, &from));
  PetscCall(DMRestoreLocalVector(grid, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Puts the row of a point into the matrix.
PetscErrorCode SetRow(const Convection &c, const Part &part, const std::array<PetscInt, 3> &position, PetscInt place,
                      PetscReal u, Mat matrix)
{
  const Stencil s(c, Coordinates(c, position));
  PetscInt column[7] = {place}, count = 1;
  PetscScalar value[7] = {s.middle + c.h() * c.h() * c.k * c.ReactionSlope(u)};

  PetscFunctionBeginUser;
  for (PetscInt d = 0; d < c.dim; ++d) {
    for (const PetscInt side : {0, 1}) {
      const PetscInt step = 2 * side - 1, to = position[d] + step;
      if (to < 0 || to >= c.n)
        continue;
      column[count] = place + step * part.stride[d];
      value[count++] = s.side[d][side];
    }
  }
  PetscCall(MatSetValuesLocal(matrix, 1, &place, count, column, value, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FormMatrix(SNES snes, Vec u, Mat, Mat matrix, void *convection)
{
  const auto &c = *static_cast<const Convection *>(convection);
  DM grid;
  DMDALocalInfo info;
  const PetscScalar *values;
  PetscInt row = 0;

  PetscFunctionBeginUser;
  PetscCall(SNESGetDM(snes, &grid));
  PetscCall(DMDAGetLocalInfo(grid, &info));
  PetscCall(VecGetArrayRead(u, &values));
  const Part part(info);
  PetscCall(part.ForEach([&](const std::array<PetscInt, 3> &position, PetscInt place) {
    return SetRow(c, part, position, place, values[row++], matrix);
  }));
  PetscCall(VecRestoreArrayRead(u, &values));
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Largest difference to the known solution.
PetscErrorCode GetError(const Convection &c, DM grid, Vec u, PetscReal *error)
{
  DMDALocalInfo info;
  Vec difference;
  PetscScalar *values;
  PetscInt row = 0;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(grid, &info));
  PetscCall(VecDuplicate(u, &difference));
  PetscCall(VecGetArrayWrite(difference, &values));
  PetscCall(Part(info).ForEach([&](const std::array<PetscInt, 3> &position, PetscInt) {
    values[row++] = -c.Exact(Coordinates(c, position));
    return PETSC_SUCCESS;
  }));
  PetscCall(VecRestoreArrayWrite(difference, &values));
  PetscCall(VecAXPY(difference, 1, u));
  PetscCall(VecNorm(difference, NORM_INFINITY, error));
  PetscCall(VecDestroy(&difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetFlowOptions(Convection *c)
{
  PetscBool central = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-dim", &c->dim, nullptr));
  PetscCheck(c->dim == 2 || c->dim == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-dim %" PetscInt_FMT ": 2 or 3",
             c->dim);
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &c->n, nullptr));
  const PetscInt most = c->dim == 2 ? 20000 : 700;
  PetscCheck(c->n >= 2 && c->n <= most, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-n %" PetscInt_FMT ": between 2 and %" PetscInt_FMT " points along an edge", c->n, most);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-peclet", &c->peclet, nullptr));
  PetscCheck(c->peclet > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-peclet %g: a Peclet number is positive",
             (double)c->peclet);
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-central", &central, nullptr));
  c->central = central;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetReactionOptions(Convection *c)
{
  char reaction[32] = "power";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-reaction", reaction, sizeof reaction, nullptr));
  c->exponential = std::strcmp(reaction, "exp") == 0;
  PetscCheck(c->exponential || std::strcmp(reaction, "power") == 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-reaction %s: power or exp", reaction);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-k", &c->k, nullptr));
  PetscCheck(c->k >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-k %g: the weight is not negative", (double)c->k);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-p", &c->p, nullptr));
  PetscCheck(c->p >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-p %g: the exponent is at least 1", (double)c->p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateGrid(const Convection &c, DM *grid)
{
  PetscFunctionBeginUser;
  PetscCall(DMDACreate(PETSC_COMM_WORLD, grid));
  PetscCall(DMSetDimension(*grid, c.dim));
  PetscCall(DMDASetSizes(*grid, c.n, c.n, c.dim == 3 ? c.n : 1));
  PetscCall(DMDASetDof(*grid, 1));
  PetscCall(DMDASetStencilType(*grid, DMDA_STENCIL_STAR));
  PetscCall(DMDASetStencilWidth(*grid, 1));
  PetscCall(DMSetFromOptions(*grid));
  PetscCall(DMSetUp(*grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The SNES with its matrix, which it holds.
PetscErrorCode CreateSolver(DM grid, Convection *c, SNES *snes)
{
  KSP ksp;
  PC pc;
  Mat matrix;
  VecType vectors;
  char type[256] = MATAIJ;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_type", type, sizeof type, nullptr));
  PetscCall(DMSetMatType(grid, type));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, snes));
  PetscCall(SNESSetDM(*snes, grid));
  PetscCall(DMCreateMatrix(grid, &matrix));
  PetscCall(MatGetVecType(matrix, &vectors)); // its products take no others: in device memory if it is there
  PetscCall(DMSetVecType(grid, vectors));
  PetscCall(SNESSetFunction(*snes, nullptr, FormResidual, c));
  PetscCall(SNESSetJacobian(*snes, matrix, matrix, FormMatrix, c));
  PetscCall(MatDestroy(&matrix));
  PetscCall(SNESGetKSP(*snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(SNESSetFromOptions(*snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Report(const Convection &c, SNES snes, PetscReal error, double seconds)
{
  KSP ksp;
  std::string method;
  SNESConvergedReason reason;
  PetscInt newton, linear, rows;
  Mat matrix;
  PetscBool row = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-row", &row, nullptr));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(MethodName(ksp, &method));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCall(SNESGetIterationNumber(snes, &newton));
  PetscCall(SNESGetLinearSolveIterations(snes, &linear));
  PetscCall(SNESGetJacobian(snes, &matrix, nullptr, nullptr, nullptr));
  PetscCall(MatGetSize(matrix, &rows, nullptr));
  const char *format = row ? "name=convection%dd_%d rows=%d method=%s reason=%s newton=%d iterations=%d error=%.6e "
                             "seconds=%.4g\n"
                           : "convection%dd_%d: %d unknowns, %s: %s after %d iterations of Newton's method, %d of the "
                             "linear solver; largest error %.3e; %.3f s\n";
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, format, (int)c.dim, (int)c.n, (int)rows, method.c_str(),
                        SNESConvergedReasons[reason], (int)newton, (int)linear, (double)error, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Write(SNES snes, Vec u)
{
  char file[PETSC_MAX_PATH_LEN];
  PetscBool asked;
  Mat matrix;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-write", file, sizeof file, &asked));
  if (asked)
    PetscCall(WriteVector(file, u));
  PetscCall(SNESGetJacobian(snes, &matrix, nullptr, nullptr, nullptr));
  PetscCall(WriteMatrixIfAsked(matrix, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(int *status)
{
  Convection c;
  DM grid;
  SNES snes;
  Vec u;
  SNESConvergedReason reason;
  PetscReal error;
  PetscLogDouble begin, end;

  PetscFunctionBeginUser;
  PetscCall(GetFlowOptions(&c));
  PetscCall(GetReactionOptions(&c));
  PetscCall(CreateGrid(c, &grid));
  PetscCall(CreateSolver(grid, &c, &snes));
  PetscCall(DMCreateGlobalVector(grid, &u));
  PetscCall(PetscTime(&begin));
  PetscCall(SNESSolve(snes, nullptr, u));
  PetscCall(PetscTime(&end));
  PetscCall(GetError(c, grid, u, &error));
  PetscCall(Report(c, snes, error, end - begin));
  PetscCall(Write(snes, u));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  *status = reason > 0 ? 0 : 2;
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return GuardedMain(argc, argv, help, Run);
}
