#include "analysis/ordering/dense_rows.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr Offset stands_out = 10;      ///< times the entries of the middle row
constexpr double costly_squares = 100; ///< sum of the squares of rows that stand out, for each entry of the graph
constexpr double cheap_cubes = 100;    ///< operations for each entry that are little beside those of an order

} // namespace

Offset dense_degree(const Pattern &graph)
{
  constexpr Offset least = 16;
  const Index n = graph.rows;
  const Offset usual = std::max(least, static_cast<Offset>(10 * std::sqrt(double(n))));
  std::vector<Offset> degree(n);
  for (Index i = 0; i < n; ++i)
    degree[i] = graph.start[i + 1] - graph.start[i];
  const auto middle = degree.begin() + n / 2;
  std::nth_element(degree.begin(), middle, degree.end());
  if (middle == degree.end())
    return usual;
  const Offset bound = std::max(least, stands_out * *middle);
  double rows = 0, squares = 0;
  std::for_each(middle, degree.end(), [&](Offset d) {
    if (d <= bound || d > usual)
      return;
    rows += 1;
    squares += double(d) * double(d);
  });
  const double entries = double(graph.entries());
  const bool are_dense = squares > costly_squares * entries && rows * rows * rows <= cheap_cubes * entries;
  return are_dense ? std::min(bound, usual) : usual;
}

} // namespace tessera
