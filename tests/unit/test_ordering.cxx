#include "analysis/ordering.hpp"
#include "analysis/permute.hpp"
#include "analysis/symbolic.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>
#include <omp.h>

using namespace tessera;
using namespace tessera_test;

namespace {

const std::vector<Ordering> orderings = {Ordering::Natural, Ordering::AMD, Ordering::METIS};

TEST(Ordering, GivesPermutations)
{
  for (const auto &[name, graph] : small_graphs()) {
    for (Ordering ordering : orderings)
      EXPECT_TRUE(is_permutation_of(order(graph, pair_weights(graph.rows), ordering), graph.rows)) << name;
  }
}

TEST(Ordering, SameForAnyNumberOfThreadsAndEveryRun)
{
  const Pattern graph = grid_graph(24, 24, 24);
  const std::vector<Index> weight(graph.rows, 1);
  const int threads = omp_get_max_threads();
  for (Ordering ordering : orderings) {
    std::vector<Index> reference;
    for (int t : {1, 2, 5, 1}) {
      omp_set_num_threads(t);
      const std::vector<Index> perm = order(graph, weight, ordering);
      if (reference.empty())
        reference = perm;
      EXPECT_EQ(perm, reference);
    }
  }
  omp_set_num_threads(threads);
}

TEST(Ordering, FillReducingOrderingsReduceFill)
{
  const Pattern graph = permute_graph(grid_graph(40, 40, 1), random_permutation(1600, 1));
  const std::vector<Index> weight(1600, 1);
  const Offset natural = analyze(graph, weight, order(graph, weight, Ordering::Natural)).entries;
  for (Ordering ordering : {Ordering::AMD, Ordering::METIS})
    EXPECT_LT(5 * analyze(graph, weight, order(graph, weight, ordering)).entries, natural);
}

TEST(Ordering, DenseRowsComeLast)
{
  const Pattern graph = dense_row_graph(40, 40);
  const std::vector<Index> weight(1600, 1);
  for (Ordering ordering : {Ordering::AMD, Ordering::METIS})
    EXPECT_EQ(order(graph, weight, ordering).back(), 1600 / 3);
}

} // namespace
