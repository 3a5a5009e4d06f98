#ifndef TESSERA_BASE_COMPENSATED_SUM_HPP
#define TESSERA_BASE_COMPENSATED_SUM_HPP

#include "base/portable.hpp"

#include <cmath>

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

  TESSERA_BOTH double value() const { return sum_ + lost_; }

private:
  double sum_;
  double lost_ = 0; ///< by rounding
};

} // namespace tessera
#endif
