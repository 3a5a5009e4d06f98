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
  schur.squares = {1, 1, 1, 1};
  return schur;
}

TEST(SchurOfZeros, EigenvaluesAreCountedByWhatMayBeRounding)
{
  const MeasuredZeros m = judge_zeros(two_rows(-3 * eps, 0, 1.9 * eps));
  EXPECT_TRUE(m.known);
  EXPECT_EQ(m.zero, 1);
  EXPECT_EQ(m.negative, 1);
  EXPECT_EQ(m.uncertain, 0);
  ASSERT_EQ(m.value.size(), 1u);
  // x xᵀ / λ is the inverse of what is not zero
  EXPECT_NEAR(m.right[0] * m.right[0] / m.value[0], -1 / (3 * eps), 1 / eps * 1e-12);
  EXPECT_EQ(m.right[1], 0);
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
    inverse += m.right[2 * q] * m.right[2 * q + 1] / m.value[q];
  EXPECT_NEAR(inverse, 9 / (72 * eps), 1 / eps * 1e-12);
}

/// The mass takes for zero what is a millionth of rounding of what was added; errors of V say what of that is sure.
TEST(SchurOfZeros, ZerosThatErrorsDoNotExplainAreUncertain)
{
  for (double error : {1e-25, 0.0}) {
    SchurOfZeros schur(1);
    schur.product = {1e-25};
    schur.row_root = schur.column_root = {1};
    schur.error = {error};
    const MeasuredZeros m = judge_zeros(schur);
    EXPECT_EQ(m.zero, 1);
    EXPECT_EQ(m.uncertain, error == 0 ? 1 : 0);
    schur.error = {}; // not known yet
    EXPECT_EQ(judge_zeros(schur).zero, 1);
    EXPECT_EQ(judge_zeros(schur).uncertain, 0);
    schur.row_root = {0};
    EXPECT_EQ(judge_zeros(schur).zero, 0);
  }
}

/// Errors of different sizes are coupled: the one beside the diagonal is larger than the root of those on it.
TEST(SchurOfZeros, ErrorsBesideTheDiagonalExplainZeros)
{
  SchurOfZeros schur(2);
  schur.row_root = schur.column_root = {1, 1};
  schur.product = {5e-30, 3e-32, 3e-32, 2e-46};
  schur.error = {4.9e-30, 2.9e-32, 2.9e-32, 2e-46};
  EXPECT_EQ(judge_zeros(schur).zero, 2);
  EXPECT_EQ(judge_zeros(schur).uncertain, 0);
  schur.error[1] = schur.error[2] = 1e-40;
  EXPECT_GT(judge_zeros(schur).uncertain, 0);
}

TEST(SchurOfZeros, EmptyRowsAreZero)
{
  const MeasuredZeros m = judge_zeros(SchurOfZeros(3));
  EXPECT_TRUE(m.known);
  EXPECT_EQ(m.zero, 3);
  EXPECT_EQ(m.uncertain, 0);
  EXPECT_EQ(judge_singular_values(SchurOfZeros(3)).zero, 3);
}

TEST(SchurOfZeros, NothingIsKnownOfWhatIsNotFinite)
{
  EXPECT_FALSE(judge_zeros(two_rows(1, INFINITY, 1)).known);
  SchurOfZeros schur = two_rows(1, 0, 1);
  schur.squares[1] = NAN;
  EXPECT_FALSE(judge_zeros(schur).known);
  EXPECT_FALSE(judge_singular_values(schur).known);
}

/// The entry beside the diagonal of an unsymmetric matrix may be all that is not rounding.
TEST(SchurOfZeros, SingularValuesOfAnyMatrix)
{
  SchurOfZeros schur(2);
  schur.product = {eps, -8 * eps, 1e-18, eps / 2}; // by columns
  schur.squares = {1, 1, 1, 1};
  const MeasuredZeros m = judge_singular_values(schur);
  EXPECT_TRUE(m.known);
  EXPECT_EQ(m.zero, 1);
  EXPECT_EQ(m.negative, 0);
  ASSERT_EQ(m.value.size(), 1u);
  const auto inverse = [&](std::size_t i, std::size_t j) { return m.right[i] * m.left[j] / m.value[0]; };
  EXPECT_NEAR(inverse(0, 1), -1 / (8 * eps), 0.05 / eps);
  EXPECT_NEAR(inverse(1, 0), 0, 0.05 / eps);
}

TEST(SchurOfZeros, InverseAndDeterminantOfAnyMatrix)
{
  SchurOfZeros schur(3);
  schur.product = {0, 3e-9, 0, 0, 0, 5e-3, 7e-12, 1e-10, 0}; // rows and columns of several sizes
  schur.squares = {1e-12, 1e-4, 1, 1e-12, 1e-4, 1, 1e-12, 1e-4, 1};
  const MeasuredZeros m = judge_singular_values(schur);
  EXPECT_EQ(m.zero, 0);
  EXPECT_EQ(m.uncertain, 0);
  const double determinant = std::ldexp(m.determinant.mantissa, int(m.determinant.exponent));
  EXPECT_NEAR(determinant / (7e-12 * 3e-9 * 5e-3), 1, 1e-12); // of an even permutation
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t q = 0; q < 3; ++q)
        for (std::size_t k = 0; k < 3; ++k)
          sum += m.right[3 * q + i] * m.left[3 * q + k] / m.value[q] * schur.product[3 * j + k];
      EXPECT_NEAR(sum, i == j, 1e-6) << i << ' ' << j;
    }
}

/// The same of a complex matrix, of which a row and a column are multiples of others.
TEST(SchurOfZeros, ComplexMatrices)
{
  SchurOfZerosOf<Complex> schur(3);
  const Complex x[] = {{1, 2}, {0, 1}, {-3, 0.5}}, y[] = {{2, 0}, {1, -1}, {0, 4}};
  for (std::size_t k = 0; k < 9; ++k) {
    schur.product[k] = 1e-9 * (x[k % 3] * y[k / 3] + (k == 4 ? Complex(0, 7) : 0));
    schur.squares[k] = k == 4 ? 1e-2 : 1;
  }
  const MeasuredZerosOf<Complex> m = judge_singular_values(schur);
  EXPECT_TRUE(m.known);
  EXPECT_EQ(m.zero, 1);
  ASSERT_EQ(m.value.size(), 2u);
  const std::vector<Complex> kept = without_zeros(schur, m);
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_LE(std::abs(kept[k] - schur.product[k]), 1e-22) << k; // what is zero was nothing but rounding

  schur.product[0] += 1e-9;
  const MeasuredZerosOf<Complex> regular = judge_singular_values(schur);
  EXPECT_EQ(regular.zero, 0);
  const Complex determinant =
      std::ldexp(1.0, int(regular.determinant.exponent)) * regular.determinant.mantissa / 1e-27; // x₂ y₂ 7i
  EXPECT_LE(std::abs(determinant - x[2] * y[2] * Complex(0, 7)), 1e-12);
}

/// What is zero is taken away, also where it is not 0.
TEST(SchurOfZeros, WhatIsZeroIsTakenAway)
{
  SchurOfZeros schur(2);
  schur.squares = {1, 1e-10, 1e-10, 1e-20}; // of which 2 eps, 2e-5 eps and 2e-10 eps may be rounding
  schur.product = {9 * eps, 1e-6 * eps, -3e-6 * eps, 1e-10 * eps};
  const MeasuredZeros m = judge_singular_values(schur);
  EXPECT_EQ(m.zero, 1);
  const std::vector<double> kept = without_zeros(schur, m);
  EXPECT_NEAR((kept[0] * kept[3] - kept[1] * kept[2]) / eps / eps, 0, 1e-20);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_LE(std::abs(kept[k] - schur.product[k]), 2 * eps * std::sqrt(schur.squares[k])) << k;
}

/// Errors beside what may be rounding: of each entry, or of its row and its column.
TEST(SchurOfZeros, ErrorsThatAreSmall)
{
  SchurOfZeros schur(2);
  schur.squares = {1, 1e-10, 1e-10, 1e-20}; // roots 1, 1e-5, 1e-5, 1e-10
  schur.error = {0x1p-8 * eps, 1e-5 * 0x1p-8 * eps, 0, 1e-10 * 0x1p-8 * eps};
  EXPECT_TRUE(has_small_errors(schur));
  for (std::size_t k = 0; k < 4; ++k) {
    SchurOfZeros other = schur;
    other.error[k] = k == 0 ? eps : k == 3 ? 1e-10 * eps : 1e-5 * eps;
    EXPECT_FALSE(has_small_errors(other)) << k;
    other.error[k] = NAN;
    EXPECT_FALSE(has_small_errors(other)) << k;
  }
}

/// Twelve rows with the eigenvalues 0.9, eleven times, and another one, in units of what may be rounding: too many for
/// a norm to say that all are zero.
TEST(SchurOfZeros, ManyThatAreNearlyMoreThanRounding)
{
  constexpr int m = 12;
  constexpr double most = 0.9;
  for (const double other : {-most, -1.01, -1.4, 0.99, 1.01, 1.4}) {
    SchurOfZeros schur(m);
    for (int k = 0; k < m * m; ++k) {
      schur.squares[k] = 1;
      schur.product[k] = 2 * eps * (most * (k % m == k / m) + (other - most) / m);
    }
    const bool all = std::abs(other) < 1;
    for (const MeasuredZeros &measured : {judge_zeros(schur), judge_singular_values(schur)}) {
      EXPECT_TRUE(measured.known);
      EXPECT_EQ(measured.zero, all ? m : m - 1) << other;
    }
    EXPECT_EQ(judge_zeros(schur).negative, !all && other < 0) << other;
  }
}

/// An entry that would be nothing beside the others is judged by what may be rounding of its own row and column.
TEST(SchurOfZeros, RowsAndColumnsHaveTheirOwnRounding)
{
  SchurOfZeros schur(2);
  schur.squares = {1e-20, 1e-10, 1e-10, 1}; // roots 1e-10, 1e-5, 1e-5, 1
  schur.product = {5e-26, 0, 0, 3 * eps};
  EXPECT_EQ(judge_singular_values(schur).zero, 0);
  schur.product = {5e-27, 0, 0, eps};
  EXPECT_EQ(judge_singular_values(schur).zero, 2);
  schur.squares = {0, 0, 0, 1}; // of a row and a column that have none nothing is rounding
  schur.product = {1e-200, 0, 0, eps};
  EXPECT_EQ(judge_singular_values(schur).zero, 1);
}

} // namespace
