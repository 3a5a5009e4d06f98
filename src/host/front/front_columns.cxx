#include "host/front/front_columns.hpp"

#include <algorithm>

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

} // namespace tessera
