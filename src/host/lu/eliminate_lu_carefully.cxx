#include "host/front/least_pivot.hpp"
#include "host/lu/column_pivot.hpp"
#include "host/lu/eliminate_lu.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// One pivot after the other of a front, right-looking.
template <class T>
class CarefulLu {
public:
  CarefulLu(LuFront<T> &front, const DirectOptions &options) : f_(front), options_(options) {}

  void run()
  {
    while (f_.eliminated < f_.columns) {
      bool found = false;
      for (Index c = f_.eliminated; c < f_.columns && !found; ++c)
        found = try_column(c);
      if (!found && !(options_.is_static() && replace_pivot()))
        return;
    }
  }

private:
  bool try_column(Index c)
  {
    const LargestOfColumn largest = largest_of_column(f_, c);
    if (!is_pivot(largest, f_, c, options_))
      return false;
    f_.exchange_columns(f_.eliminated, c);
    f_.exchange_rows(f_.eliminated, largest.row);
    eliminate();
    return true;
  }

  /// Static pivoting, where no column has a pivot: the first one gets one that is large enough, in the row of its
  /// largest entry. Returns whether the column is finite.
  bool replace_pivot()
  {
    const Index k = f_.eliminated;
    const LargestOfColumn of_k = largest_of_column(f_, k);
    if (!of_k.finite)
      return false;
    f_.exchange_rows(k, of_k.row);
    if (of_k.own < options_.least_pivot) {
      *f_.at(k, k) = pivot_of_size(*f_.at(k, k), options_.least_pivot);
      ++f_.perturbed;
    }
    eliminate();
    return true;
  }

  /// Eliminates the row and the column at place `eliminated`.
  void eliminate()
  {
    const Index k = f_.eliminated, below = f_.below();
    const T *l = f_.at(0, k);
    const double size = magnitude(l[k]), inverse = 1 / size;
    f_.uncertain += is_uncertain(size, f_.row_mass[k], f_.column_mass[k], options_);
    eliminate_column(f_, f_.columns);
    const T *u = f_.right(k, 0);
    for (Index i = 0; i < below; ++i)
      f_.column_mass_below[i] += squared_magnitude(u[i]) * inverse;
    for (Index j = k + 1; j < f_.columns; ++j) {
      T *a = f_.right(j, 0);
      const T x = l[j];
      if (x == T(0))
        continue;
      for (Index i = 0; i < below; ++i)
        a[i] -= product(u[i], x);
    }
    ++f_.eliminated;
  }

  LuFront<T> &f_;
  const DirectOptions &options_;
};

} // namespace

template <class T>
void eliminate_lu_carefully(LuFront<T> &front, const DirectOptions &options)
{
  CarefulLu<T>(front, options).run();
}

template <class T>
bool eliminate_zeros(LuFront<T> &front)
{
  for (Index j = front.eliminated; j < front.columns; ++j)
    for (Index i = front.eliminated; i < front.columns; ++i) {
      if (!is_finite(*front.at(i, j)))
        return false;
      *front.at(i, j) = 0;
    }
  front.zero = front.columns - front.eliminated;
  front.eliminated = front.columns;
  return true;
}

template void eliminate_lu_carefully(LuFront<double> &, const DirectOptions &);
template void eliminate_lu_carefully(LuFront<Complex> &, const DirectOptions &);
template bool eliminate_zeros(LuFront<double> &);
template bool eliminate_zeros(LuFront<Complex> &);

} // namespace tessera
