#include "host/lu/eliminate_lu.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// One pivot after the other of a front, right-looking.
class CarefulLu {
public:
  CarefulLu(LuFront &front, const DirectOptions &options) : f_(front), options_(options) {}

  void run()
  {
    while (f_.eliminated < f_.columns) {
      bool found = false;
      for (Index c = f_.eliminated; c < f_.columns && !found; ++c)
        found = try_column(c);
      if (!found)
        return;
    }
  }

private:
  bool try_column(Index c)
  {
    const double *x = f_.at(0, c);
    double largest = 0, sum = 0; // the sum is finite only if all entries are
    Index row = f_.eliminated;
    for (Index i = f_.eliminated; i < f_.columns; ++i) {
      sum += x[i] * 0;
      if (std::abs(x[i]) > largest) {
        largest = std::abs(x[i]);
        row = i;
      }
    }
    double below = 0;
    for (Index i = f_.columns; i < f_.rows; ++i) {
      sum += x[i] * 0;
      below = std::max(below, std::abs(x[i]));
    }
    if (sum != 0 || largest < options_.threshold * below || largest == 0 ||
        !is_pivot(largest, f_.row_mass[row], f_.column_mass[c], options_))
      return false;
    f_.exchange_columns(f_.eliminated, c);
    f_.exchange_rows(f_.eliminated, row);
    eliminate();
    return true;
  }

  /// Eliminates the row and the column at place `eliminated`.
  void eliminate()
  {
    const Index k = f_.eliminated, below = f_.below();
    double *l = f_.at(0, k);
    const double pivot = l[k], size = std::abs(pivot), inverse = 1 / size;
    f_.uncertain += is_uncertain(pivot, f_.row_mass[k], f_.column_mass[k], options_);
    for (Index i = k + 1; i < f_.rows; ++i) {
      l[i] /= pivot;
      f_.mass_of_row(i) += l[i] * l[i] * size;
    }
    for (Index j = k + 1; j < f_.columns; ++j) {
      double *a = f_.at(0, j);
      const double x = a[k];
      f_.column_mass[j] += x * x * inverse;
      if (x == 0)
        continue;
      for (Index i = k + 1; i < f_.rows; ++i)
        a[i] -= l[i] * x;
    }
    const double *u = f_.right(k, 0);
    for (Index i = 0; i < below; ++i)
      f_.column_mass_below[i] += u[i] * u[i] * inverse;
    for (Index j = k + 1; j < f_.columns; ++j) {
      double *a = f_.right(j, 0);
      const double x = l[j];
      if (x == 0)
        continue;
      for (Index i = 0; i < below; ++i)
        a[i] -= u[i] * x;
    }
    ++f_.eliminated;
  }

  LuFront &f_;
  const DirectOptions &options_;
};

} // namespace

void eliminate_lu_carefully(LuFront &front, const DirectOptions &options)
{
  CarefulLu(front, options).run();
}

bool eliminate_zeros(LuFront &front)
{
  for (Index j = front.eliminated; j < front.columns; ++j)
    for (Index i = front.eliminated; i < front.columns; ++i) {
      if (!std::isfinite(*front.at(i, j)))
        return false;
      *front.at(i, j) = 0;
    }
  front.zero = front.columns - front.eliminated;
  front.eliminated = front.columns;
  return true;
}

} // namespace tessera
