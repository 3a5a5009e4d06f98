#include "analysis/matching/balance_pairs.hpp"

#include "base/scaled.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr int most_sweeps = 8;

/// Balances one pair after the other until none moves.
class PairBalance {
public:
  PairBalance(const Matrix &a, const std::vector<Index> &partner, std::vector<double> &scale)
      : a_(a), partner_(partner), scale_(scale)
  {
  }

  /// Goes through the pairs in ascending or descending order. Returns whether any moved.
  bool sweep(bool ascending)
  {
    const Index n = a_.pattern.rows;
    bool moved = false;
    for (Index k = 0; k < n; ++k) {
      const Index i = ascending ? k : n - 1 - k;
      if (partner_[i] > i)
        moved |= balance(i, partner_[i]);
    }
    return moved;
  }

private:
  /// Returns whether the factors moved.
  bool balance(Index i, Index j)
  {
    if (scale_[i] > scale_[j])
      std::swap(i, j);
    const int apart = (std::ilogb(scale_[j]) - std::ilogb(scale_[i])) / 2;
    const int step = apart > 0 ? std::min(apart, room(i, j)) : 0;
    if (step <= 0)
      return false;
    scale_[i] = std::ldexp(scale_[i], step);
    scale_[j] = std::ldexp(scale_[j], -step);
    return true;
  }

  /// By how many powers of two row i may be multiplied until an entry reaches 1, that with row `other` left out.
  int room(Index i, Index other) const
  {
    const Pattern &p = a_.pattern;
    double largest = 0, own = 0;
    for (Offset e = p.start[i]; e < p.start[i + 1]; ++e) {
      const double x = std::abs(scaled(a_.value[e], scale_[i], scale_[p.column[e]]));
      if (p.column[e] == i)
        own = x;
      else if (p.column[e] != other)
        largest = std::max(largest, x);
    }
    return std::min(powers_below_one(largest), powers_below_one(own) / 2);
  }

  /// The largest k with 2^k x <= 1.
  static int powers_below_one(double x)
  {
    if (x == 0)
      return 4096; // more than there are between any two factors
    int exponent;
    const double significand = std::frexp(x, &exponent); // in [1/2, 1)
    return -exponent + (significand == 0.5);
  }

  const Matrix &a_;
  const std::vector<Index> &partner_;
  std::vector<double> &scale_;
};

} // namespace

void balance_pairs(const Matrix &symmetric, const std::vector<Index> &partner, std::vector<double> &scale)
{
  PairBalance balance(symmetric, partner, scale);
  for (int sweep = 0; sweep < most_sweeps && balance.sweep(sweep % 2 == 0); ++sweep) {
  }
}

} // namespace tessera
