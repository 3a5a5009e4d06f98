#include "analysis/matching/augment_symmetric.hpp"
#include "analysis/matching/initial_assignment.hpp"
#include "analysis/matching/matching.hpp"
#include "analysis/matching/search_state.hpp"
#include "analysis/matching/symmetric_search.hpp"
#include "support/random_matrix.hpp"
#include "support/reference_matching.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace tessera;
using namespace tessera::test;

/// The matching is made of loops, pairs and odd cycles, whose edges are tight, and with `feasible` no reduced cost is
/// negative.
void expect_certified(const CostGraph &graph, const Assignment &assignment, bool feasible)
{
  ASSERT_EQ(assignment.row_dual, assignment.col_dual);
  for (Index i = 0; i < graph.n; ++i) {
    const Index next = assignment.col_of_row[i];
    ASSERT_EQ(next < 0, assignment.row_of_col[i] < 0);
    bool found = next < 0;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
      const Cost reduced = graph.edge[p].cost - assignment.row_dual[i] - assignment.col_dual[graph.edge[p].col];
      ASSERT_TRUE(reduced >= 0 || !feasible) << reduced;
      if (graph.edge[p].col == next) {
        ASSERT_EQ(reduced, 0);
        ASSERT_EQ(assignment.row_of_col[next], i);
        found = true;
      }
    }
    ASSERT_TRUE(found);
    Index length = 0;
    for (Index j = i; next >= 0 && (length == 0 || j != i); j = assignment.col_of_row[j])
      ASSERT_LE(++length, graph.n);
    ASSERT_TRUE(length <= 2 || length % 2 == 1) << length;
  }
}

/// After each search from either start the certificate holds and at least one more row is matched, until a search shows
/// that a row cannot be matched: what it reached is left out of later ones, and made feasible in the end. Both starts
/// match as many rows as can be.
TEST(MatchingSearch, SymmetricSearchKeepsTheCertificate)
{
  Random random(11);
  Index searches = 0, repaired = 0;
  for (int trial = 0; trial < 90; ++trial) {
    const Matrix a = trial % 3 == 0   ? random_kkt(random, 30, 25, 3)
                     : trial % 3 == 1 ? combinatorial_kkt(random, 40, 25, 3)
                                      : random_matrix(random, 40, 80, static_cast<Values>(trial / 3 % 3), true);
    const CostGraph graph = cost_graph(a, check_matrix(a).largest);
    Assignment assignment(graph.n);
    const Index rank = ReferenceMatching(a).cardinality();
    for (const SymmetricStart &start : {diagonals_first(graph), diagonals_last(graph)}) {
      expect_certified(graph, start.assignment, true);
      bool feasible = true;
      SymmetricSearch search(graph, start.assignment);
      Index matched = search.result(assignment);
      EXPECT_EQ(matched + static_cast<Index>(start.order.size()), graph.n);
      for (Index i : start.order) {
        if (!search.is_free(i))
          continue;
        ++searches;
        const bool found = search.augment_from(i);
        feasible = feasible && found;
        const Index now = search.result(assignment);
        ASSERT_EQ(now > matched, found);
        ASSERT_EQ(search.is_free(i), !found);
        matched = now;
        expect_certified(graph, assignment, feasible);
      }
      EXPECT_EQ(matched, rank);
      search.settle();
      search.result(assignment);
      for (Index i = 0; i < graph.n; ++i)
        if (search.is_free(i))
          assignment.row_dual[i] = assignment.col_dual[i] = -no_cost; // free rows have none
      expect_certified(graph, assignment, true);
      repaired += !feasible && search.result(assignment) > 1;
    }
  }
  EXPECT_GT(searches, 1000);
  EXPECT_GT(repaired, 10);
}

/// The costs of the matched edges.
Cost cost_of(const CostGraph &graph, const Assignment &assignment)
{
  Cost sum = 0;
  for (Index i = 0; i < graph.n; ++i)
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      if (graph.edge[p].col == assignment.col_of_row[i])
        sum += graph.edge[p].cost;
  return sum;
}

/// Searches that stop early: as many rows are matched, no reduced cost between matched rows is negative, and the excess
/// is the sum of those of matched edges. Where all rows are matched, it bounds the distance from the optimum.
TEST(MatchingSearch, HurriedSearches)
{
  Random random(13);
  Index inexact = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Matrix a = trial % 3 == 0   ? random_kkt(random, 300, 250, 3)
                     : trial % 3 == 1 ? combinatorial_kkt(random, 300, 150, 4)
                                      : random_matrix(random, 100, 200, static_cast<Values>(trial / 3 % 3), true);
    const CostGraph graph = cost_graph(a, check_matrix(a).largest);
    Assignment best(graph.n), hurried(graph.n);
    const MatchingOutcome exact = augment_symmetric(graph, best);
    const MatchingOutcome outcome = augment_symmetric(graph, hurried, {0, 0, 0, trial % 2});
    EXPECT_EQ(outcome.cardinality, exact.cardinality);
    EXPECT_EQ(hurried.row_dual, hurried.col_dual);
    inexact += outcome.excess > 0;
    Cost sum = 0;
    for (Index i = 0; i < graph.n; ++i)
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
        const Index j = graph.edge[p].col;
        if (hurried.col_of_row[i] < 0 || hurried.col_of_row[j] < 0)
          continue;
        const Cost reduced = graph.edge[p].cost - hurried.row_dual[i] - hurried.col_dual[j];
        ASSERT_GE(reduced, 0);
        if (hurried.col_of_row[i] == j) {
          ASSERT_EQ(hurried.row_of_col[j], i);
          sum += reduced;
        }
      }
    EXPECT_EQ(outcome.excess, sum);
    if (exact.cardinality < graph.n)
      continue;
    EXPECT_LE(cost_of(graph, best), cost_of(graph, hurried));
    EXPECT_LE(cost_of(graph, hurried), cost_of(graph, best) + outcome.excess);
  }
  EXPECT_GT(inexact, 20);
}

/// One search from all free rows keeps the reduced costs nonnegative and the matched edges tight.
TEST(MatchingSearch, DisjointPathsKeepTheCertificate)
{
  Random random(10);
  Index paths = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Matrix a = trial % 2 ? random_kkt(random, 300, 270, 4)
                               : random_matrix(random, 100, 300, static_cast<Values>(trial / 2 % 3), true);
    const CostGraph graph = cost_graph(a, check_matrix(a).largest);
    Assignment assignment = diagonals_first(graph).assignment;
    SearchState state(graph, assignment);
    for (Index matched; (matched = augment_disjoint_paths(state)) > 0;) {
      paths += matched;
      state.finish();
      for (Index i = 0; i < graph.n; ++i) {
        bool found = assignment.col_of_row[i] < 0;
        for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
          const Index j = graph.edge[p].col;
          const Cost reduced = graph.edge[p].cost - assignment.row_dual[i] - assignment.col_dual[j];
          ASSERT_GE(reduced, 0);
          if (assignment.col_of_row[i] == j) {
            ASSERT_EQ(reduced, 0);
            ASSERT_EQ(assignment.row_of_col[j], i);
            found = true;
          }
        }
        ASSERT_TRUE(found);
      }
    }
    Index cardinality = 0;
    for (Index j : assignment.col_of_row)
      cardinality += j >= 0;
    EXPECT_EQ(cardinality, ReferenceMatching(a).cardinality());
  }
  EXPECT_GT(paths, 1000);
}

} // namespace
