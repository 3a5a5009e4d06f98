#include "host/front/front_columns.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

void exchange(FrontColumns &front, Index i, Index j)
{
  if (i == j)
    return;
  for (Index k = 0; k < i; ++k)
    std::swap(*front.at(i, k), *front.at(j, k));
  std::swap(*front.at(i, i), *front.at(j, j));
  for (Index k = i + 1; k < j; ++k)
    std::swap(*front.at(k, i), *front.at(j, k));
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

void note_uncertain(FrontColumns &front, Index k, double mass, double second_mass, double tolerance)
{
  const double d = std::abs(front.d[k]), off = std::abs(front.off[k]);
  bool rounding = d <= tolerance * mass;
  if (off != 0) {
    // The smaller eigenvalue of the pivot, scaled so that masses are 1, is its determinant over its largest entry.
    const double d_two = std::abs(front.d[k + 1]), most = std::max({d, d_two, off});
    const double det = std::abs(front.d[k] / most * front.d[k + 1] - front.off[k] / most * front.off[k]);
    const double size =
        std::max({d / most * second_mass, d_two / most * mass, off / most * std::sqrt(mass) * std::sqrt(second_mass)});
    rounding = det <= tolerance * size;
  }
  if (rounding && mass > 0 && (off == 0 || second_mass > 0))
    front.uncertain.push_back({k, {mass, second_mass}});
}

} // namespace tessera
