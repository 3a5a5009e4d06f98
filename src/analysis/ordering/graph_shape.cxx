#include "analysis/ordering/graph_shape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

/// The vertices that can be reached from `root`, by distance; where each distance begins, and the end, go to `start`.
std::vector<Index> breadth_first(const Pattern &graph, Index root, std::vector<Index> &start)
{
  std::vector<Index> found = {root};
  std::vector<char> seen(graph.rows, 0);
  found.reserve(graph.rows);
  seen[root] = 1;
  start = {0};
  for (std::size_t begin = 0; begin < found.size();) {
    const std::size_t end = found.size();
    start.push_back(static_cast<Index>(end));
    for (; begin < end; ++begin) {
      const Index v = found[begin];
      for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
        const Index u = graph.column[p];
        if (!seen[u]) {
          seen[u] = 1;
          found.push_back(u);
        }
      }
    }
  }
  return found;
}

} // namespace

Shape measure_shape(const Pattern &graph, const std::vector<Index> &weight)
{
  constexpr int least_distances = 40;
  Shape shape;
  if (graph.rows == 0)
    return shape;
  std::vector<Index> start;
  const Index end = breadth_first(graph, 0, start).back();
  const std::vector<Index> found = breadth_first(graph, end, start);
  const int distances = static_cast<int>(start.size()) - 1;
  shape.is_long = distances >= least_distances && 2 * found.size() > weight.size();
  const Offset rows = std::accumulate(weight.begin(), weight.end(), Offset(0));
  Offset sum = 0;
  for (int d = 0; d < distances && 2 * sum < rows; ++d) {
    shape.width = 0;
    for (Index k = start[d]; k < start[d + 1]; ++k)
      shape.width += weight[found[k]];
    sum += shape.width;
  }
  return shape;
}

Offset dense_degree(const Pattern &graph)
{
  constexpr Offset least = 16, stands_out = 10; // entries, and times those of the middle row
  constexpr double costly_squares = 100;        // of rows that stand out, for each entry of the graph
  constexpr double cheap_cubes = 100;           // operations for each entry that are little beside those of an order
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
