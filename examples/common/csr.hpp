#ifndef EXAMPLES_CSR_HPP
#define EXAMPLES_CSR_HPP

#include <petscsys.h>
#include <utility>
#include <vector>

#if defined(PETSC_USE_COMPLEX)
#error "the example programs read and build real matrices: they need a PETSc with real scalars"
#endif

namespace examples {

/// An entry of a row: column and value.
using Entry = std::pair<PetscInt, PetscScalar>;

/// A sparse matrix, or some consecutive rows of one, by rows: row i has the columns column[start[i]] ..
/// column[start[i + 1] - 1], ascending and without repetition.
struct Csr {
  PetscInt rows = 0;
  PetscInt cols = 0;
  std::vector<PetscInt> start = {0}; ///< [rows + 1]
  std::vector<PetscInt> column;      ///< [start[rows]]
  std::vector<PetscScalar> value;    ///< [start[rows]]

  PetscInt entries() const { return start[rows]; }

  /// Adds an entry at the end of the row that is being written.
  void Append(PetscInt j, PetscScalar v)
  {
    column.push_back(j);
    value.push_back(v);
  }

  /// Ends the row that is being written.
  void EndRow()
  {
    start.push_back(static_cast<PetscInt>(column.size()));
    ++rows;
  }

  /// Appends a whole row, whose entries it sorts.
  void AppendRow(std::vector<Entry> *row);
};

/// Entries of a matrix in any order.
struct Triples {
  std::vector<PetscInt> row;
  std::vector<PetscInt> column;
  std::vector<PetscScalar> value;

  void Append(PetscInt i, PetscInt j, PetscScalar v)
  {
    row.push_back(i);
    column.push_back(j);
    value.push_back(v);
  }
};

/// Sorts triples into a matrix of the given shape. Entries given twice are added up, in the order given. Raises
/// PETSC_ERR_ARG_OUTOFRANGE if the entries cannot be counted by a PetscInt.
PetscErrorCode CsrFromTriples(PetscInt rows, PetscInt cols, const Triples &triples, Csr *a);

/// Transposed copy.
Csr Transpose(const Csr &a);

} // namespace examples
#endif
