#include "analysis/matching/balance_pairs.hpp"

#include "base/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera {
namespace {

constexpr int most_sweeps = 8;

/// Balances one pair after the other until none moves. One that cannot move is left out until the factor of a neighbour
/// has become less, without which it still cannot.
class PairBalance {
public:
  PairBalance(const Matrix &a, const std::vector<Index> &partner, std::vector<double> &scale)
      : a_(a), partner_(partner), scale_(scale), may_move_(partner.size())
  {
#pragma omp parallel for schedule(dynamic, 1024) if (a.pattern.rows > parallel_rows)
    for (Index i = 0; i < a.pattern.rows; ++i)
      may_move_[i] = partner[i] > i && step_of(ordered(i)) > 0;
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
        moved |= balance(i);
      }
    }
    return moved;
  }

private:
  /// The rows of a pair, that with the smaller factor first.
  struct Pair {
    Index i, j;
  };

  Pair ordered(Index i) const
  {
    const Index j = partner_[i];
    return scale_[i] > scale_[j] ? Pair{j, i} : Pair{i, j};
  }

  /// By how many powers of two the factors may come closer to each other.
  int step_of(const Pair &pair) const
  {
    const int apart = (std::ilogb(scale_[pair.j]) - std::ilogb(scale_[pair.i])) / 2;
    return apart > 0 ? std::min(apart, room(pair.i, pair.j)) : 0;
  }

  /// Balances row i, which is the first of its pair, and its partner. Returns whether the factors moved.
  bool balance(Index first)
  {
    const Pair pair = ordered(first);
    const int step = step_of(pair);
    if (step <= 0)
      return false;
    scale_[pair.i] = std::ldexp(scale_[pair.i], step);
    scale_[pair.j] = std::ldexp(scale_[pair.j], -step);
    for (Offset e = a_.pattern.start[pair.j]; e < a_.pattern.start[pair.j + 1]; ++e) {
      const Index k = a_.pattern.column[e], its = partner_[k];
      if (k != pair.i && k != pair.j && its >= 0)
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
  std::vector<std::uint8_t> may_move_; ///< [rows] of the first row of each pair
};

} // namespace

void balance_pairs(const Matrix &symmetric, const std::vector<Index> &partner, std::vector<double> &scale)
{
  PairBalance balance(symmetric, partner, scale);
  for (int sweep = 0; sweep < most_sweeps && balance.sweep(sweep % 2 == 0); ++sweep) {
  }
}

} // namespace tessera
