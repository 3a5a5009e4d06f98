#include "host/front/front_columns.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

template <Symmetry S, class T>
void exchange(FrontColumns<T> &front, Index i, Index j)
{
  if (i == j)
    return;
  for (Index k = 0; k < i; ++k)
    std::swap(*front.at(i, k), *front.at(j, k));
  std::swap(*front.at(i, i), *front.at(j, j));
  for (Index k = i + 1; k < j; ++k) {
    const T x = *front.at(k, i);
    *front.at(k, i) = mirrored<S>(*front.at(j, k));
    *front.at(j, k) = mirrored<S>(x);
  }
  *front.at(j, i) = mirrored<S>(*front.at(j, i));
  std::swap_ranges(front.at(0, i) + j + 1, front.at(0, i) + front.rows, front.at(0, j) + j + 1);
  std::swap(front.row[i], front.row[j]);
  std::swap(front.mass[i], front.mass[j]);
  // A proposed pair that is torn apart is none any longer.
  for (Index k : {i, j}) {
    front.pair[k] = 0;
    if (k > 0)
      front.pair[k - 1] = 0;
  }
}

template <Symmetry S, class T>
bool is_uncertain(T first, T beside, T second, double mass, double second_mass, double tolerance)
{
  const double d = magnitude(first), off = magnitude(beside);
  if (off == 0)
    return d <= tolerance * mass;
  // The smaller singular value of the pivot, scaled so that masses are 1, is its determinant over its largest entry.
  const double d_two = magnitude(second), most = std::max({d, d_two, off});
  const T b = without_argument<S>(beside);
  const double det = magnitude(product(first / most, second) - product(b / most, b));
  const double size =
      std::max({d / most * second_mass, d_two / most * mass, off / most * std::sqrt(mass) * std::sqrt(second_mass)});
  return det <= tolerance * size;
}

template <Symmetry S, class T>
void note_uncertain(FrontColumns<T> &front, Index k, double mass, double second_mass, double tolerance)
{
  const T off = front.off[k];
  if (mass > 0 && (off == T(0) || second_mass > 0) &&
      is_uncertain<S>(front.d[k], off, off == T(0) ? T(0) : front.d[k + 1], mass, second_mass, tolerance))
    front.uncertain.push_back({k, {mass, second_mass}});
}

template void exchange<Symmetry::Symmetric>(FrontColumns<double> &, Index, Index);
template void exchange<Symmetry::Symmetric>(FrontColumns<Complex> &, Index, Index);
template void exchange<Symmetry::Hermitian>(FrontColumns<Complex> &, Index, Index);
template bool is_uncertain<Symmetry::Symmetric>(double, double, double, double, double, double);
template bool is_uncertain<Symmetry::Symmetric>(Complex, Complex, Complex, double, double, double);
template bool is_uncertain<Symmetry::Hermitian>(Complex, Complex, Complex, double, double, double);
template void note_uncertain<Symmetry::Symmetric>(FrontColumns<double> &, Index, double, double, double);
template void note_uncertain<Symmetry::Symmetric>(FrontColumns<Complex> &, Index, double, double, double);
template void note_uncertain<Symmetry::Hermitian>(FrontColumns<Complex> &, Index, double, double, double);

} // namespace tessera
