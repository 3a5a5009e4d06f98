#ifndef TESSERA_SEAM_SYMMETRIC_MATRIX_HPP
#define TESSERA_SEAM_SYMMETRIC_MATRIX_HPP

#include "analysis/input/symmetric_input.hpp"
#include "seam/matrix.hpp"

/// Whether a matrix is known to be symmetric or Hermitian. With complex scalars it is Hermitian where that is known,
/// and else one that stores a single triangle is symmetric. Another one that is known to be positive definite may be
/// either: MAT_SPD says of Hermitian matrices too that they are symmetric.
PETSC_INTERN PetscErrorCode TesseraMatSymmetryKnown(Mat A, PetscBool *known, tessera::Symmetry *symmetry);

/// Both triangles of a matrix, on the host. A matrix known to be symmetric, or Hermitian, is believed to be, any other
/// one is checked, one that is said not to be symmetric too: SLEPc says so of all that it has not been told to be. who:
/// reads it, for messages. What the C++ code throws is kept in `error`.
PETSC_INTERN PetscErrorCode TesseraMatReadSymmetric(Mat A, const char who[], tessera::SymmetricInput *input,
                                                    tessera::FirstError *error);

/// An error unless what was read of a matrix is symmetric and has every entry once.
PETSC_INTERN PetscErrorCode TesseraMatCheckInput(Mat A, const char who[], const tessera::SymmetricInput &input);

#endif
