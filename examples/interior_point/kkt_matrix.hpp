#ifndef EXAMPLES_INTERIOR_POINT_KKT_MATRIX_HPP
#define EXAMPLES_INTERIOR_POINT_KKT_MATRIX_HPP

#include "program.hpp"
#include <petscmat.h>

namespace examples {

/// The matrix of a step of an interior-point method,
///   S [ -(Q + D_x)   A^T ] S + [ -delta I          ]
///     [  A           D_w ]     [           gamma I ],
/// for diagonal matrices D_x and D_w that change from step to step and spread over many orders of magnitude. S
/// equilibrates what they do: no entry of the diagonal or of A is much larger than 1, and the norm of a residual means
/// something. Its entries are powers of two, so that it rounds nothing.
///
/// The pattern is given once, by coordinates. The values of all entries are in a vector of the matrix's kind; a step
/// writes the n + m values of the diagonal and of S on the host, and what else is done happens where the matrix is. So
/// a matrix on a GPU gets 2 (n + m) numbers a step.
class KktMatrix {
public:
  KktMatrix() = default;
  ~KktMatrix();
  KktMatrix(const KktMatrix &) = delete;
  KktMatrix &operator=(const KktMatrix &) = delete;

  /// Makes the matrix of a program, which has to outlive it. Option: -mat_type.
  PetscErrorCode Create(const Program &program);

  /// Computes the values for new diagonals, d_x [variables] and d_w [rows].
  PetscErrorCode SetDiagonals(const Values &d_x, PetscReal delta, const Values &d_w, PetscReal gamma);

  Mat mat() const { return mat_; }
  const Values &scale() const { return scale_; } ///< [variables + rows], the diagonal of S
  PetscInt variables() const { return n_; }
  PetscInt rows() const { return m_; }

private:
  PetscErrorCode CreateValues(const Values &entries);
  void ComputeScale(const Values &d_x, const Values &d_w);

  PetscInt n_ = 0, m_ = 0;
  const Program *program_ = nullptr;
  Values q_diagonal_; // [n]
  Values scale_;      // [n + m]
  Mat mat_ = nullptr;
  Vec values_ = nullptr;           // in the order of the coordinates, the diagonal last
  Vec diagonal_ = nullptr;         // [n + m]
  Vec scale_vector_ = nullptr;     // [n + m], scale_ where the matrix is
  VecScatter to_values_ = nullptr; // the diagonal into the values
};

} // namespace examples
#endif
