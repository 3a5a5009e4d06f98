#ifndef TESSERA_HOST_LU_LARGEST_OF_COLUMN_HPP
#define TESSERA_HOST_LU_LARGEST_OF_COLUMN_HPP

#include "host/lu/eliminate_lu.hpp"

#include <algorithm>

namespace tessera {

/// The largest magnitudes of a column from the row of the next pivot on.
struct LargestOfColumn {
  double own = 0; ///< in rows that may be pivots
  Index row = 0;  ///< of that
  double below = 0;
  bool finite = true;
};

/// Of column c, which is up to date.
template <class T>
LargestOfColumn largest_of_column(const LuFront<T> &f, Index c)
{
  LargestOfColumn found;
  const T *x = f.at(0, c);
  T sum = 0; // finite only if all entries are
  found.row = f.eliminated;
  for (Index i = f.eliminated; i < f.columns; ++i) {
    sum += x[i] * 0.0;
    if (magnitude(x[i]) > found.own) {
      found.own = magnitude(x[i]);
      found.row = i;
    }
  }
  for (Index i = f.columns; i < f.rows; ++i) {
    sum += x[i] * 0.0;
    found.below = std::max(found.below, magnitude(x[i]));
  }
  found.finite = sum == T(0);
  return found;
}

/// Whether the largest entry of column c in an own row is a pivot: at least `threshold` times the largest of all, and
/// more than rounding.
template <class T>
bool is_pivot(const LargestOfColumn &largest, const LuFront<T> &f, Index c, const DirectOptions &options)
{
  return largest.finite && largest.own != 0 && largest.own >= options.threshold * largest.below &&
         is_pivot(largest.own, f.row_mass[largest.row], f.column_mass[c], options);
}

} // namespace tessera
#endif
