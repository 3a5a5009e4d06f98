#include "analysis/matching/matching.hpp"
#include "analysis/scaling/balance_scales.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera::test {
namespace {

using Logarithms = std::vector<double>;

/// The logarithm of the largest entry of each row, scaled.
Logarithms largest_entries(const Matrix &a, const Logarithms &row, const Logarithms &col)
{
  Logarithms largest(a.pattern.rows, -INFINITY);
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      largest[i] = std::max(largest[i], std::log2(std::abs(a.value[p])) + row[i] + col[a.pattern.column[p]]);
  return largest;
}

/// With the signs of one triangle changed, if asked for: the matching sees none.
Matrix of_graded_values(Random &random, bool skew)
{
  Matrix a = random_matrix(random, 30, 60, Values::graded, true);
  for (Index i = 0; skew && i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1] && a.pattern.column[p] < i; ++p)
      a.value[p] = -a.value[p];
  return a;
}

TEST(BalanceScales, OfSymmetricMagnitudesAreEqualAndStillOptimal)
{
  Random random(3);
  Index moved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix a = of_graded_values(random, trial % 2 == 1);
    const Matching matching = match(a);
    if (matching.cardinality < a.pattern.rows)
      continue;
    Logarithms row = matching.row_dual, col = matching.col_dual;
    for (std::size_t i = 0; i < row.size(); ++i) { // which leaves the scaled matrix as it is
      row[i] += 100;
      col[i] -= 100;
    }
    balance_scales(a, row, col);
    const Logarithms largest = largest_entries(a, row, col);
    for (std::size_t i = 0; i < row.size(); ++i)
      EXPECT_NEAR(largest[i], 0, 1e-3);
    if (row == col)
      ++moved;
    else
      for (std::size_t i = 0; i < row.size(); ++i)
        EXPECT_NEAR(row[i] - col[i], row[0] - col[0], 12) << "is left because all are together";
  }
  EXPECT_GT(moved, 20);
}

TEST(BalanceScales, LeavesFactorsOfOtherMatrices)
{
  Random random(4);
  Index apart = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix a = random_matrix(random, 30, 150, Values::graded, false);
    const Matching matching = match(a);
    Logarithms row = matching.row_dual, col = matching.col_dual;
    balance_scales(a, row, col);
    EXPECT_TRUE(row == matching.row_dual && col == matching.col_dual);
    apart += std::abs(row[0] - col[0] - row[1] + col[1]) > 12;
  }
  EXPECT_GT(apart, 100);
  // symmetric in its pattern, and by its means: entries would be 2^20 and 2^-20
  const Matrix a = assemble(2, 2, {{0, 1, 0x1p20}, {1, 0, 0x1p-20}});
  Logarithms row = {-20, 20}, col = {0, 0};
  balance_scales(a, row, col);
  EXPECT_EQ(row, (Logarithms{-20, 20}));
  EXPECT_EQ(col, (Logarithms{0, 0}));
  // all lines would have a large entry, but one is 2^30
  row = {15, -15};
  col = {-15, 15};
  balance_scales(assemble(2, 2, {{0, 0, 1}, {1, 1, 1}, {0, 1, 0x1p-30}, {1, 0, 0x1p30}}), row, col);
  EXPECT_EQ(row, (Logarithms{15, -15}));
  EXPECT_EQ(col, (Logarithms{-15, 15}));
  // no entry would be too large, but one 2^-20
  row = {-20, 0};
  col = {0, 0};
  balance_scales(assemble(2, 2, {{0, 0, 1}, {1, 1, 1}}), row, col);
  EXPECT_EQ(row, (Logarithms{-20, 0}));
  EXPECT_EQ(col, (Logarithms{0, 0}));
}

TEST(BalanceScales, LeavesFactorsThatAreTogether)
{
  for (double half : {3, 4}) { // quotients are 2^12 and 2^16 apart
    Logarithms row = {half, -half}, col = {-half, half};
    balance_scales(assemble(2, 2, {{0, 0, 1}, {1, 1, 1}}), row, col);
    EXPECT_EQ(row, half == 3 ? (Logarithms{3, -3}) : (Logarithms{0, 0}));
    EXPECT_EQ(col, half == 3 ? (Logarithms{-3, 3}) : row);
  }
}

TEST(BalanceScales, TakesExplicitZerosAndNoRows)
{
  const Matrix a = assemble(3, 3, {{0, 1, 1}, {1, 0, 1}, {2, 2, 0}, {0, 2, 0}, {2, 0, 0}});
  Logarithms row = {20, -20, 0}, col = {20, -20, 0};
  balance_scales(a, row, col);
  EXPECT_EQ(row, (Logarithms{20, -20, 0}));
  row = {30, -30, 0};
  col = {30, -30, 0};
  row[0] = 10;
  col[1] = -10;
  row[1] = -50;
  col[0] = 50;
  balance_scales(a, row, col);
  EXPECT_EQ(row, (Logarithms{30, -30, 0}));
  EXPECT_EQ(col, row);
  Logarithms none;
  balance_scales(assemble(0, 0, {}), none, none);
  EXPECT_TRUE(none.empty());
}

} // namespace
} // namespace tessera::test
