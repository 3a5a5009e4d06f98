#include "analysis/blocking.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>
#include <omp.h>

using namespace tessera;
using namespace tessera_test;

namespace {

const std::vector<BlockStrategy> strategies = {BlockStrategy::SN};

void expect_valid(const std::string &name, const Blocking &blocking, const std::vector<Index> &weight, Index max_rows)
{
  const Index n = static_cast<Index>(weight.size());
  ASSERT_TRUE(is_permutation_of(blocking.perm, n)) << name;
  ASSERT_EQ(blocking.start.front(), 0) << name;
  ASSERT_EQ(blocking.start.back(), n) << name;
  for (Index b = 0; b < blocking.blocks(); ++b) {
    Index rows = 0;
    for (Index k = blocking.start[b]; k < blocking.start[b + 1]; ++k)
      rows += weight[blocking.perm[k]];
    EXPECT_GT(rows, 0) << name;
    EXPECT_LE(rows, max_rows) << name;
  }
}

TEST(Blocking, BlocksAreAPartitionWithinTheSizeLimit)
{
  for (const auto &[name, graph] : small_graphs()) {
    const auto weight = pair_weights(graph.rows);
    for (BlockStrategy strategy : strategies) {
      for (Ordering ordering : {Ordering::Natural, Ordering::AMD, Ordering::METIS}) {
        for (Index max_rows : {2, 3, 8, 32}) {
          BlockingOptions options;
          options.strategy = strategy;
          options.ordering = ordering;
          options.max_rows = max_rows;
          expect_valid(name, make_blocking(graph, weight, options), weight, max_rows);
        }
      }
    }
  }
}

TEST(Blocking, SameForAnyNumberOfThreads)
{
  const Pattern graph = grid_graph(25, 20, 8);
  const auto weight = pair_weights(graph.rows);
  const int threads = omp_get_max_threads();
  for (BlockStrategy strategy : strategies) {
    BlockingOptions options;
    options.strategy = strategy;
    Blocking reference;
    for (int t : {1, 2, 5}) {
      omp_set_num_threads(t);
      const Blocking blocking = make_blocking(graph, weight, options);
      if (t == 1)
        reference = blocking;
      EXPECT_EQ(blocking.perm, reference.perm);
      EXPECT_EQ(blocking.start, reference.start);
    }
  }
  omp_set_num_threads(threads);
}

TEST(Blocking, SupernodesAreCutEvenly)
{
  const Index n = 33;
  BlockingOptions options;
  options.ordering = Ordering::Natural;
  const Blocking blocking = make_blocking(random_graph(n, 20000, 1), std::vector<Index>(n, 1), options);
  EXPECT_EQ(blocking.start, (std::vector<Index>{0, 17, 33}));
}

} // namespace
