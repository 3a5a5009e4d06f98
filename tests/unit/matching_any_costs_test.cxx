#include "analysis/input/symmetric_input.hpp"
#include "analysis/matching/augment_symmetric.hpp"
#include "analysis/matching/matching.hpp"
#include "analysis/matching/symmetric_pairs.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tessera;
using namespace tessera::test;

/// Rows are matched to columns that no other row has: single rows, pairs and odd cycles. Costs that are not symmetric
/// have no other promise.
void expect_matching(const std::vector<Index> &column, Index cardinality)
{
  const Index n = static_cast<Index>(column.size());
  std::vector<Index> row(n, -1);
  Index matched = 0;
  for (Index i = 0; i < n; ++i) {
    if (column[i] < 0)
      continue;
    ASSERT_LT(column[i], n);
    ASSERT_EQ(row[column[i]], -1) << "column " << column[i];
    row[column[i]] = i;
    ++matched;
  }
  EXPECT_EQ(matched, cardinality);
  for (Index i = 0; i < n; ++i) {
    ASSERT_EQ(column[i] < 0, row[i] < 0);
    Index length = 0;
    for (Index j = i; column[i] >= 0 && (length == 0 || j != i); j = column[j])
      ++length;
    ASSERT_TRUE(length <= 2 || length % 2 == 1) << length;
  }
}

void expect_matched(const Matrix &a)
{
  const Matching m = match_symmetric(a);
  ASSERT_EQ(m.status, MatrixStatus::usable);
  ASSERT_EQ(m.column.size(), static_cast<std::size_t>(a.pattern.rows));
  expect_matching(m.column, m.cardinality);
  for (const double dual : m.row_dual)
    ASSERT_TRUE(std::isfinite(dual));
  const std::vector<Index> partner = find_pairs(a, m);
  for (Index i = 0; i < a.pattern.rows; ++i)
    ASSERT_EQ(partner[partner[i]], i);
}

/// All pairs of entries of different costs, mirror images that are not there included.
TEST(MatchSymmetric, EndsOnAnyTwoRowsAndThree)
{
  const double values[] = {0, 1, 2, 1e-300, 1e300};
  for (const Index n : {2, 3}) {
    const Index places = n == 2 ? 4 : 6; // of three rows only what is not on the diagonal
    Index count = 1;
    for (Index k = 0; k < places; ++k)
      count *= 5;
    for (Index number = 0; number < count; ++number) {
      std::vector<Triplet> triplets;
      Index digits = number;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          if (n == 3 && i == j)
            continue;
          triplets.push_back({i, j, values[digits % 5]});
          digits /= 5;
        }
      const Matrix a = assemble(n, n, triplets);
      expect_matched(a);
      if (HasFailure())
        FAIL() << number;
    }
  }
}

/// Entries and their mirror images that have nothing to do with each other.
TEST(MatchSymmetric, EndsOnMatricesThatAreNotSymmetric)
{
  Random random(21);
  for (int trial = 0; trial < 6000; ++trial) {
    const Index n = 2 + random.below(trial % 10 ? 12 : 80);
    Matrix a = random_matrix(random, n, n + random.below(4 * n), static_cast<Values>(trial % 3), trial % 2);
    if (trial % 2)
      for (double &value : a.value)
        value = trial % 4 == 1 ? extreme_value(random) : random_value(random, static_cast<Values>(trial % 3));
    expect_matched(a);
    if (HasFailure())
      FAIL() << trial;
  }
}

/// Costs over their whole range, odd ones too, and searches that stop early.
TEST(MatchSymmetric, EndsOnAnyCosts)
{
  Random random(23);
  for (int trial = 0; trial < 3000; ++trial) {
    const Index n = 1 + random.below(trial % 10 ? 12 : 80);
    const Matrix a = random_matrix(random, n, n + random.below(4 * n), Values::uniform, trial % 2);
    CostGraph graph = cost_graph(a, 1);
    for (Edge &edge : graph.edge)
      edge.cost = static_cast<std::uint32_t>(random.bits() >> (random.below(2) ? 32 : 62));
    for (const MatchingEffort &effort : {MatchingEffort{}, MatchingEffort{0, 0, 0, 0}, MatchingEffort{0, 0, 0, 1}}) {
      Assignment assignment(n);
      const MatchingOutcome outcome = augment_symmetric(graph, assignment, effort);
      expect_matching(assignment.col_of_row, outcome.cardinality);
    }
    if (HasFailure())
      FAIL() << trial;
  }
}

/// Assembled so that a matching with a cost for each of an entry and its mirror image ran in a circle.
TEST(MatchSymmetric, EndsOnTheFileThatLooped)
{
  Matrix a;
  if (matrix_directory().empty() || !read_matrix_market(matrix_directory() + "/../bugs/matching_loop.mtx.gz", a))
    GTEST_SKIP() << "no file bugs/matching_loop.mtx.gz beside the folder of matrices";
  expect_matched(a);
  const SymmetricInput input =
      read_full(a.pattern.rows, a.pattern.start.data(), a.pattern.column.data(), a.value.data(), true);
  ASSERT_EQ(input.status, SymmetricInput::Ok);
  expect_matched(input.matrix);
}

} // namespace
