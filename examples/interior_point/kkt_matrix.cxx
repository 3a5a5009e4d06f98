#include "kkt_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace examples {
namespace {

/// Coordinates and values of the entries that no step changes: A, A^T and Q without its diagonal. `lower`: the
/// entries below the diagonal too.
Triples ConstantEntries(const Program &p, bool lower)
{
  const PetscInt n = p.variables();
  Triples t;
  for (PetscInt i = 0; i < p.rows(); ++i) {
    for (PetscInt k = p.a.start[i]; k < p.a.start[i + 1]; ++k) {
      t.Append(p.a.column[k], n + i, p.a.value[k]);
      if (lower)
        t.Append(n + i, p.a.column[k], p.a.value[k]);
    }
  }
  for (PetscInt j = 0; j < n; ++j)
    for (PetscInt k = p.q.start[j]; k < p.q.start[j + 1]; ++k)
      if (p.q.column[k] > j || (lower && p.q.column[k] < j))
        t.Append(j, p.q.column[k], -p.q.value[k]);
  return t;
}

/// Power of two next to the inverse of the square root of a positive number.
PetscReal InverseRoot(PetscReal value)
{
  return std::exp2(-std::round(std::log2(value) / 2));
}

Values DiagonalOf(const Csr &q)
{
  Values diagonal(q.rows, 0);
  for (PetscInt j = 0; j < q.rows; ++j)
    for (PetscInt k = q.start[j]; k < q.start[j + 1]; ++k)
      if (q.column[k] == j)
        diagonal[j] = q.value[k];
  return diagonal;
}

} // namespace

KktMatrix::~KktMatrix()
{
  VecScatterDestroy(&to_values_);
  VecDestroy(&diagonal_);
  VecDestroy(&scale_vector_);
  VecDestroy(&values_);
  MatDestroy(&mat_);
}

PetscErrorCode KktMatrix::Create(const Program &program)
{
  PetscBool sbaij;

  PetscFunctionBeginUser;
  program_ = &program;
  n_ = program.variables();
  m_ = program.rows();
  const PetscInt size = n_ + m_;
  q_diagonal_ = DiagonalOf(program.q);
  PetscCall(MatCreate(PETSC_COMM_SELF, &mat_));
  PetscCall(MatSetSizes(mat_, size, size, size, size));
  PetscCall(MatSetType(mat_, MATAIJ));
  PetscCall(MatSetFromOptions(mat_));
  PetscCall(PetscObjectTypeCompare((PetscObject)mat_, MATSEQSBAIJ, &sbaij));
  Triples entries = ConstantEntries(program, !sbaij);
  for (PetscInt k = 0; k < size; ++k)
    entries.Append(k, k, 0);
  PetscCall(MatSetPreallocationCOO(mat_, static_cast<PetscCount>(entries.value.size()), entries.row.data(),
                                   entries.column.data()));
  PetscCall(MatSetOption(mat_, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(mat_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(CreateValues(entries.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KktMatrix::CreateValues(const Values &entries)
{
  VecType type;
  IS tail;
  PetscScalar *to;
  const auto count = static_cast<PetscInt>(entries.size()), size = n_ + m_;

  PetscFunctionBeginUser;
  PetscCall(MatGetVecType(mat_, &type));
  PetscCall(VecCreate(PETSC_COMM_SELF, &values_));
  PetscCall(VecSetSizes(values_, count, count));
  PetscCall(VecSetType(values_, type));
  PetscCall(VecGetArrayWrite(values_, &to));
  std::copy(entries.begin(), entries.end(), to);
  PetscCall(VecRestoreArrayWrite(values_, &to));
  PetscCall(MatCreateVecs(mat_, &diagonal_, &scale_vector_));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, size, count - size, 1, &tail));
  PetscCall(VecScatterCreate(diagonal_, nullptr, values_, tail, &to_values_));
  PetscCall(ISDestroy(&tail));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void KktMatrix::ComputeScale(const Values &d_x, const Values &d_w)
{
  constexpr PetscReal least = 1e-30; // of a squared row, so that the factor stays finite
  scale_.resize(n_ + m_);
  for (PetscInt j = 0; j < n_; ++j)
    scale_[j] = InverseRoot(std::max(d_x[j] + q_diagonal_[j], PetscReal(1)));
  const Csr &a = program_->a;
  for (PetscInt i = 0; i < m_; ++i) {
    PetscReal sum = d_w[i];
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k)
      sum += std::pow(a.value[k] * scale_[a.column[k]], 2);
    scale_[n_ + i] = InverseRoot(std::max(sum, least));
  }
}

PetscErrorCode KktMatrix::SetDiagonals(const Values &d_x, PetscReal delta, const Values &d_w, PetscReal gamma)
{
  PetscScalar *to;
  const PetscScalar *from;

  PetscFunctionBeginUser;
  ComputeScale(d_x, d_w);
  PetscCall(VecGetArrayWrite(scale_vector_, &to));
  std::copy(scale_.begin(), scale_.end(), to);
  PetscCall(VecRestoreArrayWrite(scale_vector_, &to));
  PetscCall(VecGetArrayWrite(diagonal_, &to));
  for (PetscInt j = 0; j < n_; ++j)
    to[j] = -(q_diagonal_[j] + d_x[j] + delta / (scale_[j] * scale_[j]));
  for (PetscInt i = 0; i < m_; ++i)
    to[n_ + i] = d_w[i] + gamma / (scale_[n_ + i] * scale_[n_ + i]);
  PetscCall(VecRestoreArrayWrite(diagonal_, &to));
  PetscCall(VecScatterBegin(to_values_, diagonal_, values_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(to_values_, diagonal_, values_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayReadAndMemType(values_, &from, nullptr));
  PetscCall(MatSetValuesCOO(mat_, from, INSERT_VALUES));
  PetscCall(VecRestoreArrayReadAndMemType(values_, &from));
  PetscCall(MatDiagonalScale(mat_, scale_vector_, scale_vector_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
