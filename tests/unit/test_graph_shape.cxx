#include "analysis/ordering/graph_shape.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera_test;

namespace {

TEST(GraphShape, WidthOfALongGridIsItsWidth)
{
  const Shape shape = measure_shape(grid_graph(100, 10, 1), std::vector<Index>(1000, 2));
  EXPECT_TRUE(shape.is_long);
  EXPECT_EQ(shape.width, 20); // ten vertices of two rows
}

TEST(GraphShape, DoesNotDependOnWhereTheGraphBegins)
{
  const Pattern grid = grid_graph(5, 80, 1);
  std::vector<std::pair<Index, Index>> edges;
  const std::vector<Index> name = random_permutation(grid.rows, 4);
  for (Index i = 0; i < grid.rows; ++i) {
    for (Offset p = grid.start[i]; p < grid.start[i + 1]; ++p)
      edges.push_back({name[i], name[grid.column[p]]});
  }
  EXPECT_EQ(measure_shape(graph_of(grid.rows, edges), std::vector<Index>(grid.rows, 1)).width, 5);
}

TEST(GraphShape, StarsRandomGraphsAndPiecesAreNotLong)
{
  for (const Pattern &graph : {arrow_graph(1000), random_graph(3000, 12000, 1), graph_of(0, {}), graph_of(50, {}),
                               disconnected_graph(grid_graph(100, 2, 1), 3)})
    EXPECT_FALSE(measure_shape(graph, std::vector<Index>(graph.rows, 1)).is_long);
}

} // namespace
