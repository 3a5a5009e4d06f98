// Arithmetic with complex numbers, at the ends of the range of doubles.
#include "base/compensated_sum.hpp"
#include "base/scaled.hpp"
#include "factor/front/scaled_product.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace tessera;

namespace {

constexpr double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

/// Parts of numbers whose squares neither overflow nor underflow, and of those whose squares do.
const double parts[] = {0, 1, -0.75, 1e100, -3e-100, 3e200, -1e-200, 0x1p-1000, 0x1p1000};

TEST(Scalar, MagnitudeIsInRange)
{
  for (double x : parts)
    for (double y : parts)
      EXPECT_DOUBLE_EQ(magnitude(Complex(x, y)), std::hypot(x, y)) << x << " " << y;
  EXPECT_EQ(magnitude(Complex(0, tiny)), tiny);
  EXPECT_EQ(magnitude(Complex(huge / 2, 0)), huge / 2);
  EXPECT_EQ(magnitude(Complex(1, -infinity)), infinity);
  EXPECT_TRUE(std::isnan(magnitude(Complex(not_a_number, 1))));
}

TEST(Scalar, IsAtMost)
{
  EXPECT_TRUE(is_at_most(Complex(3, -4), 5));
  EXPECT_FALSE(is_at_most(Complex(3, -4), 4.999));
  EXPECT_TRUE(is_at_most(Complex(1e-200, 1e-200), 1e-100));
  EXPECT_FALSE(is_at_most(Complex(1e200, 0), 1e12));
  EXPECT_FALSE(is_at_most(Complex(1e-170, 0), 1e-200)); // squares underflow
  EXPECT_FALSE(is_at_most(Complex(1e180, 0), 1e170));   // and overflow
  EXPECT_FALSE(is_at_most(Complex(0, infinity), 1e12));
  EXPECT_FALSE(is_at_most(Complex(0, not_a_number), 1e12));
  EXPECT_FALSE(is_at_most(not_a_number, 1e12));
}

TEST(Scalar, QuotientsOfAllSizes)
{
  const Complex x(1.25, -0.5), y(0.75, 2);
  const Complex expected = x / y;
  for (double size_x : {1.0, 0x1p-500, 0x1p500})
    for (double size_y : {1.0, 0x1p-500, 0x1p500})
      for (const Complex &turn : {Complex(1, 0), Complex(0, 1)}) {
        const Complex q = quotient(product(x, turn) * size_x, product(y, turn) * size_y) / (size_x / size_y);
        EXPECT_NEAR(q.real(), expected.real(), 1e-15);
        EXPECT_NEAR(q.imag(), expected.imag(), 1e-15);
      }
  EXPECT_EQ(quotient(Complex(2e300, -4e300), Complex(2e300, 0)), Complex(1, -2));
  EXPECT_EQ(quotient(Complex(2e300, -4e300), Complex(0, 2e300)), Complex(-2, -1));
}

TEST(Scalar, ScaledByParts)
{
  EXPECT_EQ(scaled(Complex(0x1p1000, 0x1p-1000), 0x1p-900, 0x1p900), Complex(0x1p1000, 0x1p-1000));
}

TEST(FourComplexCompensatedSums, AreThoseOfProducts)
{
  FourComplexCompensatedSums sums;
  const Complex x[] = {{0x1p60, 1}, {2, 3}, {0, 1}, {1, 0}}, y[] = {{0x1p60, -1}, {4, 5}, {0, 1}, {0, 1}},
                z[] = {{-0x1p60, 1}, {1, 0}, {1, 0}, {0, 0}};
  sums.add_products(x, y);
  sums.add_products(x, z);
  EXPECT_EQ(sums.value(0), Complex(0, 0));
  EXPECT_EQ(sums.value(1), Complex(-7 + 2, 22 + 3));
  EXPECT_EQ(sums.value(2), Complex(-1, 1));
  EXPECT_EQ(sums.value(3), Complex(0, 1));
  EXPECT_EQ(sums.value(), Complex(-6, 27));
}

TEST(ComplexCompensatedSum, KeepsWhatRoundingLoses)
{
  ComplexCompensatedSum sum(Complex(-1, 1));
  sum.add_product({1 + 0x1p-30, 1}, {1 + 0x1p-30, 1}); // (2^-29 + 2^-60, 2 + 2^-29)
  sum.add_product({0, 1}, {-2, 0x1p-29});
  EXPECT_EQ(sum.value(), Complex(-1 + 0x1p-60, 1 + 0x1p-29));
  ComplexCompensatedSum other(Complex(0x1p-60, 0));
  other.add_product({1, 1}, {1, 1});
  other.add_product({0, -2}, {1, 0});
  EXPECT_EQ(other.value(), Complex(0x1p-60, 0));
  other.add_product({0, infinity}, {1, 0});
  EXPECT_FALSE(is_finite(other.value()));
}

TEST(ScaledProduct, OfComplexNumbers)
{
  ScaledProductOf<Complex> p;
  for (int k = 0; k < 4000; ++k)
    p.times(Complex(0x1p500, 0x1p500)); // (1 + i)^4000 = 2^2000
  EXPECT_EQ(p.mantissa, 0.5);
  EXPECT_EQ(p.exponent, 4000 * 500 + 2000 + 1);
  p.times(Complex(0, huge));
  EXPECT_EQ(p.mantissa, Complex(0, huge * 0x1p-1023 / 2));
  p.times(Complex(huge, huge));
  EXPECT_LT(std::abs(p.mantissa), 1);
  EXPECT_GE(std::abs(p.mantissa), 0.5);
  p = {};
  p.times(Complex(0, tiny));
  EXPECT_EQ(p.mantissa, Complex(0, 0.5));
  EXPECT_EQ(p.exponent, -1073);
  ScaledProduct scale;
  scale.times(0x1p-1000);
  p.divide_by(scale);
  EXPECT_EQ(p.exponent, -73);
  p.times(0);
  EXPECT_EQ(p.mantissa, 0.0);
}

} // namespace
