#ifndef TESSERA_BASE_COMPENSATED_SUM_HPP
#define TESSERA_BASE_COMPENSATED_SUM_HPP

#include "base/portable.hpp"
#include "base/scalar.hpp"

#include <cmath>
#include <type_traits>

namespace tessera {

/// A sum of numbers and products as if they were added with twice the digits and then rounded (Ogita, Rump & Oishi
/// 2005, Dot2). A term that is not finite makes it not finite.
class CompensatedSum {
public:
  TESSERA_BOTH explicit CompensatedSum(double first = 0) : sum_(first) {}

  TESSERA_BOTH void add(double x)
  {
    const double sum = sum_ + x, part = sum - sum_;
    lost_ += (sum_ - (sum - part)) + (x - part);
    sum_ = sum;
  }

  TESSERA_BOTH void add_product(double x, double y)
  {
    using std::fma;
    const double product = x * y;
    lost_ += fma(x, y, -product);
    add(product);
  }

  /// Another sum, and what it has lost.
  TESSERA_BOTH void add(double sum, double lost)
  {
    lost_ += lost;
    add(sum);
  }

  TESSERA_BOTH double value() const { return sum_ + lost_; }
  TESSERA_BOTH double sum() const { return sum_; }
  TESSERA_BOTH double lost() const { return lost_; }

private:
  double sum_;
  double lost_ = 0; ///< by rounding
};

/// The same of complex numbers.
class ComplexCompensatedSum {
public:
  explicit ComplexCompensatedSum(Complex first = 0) : real_(first.real()), imaginary_(first.imag()) {}

  void add_product(Complex x, Complex y)
  {
    real_.add_product(x.real(), y.real());
    real_.add_product(-x.imag(), y.imag());
    imaginary_.add_product(x.real(), y.imag());
    imaginary_.add_product(x.imag(), y.real());
  }

  void add(Complex x)
  {
    real_.add(x.real());
    imaginary_.add(x.imag());
  }

  Complex value() const { return {real_.value(), imaginary_.value()}; }

private:
  CompensatedSum real_, imaginary_;
};

/// Four sums side by side, which do not wait for each other: compilers keep them in vector registers.
class FourCompensatedSums {
public:
  /// Adds x[k] y[k] to sum k.
  void add_products(const double *x, const double *y)
  {
    for (int k = 0; k < 4; ++k) {
      const double product = x[k] * y[k], sum = sum_[k] + product, part = sum - sum_[k];
      lost_[k] += std::fma(x[k], y[k], -product) + ((sum_[k] - (sum - part)) + (product - part));
      sum_[k] = sum;
    }
  }

  double value(int k) const { return sum_[k] + lost_[k]; }
  /// Of all four together.
  double value() const
  {
    CompensatedSum all;
    for (int k = 0; k < 4; ++k)
      all.add(sum_[k], lost_[k]);
    return all.value();
  }

private:
  double sum_[4] = {}, lost_[4] = {};
};

/// The same of complex numbers.
class FourComplexCompensatedSums {
public:
  void add_products(const Complex *x, const Complex *y)
  {
    double a[4], b[4], c[4], d[4], minus_b[4];
    for (int k = 0; k < 4; ++k) {
      a[k] = x[k].real();
      b[k] = x[k].imag();
      minus_b[k] = -b[k];
      c[k] = y[k].real();
      d[k] = y[k].imag();
    }
    real_.add_products(a, c);
    real_.add_products(minus_b, d);
    imaginary_.add_products(a, d);
    imaginary_.add_products(b, c);
  }

  Complex value(int k) const { return {real_.value(k), imaginary_.value(k)}; }
  Complex value() const { return {real_.value(), imaginary_.value()}; }

private:
  FourCompensatedSums real_, imaginary_;
};

template <class T>
using FourCompensatedSumsOf =
    std::conditional_t<std::is_same_v<T, Complex>, FourComplexCompensatedSums, FourCompensatedSums>;

template <class T>
using CompensatedSumOf = std::conditional_t<std::is_same_v<T, Complex>, ComplexCompensatedSum, CompensatedSum>;

} // namespace tessera
#endif
