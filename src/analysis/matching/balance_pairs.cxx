#include "analysis/matching/balance_pairs.hpp"

#include "base/scaled.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr int most_sweeps = 8;

/// Balances one pair after the other until none moves. One that has been looked at cannot move until the factor of a
/// neighbour has become less.
class PairBalance {
public:
  PairBalance(const Matrix &a, const std::vector<Index> &partner, std::vector<double> &scale)
      : a_(a), partner_(partner), scale_(scale), may_move_(partner.size(), true)
  {
  }

  /// Goes through the pairs in ascending or descending order. Returns whether any moved.
  bool sweep(bool ascending)
  {
    const Index n = a_.pattern.rows;
    bool moved = false;
    for (Index k = 0; k < n; ++k) {
      const Index i = ascending ? k : n - 1 - k;
      if (partner_[i] > i && may_move_[i]) {
        may_move_[i] = false;
        moved |= balance(i, partner_[i]);
      }
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
    for (Offset e = a_.pattern.start[j]; e < a_.pattern.start[j + 1]; ++e) {
      const Index k = a_.pattern.column[e], its = partner_[k];
      if (k != i && k != j && its >= 0)
        may_move_[std::min(k, its)] = true;
    }
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
      if (largest > 0.5)
        return 0;
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
  std::vector<bool> may_move_; ///< [rows] of the first row of each pair
};

} // namespace

void balance_pairs(const Matrix &symmetric, const std::vector<Index> &partner, std::vector<double> &scale)
{
  PairBalance balance(symmetric, partner, scale);
  for (int sweep = 0; sweep < most_sweeps && balance.sweep(sweep % 2 == 0); ++sweep) {
  }
}

} // namespace tessera
