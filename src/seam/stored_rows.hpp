#ifndef TESSERA_SEAM_STORED_ROWS_HPP
#define TESSERA_SEAM_STORED_ROWS_HPP

#include "base/integers.hpp"

#include <petscmat.h>
#include <vector>

/// The rows of a matrix as it stores them, of one of type sbaij its block rows, until MatRestoreRowIJ().
PETSC_INTERN PetscErrorCode TesseraMatGetRows(Mat A, bool sbaij, PetscInt *rows, const PetscInt **start,
                                              const PetscInt **column);

/// An error that says that the row has an entry in this column twice, unless the row is -1.
PETSC_INTERN PetscErrorCode TesseraMatCheckOnce(Mat A, PetscInt row, PetscInt column);

/// The rows that PETSc stores, or block rows: the one place where its integers, of 32 or 64 bits, become row starts of
/// 64 and columns of 32. Calls read(n, starts, columns).
template <class Read>
auto TesseraWithRows(PetscInt rows, const PetscInt *start, const PetscInt *column, const Read &read)
{
  std::vector<tessera::Offset> wide_start;
  std::vector<tessera::Index> narrow_column;
  const tessera::Offset *starts = tessera::as_integers(start, rows + 1, wide_start);
  const tessera::Index *columns = tessera::as_integers(column, start[rows], narrow_column);

  return read(tessera::Index(rows), starts, columns);
}

#endif
