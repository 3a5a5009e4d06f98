static char help[] =
    "Optimality system of a boundary control problem for Poisson's equation on the unit cube,\n"
    "    [ M  0         A^T ]\n"
    "    [ 0  alpha*R  -B^T ]\n"
    "    [ A -B         0   ],\n"
    "for the state on N^3 inner nodes, the control on the 6 N^2 nodes of the faces, and the adjoint.\n\n"
    "  -n N                 inner nodes along an edge; default 20\n"
    "  -alpha ALPHA         weight of the control's cost; default 1e-2\n"
    "  -numbering node|field  unknowns node by node, so that each process has a part of the cube, or one field after "
    "the\n"
    "                       other as in the matrix above; default node\n";

#include "common/main.hpp"
#include "common/numbering.hpp"

using namespace examples;

namespace {

/// A node of the grid.
struct Node {
  PetscInt i, j, k;
};

/// The grid, and the numbers of its unknowns. Nodes are in the order of (i N + j) N + k, the faces of the cube i = 0,
/// i = N - 1, j = 0, j = N - 1, k = 0, k = N - 1. Field by field: states, then the controls face by face, each with the
/// other two indices in order, then adjoints. Node by node: its state, its controls by face, its adjoint.
struct Control {
  PetscInt n;
  PetscReal alpha;
  Numbering numbering;

  PetscInt Nodes() const { return n * n * n; }
  PetscInt Rows() const { return 2 * Nodes() + 6 * n * n; }
  PetscReal h() const { return 1.0 / (n + 1); }

  Node At(PetscInt node) const { return {node / (n * n), node / n % n, node % n}; }
  bool Inside(PetscInt x) const { return x >= 0 && x < n; }

  bool OnFace(const Node &p, PetscInt face) const
  {
    const PetscInt at[3] = {p.i, p.j, p.k};
    return at[face / 2] == (face % 2 ? n - 1 : 0);
  }

  /// Faces that coordinate x is on, and how often smaller coordinates are.
  PetscInt Walls(PetscInt x) const { return (x == 0) + (x == n - 1); }
  PetscInt WallsBelow(PetscInt x) const { return (x > 0) + (x > n - 1); }

  /// Controls of the nodes before p.
  PetscInt ControlsBefore(const Node &p) const
  {
    const PetscInt planes = n * n * WallsBelow(p.i) + 4 * n * p.i;
    const PetscInt lines = n * Walls(p.i) * p.j + n * WallsBelow(p.j) + 2 * p.j;
    return planes + lines + (Walls(p.i) + Walls(p.j)) * p.k + WallsBelow(p.k);
  }

  PetscInt Number(const Node &p) const { return (p.i * n + p.j) * n + p.k; }

  /// First unknown of a node; of the one after the last: the number of rows.
  PetscInt FirstOf(const Node &p) const { return 2 * Number(p) + ControlsBefore(p); }

  PetscInt State(const Node &p) const { return numbering == Numbering::Field ? Number(p) : FirstOf(p); }

  PetscInt ControlOn(const Node &p, PetscInt face) const
  {
    const PetscInt on_face[3] = {p.j * n + p.k, p.i * n + p.k, p.i * n + p.j};
    if (numbering == Numbering::Field)
      return Nodes() + face * n * n + on_face[face / 2];
    PetscInt control = FirstOf(p) + 1;
    for (PetscInt before = 0; before < face; ++before)
      control += OnFace(p, before);
    return control;
  }

  PetscInt Adjoint(const Node &p) const
  {
    if (numbering == Numbering::Field)
      return Nodes() + 6 * n * n + Number(p);
    return FirstOf(p) + 1 + Walls(p.i) + Walls(p.j) + Walls(p.k);
  }

  /// Node under control number c of a face.
  Node Under(PetscInt face, PetscInt c) const
  {
    const PetscInt wall = face % 2 ? n - 1 : 0, a = c / n, b = c % n;
    return face < 2 ? Node{wall, a, b} : face < 4 ? Node{a, wall, b} : Node{a, b, wall};
  }
};

/// Adds the row of A of a node, in the columns of `field`. With trilinear elements on a uniform grid and zero values on
/// the boundary the entries are 8h/3 on the diagonal, 0 to the neighbours along an axis, -h/6 to those along the
/// diagonal of a face of the cube of neighbours, and -h/12 to its corners: 21 in the interior.
void AddStiffness(const Control &c, const Node &p, PetscInt (Control::*field)(const Node &) const,
                  std::vector<Entry> *row)
{
  const PetscReal weight[4] = {8 * c.h() / 3, 0, -c.h() / 6, -c.h() / 12};
  for (PetscInt di = -1; di <= 1; ++di) {
    for (PetscInt dj = -1; dj <= 1; ++dj) {
      for (PetscInt dk = -1; dk <= 1; ++dk) {
        const PetscInt steps = di * di + dj * dj + dk * dk;
        const Node q = {p.i + di, p.j + dj, p.k + dk};
        if (steps != 1 && c.Inside(q.i) && c.Inside(q.j) && c.Inside(q.k))
          row->emplace_back((c.*field)(q), weight[steps]);
      }
    }
  }
}

/// The rows that processes write, entry by entry.
struct Rows {
  const Control &c;
  Csr *csr;
  std::vector<Entry> row;

  void End()
  {
    csr->AppendRow(&row);
    row.clear();
  }

  void OfState(const Node &p)
  {
    const PetscReal h = c.h();
    row.emplace_back(c.State(p), h * h * h);
    AddStiffness(c, p, &Control::Adjoint, &row);
    End();
  }

  void OfControl(const Node &p, PetscInt face)
  {
    const PetscReal h = c.h();
    row.emplace_back(c.ControlOn(p, face), c.alpha * h * h);
    row.emplace_back(c.Adjoint(p), -h * h);
    End();
  }

  void OfAdjoint(const Node &p)
  {
    AddStiffness(c, p, &Control::State, &row);
    for (PetscInt face = 0; face < 6; ++face)
      if (c.OnFace(p, face))
        row.emplace_back(c.ControlOn(p, face), -c.h() * c.h());
    End();
  }
};

/// Appends the rows of nodes first .. end - 1, numbered node by node.
void AppendNodes(const Control &c, PetscInt first, PetscInt end, Rows *rows)
{
  for (PetscInt node = first; node < end; ++node) {
    const Node p = c.At(node);
    rows->OfState(p);
    for (PetscInt face = 0; face < 6; ++face)
      if (c.OnFace(p, face))
        rows->OfControl(p, face);
    rows->OfAdjoint(p);
  }
}

/// Appends rows first .. end - 1, numbered field by field.
void AppendFields(const Control &c, PetscInt first, PetscInt end, Rows *rows)
{
  const PetscInt nodes = c.Nodes(), adjoint = c.Rows() - nodes, face_nodes = c.n * c.n;
  for (PetscInt i = first; i < end; ++i) {
    if (i < nodes)
      rows->OfState(c.At(i));
    else if (i < adjoint)
      rows->OfControl(c.Under((i - nodes) / face_nodes, (i - nodes) % face_nodes), (i - nodes) / face_nodes);
    else
      rows->OfAdjoint(c.At(i - adjoint));
  }
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
  c->n = n;
  c->alpha = alpha;
  PetscCall(GetNumbering(&c->numbering));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BuildSystem(System *system)
{
  Control c = {};
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(GetOptions(&c));
  system->name = "kkt3d_" + std::to_string(c.n);
  const bool by_node = c.numbering == Numbering::Node;
  PetscCall(GetRange(by_node ? c.Nodes() : c.Rows(), &first, &end));
  {
    Csr csr;
    csr.cols = c.Rows();
    const std::size_t expected = by_node ? c.FirstOf(c.At(end)) - c.FirstOf(c.At(first)) : end - first;
    csr.start.reserve(expected + 1);
    csr.column.reserve(22 * expected);
    csr.value.reserve(22 * expected);
    Rows rows = {c, &csr, {}};
    (by_node ? AppendNodes : AppendFields)(c, first, end, &rows);
    PetscCall(SetMatrixRows(system, c.Rows(), csr, PETSC_TRUE));
  }
  PetscCall(SetRightHandSide(system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return ExampleMain(argc, argv, help, "build", BuildSystem);
}
