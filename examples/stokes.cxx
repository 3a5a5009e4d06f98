static char help[] =
    "Stokes flow in a square or cube with no-slip walls, by finite volumes on a staggered (MAC) grid,\n"
    "    [ mu*L  G ]\n"
    "    [ G^T   0 ],\n"
    "velocities on the faces of n^d cells and pressures in the cells, each equation times the volume of a cell.\n"
    "The pressure is known up to a constant: by default that of the last cell is left out.\n\n"
    "  -n N                 cells along an edge; default 32\n"
    "  -dim D               2 (default) or 3\n"
    "  -viscosity MU        default 1\n"
    "  -numbering node|field  unknowns cell by cell, so that each process has a part of the domain, or one field after "
    "the\n"
    "                       other as in the matrix above; default node\n"
    "  -null_space          keep all pressures, and attach the constant pressure as null space\n"
    "  -lid                 right-hand side of a lid moving with velocity 1, instead of a known solution\n";

#include "common/main.hpp"
#include "common/numbering.hpp"
#include <algorithm>
#include <array>

using namespace examples;

namespace {

using Position = std::array<PetscInt, 3>;

/// The staggered grid. Component c of the velocity lives on the n - 1 planes of inner faces across direction c; face
/// and cell behind it have the same position. Field by field unknowns are numbered component by component of the
/// velocity, then pressures; in each of them the first direction runs fastest. Node by node a cell, in that order of
/// the cells, has the inner faces in front of it and then its pressure. The pressure that is left out would be the last
/// in either.
struct Stokes {
  PetscInt n;
  PetscInt dim;
  PetscReal viscosity;
  PetscBool all_pressures;
  Numbering numbering;

  PetscReal h() const { return 1.0 / n; }
  PetscInt Size(PetscInt component, PetscInt direction) const { return direction == component ? n - 1 : n; }
  PetscInt Cells() const { return dim == 2 ? n * n : n * n * n; }
  PetscInt Faces() const { return Cells() / n * (n - 1); }
  PetscInt Pressures() const { return all_pressures ? Cells() : Cells() - 1; }
  PetscInt Velocities() const { return dim * Faces(); }
  PetscInt Rows() const { return Velocities() + Pressures(); }
};

/// Number of a cell.
PetscInt CellAt(const Stokes &s, const Position &at)
{
  return at[0] + s.n * (at[1] + s.n * at[2]);
}

Position PositionOf(const Stokes &s, PetscInt cell)
{
  return {cell % s.n, cell / s.n % s.n, cell / (s.n * s.n)};
}

/// First unknown of a cell, numbered cell by cell: it comes after the pressures of the cells before, and after their
/// inner faces, which in each direction all have but the last cell of n.
PetscInt FirstOf(const Stokes &s, PetscInt cell)
{
  PetscInt first = cell, stride = 1;
  for (PetscInt c = 0; c < s.dim; ++c, stride *= s.n) {
    const PetscInt whole = cell / (stride * s.n), rest = cell % (stride * s.n);
    first += (whole * stride) * (s.n - 1) + std::min(rest, stride * (s.n - 1));
  }
  return first;
}

/// Number of an unknown: component c of the velocity, or for c = dim the pressure.
PetscInt Unknown(const Stokes &s, PetscInt c, const Position &at)
{
  if (s.numbering == Numbering::Node) {
    PetscInt unknown = FirstOf(s, CellAt(s, at));
    for (PetscInt before = 0; before < c; ++before)
      unknown += at[before] < s.n - 1;
    return unknown;
  }
  PetscInt index = 0;
  for (PetscInt k = s.dim - 1; k >= 0; --k)
    index = index * s.Size(c, k) + at[k];
  return c * s.Faces() + index;
}

/// Component and position of an unknown, numbered field by field.
PetscInt Locate(const Stokes &s, PetscInt unknown, Position *at)
{
  const PetscInt c = std::min(unknown / s.Faces(), s.dim);
  PetscInt index = unknown - c * s.Faces();
  *at = {0, 0, 0};
  for (PetscInt k = 0; k < s.dim; ++k) {
    (*at)[k] = index % s.Size(c, k);
    index /= s.Size(c, k);
  }
  return c;
}

Position Moved(Position at, PetscInt direction, PetscInt steps)
{
  at[direction] += steps;
  return at;
}

/// Weight of a velocity difference between neighbours, and of a pressure difference.
PetscReal Diffusion(const Stokes &s)
{
  return s.dim == 2 ? s.viscosity : s.viscosity * s.h();
}
PetscReal Area(const Stokes &s)
{
  return s.dim == 2 ? s.h() : s.h() * s.h();
}

/// Entry of G between a face and the cell behind (side 0) or in front of it (side 1), if that pressure is an unknown.
void AddPressure(const Stokes &s, const Position &cell, PetscInt side, std::vector<Entry> *row)
{
  const PetscInt column = Unknown(s, s.dim, cell);
  if (column < s.Rows())
    row->emplace_back(column, side ? Area(s) : -Area(s));
}

/// Momentum equation of one face. A wall that the velocity is parallel to lies half a cell away, so the value beyond
/// it is minus the value before it.
void MomentumRow(const Stokes &s, PetscInt c, const Position &at, std::vector<Entry> *row)
{
  const PetscReal w = Diffusion(s);
  PetscReal diagonal = 0;
  for (PetscInt k = 0; k < s.dim; ++k) {
    for (const PetscInt step : {-1, 1}) {
      const PetscInt to = at[k] + step;
      const bool inside = to >= 0 && to < s.Size(c, k);
      if (inside)
        row->emplace_back(Unknown(s, c, Moved(at, k, step)), -w);
      diagonal += inside || k == c ? w : 2 * w;
    }
  }
  row->emplace_back(Unknown(s, c, at), diagonal);
  AddPressure(s, at, 0, row);
  AddPressure(s, Moved(at, c, 1), 1, row);
}

/// Continuity equation of one cell: its faces that are not walls.
void ContinuityRow(const Stokes &s, const Position &cell, std::vector<Entry> *row)
{
  for (PetscInt c = 0; c < s.dim; ++c) {
    if (cell[c] > 0)
      row->emplace_back(Unknown(s, c, Moved(cell, c, -1)), Area(s));
    if (cell[c] < s.n - 1)
      row->emplace_back(Unknown(s, c, cell), -Area(s));
  }
}

/// What is split among the processes, first .. end - 1: cells or, numbered field by field, rows.
struct Range {
  PetscInt first, end;
};

PetscErrorCode GetOwn(const Stokes &s, Range *own)
{
  PetscFunctionBeginUser;
  PetscCall(GetRange(s.numbering == Numbering::Node ? s.Cells() : s.Rows(), &own->first, &own->end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// action(component, position) for each unknown of this process, in the order of its rows; the component of pressures
/// is the dimension.
template <class Action>
void ForEachUnknown(const Stokes &s, const Range &own, const Action &action)
{
  for (PetscInt i = own.first; i < own.end; ++i) {
    Position at;
    if (s.numbering == Numbering::Field) {
      const PetscInt c = Locate(s, i, &at);
      action(c, at);
      continue;
    }
    at = PositionOf(s, i);
    for (PetscInt c = 0; c < s.dim; ++c)
      if (at[c] < s.n - 1)
        action(c, at);
    if (i < s.Pressures())
      action(s.dim, at);
  }
}

/// Sets the entries of this process to value(component, position).
template <class Value>
PetscErrorCode SetEntries(const Stokes &s, const Value &value, Vec v)
{
  PetscScalar *x;
  PetscInt row = 0;
  Range own;

  PetscFunctionBeginUser;
  PetscCall(GetOwn(s, &own));
  PetscCall(VecGetArrayWrite(v, &x));
  ForEachUnknown(s, own, [&](PetscInt c, const Position &at) { x[row++] = value(c, at); });
  PetscCall(VecRestoreArrayWrite(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Option -null_space: attaches the constant pressure.
PetscErrorCode AttachNullSpace(const Stokes &s, Mat A)
{
  Vec pressure;
  MatNullSpace null_space;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &pressure, nullptr));
  PetscCall(SetEntries(
      s, [&](PetscInt c, const Position &) { return c == s.dim ? 1.0 : 0.0; }, pressure));
  PetscCall(VecNormalize(pressure, nullptr));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, &pressure, &null_space));
  PetscCall(MatSetNullSpace(A, null_space));
  PetscCall(MatSetTransposeNullSpace(A, null_space));
  PetscCall(MatNullSpaceDestroy(&null_space));
  PetscCall(VecDestroy(&pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Option -lid: the wall at the end of the second direction moves along the first with velocity 1.
PetscErrorCode SetLid(const Stokes &s, System *system)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&system->exact));
  const auto force = [&](PetscInt c, const Position &at) {
    return c == 0 && at[1] == s.n - 1 ? 2 * Diffusion(s) : 0.0;
  };
  PetscCall(SetEntries(s, force, system->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetOptions(Stokes *s)
{
  PetscInt n = 32, dim = 2;
  PetscReal viscosity = 1;
  PetscBool null_space = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-dim", &dim, nullptr));
  PetscCheck(dim == 2 || dim == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-dim %" PetscInt_FMT ": 2 or 3", dim);
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  const PetscInt most = dim == 2 ? 20000 : 700;
  PetscCheck(n >= 2 && n <= most, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-n %" PetscInt_FMT ": between 2 and %" PetscInt_FMT " cells along an edge", n, most);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-viscosity", &viscosity, nullptr));
  PetscCheck(viscosity > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-viscosity %g: a viscosity is positive",
             (double)viscosity);
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-null_space", &null_space, nullptr));
  *s = {n, dim, viscosity, null_space, Numbering::Node};
  PetscCall(GetNumbering(&s->numbering));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetMatrix(const Stokes &s, System *system)
{
  Range own;

  PetscFunctionBeginUser;
  PetscCall(GetOwn(s, &own));
  Csr rows;
  rows.cols = s.Rows();
  std::vector<Entry> row;
  ForEachUnknown(s, own, [&](PetscInt c, const Position &at) {
    row.clear();
    if (c < s.dim)
      MomentumRow(s, c, at, &row);
    else
      ContinuityRow(s, at, &row);
    rows.AppendRow(&row);
  });
  PetscCall(SetMatrixRows(system, s.Rows(), rows, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BuildSystem(System *system)
{
  Stokes s = {};
  PetscBool lid = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(GetOptions(&s));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-lid", &lid, nullptr));
  system->name = "stokes" + std::to_string(s.dim) + "d_" + std::to_string(s.n);
  PetscCall(SetMatrix(s, system));
  PetscCall(SetRightHandSide(system));
  if (lid)
    PetscCall(SetLid(s, system));
  if (s.all_pressures)
    PetscCall(AttachNullSpace(s, system->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return ExampleMain(argc, argv, help, "build", BuildSystem);
}
