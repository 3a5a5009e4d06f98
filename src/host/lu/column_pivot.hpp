#ifndef TESSERA_HOST_LU_COLUMN_PIVOT_HPP
#define TESSERA_HOST_LU_COLUMN_PIVOT_HPP

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

/// Divides the column at place `eliminated` by its pivot, which is on the diagonal, and brings the own columns between
/// it and `end` up to date, with the masses of rows and of these columns.
template <class T>
void eliminate_column(const LuFront<T> &f, Index end)
{
  const Index k = f.eliminated;
  T *l = f.at(0, k);
  const T pivot = l[k];
  const double inverse = 1 / magnitude(pivot);
  for (Index i = k + 1; i < f.rows; ++i)
    l[i] = quotient(l[i], pivot);
  f.add_row_mass(k + 1, f.rows, k);
  for (Index j = k + 1; j < end; ++j) {
    T *a = f.at(0, j);
    const T x = a[k];
    f.column_mass[j] += squared_magnitude(x) * inverse;
    if (x == T(0))
      continue;
    for (Index i = k + 1; i < f.rows; ++i)
      a[i] -= product(l[i], x);
  }
}

} // namespace tessera
#endif
