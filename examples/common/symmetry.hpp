#ifndef EXAMPLES_SYMMETRY_HPP
#define EXAMPLES_SYMMETRY_HPP

#include <petscmat.h>

namespace examples {

/// Whether an AIJ matrix is symmetric but for rounding, as assembly leaves it: a_ij and a_ji, of which one that is not
/// stored counts as 0, differ by at most 1e-10 times the larger of the largest entries of rows i and j.
PetscErrorCode IsSymmetric(Mat aij, PetscBool *symmetric);

} // namespace examples
#endif
