#ifndef TESSERA_PC_FACTORED_INPUT_HPP
#define TESSERA_PC_FACTORED_INPUT_HPP

#include "analysis/symmetric_input.hpp"
#include "factor/block_factorization.hpp"

#include <petscpc.h>

/// Values of a sequential matrix in the order that it stores them, to be read until PCFactoredRestoreValues().
struct PCFactoredValues {
  const PetscScalar *value;
  tessera::Place place;
  bool from_csr; ///< gotten from MatSeqAIJGetCSRAndMemType(), which wants nothing back
  bool from_sbaij;
  PetscObjectState state; ///< of the matrix
};

/// An error unless the matrix is square and of a type that the preconditioner can read. type: of the preconditioner.
PETSC_INTERN PetscErrorCode PCFactoredCheckMatrix(Mat A, PCType type);

/// Whether the values of the matrix are kept in device memory.
PETSC_INTERN PetscErrorCode PCFactoredMatrixOnDevice(Mat A, PetscBool *on_device);

/// The values, in device memory if that is `wanted` and the matrix keeps them there, else on the host.
PETSC_INTERN PetscErrorCode PCFactoredGetValues(Mat A, tessera::Place wanted, PCFactoredValues *values);
PETSC_INTERN PetscErrorCode PCFactoredRestoreValues(Mat A, PCFactoredValues *values);

/// Both triangles of the matrix, on the host. A matrix known to be symmetric is believed to be.
PETSC_INTERN PetscErrorCode PCFactoredReadMatrix(Mat A, PCType type, tessera::SymmetricInput *input);

#endif
