#include "factor/bildlt/strengthen.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

/// An analysis with levels of fill, so that the share of the complete factor that was kept is not known.
Analysis limited()
{
  Analysis analysis;
  analysis.fill_level = 1;
  return analysis;
}

TEST(Strengthen, LessDroppingThenMoreFillThenRook)
{
  AnalysisOptions analysis;
  FactorOptions factor;
  analysis.fill_level = 1;
  factor.fill_ratio = 2;
  factor.drop_tolerance = 1e-3;
  factor.pivoting = Pivoting::bunch_kaufman;

  EXPECT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::Factorization);
  EXPECT_EQ(factor.fill_ratio, 0);
  EXPECT_EQ(factor.drop_tolerance, 1e-3);
  for (const double tolerance : {1e-4, 1e-5}) {
    EXPECT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::Factorization);
    EXPECT_NEAR(factor.drop_tolerance, tolerance, 1e-12 * tolerance);
  }
  while (factor.drop_tolerance > 0)
    ASSERT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::Factorization);
  EXPECT_EQ(analysis.fill_level, 1);
  for (const Index level : {2, 3, 4, complete_level}) {
    EXPECT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::Analysis);
    EXPECT_EQ(analysis.fill_level, level);
    EXPECT_EQ(factor.pivoting, Pivoting::bunch_kaufman);
  }
  EXPECT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::Factorization);
  EXPECT_EQ(factor.pivoting, Pivoting::rook);
  EXPECT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::None);
}

/// Rows of pairs that were apart are the last to blame: an analysis with the pairs, once.
TEST(Strengthen, ThenThePairs)
{
  AnalysisOptions analysis;
  FactorOptions factor;
  Analysis made = limited();
  made.apart = 3;
  analysis.pairs_apart = true;
  factor.drop_tolerance = 1e-6;
  EXPECT_EQ(strengthen(made, FactorReport(), analysis, factor), Change::Factorization);
  EXPECT_EQ(factor.drop_tolerance, 0);
  EXPECT_TRUE(analysis.pairs_apart);
  EXPECT_EQ(strengthen(made, FactorReport(), analysis, factor), Change::Analysis);
  EXPECT_FALSE(analysis.pairs_apart);
  made.apart = 0;
  EXPECT_EQ(strengthen(made, FactorReport(), analysis, factor), Change::None);
}

TEST(Strengthen, DroppingEndsSoon)
{
  for (const double tolerance : {0.9, 1e-2, 1e-6, 1e-12}) {
    AnalysisOptions analysis;
    FactorOptions factor;
    factor.drop_tolerance = tolerance;
    int steps = 0;
    for (; factor.drop_tolerance > 0; ++steps) {
      const double before = factor.drop_tolerance;
      ASSERT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::Factorization);
      EXPECT_LT(factor.drop_tolerance, before);
    }
    EXPECT_LE(steps, 7);
  }
}

TEST(Strengthen, NothingLeft)
{
  AnalysisOptions analysis;
  FactorOptions factor;
  EXPECT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::None); // automatic level: complete already
  analysis.fill_level = complete_level;
  EXPECT_EQ(strengthen(limited(), FactorReport(), analysis, factor), Change::None);
}

TEST(Perturbation, IsLessWhereNothingIsDropped)
{
  Analysis analysis = limited();
  FactorOptions factor;
  EXPECT_FALSE(keeps_all(analysis, factor));
  analysis.fill_level = complete_level;
  EXPECT_TRUE(keeps_all(analysis, factor));
  factor.drop_tolerance = 1e-9;
  EXPECT_FALSE(keeps_all(analysis, factor));
  factor.drop_tolerance = 0;
  factor.fill_ratio = 100;
  EXPECT_FALSE(keeps_all(analysis, factor));
  EXPECT_NEAR(automatic_perturbation(true, 2), 1.4e-14, 1e-15);
  EXPECT_NEAR(automatic_perturbation(true, 10000), 2.2e-12, 1e-13);
  EXPECT_EQ(automatic_perturbation(true, std::numeric_limits<Index>::max()), 2147483647 * 0x1p-52);
  EXPECT_EQ(automatic_perturbation(false, 2), 1e-6);
}

TEST(Perturbation, IsMoreWhereGrowthDidHarm)
{
  const auto replaces = [](double growth, double probe, FactorReport::Status status = FactorReport::Complete) {
    FactorReport report;
    FactorOptions factor;
    factor.perturbation = automatic_perturbation(true, 100);
    report.growth = growth;
    report.status = status;
    const bool changed = replace_more_pivots(report, probe, factor);
    EXPECT_EQ(factor.perturbation, automatic_perturbation(!changed, 100));
    EXPECT_FALSE(changed && replace_more_pivots(report, probe, factor)); // once is enough
    return changed;
  };
  EXPECT_TRUE(replaces(1e10, 1e-8));
  EXPECT_FALSE(replaces(1e10, 1e-12)); // it grew, and no harm was done
  EXPECT_FALSE(replaces(1e10, -1));    // nobody has looked
  EXPECT_FALSE(replaces(10, 1e-2));    // another harm
  EXPECT_TRUE(replaces(0, -1, FactorReport::NonFinite));
}

TEST(Weaken, DropsMoreUntilATenth)
{
  FactorOptions factor;
  for (const double tolerance : {1e-3, 1e-2, 1e-1}) {
    EXPECT_EQ(weaken(factor), Change::Factorization);
    EXPECT_NEAR(factor.drop_tolerance, tolerance, 1e-12 * tolerance);
  }
  EXPECT_EQ(weaken(factor), Change::None);
  EXPECT_NEAR(factor.drop_tolerance, 1e-1, 1e-12);
  factor.drop_tolerance = 1e-5;
  EXPECT_EQ(weaken(factor), Change::Factorization);
  EXPECT_EQ(factor.drop_tolerance, 1e-3);
}

Analysis with_complete_fill()
{
  Analysis analysis;
  analysis.fill_level = complete_level;
  return analysis;
}

TEST(Strengthen, AFactorThatKeptHalfIsFollowedByTheCompleteOne)
{
  Analysis made;
  made.fill_level = complete_level;
  made.complete.entries = 1000;
  const auto next = [&](Offset kept, Offset max_entries) {
    FactorReport report;
    FactorOptions factor;
    AnalysisOptions analysis;
    report.entries = kept;
    factor.drop_tolerance = 1e-3;
    factor.max_entries = max_entries;
    EXPECT_EQ(strengthen(made, report, analysis, factor), Change::Factorization);
    return factor.drop_tolerance;
  };
  EXPECT_EQ(next(500, 0), 0);
  EXPECT_EQ(next(900, 2000), 0);
  EXPECT_NEAR(next(499, 0), 1e-4, 1e-12);
  EXPECT_NEAR(next(900, 1100), 1e-4, 1e-12); // no room for it
  made.fill_level = 2;
  EXPECT_NEAR(next(900, 0), 1e-4, 1e-12); // not known how many entries these levels have
}

TEST(AutomaticDropTolerance, NothingIsDroppedFromCheapFactors)
{
  Analysis analysis = with_complete_fill();
  analysis.complete.flops = 2e9;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10, 0), 0);
  analysis.complete.entries = 1000;
  analysis.complete.flops = 2.1e9;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10, 0), 1e-3);
  EXPECT_EQ(automatic_drop_tolerance(analysis, 1000000, 0), 0); // 5000 operations an entry are cheap
  analysis.complete.flops = 5.1e9;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 1000000, 0), 1e-3);
  analysis.complete.entries = 7000000; // less than 800 operations an entry of the factor
  EXPECT_EQ(automatic_drop_tolerance(analysis, 1000000, 0), 0);
  EXPECT_EQ(automatic_drop_tolerance(analysis, 1000000, 7100000), 1e-3); // no room
}

TEST(AutomaticDropTolerance, NothingIsDroppedFromDenseFactors)
{
  Analysis analysis = with_complete_fill();
  analysis.complete.flops = 1e12;
  analysis.complete.dense_entries = 9000;
  analysis.complete.entries = 10000;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10, 0), 0);
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10, analysis.complete.entries), 1e-3); // no room
  analysis.complete.entries += 10;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10, 0), 1e-3);
}

TEST(LowFill, BeginsWhereCompleteFillIsCostly)
{
  const Matrix matrix = tessera::test::laplacian(tessera_test::grid_graph(8, 8, 8), 0.5);
  const std::vector<Offset> source = test::in_place(matrix);
  AnalysisOptions options;
  FactorOptions factor;
  const Analysis complete = analyze_matrix(matrix, source, options);
  EXPECT_FALSE(complete.low_fill);
  EXPECT_EQ(complete.fill_level, complete_level);

  options.blocking.costly_flops = complete.complete.flops / 2;
  const Analysis one = analyze_matrix(matrix, source, options);
  EXPECT_TRUE(one.low_fill);
  EXPECT_EQ(one.fill_level, 1);
  EXPECT_EQ(one.structure.block_start, complete.structure.block_start);

  options.blocking.low_fill_level = 1; // as for a GPU
  const Analysis small = analyze_matrix(matrix, source, options);
  EXPECT_EQ(small.fill_level, 1);
  EXPECT_GT(small.structure.blocks(), one.structure.blocks());
  for (Index b = 0; b < small.structure.blocks(); ++b)
    EXPECT_LE(small.structure.block_rows(b), options.blocking.low_fill_rows);

  options.blocking.very_costly_flops = complete.complete.flops / 2;
  const Analysis low = analyze_matrix(matrix, source, options);
  EXPECT_TRUE(low.low_fill);
  EXPECT_EQ(low.fill_level, 0);
  EXPECT_EQ(low.complete.flops, complete.complete.flops);
  for (Index b = 0; b < low.structure.blocks(); ++b)
    EXPECT_LE(low.structure.block_rows(b), options.blocking.low_fill_rows);
  factor.drop_tolerance = automatic_drop_tolerance(low, matrix.pattern.entries(), 0);

  // the next better factor is the one that is not called costly
  ASSERT_EQ(strengthen(low, FactorReport(), options, factor), Change::Analysis);
  const Analysis next = analyze_matrix(matrix, source, options);
  EXPECT_FALSE(next.low_fill);
  EXPECT_EQ(next.structure.block_start, complete.structure.block_start);
  EXPECT_EQ(next.structure.tiles.upper.column, complete.structure.tiles.upper.column);

  options = AnalysisOptions();
  options.fill_level = 1; // asked for: nothing is chosen
  options.blocking.costly_flops = 1;
  EXPECT_FALSE(analyze_matrix(matrix, source, options).low_fill);
}

/// Rows of an arrowhead that points to the end and of a dense matrix behind it.
TEST(LowFill, DenseEndsAreNoCostlyFactor)
{
  const Index n = 40, dense = 39;
  Symbolic symbolic;
  std::vector<Index> weight(n, 1);
  weight.back() = 2; // a pair
  for (Index k = 0; k < n; ++k) {
    symbolic.perm.push_back(k);
    symbolic.count.push_back(k < n - dense ? 2 : n + 1 - k);
  }
  symbolic.size.entries = 1000000;
  symbolic.size.flops = 1e20;
  FactorSize &size = symbolic.size;
  size.dense_entries = dense_entries(symbolic, weight);
  EXPECT_EQ(size.dense_entries, 40 * 41 / 2);
  BlockingOptions options;
  EXPECT_EQ(worthwhile_level(size, options), 0);
  size.entries = 40 * 41 / 2 * 10 / 9;
  EXPECT_EQ(worthwhile_level(size, options), complete_level);
  size.entries += 10;
  EXPECT_EQ(worthwhile_level(size, options), 0);
  size.flops = options.very_costly_flops;
  EXPECT_EQ(worthwhile_level(size, options), 1);
  size.flops = options.costly_flops;
  EXPECT_EQ(worthwhile_level(size, options), complete_level);
}

TEST(LowFill, DropsTenTimesAsMuchAtFirst)
{
  Analysis analysis = with_complete_fill();
  analysis.complete.entries = 1000;
  analysis.complete.flops = 1e13;
  analysis.low_fill = true;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10, 0), 1e-2);
  AnalysisOptions options;
  FactorOptions factor;
  factor.drop_tolerance = 1e-2;
  EXPECT_EQ(strengthen(analysis, FactorReport(), options, factor), Change::Analysis);
  EXPECT_EQ(factor.drop_tolerance, 1e-3);
}

} // namespace
