#ifndef TESSERA_HOST_FRONT_ELIMINATE_ELIMINATE_LLT_HPP
#define TESSERA_HOST_FRONT_ELIMINATE_ELIMINATE_LLT_HPP

#include "host/front/front_columns.hpp"

namespace tessera {

/// Overwrites the columns of a front of a positive definite matrix, A = Aᵀ or A = Aᴴ, with those of its Cholesky
/// factor. Returns -1, or the first column whose pivot is not positive; the front is then of no use.
template <Symmetry S, class T>
Index eliminate_llt(FrontColumns<T> &front, bool parallel);

/// C -= L Lᵀ, or L Lᴴ, for the rows of the front below its columns. c: [rows - columns] square, lower triangle,
/// column-major.
template <Symmetry S, class T>
void update_contribution_llt(const FrontColumns<T> &front, T *c, bool parallel);

} // namespace tessera
#endif
