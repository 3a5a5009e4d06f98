#include "program.hpp"

namespace examples {

void AddProduct(const Csr &a, PetscReal factor, const Values &x, Values *y)
{
  for (PetscInt i = 0; i < a.rows; ++i) {
    PetscReal sum = 0;
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k)
      sum += a.value[k] * x[a.column[k]];
    (*y)[i] += factor * sum;
  }
}

void AddTransposedProduct(const Csr &a, PetscReal factor, const Values &x, Values *y)
{
  for (PetscInt i = 0; i < a.rows; ++i)
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k)
      (*y)[a.column[k]] += factor * a.value[k] * x[i];
}

PetscReal Objective(const Program &program, const Values &x)
{
  Values gradient(program.cost); // c + Q x / 2
  AddProduct(program.q, 0.5, x, &gradient);
  PetscReal value = program.constant;
  for (PetscInt j = 0; j < program.variables(); ++j)
    value += gradient[j] * x[j];
  return value;
}

void Maximize(Program *program)
{
  program->sign = -program->sign;
  program->constant = -program->constant;
  for (PetscReal &c : program->cost)
    c = -c;
  for (PetscScalar &v : program->q.value)
    v = -v;
}

} // namespace examples
