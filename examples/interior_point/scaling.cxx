#include "scaling.hpp"

#include <algorithm>
#include <cmath>

namespace examples {
namespace {

/// Power of two next to a positive number; 1 for zero.
PetscReal PowerOfTwo(PetscReal value)
{
  return value > 0 ? std::exp2(std::round(std::log2(value))) : 1;
}

/// Largest entries, after scaling by `s`, of every variable in A and Q, and of every row of A.
void LargestEntries(const Program &p, const Scaling &s, Values *variable, Values *row)
{
  variable->assign(p.variables(), 0);
  row->assign(p.rows(), 0);
  for (PetscInt i = 0; i < p.rows(); ++i) {
    for (PetscInt k = p.a.start[i]; k < p.a.start[i + 1]; ++k) {
      const PetscInt j = p.a.column[k];
      const PetscReal entry = std::abs(p.a.value[k]) * s.row[i] * s.variable[j];
      (*row)[i] = std::max((*row)[i], entry);
      (*variable)[j] = std::max((*variable)[j], entry);
    }
  }
  for (PetscInt i = 0; i < p.q.rows; ++i)
    for (PetscInt k = p.q.start[i]; k < p.q.start[i + 1]; ++k)
      (*variable)[i] = std::max((*variable)[i], std::abs(p.q.value[k]) * s.variable[i] * s.variable[p.q.column[k]]);
}

void Apply(const Scaling &s, Program *p)
{
  for (PetscInt i = 0; i < p->rows(); ++i) {
    for (PetscInt k = p->a.start[i]; k < p->a.start[i + 1]; ++k)
      p->a.value[k] *= s.row[i] * s.variable[p->a.column[k]];
    p->row.lower[i] *= s.row[i];
    p->row.upper[i] *= s.row[i];
  }
  for (PetscInt j = 0; j < p->variables(); ++j) {
    for (PetscInt k = p->q.start[j]; k < p->q.start[j + 1]; ++k)
      p->q.value[k] *= s.variable[j] * s.variable[p->q.column[k]] * s.objective;
    p->cost[j] *= s.variable[j] * s.objective;
    p->variable.lower[j] /= s.variable[j];
    p->variable.upper[j] /= s.variable[j];
  }
  p->constant *= s.objective;
}

} // namespace

Scaling Equilibrate(Program *p)
{
  constexpr int passes = 12;
  Scaling s{Values(p->variables(), 1), Values(p->rows(), 1), 1};
  Values variable, row;
  for (int pass = 0; pass < passes; ++pass) {
    LargestEntries(*p, s, &variable, &row);
    for (PetscInt j = 0; j < p->variables(); ++j)
      s.variable[j] /= variable[j] > 0 ? std::sqrt(variable[j]) : 1;
    for (PetscInt i = 0; i < p->rows(); ++i)
      s.row[i] /= row[i] > 0 ? std::sqrt(row[i]) : 1;
  }
  PetscReal largest = 0;
  for (PetscInt j = 0; j < p->variables(); ++j) {
    s.variable[j] = PowerOfTwo(s.variable[j]);
    largest = std::max(largest, std::abs(p->cost[j]) * s.variable[j]);
  }
  for (PetscReal &r : s.row)
    r = PowerOfTwo(r);
  s.objective = 1 / PowerOfTwo(largest);
  Apply(s, p);
  return s;
}

} // namespace examples
