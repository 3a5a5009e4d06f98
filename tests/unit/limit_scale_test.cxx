#include "analysis/scaling/limit_scale.hpp"

#include "analysis/matching/matching.hpp"
#include "analysis/scaling/equilibrate.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tessera;
using namespace tessera::test;

using Logarithms = std::vector<double>;

constexpr double tolerance = 0.11; // twice that of an equilibration, and of rounded logarithms

/// log2 of the largest scaled entry.
double largest_entry(const Matrix &a, const Logarithms &row, const Logarithms &col)
{
  double most = -INFINITY;
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.value[p] != 0)
        most = std::max(most, std::log2(std::abs(a.value[p])) + row[i] + col[a.pattern.column[p]]);
  return most;
}

/// A KKT matrix with more constraints than variables whose diagonal entries are not tiny, so that tiny ones are
/// matched.
Matrix nearly_singular_kkt(Random &random)
{
  Matrix a = random_kkt(random, 40, 18, 2);
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] == i && random.below(2) == 0)
        a.value[p] *= std::exp2(-50 - random.below(30));
  return a;
}

TEST(LimitScale, BringsFactorsNearAnEquilibration)
{
  Random random(5);
  Index moved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix a = nearly_singular_kkt(random);
    const Logarithms before = match_symmetric(a).row_dual, equal = equilibrate(a).log2_scale;
    Logarithms scale = before;
    limit_scale(a, scale);
    EXPECT_LE(largest_entry(a, scale, scale), tolerance);
    for (std::size_t i = 0; i < scale.size(); ++i) {
      EXPECT_LE(std::abs(scale[i] - equal[i]), most_apart_symmetric + 6); // equilibrations differ
      moved += scale[i] != before[i];
    }
  }
  EXPECT_GT(moved, 1000);
}

TEST(LimitScale, LeavesFactorsThatAreNear)
{
  const Matrix a = assemble(2, 2, {{0, 1, 1}, {1, 0, 1}});
  for (const Logarithms &given : {Logarithms{12, -12}, {0, 0}, {-11.5, 11.5}}) {
    Logarithms scale = given;
    limit_scale(a, scale);
    EXPECT_EQ(scale, given);
  }
  const Matrix with_empty_row = assemble(3, 3, {{0, 1, 0x1p-80}, {1, 0, 0x1p-80}});
  Logarithms large = {40, 40, 0};
  limit_scale(with_empty_row, large);
  EXPECT_EQ(large, (Logarithms{40, 40, 0}));
  Logarithms none;
  limit_scale(assemble(0, 0, {}), none);
  EXPECT_TRUE(none.empty());
}

TEST(LimitScale, TakesFactorsPastTheRangeOfADouble)
{
  const Matrix a = assemble(3, 3, {{0, 1, 1}, {1, 0, 1}}); // and an empty row
  Logarithms scale = {2500, -2500, 0};
  limit_scale(a, scale);
  EXPECT_EQ(scale, (Logarithms{12, -12, 0}));
}

TEST(LimitScales, BringsFactorsNearAnEquilibration)
{
  Random random(6);
  Index moved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix a = random_matrix(random, 30, 150, Values::graded, false);
    const Matching matching = match(a);
    Logarithms row = matching.row_dual, col = matching.col_dual;
    limit_scales(a, row, col);
    EXPECT_LE(largest_entry(a, row, col), tolerance);
    moved += row != matching.row_dual;
    Logarithms shifted_row = matching.row_dual, shifted_col = matching.col_dual;
    for (std::size_t i = 0; i < row.size(); ++i) {
      shifted_row[i] += 64;
      shifted_col[i] -= 64;
    }
    limit_scales(a, shifted_row, shifted_col);
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::size_t j = 0; j < col.size(); ++j)
        EXPECT_NEAR(shifted_row[i] + shifted_col[j], row[i] + col[j], 1e-9);
  }
  EXPECT_GT(moved, 100);
}

TEST(LimitScales, LeavesFactorsThatAreNear)
{
  const Matrix a = assemble(2, 2, {{0, 1, 1}, {1, 0, 4}});
  Logarithms row = {20, -22}, col = {20, -20};
  limit_scales(a, row, col);
  EXPECT_EQ(row, (Logarithms{20, -22}));
  EXPECT_EQ(col, (Logarithms{20, -20}));
  row = {20, -2502}; // equal are {0, -2} and {0, 0} but for a number common to all rows
  col = {2500, -20};
  limit_scales(a, row, col);
  EXPECT_LE(std::abs(row[0] + col[1]), tolerance);
  EXPECT_LE(std::abs(row[1] + 2 + col[0]), tolerance);
  EXPECT_LE(std::abs(col[0] - col[1]), 2 * most_apart_general + tolerance);
}

} // namespace
