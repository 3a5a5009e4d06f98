#include "factor/bildlt/predicted_time.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/front/predicted_time.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace tessera;

namespace {

Analysis analysis_of(const Matrix &matrix, const AnalysisOptions &options = {})
{
  return analyze_matrix(matrix, test::in_place(matrix), options);
}

Matrix cube(Index n)
{
  return test::laplacian(tessera_test::grid_graph(n, n, n), 0.5);
}

/// The counts are those of the fronts that the direct solver makes of the same supernodes.
TEST(FrontCounts, AreThoseOfTheAssemblyTree)
{
  for (const auto &[name, graph] : tessera_test::small_graphs()) {
    std::vector<Index> partner(graph.rows); // no pairs
    std::iota(partner.begin(), partner.end(), 0);
    const CompressedGraph compressed = compress(graph, partner);
    const Symbolic symbolic = order_and_count(compressed.pattern, compressed.weight, Ordering::AMD);
    const Supernodes nodes = supernodes(symbolic, compressed.weight, Relaxation());
    FrontPlan plan;
    plan.tree = assembly_tree(compressed, nodes, graph);
    complete_plan(plan);
    double columns = 0, contributions = 0;
    for (Index s = 0; s < plan.tree.fronts(); ++s) {
      columns += double(plan.tree.columns(s)) * (plan.tree.columns(s) + plan.tree.below_rows(s));
      contributions += double(plan.tree.below_rows(s)) * plan.tree.below_rows(s);
    }
    const FrontCounts counts = count_fronts(nodes, compressed.weight);
    EXPECT_EQ(counts.fronts, plan.tree.fronts()) << name;
    // relaxed supernodes count rows that their merged columns may have, a tree those that they have
    EXPECT_GE(counts.columns, columns) << name;
    EXPECT_LE(counts.columns, 1.1 * columns) << name;
    EXPECT_GE(counts.contributions, contributions) << name;
    EXPECT_LE(counts.contributions, 1.1 * contributions) << name;
    EXPECT_GE(counts.flops, plan.flops) << name;
    EXPECT_LE(counts.flops, 1.1 * plan.flops) << name;
  }
}

TEST(FrontCounts, WeighPairsAsTwoRows)
{
  Supernodes nodes;
  nodes.perm = {1, 0, 2};
  nodes.start = {0, 2, 3};
  nodes.parent = {1, -1};
  nodes.height = {5, 2}; // 3 columns above 2 rows, and these
  const FrontCounts counts = count_fronts(nodes, {2, 1, 2});
  EXPECT_EQ(counts.fronts, 2);
  EXPECT_EQ(counts.columns, 3 * 5 + 2 * 2);
  EXPECT_EQ(counts.contributions, 2 * 2 + 0);
  EXPECT_EQ(counts.flops, (16 + 9 + 4) + (1 + 0));
}

/// What the terms are, by counts of which one is large: no core of these years takes less or more.
TEST(PredictedTime, HasATermForEachCountOfFronts)
{
  FrontCounts counts;
  EXPECT_EQ(predicted_front_time(counts), 0);
  const auto expect_between = [](const FrontCounts &c, double least, double most) {
    EXPECT_GT(predicted_front_time(c), least);
    EXPECT_LT(predicted_front_time(c), most);
  };
  expect_between({1000000, 0, 0, 0}, 0.1, 1); // 100 ns to 1 us each
  expect_between({0, 1e9, 0, 0}, 0.5, 10);    // 0.8 to 16 GB/s
  expect_between({0, 0, 1e9, 0}, 0.5, 10);    //
  expect_between({0, 0, 0, 1e11}, 1, 5);      // 20 to 100 billion operations a second
}

/// What fronts are merged by has the same terms, in operations; an entry of the factor twice as many, for solves.
TEST(PredictedTime, IsWhatFrontsAreMergedBy)
{
  const double second = predicted_front_time({0, 0, 0, 1}), columns = 40, rows = 100, below = rows - columns;
  const FrontCounts one{1, 2 * columns * rows, below * below, front_flops(columns, rows)};
  EXPECT_NEAR(front_cost(columns, rows) * second, predicted_front_time(one), 0.05 * predicted_front_time(one));
  const FrontCounts own{1, 2 * rows * rows, 0, front_flops(rows, rows)};
  EXPECT_NEAR(front_cost(rows, rows) * second, predicted_front_time(own), 0.05 * predicted_front_time(own));
}

TEST(PredictedTime, HasATermForEachCountOfBlockRows)
{
  // without tiles: diagonal blocks of 1000 rows alone, no operations counted
  BlockStructure rows;
  for (Index b = 0; b <= 1000000; ++b)
    rows.block_start.push_back(b);
  rows.panel_width.assign(1000000, 0);
  rows.tiles.upper.start.assign(1000001, 0);
  const double alone = predicted_block_time(rows, {});
  EXPECT_GT(alone, 0.05); // 50 ns to 1 us a block row
  EXPECT_LT(alone, 1);
  BlockStructure wide = rows;
  wide.panel_width.assign(1000000, 1000); // 1e9 entries
  EXPECT_GT(predicted_block_time(wide, {}), alone + 0.5);
  EXPECT_LT(predicted_block_time(wide, {}), alone + 10);
  BlockStructure tiles = rows;
  std::iota(tiles.tiles.upper.start.begin(), tiles.tiles.upper.start.end(), 0);
  for (Offset &start : tiles.tiles.upper.start)
    start *= 10; // 55 updates by each block row
  EXPECT_GT(predicted_block_time(tiles, {}), alone + 0.1);
  EXPECT_LT(predicted_block_time(tiles, {}), alone + 5);
  FactorSize size;
  size.flops = 1e11;
  EXPECT_GT(predicted_block_time(rows, size), alone + 1);
  EXPECT_LT(predicted_block_time(rows, size), alone + 10);
}

struct Measured {
  const char *name;
  Matrix matrix;
  double blocks, fronts; ///< milliseconds
};

/// Times by benchmarks/complete_times when the constants were fitted, of tables whose largest error is 1.7.
TEST(PredictedTime, IsNearWhatWasMeasured)
{
  const Measured measured[] = {{"poisson:12", cube(12), 1.48, 0.94},
                               {"poisson:16", cube(16), 5.93, 4.27},
                               {"poisson:20", cube(20), 19.9, 15.2},
                               {"poisson:24", cube(24), 53.6, 41.1}};
  for (const Measured &m : measured) {
    AnalysisOptions options;
    options.blocking.ordering = Ordering::AMD; // in which they were measured
    const Analysis analysis = analysis_of(m.matrix, options);
    ASSERT_EQ(analysis.fill_level, complete_level) << m.name;
    const double blocks = 1e3 * predicted_block_time(analysis.structure, analysis.complete);
    const double fronts = 1e3 * predicted_front_time(analysis.fronts);
    EXPECT_GT(blocks, m.blocks / 1.3) << m.name;
    EXPECT_LT(blocks, m.blocks * 1.3) << m.name;
    EXPECT_GT(fronts, m.fronts / 1.3) << m.name;
    EXPECT_LT(fronts, m.fronts * 1.3) << m.name;
    EXPECT_NEAR(predicted_share(analysis), fronts / blocks, 1e-12) << m.name;
  }
}

TEST(PredictedTime, IsNotKnownOfDenseMatricesAndWithoutSupernodes)
{
  AnalysisOptions options;
  options.blocking.strategy = BlockStrategy::Grid;
  EXPECT_TRUE(std::isnan(predicted_share(analysis_of(cube(8), options))));
  options.blocking.strategy = BlockStrategy::SN;
  EXPECT_GT(predicted_share(analysis_of(cube(8), options)), 0);
  const Analysis dense = analysis_of(test::laplacian(tessera_test::leaves_graph(0, 60, 0), 0.5));
  EXPECT_EQ(dense.fronts.fronts, 1);
  EXPECT_TRUE(std::isnan(predicted_share(dense)));
}

FrontPlan plan_of(const Matrix &matrix, bool device)
{
  PlanOptions options;
  if (device)
    prefer_device(options);
  return make_plan(matrix, test::in_place(matrix), options).plan;
}

/// Times that an H200 took are 0.030 ms for 8 rows, 2.7 ms for poisson:40; see docs/notes/direct-gpu.md.
TEST(PredictedTime, OfADevice)
{
  const double none = predicted_device_time(plan_of(cube(2), true)),
               some = predicted_device_time(plan_of(cube(40), true));
  EXPECT_GT(none, 2e-5);
  EXPECT_LT(none, 6e-5);
  EXPECT_GT(some, 1.5e-3);
  EXPECT_LT(some, 5e-3);
}

TEST(PredictedTime, OfLuOnADeviceIsLonger)
{
  const Matrix a = cube(10);
  const double symmetric = predicted_device_time(plan_of(a, true));
  PlanOptions options;
  prefer_device(options);
  const double of_lu = predicted_device_time(make_lu_plan(a, test::in_place(a), options).plan.fronts);
  EXPECT_GT(of_lu, 1.3 * symmetric);
  EXPECT_LT(of_lu, 3 * symmetric);
}

/// Blocks side by side take hardly longer than one; a long way takes as long as its fronts.
TEST(PredictedTime, OfADeviceIsThatOfTheLongestWay)
{
  const Pattern one = tessera_test::grid_graph(8, 8, 8);
  const double alone = predicted_device_time(plan_of(test::laplacian(one, 0.5), true));
  const double many =
      predicted_device_time(plan_of(test::laplacian(tessera_test::disconnected_graph(one, 10), 0.5), true));
  EXPECT_GE(many, alone);
  EXPECT_LT(many, 1.5 * alone);
  const double path = predicted_device_time(plan_of(test::laplacian(tessera_test::grid_graph(512, 1, 1), 0.5), true));
  EXPECT_LT(path, alone);
}

/// Of leaves: the longest, what all take side by side, and what their parent adds up, for LU of both sides each.
TEST(PredictedTime, OfLeavesOnADevice)
{
  const auto of = [](Index fronts, FrontShape shape, Index sums, bool symmetric = true) {
    return predicted_leaf_time(std::vector<FrontShape>(fronts, shape), sums, symmetric);
  };
  const FrontShape warp = {16, 32}, block = {16, 100}, tiles = {16, 300};
  EXPECT_NEAR(of(1, warp, 1), 1.2e-5, 2e-6);
  EXPECT_NEAR(of(8760, warp, 8760) - of(1, warp, 1), 8759 * 2e-6 + 1e-4, 2e-5);
  EXPECT_NEAR(of(1000, block, 1000) - of(1000, block, 999), 2e-6 - 1000 * 2.6e-6 / 264, 1e-8);
  EXPECT_LT(of(1000, warp, 10), of(1000, block, 10));
  EXPECT_LT(of(1000, block, 10), of(1000, tiles, 10));
  EXPECT_NEAR(of(10, tiles, 10, false) - of(10, tiles, 9, false), 8e-6 - 10 * 2.6e-6 / 264, 1e-8);
  EXPECT_EQ(of(0, warp, 0), 0);
}

/// A delay takes less than a search, and that less than an analysis, but where there is much to do.
TEST(PredictedTime, OfASearchGrowsWithOperations)
{
  FrontPlan plan = plan_of(cube(16), false);
  const double search = predicted_pivoting_time(plan), delay = predicted_delay_time(plan),
               analysis = predicted_analysis_time(plan);
  EXPECT_LT(delay, search);
  EXPECT_LT(search, analysis);
  plan.flops += 3e10;
  EXPECT_GT(predicted_pivoting_time(plan), 10 * std::max(search, analysis));
  EXPECT_EQ(predicted_delay_time(plan), delay);
  EXPECT_EQ(predicted_analysis_time(plan), analysis);
}

/// A factorization that comes to less than twice what its analysis led to is no reason for another one.
TEST(PredictedTime, MostWorkIsMoreThanTwiceThatOfThePlan)
{
  const FrontPlan plan = plan_of(cube(8), false);
  EXPECT_EQ(most_work_of(plan, 0), most_work_of(plan, plan.flops));
  EXPECT_EQ(most_work_of(plan, 2 * plan.flops), most_work_of(plan, 0) + 2 * plan.flops);
  EXPECT_GT(most_work_of(plan, 0), 2 * plan.flops);
}

TEST(PredictedTime, OfThreadsIsNotLessThanTheLongestWay)
{
  const FrontPlan plan = plan_of(cube(16), false);
  const double one = predicted_host_time(plan, 1), two = predicted_host_time(plan, 2),
               most = predicted_host_time(plan, 1000);
  EXPECT_LT(two, one);
  EXPECT_GT(two, one / 2);
  EXPECT_LT(most, two);
  EXPECT_GT(most, one / 20); // of the last separator, of 256 columns
}

} // namespace
