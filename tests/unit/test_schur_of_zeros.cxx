// What is told of pivots that were left out of a factor, from their Schur complement.
#include "host/front/solve/schur_of_zeros.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tessera;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Two rows, whose entries sum up to squares of 1, so that two units of rounding are nothing.
SchurOfZeros two_rows(double a, double b, double c)
{
  SchurOfZeros schur(2);
  schur.product = {a, b, b, c};
  schur.squares = {1, 1};
  return schur;
}

TEST(SchurOfZeros, EigenvaluesAreCountedByWhatMayBeRounding)
{
  const MeasuredZeros m = judge_zeros(two_rows(-3 * eps, 0, 1.9 * eps));
  EXPECT_TRUE(m.known);
  EXPECT_EQ(m.zero, 1);
  EXPECT_EQ(m.negative, 1);
  EXPECT_EQ(m.uncertain, 0);
  ASSERT_EQ(m.eigenvalue.size(), 1u);
  // x xᵀ / λ is the inverse of what is not zero
  EXPECT_NEAR(m.vector[0] * m.vector[0] / m.eigenvalue[0], -1 / (3 * eps), 1 / eps * 1e-12);
  EXPECT_EQ(m.vector[1], 0);
}

TEST(SchurOfZeros, RowsThatAreCoupledHaveTheSignsOfEigenvalues)
{
  const MeasuredZeros m = judge_zeros(two_rows(3 * eps, 9 * eps, 3 * eps));
  EXPECT_EQ(m.zero, 0);
  EXPECT_EQ(m.negative, 1);
  const double determinant = std::ldexp(m.determinant.mantissa, int(m.determinant.exponent));
  EXPECT_NEAR(determinant, -72 * eps * eps, eps * eps * 1e-10);
  double inverse = 0; // its entry beside the diagonal
  for (std::size_t q = 0; q < 2; ++q)
    inverse += m.vector[2 * q] * m.vector[2 * q + 1] / m.eigenvalue[q];
  EXPECT_NEAR(inverse, 9 / (72 * eps), 1 / eps * 1e-12);
}

/// The mass takes for zero what is a millionth of rounding of what was added; errors of V say what of that is sure.
TEST(SchurOfZeros, ZerosThatErrorsDoNotExplainAreUncertain)
{
  for (double error : {1e-25, 0.0}) {
    SchurOfZeros schur(1);
    schur.product = {1e-25};
    schur.mass = {1};
    schur.error = {error};
    const MeasuredZeros m = judge_zeros(schur);
    EXPECT_EQ(m.zero, 1);
    EXPECT_EQ(m.uncertain, error == 0 ? 1 : 0);
    schur.mass = {0};
    EXPECT_EQ(judge_zeros(schur).zero, 0);
  }
}

TEST(SchurOfZeros, EmptyRowsAreZero)
{
  const MeasuredZeros m = judge_zeros(SchurOfZeros(3));
  EXPECT_TRUE(m.known);
  EXPECT_EQ(m.zero, 3);
  EXPECT_EQ(m.uncertain, 0);
}

TEST(SchurOfZeros, NothingIsKnownOfWhatIsNotFinite)
{
  EXPECT_FALSE(judge_zeros(two_rows(1, INFINITY, 1)).known);
  SchurOfZeros schur = two_rows(1, 0, 1);
  schur.squares[1] = NAN;
  EXPECT_FALSE(judge_zeros(schur).known);
}

} // namespace
