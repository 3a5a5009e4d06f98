#ifndef EXAMPLES_SYSTEM_HPP
#define EXAMPLES_SYSTEM_HPP

#include "csr.hpp"
#include <petscmat.h>
#include <string>

namespace examples {

/// A linear system A x = b to solve and what is known about it.
struct System {
  std::string name; ///< what reports call it
  Mat A = nullptr;
  Vec b = nullptr;
  Vec exact = nullptr; ///< the solution that b was made from; NULL if unknown
  PetscBool symmetric = PETSC_FALSE;
  PetscCount entries = 0;  ///< of the full matrix, whatever A stores of it
  double read_seconds = 0; ///< reading or building A and b
};

/// Makes A from the rows [first, first + rows.rows) of a matrix with `global_rows` rows and as many columns, one
/// consecutive range for each process, in the order of ranks. Options: -zero_diagonal, -write_matrix, -mat_type
/// (default aij), -spd.
PetscErrorCode SetMatrixRows(System *system, PetscInt global_rows, const Csr &rows, PetscBool symmetric);

/// Makes A from a matrix that every process has whole. Options as above.
PetscErrorCode SetMatrixWhole(System *system, const Csr &a, PetscBool symmetric);

/// Makes A from an assembled AIJ matrix, which it takes over; finds out itself whether it is symmetric. Options as
/// above.
PetscErrorCode SetMatrixAIJ(System *system, Mat aij);

/// Makes b from the file of option -rhs, or as A x with x from the file of option -exact or with x = 1 everywhere.
PetscErrorCode SetRightHandSide(System *system);

/// Option -write_matrix FILE, of an AIJ matrix: Matrix Market text if FILE ends in .mtx, with one triangle if it is
/// symmetric to the last bit; PETSc binary otherwise.
PetscErrorCode WriteMatrixIfAsked(Mat aij, PetscBool symmetric);

/// Which of `count` rows, or nodes, are this process's if they are split evenly: [first, end).
PetscErrorCode GetRange(PetscInt count, PetscInt *first, PetscInt *end);

PetscErrorCode DestroySystem(System *system);

} // namespace examples
#endif
