#include "analysis/ordering/graph_shape.hpp"
#include "analysis/ordering/ordering.hpp"
#include "analysis/ordering/ordering_kokkos.hpp"
#include "analysis/symbolic/symbolic.hpp"
#include "base/permute.hpp"
#include "support/any_threads.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera_test;

namespace {

const std::vector<Ordering> orderings = {Ordering::Natural, Ordering::AMD, Ordering::ND,
                                         Ordering::METIS,   Ordering::RCM, Ordering::Color};

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
  for (Ordering ordering : orderings)
    test::on_any_threads([&] { return order(graph, weight, ordering); }, {2, 5, 1});
}

/// Beyond half a million vertices the graph is cut before AMD orders it: less fill, and the same for all threads.
TEST(Ordering, AutomaticCutsLargeMeshesForAmd)
{
  const Pattern graph = grid_graph(1000, 510, 1);
  const std::vector<Index> weight(graph.rows, 1);
  const std::vector<Index> perm = test::on_any_threads([&] { return order(graph, weight, Ordering::Automatic); });
  EXPECT_TRUE(is_permutation_of(perm, graph.rows));
  EXPECT_LT(analyze(graph, weight, perm).size.flops,
            analyze(graph, weight, order(graph, weight, Ordering::AMD)).size.flops);
}

/// Parts that minimum degree orders are small where levels cost, but not in a mesh whose work hides them.
TEST(Ordering, AutomaticFillsThickMeshesLeast)
{
  const Pattern graph = grid_graph(60, 60, 60);
  const std::vector<Index> weight(graph.rows, 2);
  OrderingChoice small;
  small.leaf = 32;
  EXPECT_EQ(order(graph, weight, Ordering::Automatic, small), order(graph, weight, Ordering::Automatic, {}));
  EXPECT_NE(order(graph, weight, Ordering::ND, small), order(graph, weight, Ordering::Automatic, {}));
}

/// A narrow strip has little fill in AMD's order, which goes along it.
TEST(Ordering, AutomaticPrefersShallowTreesWhereLevelsCost)
{
  const Pattern graph = grid_graph(3000, 3, 1);
  const std::vector<Index> weight(graph.rows, 1);
  const auto depth_of = [](const Symbolic &symbolic, const std::vector<Index> &rows) {
    return tree_depth(symbolic, rows, 32, 8);
  };
  const auto depth = [&](double level_flops) {
    OrderingChoice choice;
    if (level_flops > 0)
      choice.level_flops = [&](const Symbolic &symbolic, const std::vector<Index> &rows) {
        return level_flops * depth_of(symbolic, rows);
      };
    choice.costly_levels = 200 * level_flops;
    return depth_of(order_and_count(graph, weight, Ordering::Automatic, choice), weight);
  };
  EXPECT_GT(depth(0), 300);
  EXPECT_LT(depth(1e7), 60);
}

/// Nested dissection is looked at where the factor by AMD takes as long as it: from a number of operations an entry on,
/// or a much larger one a row where they are cheap.
TEST(Ordering, AutomaticDissectsWhereTheFactorTakesLonger)
{
  const Pattern graph = grid_graph(14, 14, 14);
  const std::vector<Index> weight(graph.rows, 2);
  const Symbolic by_degree = order_and_count(graph, weight, Ordering::AMD);
  const Symbolic dissected = order_and_count(graph, weight, Ordering::ND);
  ASSERT_LT(dissected.size.flops, 0.8 * by_degree.size.flops);
  const auto chosen = [&](double flops_per_entry, bool cheap) {
    OrderingChoice choice;
    choice.flops_per_entry = flops_per_entry;
    choice.are_cheap = [&, cheap](const FactorSize &size) {
      EXPECT_EQ(size.flops, by_degree.size.flops);
      return cheap;
    };
    const Symbolic symbolic = cheaper_order(graph, weight, choice);
    EXPECT_EQ(order_and_count(graph, weight, Ordering::Automatic, choice).perm, symbolic.perm);
    EXPECT_EQ(order(graph, weight, Ordering::Automatic, choice), symbolic.perm);
    return symbolic.size.flops;
  };
  const double per_entry = by_degree.size.flops / double(graph.entries());
  EXPECT_EQ(chosen(0.99 * per_entry, false), dissected.size.flops);
  EXPECT_EQ(chosen(1.01 * per_entry, false), by_degree.size.flops);
  EXPECT_EQ(chosen(0.99 * per_entry, true), by_degree.size.flops);
}

/// Or where the levels cost as much as a bound, or as another one for each entry of the graph.
TEST(Ordering, AutomaticDissectsWhereLevelsCostMoreThanTheLook)
{
  const Pattern graph = grid_graph(14, 14, 14);
  const std::vector<Index> weight(graph.rows, 2);
  const double dissected = order_and_count(graph, weight, Ordering::ND).size.flops;
  const double by_degree = order_and_count(graph, weight, Ordering::AMD).size.flops;
  ASSERT_LT(dissected, by_degree);
  constexpr double levels = 1e6;
  const auto chosen = [&](double costly, double per_entry) {
    OrderingChoice choice;
    choice.are_cheap = [](const FactorSize &) { return true; };
    choice.level_flops = [](const Symbolic &, const std::vector<Index> &) { return levels; };
    choice.costly_levels = costly;
    choice.costly_levels_per_entry = per_entry;
    return cheaper_order(graph, weight, choice).size.flops;
  };
  const double per_entry = levels / double(graph.entries());
  EXPECT_EQ(chosen(1.01 * levels, 1.01 * per_entry), by_degree);
  EXPECT_EQ(chosen(1.01 * levels, 0.99 * per_entry), dissected);
  EXPECT_EQ(chosen(0.99 * levels, 1.01 * per_entry), dissected);
  EXPECT_EQ(chosen(1.01 * levels, OrderingChoice().costly_levels_per_entry), by_degree);
}

/// A grid that nested dissection of this kind does not order better than AMD.
TEST(Ordering, AutomaticTakesAmdWhereItIsBetter)
{
  const Pattern graph = disconnected_graph(grid_graph(5, 5, 1), 20);
  const std::vector<Index> weight(graph.rows, 1);
  const Symbolic by_degree = order_and_count(graph, weight, Ordering::AMD);
  ASSERT_LE(by_degree.size.flops, order_and_count(graph, weight, Ordering::ND).size.flops);
  OrderingChoice choice;
  choice.flops_per_entry = 0;
  EXPECT_EQ(cheaper_order(graph, weight, choice).perm, by_degree.perm);
}

/// Where both are looked at whatever the first one costs, one of several threads does minimum degree while others
/// dissect.
TEST(Ordering, AutomaticTakesTheBetterOneOnAnyThreads)
{
  for (const Pattern &graph : {grid_graph(14, 14, 14), disconnected_graph(grid_graph(5, 5, 1), 200)}) {
    const std::vector<Index> weight(graph.rows, 1);
    ASSERT_GT(graph.entries(), 10000);
    const Symbolic by_degree = order_and_count(graph, weight, Ordering::AMD),
                   dissected = order_and_count(graph, weight, Ordering::ND);
    const double levels = 0.5 * by_degree.size.flops; // of either
    OrderingChoice choice;
    choice.level_flops = [levels](const Symbolic &, const std::vector<Index> &) { return levels; };
    const auto chosen = test::on_any_threads([&] { return cheaper_order(graph, weight, choice).perm; });
    EXPECT_EQ(chosen, dissected.size.flops < by_degree.size.flops ? dissected.perm : by_degree.perm);
    choice.level_flops = [](const Symbolic &symbolic, const std::vector<Index> &) { return -2 * symbolic.size.flops; };
    const auto deepest = test::on_any_threads([&] { return cheaper_order(graph, weight, choice).perm; });
    EXPECT_EQ(deepest, dissected.size.flops > by_degree.size.flops ? dissected.perm : by_degree.perm);
  }
}

TEST(Ordering, FillReducingOrderingsReduceFill)
{
  const Pattern graph = permute_graph(grid_graph(40, 40, 1), random_permutation(1600, 1));
  const std::vector<Index> weight(1600, 1);
  const Offset natural = analyze(graph, weight, order(graph, weight, Ordering::Natural)).size.entries;
  for (Ordering ordering : {Ordering::AMD, Ordering::ND, Ordering::METIS})
    EXPECT_LT(5 * analyze(graph, weight, order(graph, weight, ordering)).size.entries, natural);
}

TEST(Ordering, NestedDissectionFillsNoMoreThanMetis)
{
  for (const Pattern &graph : {grid_graph(30, 30, 30), grid_graph(150, 150, 1), random_graph(4000, 8000, 3),
                               disconnected_graph(grid_graph(40, 40, 1), 4), arrow_graph(5000)}) {
    const auto weight = pair_weights(graph.rows);
    const Offset ours = analyze(graph, weight, order(graph, weight, Ordering::ND)).size.entries;
    const Offset metis = analyze(graph, weight, order(graph, weight, Ordering::METIS)).size.entries;
    EXPECT_LE(double(ours), 1.05 * double(metis));
  }
}

Index bandwidth(const Pattern &graph)
{
  Index width = 0;
  for (Index i = 0; i < graph.rows; ++i) {
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      width = std::max(width, std::abs(i - graph.column[p]));
  }
  return width;
}

TEST(Ordering, RcmReducesBandwidth)
{
  const Pattern graph = permute_graph(grid_graph(40, 20, 1), random_permutation(800, 1));
  EXPECT_GT(bandwidth(graph), 700);
  EXPECT_LE(bandwidth(permute_graph(graph, order(graph, std::vector<Index>(800, 1), Ordering::RCM))), 45);
}

TEST(Ordering, ColorsAreProperAndSorted)
{
  for (const auto &[name, graph] : small_graphs()) {
    const std::vector<Index> color = greedy_coloring(graph);
    ASSERT_EQ(static_cast<Index>(color.size()), graph.rows) << name;
    Offset degree = 0;
    for (Index i = 0; i < graph.rows; ++i) {
      degree = std::max(degree, graph.start[i + 1] - graph.start[i]);
      EXPECT_GE(color[i], 0) << name;
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
        EXPECT_NE(color[i], color[graph.column[p]]) << name;
    }
    const std::vector<Index> perm = order(graph, std::vector<Index>(graph.rows, 1), Ordering::Color);
    for (Index i = 1; i < graph.rows; ++i)
      EXPECT_LE(color[perm[i - 1]], color[perm[i]]) << name;
    if (graph.rows > 0) {
      EXPECT_LE(*std::max_element(color.begin(), color.end()), degree) << name;
    }
  }
}

TEST(Ordering, DiagonalEntriesAreIgnored)
{
  const Pattern graph = grid_graph(8, 8, 2);
  Pattern with_diagonal;
  with_diagonal.rows = with_diagonal.cols = graph.rows;
  for (Index i = 0; i < graph.rows; ++i) {
    std::set<Index> row(graph.column.begin() + graph.start[i], graph.column.begin() + graph.start[i + 1]);
    row.insert(i);
    with_diagonal.column.insert(with_diagonal.column.end(), row.begin(), row.end());
    with_diagonal.start.push_back(static_cast<Offset>(with_diagonal.column.size()));
  }
  const std::vector<Index> weight(graph.rows, 1);
  for (Ordering ordering : orderings)
    EXPECT_EQ(order(graph, weight, ordering), order(with_diagonal, weight, ordering));
}

TEST(Ordering, DenseRowsComeLast)
{
  const Pattern graph = dense_row_graph(40, 40);
  const std::vector<Index> weight(1600, 1);
  for (Ordering ordering : {Ordering::AMD, Ordering::ND, Ordering::METIS})
    EXPECT_EQ(order(graph, weight, ordering).back(), 1600 / 3);
}

/// A path of n vertices, of which `joined` are joined to each of `hubs` more.
Pattern path_with_hubs(Index n, Index hubs, Index joined)
{
  std::vector<std::pair<Index, Index>> list;
  for (Index i = 0; i + 1 < n; ++i)
    list.push_back({i, i + 1});
  for (Index h = 0; h < hubs; ++h)
    for (Index k = 0; k < joined; ++k)
      list.push_back({n + h, (7 * k + 13 * h) % n});
  return graph_of(n + hubs, list);
}

TEST(Ordering, FewRowsThatStandOutAreDenseWhereTheyCost)
{
  const Index n = 10000, joined = 900, middle = 5; // 10 sqrt(n) is 1000
  const Offset usual = 10 * 100;
  const Pattern few = path_with_hubs(n - 20, 20, joined); // 20 * 900^2 = 1.6e7, 100 times the 55,960 entries is 5.6e6
  EXPECT_LE(dense_degree(few), 10 * middle);
  EXPECT_GE(dense_degree(few), 16);
  EXPECT_EQ(dense_degree(path_with_hubs(n - 2, 2, joined)), usual); // 1.6e6, of 23,594 entries: cheap as they are
  EXPECT_EQ(dense_degree(path_with_hubs(n - 500, 500, joined)), usual) << "a front of 500 rows costs more";
  EXPECT_EQ(dense_degree(grid_graph(100, 100, 1)), usual);
  EXPECT_EQ(dense_degree(graph_of(0, {})), 16);
  const std::vector<Index> weight(n, 1);
  for (Ordering ordering : {Ordering::AMD, Ordering::ND}) {
    std::vector<Index> perm = order(few, weight, ordering);
    std::sort(perm.end() - 20, perm.end());
    EXPECT_EQ(perm[n - 20], n - 20) << "hubs come last";
  }
}

} // namespace
