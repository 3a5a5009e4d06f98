#include "host/front/front_report.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// A product that neither overflows nor underflows.
class Product {
public:
  void times(double x)
  {
    int power = 0;
    mantissa_ = std::frexp(mantissa_ * std::frexp(x, &power), &carry_);
    exponent_ += power + carry_;
  }
  double mantissa() const { return mantissa_; }
  Offset exponent() const { return mantissa_ == 0 ? 0 : exponent_; }

private:
  double mantissa_ = 0.5;
  Offset exponent_ = 1;
  int carry_ = 0;
};

void add_definite(const FrontColumns &f, DirectReport &r, Product &determinant)
{
  r.one_by_one += f.eliminated;
  r.positive += f.eliminated;
  for (Index k = 0; k < f.eliminated; ++k) {
    determinant.times(*f.at(k, k));
    determinant.times(*f.at(k, k));
  }
}

void add_pivots(const FrontColumns &f, DirectReport &r, Product &determinant)
{
  for (Index k = 0; k < f.eliminated; k += f.off[k] != 0 ? 2 : 1) {
    r.largest = std::max({r.largest, std::abs(f.d[k]), std::abs(f.off[k])});
    if (f.off[k] == 0) {
      ++r.one_by_one;
      r.negative += f.d[k] < 0;
      r.positive += f.d[k] > 0;
      determinant.times(f.d[k]);
      continue;
    }
    ++r.two_by_two;
    const double det = f.d[k] / f.off[k] * (f.d[k + 1] / f.off[k]) - 1; // over off²
    const Index negative = det < 0 ? 1 : f.d[k] < 0 ? 2 : 0;
    r.negative += negative;
    r.positive += 2 - negative;
    r.largest = std::max(r.largest, std::abs(f.d[k + 1]));
    determinant.times(det);
    determinant.times(f.off[k]);
    determinant.times(f.off[k]);
  }
}

} // namespace

DirectReport report_of(const FrontPlan &plan, const FrontStore &store, FactorKind kind)
{
  DirectReport r;
  Product determinant;
  for (Index s = 0; s < plan.tree.fronts(); ++s) {
    const FrontColumns &f = store[s];
    r.delayed += f.columns - f.eliminated;
    r.zero += f.zero;
    r.uncertain += f.uncertain;
    r.entries += Offset(f.rows) * f.eliminated - Offset(f.eliminated) * (f.eliminated - 1) / 2;
    for (Index k = 0; k < f.eliminated; ++k)
      r.flops += double(f.rows - k - 1) * double(f.rows - k - 1);
    if (kind == FactorKind::LLT)
      add_definite(f, r, determinant);
    else
      add_pivots(f, r, determinant);
  }
  for (double scale : plan.scale) {
    determinant.times(1 / scale);
    determinant.times(1 / scale);
  }
  r.determinant = determinant.mantissa();
  r.exponent = determinant.exponent();
  return r;
}

} // namespace tessera
