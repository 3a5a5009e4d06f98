#include "analysis/matching/symmetric_pairs.hpp"

#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tessera;
using namespace tessera::test;

/// A matching given by hand of a matrix that is scaled already.
Matching given(std::vector<Index> column)
{
  Matching m;
  m.cardinality = static_cast<Index>(column.size());
  m.row_dual.assign(column.size(), 0);
  m.col_dual = m.row_dual;
  m.column = std::move(column);
  return m;
}

/// The symmetric matrix of a cycle 0 - 1 - ... - 0 with entries 1 and the diagonal given.
Matrix cycle(const std::vector<double> &diagonal)
{
  const Index n = static_cast<Index>(diagonal.size());
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, diagonal[i]});
    if (n == 2 && i == 1)
      break;
    triplets.push_back({i, (i + 1) % n, 1});
    triplets.push_back({(i + 1) % n, i, 1});
  }
  if (n == 2)
    return assemble(2, 2, {{0, 0, diagonal[0]}, {1, 1, diagonal[1]}, {0, 1, 1}, {1, 0, 1}});
  return assemble(n, n, triplets);
}

Matching cycle_matching(Index n)
{
  std::vector<Index> column(n);
  for (Index i = 0; i < n; ++i)
    column[i] = (i + 1) % n;
  return given(column);
}

/// The product of the pivots' determinants that a division of a cycle gives.
double pivot_product(const std::vector<double> &diagonal, const std::vector<Index> &partner)
{
  double product = 1;
  for (Index i = 0; i < static_cast<Index>(diagonal.size()); ++i) {
    if (partner[i] == i)
      product *= std::abs(diagonal[i]);
    else if (partner[i] > i)
      product *= std::abs(diagonal[i] * diagonal[partner[i]] - 1);
  }
  return product;
}

/// The best over all divisions of a cycle, by trying each.
double best_product(const std::vector<double> &diagonal)
{
  const Index n = static_cast<Index>(diagonal.size());
  double best = 0;
  for (Index start = 0; start < (n % 2 ? n : 2); ++start) {
    std::vector<Index> partner(n);
    partner[start] = start;
    for (Index k = n % 2; k + 1 < n + n % 2; k += 2) {
      const Index i = (start + k) % n, j = (start + k + 1) % n;
      partner[i] = j;
      partner[j] = i;
    }
    best = std::max(best, pivot_product(diagonal, partner));
  }
  return best;
}

TEST(Pairs, CyclesAreDividedBest)
{
  Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> diagonal(3 + random.below(8));
    for (double &d : diagonal)
      d = random.below(3) ? random.between(-1, 1) : 0;
    const std::vector<Index> partner =
        find_pairs(cycle(diagonal), cycle_matching(static_cast<Index>(diagonal.size())), 2.0);
    Index singles = 0;
    for (Index i = 0; i < static_cast<Index>(diagonal.size()); ++i) {
      EXPECT_EQ(partner[partner[i]], i);
      singles += partner[i] == i;
    }
    EXPECT_EQ(singles, static_cast<Index>(diagonal.size() % 2));
    const double best = best_product(diagonal);
    EXPECT_NEAR(pivot_product(diagonal, partner), best, 1e-4 * best);
  }
}

TEST(Pairs, OddCycleLeavesANonzeroDiagonal)
{
  for (Index position = 0; position < 5; ++position) {
    std::vector<double> diagonal(5, 0);
    diagonal[position] = 1e-5;
    const std::vector<Index> partner = find_pairs(cycle(diagonal), cycle_matching(5));
    for (Index i = 0; i < 5; ++i)
      EXPECT_EQ(partner[i] == i, i == position);
  }
}

TEST(Pairs, LargeDiagonalsNeedNoPair)
{
  const std::vector<Index> pair = {1, 0}, singles = {0, 1};
  EXPECT_EQ(find_pairs(cycle({0.9, -0.7}), cycle_matching(2)), singles);
  EXPECT_EQ(find_pairs(cycle({0.9, 0.6}), cycle_matching(2)), pair);
  EXPECT_EQ(find_pairs(cycle({0, 1}), cycle_matching(2)), pair);
  EXPECT_EQ(find_pairs(cycle({0.9, -0.7}), cycle_matching(2), 1.5), pair);
  EXPECT_EQ(find_pairs(cycle({0.9, 0.6}), cycle_matching(2), 0.5), singles);
}

TEST(Pairs, UnmatchedRowsAreSingle)
{
  const Matrix a = assemble(4, 4, {{1, 3, 2}, {3, 1, 2}, {0, 1, 1}, {1, 0, 1}});
  const Matching m = match_symmetric(a);
  ASSERT_EQ(m.cardinality, 2);
  const std::vector<Index> partner = find_pairs(a, m);
  EXPECT_EQ(partner[2], 2);
  for (Index i = 0; i < 4; ++i)
    EXPECT_EQ(partner[i] == i, m.column[i] < 0);
}

/// Every pair is coupled by an entry that the scaling makes 1; every multiple of the matrix is divided alike.
TEST(Pairs, OfRandomMatrices)
{
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 2 + random.below(50);
    const Matrix a = trial % 2 ? random_kkt(random, n, n / 2, 3)
                               : random_matrix(random, n, 3 * n, static_cast<Values>(trial / 2 % 3), true);
    const Matching m = match_symmetric(a);
    const std::vector<Index> partner = find_pairs(a, m);
    for (Index i = 0; i < a.pattern.rows; ++i) {
      ASSERT_EQ(partner[partner[i]], i);
      if (partner[i] == i)
        continue;
      double coupling = 0;
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        if (a.pattern.column[p] == partner[i])
          coupling = std::log2(std::abs(a.value[p])) + m.row_dual[i] + m.row_dual[partner[i]];
      EXPECT_NEAR(coupling, 0, 0x1p-19);
      EXPECT_TRUE(m.column[i] == partner[i] || m.column[partner[i]] == i);
    }
    if (trial % 2 == 0 && trial / 2 % 3 == 1) // graded values would overflow
      continue;
    for (double factor : {1e-20, 1e20, 0x1p-200}) {
      Matrix b = a;
      for (double &x : b.value)
        x *= factor;
      EXPECT_EQ(find_pairs(b, match_symmetric(b)), partner) << factor;
    }
  }
}

TEST(Pairs, Empty)
{
  const Matrix a = assemble(0, 0, {});
  EXPECT_TRUE(find_pairs(a, match_symmetric(a)).empty());
}

} // namespace
