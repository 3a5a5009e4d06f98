#include "analysis/matching/matching.hpp"

#include "analysis/matching/augment_symmetric.hpp"
#include "analysis/matching/initial_assignment.hpp"
#include "analysis/matching/symmetric_search.hpp"
#include "analysis/scaling/scaling.hpp"
#include "support/any_threads.hpp"
#include "support/random_matrix.hpp"
#include "support/reference_matching.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <string>

namespace {

using namespace tessera;
using namespace tessera::test;

constexpr double tolerance = 0x1p-20 + 1e-9; // logarithms are rounded to multiples of 2^-19

/// The linear programming certificate: no scaled entry above 1, matched entries 1, and the matching is one.
void expect_optimal(const Matrix &a, const Matching &m)
{
  const Index n = a.pattern.rows;
  ASSERT_EQ(m.status, MatrixStatus::usable);
  ASSERT_EQ(m.column.size(), static_cast<size_t>(n));
  ASSERT_EQ(m.row_dual.size(), static_cast<size_t>(n));
  ASSERT_EQ(m.col_dual.size(), static_cast<size_t>(n));
  std::vector<bool> taken(n, false);
  Index matched = 0, found = 0;
  for (Index i = 0; i < n; ++i) {
    if (m.column[i] < 0)
      continue;
    ASSERT_LT(m.column[i], n);
    ASSERT_FALSE(taken[m.column[i]]) << "column " << m.column[i];
    taken[m.column[i]] = true;
    ++matched;
  }
  EXPECT_EQ(matched, m.cardinality);
  for (Index i = 0; i < n; ++i) {
    ASSERT_TRUE(std::isfinite(m.row_dual[i]) && std::isfinite(m.col_dual[i]));
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      const Index j = a.pattern.column[p];
      if (a.value[p] == 0)
        continue;
      const double logarithm = std::log2(std::abs(a.value[p])) + m.row_dual[i] + m.col_dual[j];
      ASSERT_LE(logarithm, tolerance) << i << ' ' << j;
      if (m.column[i] != j)
        continue;
      ++found;
      ASSERT_GE(logarithm, -tolerance) << i << ' ' << j;
    }
  }
  EXPECT_EQ(found, matched) << "a matched entry is not a nonzero";
}

/// Unmatched rows and columns have a largest scaled entry of 1, empty ones the factor 1.
void expect_unmatched_scaled(const Matrix &a, const Matching &m)
{
  const Index n = a.pattern.rows;
  const double none = -std::numeric_limits<double>::infinity();
  std::vector<double> row_norm(n, none), col_norm(n, none);
  std::vector<bool> col_matched(n, false);
  for (Index i = 0; i < n; ++i) {
    if (m.column[i] >= 0)
      col_matched[m.column[i]] = true;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      const Index j = a.pattern.column[p];
      if (a.value[p] == 0)
        continue;
      const double logarithm = std::log2(std::abs(a.value[p])) + m.row_dual[i] + m.col_dual[j];
      row_norm[i] = std::max(row_norm[i], logarithm);
      col_norm[j] = std::max(col_norm[j], logarithm);
    }
  }
  for (Index i = 0; i < n; ++i) {
    if (m.column[i] < 0) {
      EXPECT_NEAR(row_norm[i] == none ? m.row_dual[i] : row_norm[i], 0, tolerance) << "row " << i;
    }
    if (!col_matched[i]) {
      EXPECT_NEAR(col_norm[i] == none ? m.col_dual[i] : col_norm[i], 0, tolerance) << "column " << i;
    }
  }
}

void check_general(const Matrix &a)
{
  const Matching m = match(a);
  expect_optimal(a, m);
  expect_unmatched_scaled(a, m);
  EXPECT_EQ(m.cardinality, ReferenceMatching(a).cardinality());
}

void check_symmetric(const Matrix &a)
{
  const Matching m = match_symmetric(a);
  expect_optimal(a, m);
  expect_unmatched_scaled(a, m);
  EXPECT_EQ(m.row_dual, m.col_dual);
  EXPECT_EQ(m.cardinality, ReferenceMatching(a).cardinality());
  std::vector<bool> col_matched(a.pattern.rows, false);
  for (Index j : m.column)
    if (j >= 0)
      col_matched[j] = true;
  for (Index i = 0; i < a.pattern.rows; ++i)
    EXPECT_EQ(m.column[i] >= 0, col_matched[i]) << "row " << i;
}

/// The sum of log2|a_ij| over a permutation, -infinity if an entry is zero.
double log_product(const Matrix &a, const std::vector<Index> &column)
{
  double sum = 0;
  for (Index i = 0; i < a.pattern.rows; ++i) {
    double value = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] == column[i])
        value = a.value[p];
    sum += std::log2(std::abs(value));
  }
  return sum;
}

TEST(Matching, BruteForce)
{
  Random random(1);
  for (int trial = 0; trial < 1500; ++trial) {
    const Index n = 1 + random.below(7);
    const Values values = static_cast<Values>(trial % 3);
    const bool symmetric = trial % 2 == 0;
    const Matrix a = random_matrix(random, n, 1 + random.below(n * n + n), values, symmetric);
    std::vector<Index> permutation(n);
    std::iota(permutation.begin(), permutation.end(), 0);
    double best = -std::numeric_limits<double>::infinity();
    do
      best = std::max(best, log_product(a, permutation));
    while (std::next_permutation(permutation.begin(), permutation.end()));
    for (const Matching &m : {match(a), symmetric ? match_symmetric(a) : match(a)}) {
      EXPECT_EQ(m.cardinality == n, std::isfinite(best));
      if (m.cardinality == n) {
        EXPECT_NEAR(log_product(a, m.column), best, n * 0x1p-19);
      }
    }
    check_general(a);
    if (symmetric)
      check_symmetric(a);
  }
}

TEST(Matching, RandomSparse)
{
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 1 + random.below(120);
    const Values values = static_cast<Values>(trial % 3);
    check_general(random_matrix(random, n, 1 + random.below(6 * n), values, false));
    check_symmetric(random_matrix(random, n, 1 + random.below(4 * n), values, true));
  }
}

TEST(Matching, RandomKkt)
{
  Random random(3);
  for (int trial = 0; trial < 40; ++trial) {
    const Index variables = 10 + random.below(400);
    check_symmetric(random_kkt(random, variables, 1 + random.below(variables), 1 + random.below(5)));
  }
}

TEST(Matching, TinySizes)
{
  check_general(assemble(0, 0, {}));
  check_symmetric(assemble(0, 0, {}));
  for (double value : {0.0, 5.0, -1e-310, 1.7e308}) {
    check_general(assemble(1, 1, {{0, 0, value}}));
    check_symmetric(assemble(1, 1, {{0, 0, value}}));
    check_symmetric(assemble(2, 2, {{0, 1, value}, {1, 0, value}}));
    check_symmetric(assemble(2, 2, {{0, 0, value}, {0, 1, 3}, {1, 0, 3}}));
    check_symmetric(assemble(2, 2, {{0, 0, value}, {1, 1, 2}}));
  }
  check_symmetric(assemble(1, 1, {}));
  check_symmetric(assemble(2, 2, {}));
}

TEST(Matching, StoredZerosAreNoEntries)
{
  const Matrix a = assemble(3, 3, {{0, 0, 0}, {0, 1, 2}, {1, 0, 2}, {1, 1, 0}, {2, 2, 0}});
  const Matching m = match_symmetric(a);
  EXPECT_EQ(m.cardinality, 2);
  EXPECT_EQ(m.column, (std::vector<Index>{1, 0, -1}));
  check_symmetric(a);
  check_general(a);
}

TEST(Matching, DenseRow)
{
  Random random(4);
  const Index n = 500;
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    const double value = random.between(1, 2);
    triplets.push_back({0, i, value});
    if (i > 0)
      triplets.push_back({i, 0, value});
    if (i > 2)
      triplets.push_back({i, i, random.between(0.1, 4)});
  }
  check_symmetric(assemble(n, n, triplets));
  check_general(assemble(n, n, triplets));
}

/// Entries of row and column i graded by i over the whole range of doubles.
TEST(Matching, GradedScalingNeverOverflows)
{
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    Matrix a = random_matrix(random, 40, 200, Values::graded, true);
    const Matching m = match_symmetric(a);
    expect_optimal(a, m);
    const std::vector<double> scale = scale_factors(m.row_dual);
    const bool clamped = std::any_of(m.row_dual.begin(), m.row_dual.end(), [](double x) { return std::abs(x) > 1022; });
    for (Index i = 0; i < a.pattern.rows; ++i) {
      EXPECT_TRUE(std::isnormal(scale[i]));
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1] && !clamped; ++p)
        if (a.value[p] != 0) { // logarithms, because two factors at once may overflow
          EXPECT_LE(std::log2(std::abs(a.value[p])) + std::log2(scale[i]) + std::log2(scale[a.pattern.column[p]]),
                    1.00001);
        }
    }
  }
}

TEST(Matching, NotFiniteNamesTheRow)
{
  for (double bad : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::quiet_NaN()}) {
    const Matrix a = assemble(4, 4, {{0, 0, 1}, {2, 1, bad}, {1, 2, bad}, {1, 1, 1}, {3, 3, bad}});
    for (const Matching &m : {match(a), match_symmetric(a)}) {
      EXPECT_EQ(m.status, MatrixStatus::not_finite);
      EXPECT_EQ(m.faulty_row, 1);
    }
    EXPECT_EQ(match(assemble(3, 3, {{2, 2, bad}})).faulty_row, 2);
  }
}

TEST(Matching, NotSquare)
{
  EXPECT_EQ(match(assemble(2, 3, {{0, 0, 1}})).status, MatrixStatus::not_square);
  EXPECT_EQ(match_symmetric(assemble(2, 3, {{0, 0, 1}})).status, MatrixStatus::not_square);
}

TEST(Matching, MultiplesMatchAlike)
{
  Random random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const Index n = 2 + random.below(60);
    const bool kkt = trial % 3 == 2;
    const Matrix a = kkt ? random_kkt(random, n, n / 2, 3)
                         : random_matrix(random, n, 5 * n, trial % 3 ? Values::uniform : Values::small_whole, true);
    const Matching m = match_symmetric(a), g = match(a);
    for (double factor : {1e-20, 1e20, 0x1p-500, 0x1p+300, 3.0, -1.0}) {
      Matrix b = a;
      for (double &x : b.value)
        x *= factor;
      EXPECT_EQ(match_symmetric(b).column, m.column) << factor;
      EXPECT_EQ(match(b).column, g.column) << factor;
    }
  }
}

/// Few free variables make long searches, which in a general matrix take turns with searches from all free rows.
TEST(Matching, LongSearches)
{
  Random random(9);
  for (Index variables : {200, 2000, 8000}) {
    const Matrix a = random_kkt(random, variables, variables * 9 / 10, 4);
    check_symmetric(a);
    if (variables <= 2000)
      check_general(a);
  }
}

/// Entries of one magnitude make searches from the constraints cover most of the graph each; those from the variables
/// stay short, and augment_symmetric turns to them in time.
TEST(Matching, CombinatorialConstraints)
{
  Random random(12);
  const Matrix a = combinatorial_kkt(random, 5000, 2500, 4);
  check_symmetric(a);
  const CostGraph graph = cost_graph(a, check_matrix(a).largest);
  const auto scans = [&](const SymmetricStart &start) {
    SymmetricSearch search(graph, start.assignment);
    for (Index i : start.order)
      if (search.is_free(i))
        search.augment_from(i);
    return double(search.edges_scanned()) / double(graph.edge.size());
  };
  EXPECT_GT(scans(diagonals_first(graph)), 50);
  EXPECT_LT(scans(diagonals_last(graph)), 10);
  Assignment assignment(graph.n);
  const MatchingOutcome outcome = augment_symmetric(graph, assignment);
  EXPECT_EQ(outcome.excess, 0);
  EXPECT_LT(double(outcome.edges_scanned) / double(graph.edge.size()), 20);
}

/// The fast path for a dominant diagonal gives what the general path proves optimal: on both sides of its border.
TEST(Matching, DiagonalIsRecognised)
{
  Random random(7);
  for (double factor : {0.5, 0.99, 1.0, 1.01, 3.0}) {
    const Index n = 300;
    std::vector<Triplet> triplets;
    std::vector<double> diagonal(n);
    for (Index i = 0; i < n; ++i) {
      diagonal[i] = std::pow(10.0, random.between(-8, 8));
      triplets.push_back({i, i, -diagonal[i]});
    }
    for (Index i = 0; i + 1 < n; ++i) {
      const double value = std::sqrt(diagonal[i]) * std::sqrt(diagonal[i + 1]) * factor;
      triplets.push_back({i, i + 1, value});
      triplets.push_back({i + 1, i, value});
    }
    const Matrix a = assemble(n, n, triplets);
    check_symmetric(a);
    check_general(a);
    const Matching m = match_symmetric(a);
    bool identity = true;
    for (Index i = 0; i < n; ++i)
      identity = identity && m.column[i] == i;
    EXPECT_EQ(identity, factor <= 1) << factor;
  }
}

/// Denormal values have too few digits for the fast path's products of square roots.
TEST(Matching, DenormalDiagonal)
{
  check_symmetric(assemble(2, 2, {{0, 0, 3e-320}, {0, 1, 3e-320}, {1, 0, 3e-320}, {1, 1, 2e-320}}));
}

TEST(Matching, SameWithOneAndManyThreads)
{
  Random random(8);
  const Matrix a = random_kkt(random, 300000, 60000, 8); // large enough for the parallel passes
  Matching matching;
  on_any_threads([&] {
    matching = match_symmetric(a);
    return std::pair{matching.column, matching.row_dual};
  });
  expect_optimal(a, matching);
}

constexpr const char *no_matrices = "neither TESSERA_DATA nor ../shared has a folder 'matrices'";

/// Certifies the matchings of the named matrices that are in the data directory.
void check_real(const std::vector<std::string> &names, Matching (*matcher)(const Matrix &))
{
  int tested = 0;
  for (const std::string &name : names) {
    Matrix a;
    if (!read_matrix_market(matrix_directory() + "/" + name + ".mtx.gz", a))
      continue;
    ++tested;
    SCOPED_TRACE(name);
    const Matching m = matcher(a);
    expect_optimal(a, m);
    expect_unmatched_scaled(a, m);
    if (m.cardinality < a.pattern.rows) {
      EXPECT_EQ(m.cardinality, ReferenceMatching(a).cardinality());
    }
  }
  EXPECT_GT(tested, 0) << "no matrix found in " << matrix_directory();
}

TEST(Matching, RealSymmetricMatrices)
{
  if (matrix_directory().empty())
    GTEST_SKIP() << no_matrices;
  check_real({"1138_bus", "bratu3d", "bloweya", "aug3dcqp", "stokes64", "tuma1", "zenios", "laser", "kkt_cvxqp3_l",
              "kkt_cont300", "kkt_boyd1", "kkt_boyd2", "mna_ibmpg2", "kkt_qpilotno", "ACTIVSg200_AC_kkt",
              "Lshape_matrices4", "reorientation_1"},
             match_symmetric);
}

TEST(Matching, RealGeneralMatrices)
{
  if (matrix_directory().empty())
    GTEST_SKIP() << no_matrices;
  check_real({"west0479", "bp_1200", "bayer10", "rajat19", "add20", "adder_dcop_05", "memplus", "nnc1374",
              "pfjac_case13659pegase", "ScaleMicrogrid_N1000", "tuma1", "kkt_cont300", "zenios"},
             match);
}

} // namespace
