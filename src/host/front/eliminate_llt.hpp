#ifndef TESSERA_HOST_FRONT_ELIMINATE_LLT_HPP
#define TESSERA_HOST_FRONT_ELIMINATE_LLT_HPP

#include "host/front/front_columns.hpp"

namespace tessera {

/// Overwrites the columns of a front of a positive definite matrix with those of its Cholesky factor. Returns -1, or
/// the first column whose pivot is not positive; the front is then of no use.
Index eliminate_llt(FrontColumns &front, bool parallel);

/// C -= L Lᵀ for the rows of the front below its columns. c: [rows - columns] square, lower triangle, column-major.
void update_contribution_llt(const FrontColumns &front, double *c, bool parallel);

} // namespace tessera
#endif
