#ifndef TESSERA_HOST_FRONT_ELIMINATE_ELIMINATE_LDLT_HPP
#define TESSERA_HOST_FRONT_ELIMINATE_ELIMINATE_LDLT_HPP

#include "factor/front/options.hpp"
#include "host/front/front_columns.hpp"

#include <vector>

namespace tessera {

/// Eliminates the columns of a symmetric or Hermitian front by blocks: the pivots of a tile of 32 columns are chosen in
/// the tile, first in the given order with the proposed pairs, and where an entry of L in the tile exceeds 1 /
/// threshold, by rook pivoting. The columns of L below the tile are tested afterwards (Duff, Hogg & Lopez 2020): those
/// before the first pivot with an entry above 1 / threshold stay, that pivot moves behind all columns that have not
/// been tried. What failed is tried once more by eliminate_carefully, and small fronts are left to it. Columns from
/// `eliminated` on are those that no pivot was found in; they are up to date.
///
/// work: memory that is kept from front to front. parallel: whether all threads work on this front.
template <Symmetry S, class T>
void eliminate_ldlt(FrontColumns<T> &front, const DirectOptions &options, bool parallel, std::vector<T> &work);

/// Threshold partial pivoting, one pivot after the other, with whole columns tested before: proposed pairs, 1x1 pivots,
/// and 2x2 pivots with the row of the column's largest entry (Duff & Reid 1983). A column of which nothing but rounding
/// is left gives a pivot that is 0, or stays, see DirectOptions::leaves_out. Continues where the front is; stops when
/// no column has a pivot.
template <Symmetry S, class T>
void eliminate_carefully(FrontColumns<T> &front, const DirectOptions &options);

/// Makes what is left of a front without rows below pivots that are 0, and left out. Returns whether it is finite.
template <class T>
bool leave_out_rest(FrontColumns<T> &front);

/// C -= L D Lᵀ, or L D Lᴴ, for the rows of the front below its columns. c: [rows - columns] square, lower triangle,
/// column-major.
template <Symmetry S, class T>
void update_contribution_ldlt(const FrontColumns<T> &front, T *c, bool parallel, std::vector<T> &work);

} // namespace tessera
#endif
