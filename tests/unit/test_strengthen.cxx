#include "factor/strengthen.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

TEST(Strengthen, LessDroppingThenMoreFillThenRook)
{
  AnalysisOptions analysis;
  FactorOptions factor;
  analysis.fill_level = 1;
  factor.fill_ratio = 2;
  factor.drop_tolerance = 1e-3;
  factor.pivoting = Pivoting::bunch_kaufman;

  EXPECT_EQ(strengthen(analysis, factor), Change::Factorization);
  EXPECT_EQ(factor.fill_ratio, 0);
  EXPECT_EQ(factor.drop_tolerance, 1e-3);
  for (const double tolerance : {1e-4, 1e-5}) {
    EXPECT_EQ(strengthen(analysis, factor), Change::Factorization);
    EXPECT_NEAR(factor.drop_tolerance, tolerance, 1e-12 * tolerance);
  }
  while (factor.drop_tolerance > 0)
    ASSERT_EQ(strengthen(analysis, factor), Change::Factorization);
  EXPECT_EQ(analysis.fill_level, 1);
  for (const Index level : {2, 3, 4, complete_level}) {
    EXPECT_EQ(strengthen(analysis, factor), Change::Analysis);
    EXPECT_EQ(analysis.fill_level, level);
    EXPECT_EQ(factor.pivoting, Pivoting::bunch_kaufman);
  }
  EXPECT_EQ(strengthen(analysis, factor), Change::Factorization);
  EXPECT_EQ(factor.pivoting, Pivoting::rook);
  EXPECT_EQ(strengthen(analysis, factor), Change::None);
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
      ASSERT_EQ(strengthen(analysis, factor), Change::Factorization);
      EXPECT_LT(factor.drop_tolerance, before);
    }
    EXPECT_LE(steps, 7);
  }
}

TEST(Strengthen, NothingLeft)
{
  AnalysisOptions analysis;
  FactorOptions factor;
  EXPECT_EQ(strengthen(analysis, factor), Change::None); // automatic level: complete already
  analysis.fill_level = complete_level;
  EXPECT_EQ(strengthen(analysis, factor), Change::None);
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

TEST(AutomaticDropTolerance, NothingIsDroppedFromCheapFactors)
{
  Analysis analysis;
  analysis.complete_flops = 2e9;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10), 0);
  analysis.complete_flops = 2.1e9;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 10), 1e-3);
  EXPECT_EQ(automatic_drop_tolerance(analysis, 1000000), 0); // 5000 operations an entry are cheap
  analysis.complete_flops = 5.1e9;
  EXPECT_EQ(automatic_drop_tolerance(analysis, 1000000), 1e-3);
}

} // namespace
