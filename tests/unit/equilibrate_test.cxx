#include "analysis/scaling/equilibrate.hpp"

#include "analysis/scaling/scaling.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace tessera;
using namespace tessera::test;

/// log2 of each row's largest entry scaled by 2^scale from both sides; -infinity for an empty row.
std::vector<double> row_norms(const Matrix &a, const std::vector<double> &scale)
{
  std::vector<double> norm(a.pattern.rows, -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.value[p] != 0)
        norm[i] = std::max(norm[i], std::log2(std::abs(a.value[p])) + scale[i] + scale[a.pattern.column[p]]);
  return norm;
}

TEST(Equilibrate, RowsGetNormOne)
{
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = random.below(80);
    const Matrix a = random_matrix(random, n, 4 * n, static_cast<Values>(trial % 3), true);
    const Equilibration e = equilibrate(a);
    ASSERT_EQ(e.status, MatrixStatus::usable);
    EXPECT_TRUE(e.converged);
    const std::vector<double> norm = row_norms(a, e.log2_scale);
    for (Index i = 0; i < n; ++i) {
      if (std::isinf(norm[i]))
        EXPECT_EQ(e.log2_scale[i], 0);
      else
        EXPECT_NEAR(norm[i], 0, e.deviation + 0x1p-19);
      EXPECT_LE(e.deviation, EquilibrationOptions().tolerance);
    }
  }
}

TEST(Equilibrate, FollowsRuiz)
{
  // One iteration divides by the square roots of the norms 4 and 4: here exact powers of two.
  const Matrix a = assemble(3, 3, {{0, 0, 4}, {0, 1, 1}, {1, 0, 1}, {1, 2, 16}, {2, 1, 16}});
  EquilibrationOptions one;
  one.max_iterations = 1;
  const Equilibration e = equilibrate(a, one);
  EXPECT_EQ(e.iterations, 1);
  EXPECT_EQ(e.log2_scale, (std::vector<double>{-1, -2, -2}));
  EXPECT_TRUE(e.converged);
}

TEST(Equilibrate, SaysWhenItHasNotConverged)
{
  const Matrix a = assemble(2, 2, {{0, 0, 1e200}, {0, 1, 1e-100}, {1, 0, 1e-100}});
  EquilibrationOptions few;
  few.max_iterations = 2;
  const Equilibration e = equilibrate(a, few);
  EXPECT_FALSE(e.converged);
  EXPECT_EQ(e.iterations, 2);
  EXPECT_GT(e.deviation, few.tolerance);
  EXPECT_TRUE(equilibrate(a).converged);
}

TEST(Equilibrate, RefusesWhatItCannotScale)
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Equilibration e = equilibrate(assemble(3, 3, {{0, 0, 1}, {2, 2, nan}}));
  EXPECT_EQ(e.status, MatrixStatus::not_finite);
  EXPECT_EQ(e.faulty_row, 2);
  EXPECT_EQ(equilibrate(assemble(2, 3, {})).status, MatrixStatus::not_square);
}

TEST(Scaling, FactorsAreNormalPowersOfTwo)
{
  Random random(2);
  for (double s : scale_factors(equilibrate(random_matrix(random, 30, 150, Values::uniform, true)).log2_scale)) {
    int exponent;
    EXPECT_EQ(std::frexp(s, &exponent), 0.5);
  }
  EXPECT_EQ(scale_factors({-5000, 5000, 0.49, 0.5, -0.5, 2}), (std::vector<double>{0x1p-1022, 0x1p1023, 1, 2, 1, 4}));
}

} // namespace
