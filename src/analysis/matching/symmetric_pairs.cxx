#include "analysis/matching/symmetric_pairs.hpp"

#include "analysis/input/diagonal.hpp"

#include <cmath>

namespace tessera {
namespace {

/// A product of pivots as the number of vanishing ones and the logarithm of the rest, in whole units of 2^-20 so that
/// products that tie do so in every multiple of the matrix.
struct PivotProduct {
  Index zeros = 0;
  std::int64_t logarithm = 0;

  void multiply(const PivotProduct &x)
  {
    zeros += x.zeros;
    logarithm += x.logarithm;
  }
  void divide(const PivotProduct &x)
  {
    zeros -= x.zeros;
    logarithm -= x.logarithm;
  }
  bool operator>(const PivotProduct &x) const { return zeros != x.zeros ? zeros < x.zeros : logarithm > x.logarithm; }
};

/// A pivot of the scaled matrix; one below the accuracy of the scaling counts as zero.
PivotProduct pivot(double determinant)
{
  constexpr double unit = 0x1p20;
  const double magnitude = std::abs(determinant);
  if (magnitude < 1 / unit)
    return {1, 0};
  return {0, std::llround(std::log2(magnitude) * unit)};
}

/// Divides cycles one at a time.
class CycleDivision {
public:
  CycleDivision(const Matrix &a, const Matching &matching, double threshold, std::vector<Index> &partner)
      : a_(a), matching_(matching), threshold_(threshold), partner_(partner)
  {
  }

  /// The cycle i -> column[i] -> ... -> i, of more than one row.
  void divide(Index first)
  {
    row_.clear();
    diagonal_.clear();
    for (Index i = first; row_.empty() || i != first; i = matching_.column[i]) {
      row_.push_back(i);
      diagonal_.push_back(scaled_diagonal(i));
    }
    const size_t length = row_.size();
    const size_t start = length == 2 ? 0 : length % 2 == 0 ? best_even_start() : best_single();
    if (length % 2 == 1)
      partner_[row_[start]] = row_[start];
    for (size_t k = start + length % 2; k + 1 < start + length; k += 2)
      join(k % length, (k + 1) % length);
  }

private:
  double scaled_diagonal(Index i) const
  {
    const double value = diagonal_entry(a_, i);
    if (value == 0)
      return 0;
    return std::copysign(std::exp2(std::log2(std::abs(value)) + 2 * matching_.row_dual[i]), value);
  }

  void join(size_t k, size_t l)
  {
    const bool split = std::abs(diagonal_[k]) >= threshold_ && std::abs(diagonal_[l]) >= threshold_;
    partner_[row_[k]] = split ? row_[k] : row_[l];
    partner_[row_[l]] = split ? row_[l] : row_[k];
  }

  /// The 2x2 pivot of a row and the next of the cycle: the entry that couples them is a matched one, scaled to 1.
  PivotProduct pair(size_t k) const { return pivot(diagonal_[k] * diagonal_[(k + 1) % row_.size()] - 1); }

  /// 0 or 1: which of the two divisions of an even cycle is better.
  size_t best_even_start() const
  {
    PivotProduct product[2];
    for (size_t k = 0; k < row_.size(); ++k)
      product[k % 2].multiply(pair(k));
    return product[1] > product[0] ? 1 : 0;
  }

  /// The row to leave out of an odd cycle. Leaving out the row two farther on moves one pair by one place.
  size_t best_single() const
  {
    const size_t length = row_.size();
    PivotProduct product;
    for (size_t k = 1; k < length; k += 2)
      product.multiply(pair(k));
    PivotProduct best = product;
    best.multiply(pivot(diagonal_[0]));
    size_t single = 0;
    for (size_t step = 1, k = 0; step < length; ++step) {
      product.divide(pair((k + 1) % length));
      product.multiply(pair(k));
      k = (k + 2) % length;
      PivotProduct total = product;
      total.multiply(pivot(diagonal_[k]));
      if (total > best) {
        best = total;
        single = k;
      }
    }
    return single;
  }

  const Matrix &a_;
  const Matching &matching_;
  const double threshold_;
  std::vector<Index> &partner_;
  std::vector<Index> row_;       ///< rows of the cycle
  std::vector<double> diagonal_; ///< their scaled diagonals
};

} // namespace

std::vector<Index> find_pairs(const Matrix &symmetric, const Matching &matching, double diagonal_threshold)
{
  std::vector<Index> partner(matching.column.size(), -1);
  CycleDivision cycles(symmetric, matching, diagonal_threshold, partner);
  for (Index i = 0; i < static_cast<Index>(partner.size()); ++i) {
    if (partner[i] >= 0)
      continue;
    if (matching.column[i] == i || matching.column[i] < 0)
      partner[i] = i;
    else
      cycles.divide(i);
  }
  return partner;
}

Index count_pairs(const std::vector<Index> &partner)
{
  Index pairs = 0;
  for (Index i = 0; i < static_cast<Index>(partner.size()); ++i)
    pairs += partner[i] > i;
  return pairs;
}

} // namespace tessera
