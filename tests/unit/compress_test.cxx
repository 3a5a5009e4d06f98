#include "analysis/ordering/compress.hpp"

#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <utility>

namespace {

using namespace tessera;
using namespace tessera::test;

/// Pairs some of the rows at random, neighbours or not.
std::vector<Index> random_partners(Random &random, Index n, int percent)
{
  std::vector<Index> partner(n), row(n);
  std::iota(partner.begin(), partner.end(), 0);
  std::iota(row.begin(), row.end(), 0);
  for (Index i = n - 1; i > 0; --i)
    std::swap(row[i], row[random.below(i + 1)]);
  for (Index k = 0; k + 1 < n; k += 2)
    if (random.below(100) < percent) {
      partner[row[k]] = row[k + 1];
      partner[row[k + 1]] = row[k];
    }
  return partner;
}

void check(const Pattern &a, const std::vector<Index> &partner, Random &random)
{
  const CompressedGraph graph = compress(a, partner);
  const Index vertices = static_cast<Index>(graph.weight.size());
  ASSERT_EQ(graph.pattern.rows, vertices);
  ASSERT_EQ(graph.pattern.cols, vertices);
  ASSERT_EQ(graph.row_start.size(), static_cast<size_t>(vertices) + 1);
  std::vector<Index> vertex(a.rows, -1);
  for (Index v = 0; v < vertices; ++v) {
    EXPECT_EQ(graph.row_start[v + 1] - graph.row_start[v], graph.weight[v]);
    for (Index k = graph.row_start[v]; k < graph.row_start[v + 1]; ++k) {
      vertex[graph.row[k]] = v;
      EXPECT_EQ(partner[graph.row[k]], graph.row[graph.row_start[v] + graph.row_start[v + 1] - 1 - k]);
    }
  }
  EXPECT_EQ(std::count(vertex.begin(), vertex.end(), -1), 0);
  std::set<std::pair<Index, Index>> expected, found;
  for (Index i = 0; i < a.rows; ++i)
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      if (vertex[i] != vertex[a.column[p]])
        expected.emplace(vertex[i], vertex[a.column[p]]);
  for (Index v = 0; v < vertices; ++v)
    for (Offset p = graph.pattern.start[v]; p < graph.pattern.start[v + 1]; ++p) {
      if (p > graph.pattern.start[v]) {
        EXPECT_LT(graph.pattern.column[p - 1], graph.pattern.column[p]);
      }
      found.emplace(v, graph.pattern.column[p]);
    }
  EXPECT_EQ(found, expected);

  std::vector<Index> order(vertices);
  std::iota(order.begin(), order.end(), 0);
  for (Index i = vertices - 1; i > 0; --i)
    std::swap(order[i], order[random.below(i + 1)]);
  const std::vector<Index> rows = expand(graph, order);
  ASSERT_EQ(rows.size(), static_cast<size_t>(a.rows));
  size_t k = 0;
  for (Index v : order)
    for (Index w = 0; w < graph.weight[v]; ++w)
      EXPECT_EQ(vertex[rows[k++]], v);
  EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), rows.size());
}

TEST(Compress, RandomPatterns)
{
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = random.below(60);
    const Matrix a = random_matrix(random, n, 3 * n, Values::uniform, true);
    check(a.pattern, random_partners(random, n, 50 * (trial % 3)), random);
  }
}

TEST(Compress, ManyRowsOnSeveralThreads)
{
  Random random(2);
  const Matrix a = random_matrix(random, 9000, 20000, Values::uniform, true);
  const Threads scope(3);
  for (int percent : {0, 50, 100})
    check(a.pattern, random_partners(random, 9000, percent), random);
}

TEST(Compress, PairOfTwoRowsIsOneVertex)
{
  const Matrix a = assemble(2, 2, {{0, 1, 1}, {1, 0, 1}});
  const CompressedGraph graph = compress(a.pattern, {1, 0});
  EXPECT_EQ(graph.weight, std::vector<Index>{2});
  EXPECT_EQ(graph.pattern.entries(), 0);
  EXPECT_EQ(expand(graph, {0}), (std::vector<Index>{0, 1}));
}

} // namespace
