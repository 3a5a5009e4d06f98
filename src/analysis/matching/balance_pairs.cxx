#include "analysis/matching/balance_pairs.hpp"

#include "base/task_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera {
namespace {

constexpr int most_sweeps = 8;
constexpr std::int16_t of_zero = -4096; ///< less than that of any number

/// The least k with |x| <= 2^k.
std::int16_t power_above(double x)
{
  if (x == 0)
    return of_zero;
  int exponent;
  const double significand = std::frexp(std::abs(x), &exponent); // in [1/2, 1)
  return static_cast<std::int16_t>(exponent - (significand == 0.5));
}

/// Balances one pair after the other until none moves. One that cannot move is left out until the factor of a neighbour
/// has become less, without which it still cannot. Works with logarithms, as factors are powers of two.
class PairBalance {
public:
  PairBalance(const Matrix &a, const std::vector<Index> &partner, const std::vector<double> &scale)
      : pattern_(a.pattern), partner_(partner), entry_(a.pattern.entries()), power_(partner.size()),
        may_move_(partner.size())
  {
    const Index n = pattern_.rows;
#pragma omp parallel if (n > parallel_rows)
    {
#pragma omp for schedule(static)
      for (Index i = 0; i < n; ++i) {
        power_[i] = std::ilogb(scale[i]);
        for (Offset e = pattern_.start[i]; e < pattern_.start[i + 1] && partner[i] != i; ++e)
          entry_[e] = power_above(a.value[e]);
      }
#pragma omp for schedule(dynamic, 1024)
      for (Index i = 0; i < n; ++i)
        may_move_[i] = partner[i] > i && step_of(ordered(i)) > 0;
    }
  }

  /// Goes through the pairs in ascending or descending order. Returns whether any moved.
  bool sweep(bool ascending)
  {
    const Index n = pattern_.rows;
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

  void write(std::vector<double> &scale) const
  {
#pragma omp parallel for schedule(static) if (pattern_.rows > parallel_rows)
    for (Index i = 0; i < pattern_.rows; ++i)
      scale[i] = std::ldexp(1.0, power_[i]);
  }

private:
  /// The rows of a pair, that with the smaller factor first.
  struct Pair {
    Index i, j;
  };

  Pair ordered(Index i) const
  {
    const Index j = partner_[i];
    return power_[i] > power_[j] ? Pair{j, i} : Pair{i, j};
  }

  /// By how many powers of two the factors may come closer to each other.
  int step_of(const Pair &pair) const
  {
    const int apart = (power_[pair.j] - power_[pair.i]) / 2;
    return apart > 0 ? std::min(apart, room(pair.i, pair.j)) : 0;
  }

  /// Balances row i, which is the first of its pair, and its partner. Returns whether the factors moved.
  bool balance(Index first)
  {
    const Pair pair = ordered(first);
    const int step = step_of(pair);
    if (step <= 0)
      return false;
    power_[pair.i] += step;
    power_[pair.j] -= step;
    for (Offset e = pattern_.start[pair.j]; e < pattern_.start[pair.j + 1]; ++e) {
      const Index k = pattern_.column[e], its = partner_[k];
      if (k != pair.i && k != pair.j && its >= 0)
        may_move_[std::min(k, its)] = true;
    }
    return true;
  }

  /// By how many powers of two row i may be multiplied until an entry reaches 1, that with row `other` left out.
  int room(Index i, Index other) const
  {
    int least = -of_zero;
    for (Offset e = pattern_.start[i]; e < pattern_.start[i + 1] && least > 0; ++e) {
      const Index j = pattern_.column[e];
      if (j == other || entry_[e] == of_zero)
        continue;
      const int below_one = -(entry_[e] + power_[i] + power_[j]);
      least = std::min(least, i == j ? below_one / 2 : below_one);
    }
    return least;
  }

  const Pattern &pattern_;
  const std::vector<Index> &partner_;
  Buffer<std::int16_t> entry_;         ///< [entries] power_above(), in the rows of pairs
  std::vector<int> power_;             ///< [rows] the logarithms of the factors
  std::vector<std::uint8_t> may_move_; ///< [rows] of the first row of each pair
};

} // namespace

void balance_pairs(const Matrix &symmetric, const std::vector<Index> &partner, std::vector<double> &scale)
{
  PairBalance balance(symmetric, partner, scale);
  for (int sweep = 0; sweep < most_sweeps && balance.sweep(sweep % 2 == 0); ++sweep) {
  }
  balance.write(scale);
}

} // namespace tessera
