static char help[] =
    "Optimality system of a boundary control problem for Poisson's equation on the unit cube,\n"
    "    [ M  0         A^T ]\n"
    "    [ 0  alpha*R  -B^T ]\n"
    "    [ A -B         0   ],\n"
    "for the state on N^3 inner nodes, the control on the 6 N^2 nodes of the faces, and the adjoint.\n\n"
    "  -n N                 inner nodes along an edge; default 20\n"
    "  -alpha ALPHA         weight of the control's cost; default 1e-2\n";

#include "common/main.hpp"
#include <array>

using namespace examples;

namespace {

/// The grid and the matrix's blocks. State and adjoint are numbered node by node, (i N + j) N + k; the control face by
/// face, i = 0, i = N - 1, j = 0, j = N - 1, k = 0, k = N - 1, each with the other two indices in order.
struct Control {
  PetscInt n;
  PetscReal alpha;

  PetscInt Nodes() const { return n * n * n; }
  PetscInt Controls() const { return 6 * n * n; }
  PetscInt Rows() const { return 2 * Nodes() + Controls(); }
  PetscReal h() const { return 1.0 / (n + 1); }
};

/// Appends the row of A of a node, in the columns from `offset`. With trilinear elements on a uniform grid and zero
/// values on the boundary the entries are 8h/3 on the diagonal, 0 to the neighbours along an axis, -h/6 to those along
/// the diagonal of a face of the cube of neighbours, and -h/12 to its corners: 21 in the interior.
void AppendStiffnessRow(const Control &c, PetscInt node, PetscInt offset, Csr *rows)
{
  const PetscInt i = node / (c.n * c.n), j = node / c.n % c.n, k = node % c.n;
  const PetscReal weight[4] = {8 * c.h() / 3, 0, -c.h() / 6, -c.h() / 12};
  for (PetscInt di = -1; di <= 1; ++di) {
    for (PetscInt dj = -1; dj <= 1; ++dj) {
      for (PetscInt dk = -1; dk <= 1; ++dk) {
        const PetscInt steps = di * di + dj * dj + dk * dk, x = i + di, y = j + dj, z = k + dk;
        if (steps != 1 && x >= 0 && x < c.n && y >= 0 && y < c.n && z >= 0 && z < c.n)
          rows->Append(offset + (x * c.n + y) * c.n + z, weight[steps]);
      }
    }
  }
}

/// Node under a control.
PetscInt NodeOfControl(const Control &c, PetscInt control)
{
  const PetscInt face = control / (c.n * c.n), a = control / c.n % c.n, b = control % c.n;
  const PetscInt wall = face % 2 ? c.n - 1 : 0;
  const std::array<PetscInt, 3> at = face < 2   ? std::array<PetscInt, 3>{wall, a, b}
                                     : face < 4 ? std::array<PetscInt, 3>{a, wall, b}
                                                : std::array<PetscInt, 3>{a, b, wall};
  return (at[0] * c.n + at[1]) * c.n + at[2];
}

/// Appends the row of -B of a node, in the columns from `offset`: an entry for each face that the node lies at.
void AppendControlRow(const Control &c, PetscInt node, PetscInt offset, Csr *rows)
{
  const PetscInt at[3] = {node / (c.n * c.n), node / c.n % c.n, node % c.n};
  const PetscInt on_face[3] = {at[1] * c.n + at[2], at[0] * c.n + at[2], at[0] * c.n + at[1]};
  for (PetscInt face = 0; face < 6; ++face)
    if (at[face / 2] == (face % 2 ? c.n - 1 : 0))
      rows->Append(offset + face * c.n * c.n + on_face[face / 2], -c.h() * c.h());
}

/// Appends row `row` of the whole matrix.
void AppendRow(const Control &c, PetscInt row, Csr *rows)
{
  const PetscInt nodes = c.Nodes(), adjoint = nodes + c.Controls();
  const PetscReal h = c.h();
  if (row < nodes) {
    rows->Append(row, h * h * h);
    AppendStiffnessRow(c, row, adjoint, rows);
  } else if (row < adjoint) {
    rows->Append(row, c.alpha * h * h);
    rows->Append(adjoint + NodeOfControl(c, row - nodes), -h * h);
  } else {
    AppendStiffnessRow(c, row - adjoint, 0, rows);
    AppendControlRow(c, row - adjoint, nodes, rows);
  }
  rows->EndRow();
}

PetscErrorCode GetOptions(Control *c)
{
  PetscInt n = 20;
  PetscReal alpha = 1e-2;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCheck(n >= 1 && n <= 550, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-n %" PetscInt_FMT ": between 1 and 550 nodes along an edge", n);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-alpha", &alpha, nullptr));
  PetscCheck(alpha > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-alpha %g: a weight is positive", (double)alpha);
  *c = {n, alpha};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BuildSystem(System *system)
{
  Control c = {};
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(GetOptions(&c));
  system->name = "kkt3d_" + std::to_string(c.n);
  PetscCall(GetRowRange(c.Rows(), &first, &end));
  {
    Csr rows;
    rows.cols = c.Rows();
    rows.start.reserve(end - first + 1);
    rows.column.reserve(22 * static_cast<std::size_t>(end - first));
    rows.value.reserve(22 * static_cast<std::size_t>(end - first));
    for (PetscInt row = first; row < end; ++row)
      AppendRow(c, row, &rows);
    PetscCall(SetMatrixRows(system, c.Rows(), rows, PETSC_TRUE));
  }
  PetscCall(SetRightHandSide(system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return ExampleMain(argc, argv, help, "build", BuildSystem);
}
