#ifndef TESSERA_HOST_LU_ELIMINATE_LU_HPP
#define TESSERA_HOST_LU_ELIMINATE_LU_HPP

#include "factor/front/options.hpp"
#include "host/lu/lu_front.hpp"

#include <vector>

namespace tessera {

/// Eliminates the rows and columns of a front by blocks: the pivots of a tile of 32 columns are chosen among its own
/// rows, by partial pivoting. The columns of L below the tile are tested afterwards (Duff, Hogg & Lopez 2020): those
/// before the first one with an entry above 1 / threshold stay, that one and its row move behind all that have not
/// been tried. Where many fail, tiles have too few rows to choose from: they are given up. What is left is tried once
/// more by eliminate_lu_by_columns, and then by eliminate_lu_carefully, as small fronts are at once. Rows and columns
/// from `eliminated` on are those that no pivot was found for; they are up to date.
///
/// work: memory that is kept from front to front. parallel: whether all threads work on this front.
template <class T>
void eliminate_lu(LuFront<T> &front, const DirectOptions &options, bool parallel, std::vector<T> &work);

/// Threshold partial pivoting by blocks: each pivot of a panel is the largest entry of its column in all own rows, if
/// it is one to eliminate_lu_carefully. A column without one is tried again after all others, as long as that gives
/// more than a few pivots. Continues where the front is.
template <class T>
void eliminate_lu_by_columns(LuFront<T> &front, const DirectOptions &options, bool parallel);

/// Threshold partial pivoting, one column after the other: the largest entry in an own row is the pivot, if it is at
/// least `threshold` times the largest of the column and more than rounding (Duff & Reid 1983). Continues where the
/// front is; stops when no column has a pivot.
template <class T>
void eliminate_lu_carefully(LuFront<T> &front, const DirectOptions &options);

/// Makes what is left of a front without rows below pivots that are 0. Returns whether it is finite.
template <class T>
bool eliminate_zeros(LuFront<T> &front);

/// C -= L U for the rows and columns of the front beyond its own. c: [rows - columns] square, column-major.
template <class T>
void update_contribution_lu(const LuFront<T> &front, T *c, bool parallel);

/// Whether a pivot of this magnitude is more than rounding, and large enough for static pivoting; and whether that is
/// not certain. masses: of its row and its column.
inline bool is_pivot(double pivot, double row_mass, double column_mass, const DirectOptions &options)
{
  return pivot > options.refused() * std::sqrt(row_mass) * std::sqrt(column_mass) && pivot >= options.least_pivot;
}
inline bool is_uncertain(double pivot, double row_mass, double column_mass, const DirectOptions &options)
{
  return pivot <= options.uncertain * std::sqrt(row_mass) * std::sqrt(column_mass);
}

} // namespace tessera
#endif
