#ifndef EXAMPLES_READ_MATRIX_HPP
#define EXAMPLES_READ_MATRIX_HPP

#include "system.hpp"

namespace examples {

/// Makes A of a system from a file: Matrix Market (.mtx, .mtx.gz) or PETSc binary, which it finds out itself. Options:
/// see SetMatrixRows(). Raises an error that names the file when it cannot be read or its matrix is not square.
PetscErrorCode ReadMatrix(const std::string &file, System *system);

} // namespace examples
#endif
