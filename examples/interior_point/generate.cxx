// Random convex quadratic programs with a known solution.
#include "program.hpp"

#include "../common/random.hpp"

namespace examples {
namespace {

constexpr PetscInt entries_a_row = 4;
constexpr PetscInt window = 40; // columns that a row chooses from, so that factors of large programs stay sparse

/// Sparse rows of random entries, along the diagonal.
Triples RandomRows(PetscInt rows, PetscInt cols, Random *random)
{
  const PetscInt width = std::min(window, cols);
  Triples t;
  for (PetscInt i = 0; i < rows; ++i) {
    const auto first = static_cast<PetscInt>(static_cast<PetscInt64>(cols - width) * i / rows);
    for (PetscInt k = 0; k < entries_a_row; ++k)
      t.Append(i, first + random->Below(width), random->Signed());
  }
  return t;
}

/// B^T B of sparse random rows, a matrix without negative eigenvalues and with many that are zero.
PetscErrorCode RandomGram(PetscInt size, Random *random, Csr *q)
{
  const Triples t = RandomRows(size / 2, size, random);
  Triples products;

  PetscFunctionBeginUser;
  for (std::size_t k = 0; k < t.value.size(); k += entries_a_row)
    for (PetscInt a = 0; a < entries_a_row; ++a)
      for (PetscInt b = 0; b < entries_a_row; ++b)
        products.Append(t.column[k + a], t.column[k + b], t.value[k + a] * t.value[k + b]);
  PetscCall(CsrFromTriples(size, size, products, q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Appends bounds around a value: at it or away from it, and a multiplier where it is at one. Returns the multiplier,
/// positive at a lower bound.
PetscReal AppendBoundsAround(PetscReal value, bool may_be_free, Random *random, Bounds *bounds)
{
  const PetscInt kind = random->Below(may_be_free ? 6 : 5);
  const PetscReal away = 0.1 + random->Uniform(), multiplier = 0.1 + random->Uniform();
  const PetscReal lower[] = {value, value - away, -unbounded, -unbounded, value, -unbounded};
  const PetscReal upper[] = {unbounded, unbounded, value, value + away, value + away, unbounded};
  bounds->Append(lower[kind], upper[kind]);
  return lower[kind] == value ? multiplier : upper[kind] == value ? -multiplier : 0;
}

} // namespace

PetscErrorCode GenerateProgram(PetscInt variables, PetscInt64 seed, Program *p, PetscReal *optimum)
{
  const PetscInt rows = variables / 2;
  Random random(seed);
  Values x(variables), y(rows);

  PetscFunctionBeginUser;
  PetscCall(RandomGram(variables, &random, &p->q));
  PetscCall(CsrFromTriples(rows, variables, RandomRows(rows, variables, &random), &p->a));
  for (PetscReal &value : x)
    value = random.Signed();
  p->cost.assign(variables, 0);
  for (PetscInt j = 0; j < variables; ++j)
    p->cost[j] = AppendBoundsAround(x[j], true, &random, &p->variable);
  Values activity(rows, 0);
  AddProduct(p->a, 1, x, &activity);
  for (PetscInt i = 0; i < rows; ++i) {
    if (i % 2 == 0) {
      p->row.Append(activity[i], activity[i]);
      y[i] = random.Signed();
    } else {
      y[i] = AppendBoundsAround(activity[i], false, &random, &p->row);
    }
  }
  // Q x + c = A^T y + z
  AddTransposedProduct(p->a, 1, y, &p->cost);
  AddProduct(p->q, -1, x, &p->cost);
  *optimum = Objective(*p, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
