#ifndef EXAMPLES_VECTOR_FILE_HPP
#define EXAMPLES_VECTOR_FILE_HPP

#include <petscvec.h>
#include <petscviewer.h>
#include <string>

namespace examples {

/// Whether a file (maybe gzipped) starts like a PETSc binary file whose first object has the given class
/// (MAT_FILE_CLASSID, VEC_FILE_CLASSID).
PetscErrorCode IsPetscBinary(const std::string &file, PetscInt file_classid, PetscBool *binary);

/// Opens a PETSc binary file, without the .info file that PETSc keeps beside one by default.
PetscErrorCode OpenPetscBinary(const std::string &file, PetscFileMode mode, PetscViewer *viewer);

/// Fills an existing vector from a PETSc binary or Matrix Market array file. Raises an error when the file is
/// malformed or holds another number of values.
PetscErrorCode ReadVector(const std::string &file, Vec x);

/// Writes a vector: Matrix Market text if the name ends in .mtx, PETSc binary otherwise.
PetscErrorCode WriteVector(const std::string &file, Vec x);

} // namespace examples
#endif
