#ifndef EXAMPLES_INTERIOR_POINT_KKT_MATRIX_HPP
#define EXAMPLES_INTERIOR_POINT_KKT_MATRIX_HPP

#include "program.hpp"
#include <petscmat.h>

namespace examples {

/// The matrix of a step of an interior-point method,
///   [ -(Q + D_x)   A^T ]
///   [  A           D_w ],
/// for diagonal matrices D_x and D_w that change from step to step. Its pattern is given once, by coordinates. The
/// values of all entries are in a vector of the matrix's kind; a step writes the n + m values of the diagonal on the
/// host, and what else is done happens where the matrix is. So a matrix on a GPU gets n + m numbers a step.
class KktMatrix {
public:
  KktMatrix() = default;
  ~KktMatrix();
  KktMatrix(const KktMatrix &) = delete;
  KktMatrix &operator=(const KktMatrix &) = delete;

  /// Makes the matrix of a program. Option: -mat_type.
  PetscErrorCode Create(const Program &program);

  /// Puts new diagonals in, d_x [variables] and d_w [rows], with delta added to the first and gamma to the second.
  PetscErrorCode SetDiagonals(const Values &d_x, PetscReal delta, const Values &d_w, PetscReal gamma);

  Mat mat() const { return mat_; }
  PetscInt variables() const { return n_; }
  PetscInt rows() const { return m_; }

private:
  PetscErrorCode CreateValues(const Values &entries);

  PetscInt n_ = 0, m_ = 0;
  Values q_diagonal_; // [n]
  Mat mat_ = nullptr;
  Vec values_ = nullptr;           // in the order of the coordinates, the diagonal last
  Vec diagonal_ = nullptr;         // [n + m]
  VecScatter to_values_ = nullptr; // the diagonal into the values
};

} // namespace examples
#endif
