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

template <class T>
using CompensatedSumOf = std::conditional_t<std::is_same_v<T, Complex>, ComplexCompensatedSum, CompensatedSum>;

} // namespace tessera
#endif
