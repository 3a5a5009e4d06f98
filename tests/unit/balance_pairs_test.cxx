#include "analysis/matching/balance_pairs.hpp"

#include "analysis/matching/symmetric_pairs.hpp"
#include "analysis/scaling/scaling.hpp"
#include "support/any_threads.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tessera;
using namespace tessera::test;

double largest_entry(const Matrix &a, const std::vector<double> &scale)
{
  double most = 0;
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      most = std::max(most, std::abs(scale[i] * a.value[p] * scale[a.pattern.column[p]]));
  return most;
}

TEST(BalancePairs, MakesFactorsEqualWhereEntriesLetThem)
{
  // rows 0 and 1 are a pair that nothing else couples; 2 and 3 one whose row 2 has a diagonal entry
  const Matrix a = assemble(
      4, 4,
      {{0, 1, 1}, {1, 0, 1}, {0, 0, 0x1p-20}, {2, 2, 0x1p-4}, {2, 3, 1}, {3, 2, 1}, {1, 3, 0x1p-9}, {3, 1, 0x1p-9}});
  std::vector<double> scale = {0x1p10, 0x1p-10, 0x1p-6, 0x1p6};
  balance_pairs(a, {1, 0, 3, 2}, scale);
  EXPECT_EQ(scale, (std::vector<double>{1, 1, 1, 1}));
  scale = {0x1p-10, 0x1p10, 0x1p-6, 0x1p6};
  balance_pairs(a, {1, 0, 2, 3}, scale); // 2 and 3 are no pair
  EXPECT_EQ(scale, (std::vector<double>{1, 1, 0x1p-6, 0x1p6}));
}

TEST(BalancePairs, StopsAtEntriesOfOne)
{
  const Matrix a = assemble(2, 2, {{0, 0, 4}, {0, 1, 0x1p12}, {1, 0, 0x1p12}});
  std::vector<double> scale = {0x1p-10, 0x1p-2};
  balance_pairs(a, {1, 0}, scale);
  EXPECT_EQ(scale, (std::vector<double>{0x1p-6, 0x1p-6})); // half way
  const Matrix b = assemble(2, 2, {{0, 0, 0x1p16}, {0, 1, 0x1p12}, {1, 0, 0x1p12}});
  scale = {0x1p-10, 0x1p-2};
  balance_pairs(b, {1, 0}, scale);
  EXPECT_EQ(scale, (std::vector<double>{0x1p-8, 0x1p-4})); // the diagonal entry is 1 then
}

TEST(BalancePairs, KeepsCouplingsAndBounds)
{
  Random random(3);
  Index moved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Matrix a = random_kkt(random, 30, 12, 3);
    for (Index i = 0; i < a.pattern.rows; ++i)
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        if (a.pattern.column[p] == i)
          a.value[p] *= std::exp2(-random.below(30));
    const Matching matching = match_symmetric(a);
    const std::vector<Index> partner = find_pairs(a, matching);
    const std::vector<double> before = scale_factors(matching.row_dual);
    std::vector<double> scale = before;
    balance_pairs(a, partner, scale);
    EXPECT_LE(largest_entry(a, scale), std::max(1.0, largest_entry(a, before)));
    for (Index i = 0; i < a.pattern.rows; ++i) {
      const Index j = partner[i];
      EXPECT_EQ(scale[i] * scale[j], before[i] * before[j]);
      EXPECT_LE(std::abs(std::log2(scale[i] / scale[j])), std::abs(std::log2(before[i] / before[j])));
      moved += scale[i] != before[i];
    }
  }
  EXPECT_GT(moved, 200);
}

/// Sweeps in which every pair is looked at, with all entries of its row.
std::vector<double> balanced_plainly(const Matrix &a, const std::vector<Index> &partner, std::vector<double> scale)
{
  const auto room = [&](Index i, Index other) { // the largest k with 2^k x <= 1 for the entries, half of it if diagonal
    double most = 4096;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      const Index j = a.pattern.column[p];
      const double x = std::abs(scale[i] * a.value[p] * scale[j]);
      if (j != other && x > 0)
        most = std::min(most, std::trunc(std::floor(-std::log2(x)) / (i == j ? 2 : 1)));
    }
    return int(most);
  };
  for (int sweep = 0; sweep < 8; ++sweep)
    for (Index k = 0; k < a.pattern.rows; ++k) {
      Index i = sweep % 2 == 0 ? k : a.pattern.rows - 1 - k, j = partner[i];
      if (j <= i)
        continue;
      if (scale[i] > scale[j])
        std::swap(i, j);
      const int apart = int(std::log2(scale[j]) - std::log2(scale[i])) / 2;
      const int step = apart > 0 ? std::max(0, std::min(apart, room(i, j))) : 0;
      scale[i] = std::ldexp(scale[i], step);
      scale[j] = std::ldexp(scale[j], -step);
    }
  return scale;
}

TEST(BalancePairs, LooksAtThosePairsThatMove)
{
  Random random(5);
  int again = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Matrix a = random_kkt(random, 60, 40, 4);
    for (double &x : a.value)
      x = std::exp2(-4 * random.below(6));
    std::vector<Index> partner(100);
    for (Index i = 0; i < 100; ++i) // 20 of the first 60 rows are alone
      partner[i] = i < 40 ? 60 + i : i < 60 ? i : i - 60;
    std::vector<double> scale(100);
    for (double &x : scale)
      x = std::exp2(random.below(24) - 18);
    const std::vector<double> expected = balanced_plainly(a, partner, scale);
    const auto once = [&] {
      std::vector<double> result = scale;
      balance_pairs(a, partner, result);
      return result;
    };
    EXPECT_TRUE(on_any_threads(once) == expected) << "trial " << trial;
    again += expected != scale;
  }
  EXPECT_GT(again, 100);
}

} // namespace
