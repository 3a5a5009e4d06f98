#ifndef TESSERA_PC_BILDLT_INPUT_HPP
#define TESSERA_PC_BILDLT_INPUT_HPP

#include "analysis/symmetric_input.hpp"
#include "factor/block_factorization.hpp"

#include <petscpc.h>

/// Values of a sequential matrix in the order that it stores them, to be read until PCBILDLTRestoreValues().
struct PCBILDLTValues {
  const PetscScalar *value;
  tessera::Place place;
  bool from_csr; ///< gotten from MatSeqAIJGetCSRAndMemType(), which wants nothing back
  bool from_sbaij;
  PetscObjectState state; ///< of the matrix
};

/// An error unless the matrix is square and of a type that the preconditioner can read. type: of the preconditioner.
PETSC_INTERN PetscErrorCode PCBILDLTCheckMatrix(Mat A, PCType type);

/// Whether the values of the matrix are kept in device memory.
PETSC_INTERN PetscErrorCode PCBILDLTMatrixOnDevice(Mat A, PetscBool *on_device);

/// The values, in device memory if that is `wanted` and the matrix keeps them there, else on the host.
PETSC_INTERN PetscErrorCode PCBILDLTGetValues(Mat A, tessera::Place wanted, PCBILDLTValues *values);
PETSC_INTERN PetscErrorCode PCBILDLTRestoreValues(Mat A, PCBILDLTValues *values);

/// Both triangles of the matrix, on the host. A matrix known to be symmetric is believed to be.
PETSC_INTERN PetscErrorCode PCBILDLTReadMatrix(Mat A, PCType type, tessera::SymmetricInput *input);

#endif
