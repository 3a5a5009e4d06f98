// Rank and inertia of the direct solver where rounding errors are larger than what decides. Linked twice, for the host
// and for a device.
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// The Laplacian of a graph whose edges have random weights, so that rows sum to zero but for rounding.
Matrix weighted_laplacian(const Pattern &graph, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  std::vector<double> sum(graph.rows, 0.0);
  for (Index i = 0; i < graph.rows; ++i)
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
      const Index j = graph.column[p];
      if (j > i)
        continue;
      const double weight = random.between(0.1, 1);
      t.push_back({i, j, -weight});
      t.push_back({j, i, -weight});
      sum[i] += weight;
      sum[j] += weight;
    }
  for (Index i = 0; i < graph.rows; ++i)
    t.push_back({i, i, sum[i]});
  return assemble(graph.rows, graph.rows, t);
}

TEST(DirectRank, OfLargerLaplacians)
{
  for (const Pattern &grid : {grid_graph(30, 30, 1), grid_graph(200, 200, 1), grid_graph(16, 16, 16)})
    for (bool weighted : {false, true}) {
      const Pattern graph = disconnected_graph(grid, 3); // and an isolated vertex
      const Direct direct(weighted ? weighted_laplacian(graph, 8) : laplacian(graph, 0.0));
      EXPECT_EQ(direct.report.zero, 4);
      EXPECT_EQ(direct.report.negative, 0);
      EXPECT_EQ(direct.report.uncertain, 0);
    }
}

TEST(DirectRank, SignOfAPivotThatRoundingHides)
{
  const Index side = 250; // the rounding errors of as many eliminations add up to more than the change
  for (double change : {-1e-12, 1e-12}) {
    Matrix a = laplacian(grid_graph(side, side, 1), 0.0);
    a.value[std::find(a.pattern.column.begin(), a.pattern.column.end(), 0) - a.pattern.column.begin()] += change;
    const Direct direct(a);
    EXPECT_EQ(direct.report.zero, 0);
    EXPECT_EQ(direct.report.negative, change < 0 ? 1 : 0);
  }
}

/// [-D Aᵀ; A 0] of a linear program near its solution: half of D is about 2^-60, the other half near 1. Constraints
/// depend on each other but for that.
Matrix late_program(Index variables, Index constraints, Random &random)
{
  std::vector<Triplet> t;
  for (Index j = 0; j < variables; ++j)
    t.push_back({j, j, -std::exp2(random.below(2) == 0 ? -55 - random.below(11) : -random.below(4))});
  for (Index e = 0; e < 3 * constraints; ++e) {
    const Index i = variables + random.below(constraints), j = random.below(variables);
    const double value = std::exp2(random.below(3) - 1);
    t.push_back({i, j, value});
    t.push_back({j, i, value});
  }
  for (Index i = 0; i < constraints; ++i)
    t.push_back({variables + i, variables + i, 1e-13});
  return assemble(variables + constraints, variables + constraints, t);
}

TEST(DirectRank, OfRegularValuesAfterNearlySingularOnes)
{
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const Index variables = 20 + random.below(40), constraints = variables / 2;
    const Matrix before = late_program(variables, constraints, random);
    Matrix after = before;
    for (Index i = 0; i < before.pattern.rows; ++i)
      for (Offset p = before.pattern.start[i]; p < before.pattern.start[i + 1]; ++p)
        if (before.pattern.column[p] == i)
          after.value[p] += i < variables ? -1e-3 : 1e-3;
    Direct direct(before); // scaled and ordered for these values
    direct.stored = store_reversed(after);
    direct.report = direct.factorization->factor(direct.stored.value.data(), {});
    EXPECT_EQ(direct.report.zero, 0);
    EXPECT_EQ(direct.report.negative, variables);
    EXPECT_EQ(direct.report.positive, constraints);
    const std::vector<double> b = product(after, random_vector(after.pattern.rows, 4));
    EXPECT_LE(backward_error(after, direct.solve(b, 1, 10), b), 1e-14);
  }
}

TEST(DirectRank, SolvesWithScaleFactorsOfTinyPivots)
{
  // a late program in which diagonal entries have to be matched that are nothing beside the others of their rows
  const double d[] = {-61, -64, -57, -62, -3, -2, -61, -65, -55};
  std::vector<Triplet> t;
  for (Index j = 0; j < 9; ++j)
    t.push_back({j, j, -std::exp2(d[j])});
  for (const Triplet &e : std::initializer_list<Triplet>{{9, 0, .5},
                                                         {9, 5, -1},
                                                         {9, 6, 2},
                                                         {10, 1, 2},
                                                         {10, 3, 1},
                                                         {10, 4, 2},
                                                         {11, 2, 2},
                                                         {11, 4, 2},
                                                         {11, 7, 2},
                                                         {12, 2, 1},
                                                         {12, 3, 2},
                                                         {12, 5, 1},
                                                         {13, 5, .5},
                                                         {13, 8, .5},
                                                         {14, 2, .5},
                                                         {14, 3, 1}}) {
    t.push_back(e);
    t.push_back({e.col, e.row, e.value});
  }
  const Matrix a = assemble(15, 15, t);
  Direct direct(a);
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  const std::vector<double> b = product(a, std::vector<double>(15, 1.0));
  EXPECT_LE(backward_error(a, direct.solve(b, 1, 10), b), 1e-14);
}

TEST(DirectRank, OfRedundantConstraints)
{
  for (Index n : {4, 7, 9})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(seed));
      const Matrix a = redundant_program(n, seed);
      Direct direct(a);
      EXPECT_EQ(direct.report.positive, n * n * n);
      EXPECT_EQ(direct.report.zero, 3 * n - 1);
      EXPECT_EQ(direct.report.uncertain, 0);
      const std::vector<double> b = product(a, random_vector(a.pattern.rows, seed));
      EXPECT_LE(backward_error(a, direct.solve(b, 1, 10), b), 1e-14);
    }
}

/// [I Aᵀ; A 0] for two to four constraints to each variable, a fifth of them combinations of two others: A has a rank
/// of all variables.
Matrix crowded_program(unsigned seed, Index &variables)
{
  Random random(seed);
  variables = 40 + Index(random.between(0, 80));
  const Index n = variables, constraints = Index(n * random.between(2, 4)), all = constraints + constraints / 5,
              band = 5 + Index(random.between(0, 35)), entries = 2 + Index(random.between(0, 3));
  std::vector<std::vector<double>> a(all, std::vector<double>(n, 0.0));
  for (Index i = 0; i < constraints; ++i) {
    const Index begin = Index(random.between(0, n));
    for (Index k = 0; k < entries; ++k)
      a[i][(begin + Index(random.between(0, band))) % n] = random.between(-2, 2);
  }
  for (Index i = constraints; i < all; ++i)
    for (Index part = 0; part < 2; ++part) {
      const Index other = Index(random.between(0, constraints));
      const double factor = random.between(-2, 2);
      for (Index j = 0; j < n; ++j)
        a[i][j] += factor * a[other][j];
    }
  std::vector<Triplet> t;
  for (Index j = 0; j < n; ++j)
    t.push_back({j, j, 1});
  for (Index i = 0; i < all; ++i)
    for (Index j = 0; j < n; ++j)
      if (a[i][j] != 0) {
        t.push_back({n + i, j, a[i][j]});
        t.push_back({j, n + i, a[i][j]});
      }
  return assemble(n + all, n + all, t);
}

/// The order of pivots that a device takes differs by little from the host's, and has entries of L that are larger than
/// the bound by little, unless the host has a larger threshold.
TEST(DirectRank, OfMoreConstraintsThanVariables)
{
  for (unsigned seed : {29, 60, 111}) {
    SCOPED_TRACE(seed);
    Index n = 0;
    const Matrix a = crowded_program(seed, n);
    const DirectReport report = Direct(a).report;
    ASSERT_EQ(report.status, DirectReport::Complete);
    EXPECT_LE(std::abs(report.positive - n), report.uncertain);
    EXPECT_LE(std::abs(report.negative - n), report.uncertain);
    EXPECT_LE(report.uncertain, 4);
    EXPECT_EQ(report.positive + report.negative + report.zero, a.pattern.rows);
  }
}

TEST(DirectRank, BitsOfCorrectedPivotsDoNotDependOnThreads)
{
  const Matrix a = redundant_program(9, 3);
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2));
  std::vector<double> first;
  for (int threads : {1, 2, 5}) {
    const Threads scope(threads);
    Direct direct(a);
    const std::vector<double> x = direct.solve(b);
    if (first.empty())
      first = x;
    EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(double)), 0) << threads;
  }
}

/// Stokes' equations on m x m cells with a free boundary: velocities in the corners of cells, a pressure in each cell.
/// Rows sum to 0, and both constant velocities are null vectors, or would be, were the diagonal entries of the
/// velocities not the next numbers towards 0, or away from it.
Matrix free_stokes(Index m, int away)
{
  const Index nodes = (m + 1) * (m + 1);
  std::vector<Triplet> t;
  const auto node = [m](Index i, Index j) { return i * (m + 1) + j; };
  for (Index i = 0; i <= m; ++i)
    for (Index j = 0; j <= m; ++j) {
      double degree = 0;
      for (Index k = std::max(i - 1, 0); k <= std::min(i + 1, m); ++k)
        for (Index l = std::max(j - 1, 0); l <= std::min(j + 1, m); ++l)
          if (k != i || l != j) {
            ++degree;
            for (Index part : {0, nodes})
              t.push_back({part + node(i, j), part + node(k, l), -1});
          }
      for (Index part : {0, nodes})
        t.push_back({part + node(i, j), part + node(i, j), away == 0 ? degree : std::nextafter(degree, 16.0 * away)});
    }
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j)
      for (Index k : {i, i + 1})
        for (Index l : {j, j + 1}) {
          const Index pressure = 2 * nodes + i * m + j;
          for (const auto &[velocity, sign] : {std::pair(node(k, l), k - i), std::pair(nodes + node(k, l), l - j)}) {
            t.push_back({pressure, velocity, sign ? 0.125 : -0.125});
            t.push_back({velocity, pressure, sign ? 0.125 : -0.125});
          }
        }
  return assemble(2 * nodes + m * m, 2 * nodes + m * m, t);
}

/// Eigenvalues of some 1e-17 times the norm, which the entries of the matrix tell all the same: LU, LDLᵀ and every
/// order have one answer. Masses of pivots differ from order to order, and of LU are those of many eliminations.
TEST(DirectRank, OfLuAndLdltInEveryOrderOfRows)
{
  for (Index m : {12, 24})
    for (int away : {-1, 0, 1}) {
      const Matrix a = free_stokes(m, away);
      for (const PlanOptions &options : all_plans()) {
        SCOPED_TRACE(std::to_string(m) + ", " + std::to_string(away) + ", plan " +
                     std::to_string(&options - all_plans().data()));
        const Direct direct(a, options);
        EXPECT_EQ(direct.report.zero, away == 0 ? 2 : 0);
        EXPECT_EQ(direct.report.negative, m * m + (away < 0 ? 2 : 0));
        EXPECT_EQ(direct.report.uncertain, 0);
        if (options.preprocessing == Preprocessing::Equilibrate) // which LU does not
          continue;
        const LuPlanResult plan = make_lu_plan(a, direct.stored.source, options);
        const auto lu = make_host_lu(plan.plan);
        EXPECT_EQ(lu->factor(direct.stored.value.data(), {}).zero, away == 0 ? 2 : 0);
      }
    }
}

TEST(DirectRank, OfWhatGrowsAlongAChain)
{
  for (Index m : {200, 1000})
    for (Index empty : {m / 2, m / 2 + 7, Index(-1)})
      for (const PlanOptions &options : all_plans()) {
        SCOPED_TRACE(std::to_string(m) + ", " + std::to_string(empty) + ", plan " +
                     std::to_string(&options - all_plans().data()));
        const Matrix a = cut_chain(m, empty);
        Direct direct(a, options);
        if (direct.report.status == DirectReport::NeedsHost) {
          EXPECT_TRUE(direct_on_device && direct.report.asked_host); // it has not taken what it found
          continue;
        }
        const Index zero = empty < 0 ? 2 : 3;
        EXPECT_EQ(direct.report.zero, zero);
        EXPECT_EQ(direct.report.negative, m);
        EXPECT_EQ(direct.report.positive, 2 * m + 2 - zero);
        const std::vector<double> b = product(a, random_vector(a.pattern.rows, 5));
        const std::vector<double> x = direct.solve(b, 1, 10);
        EXPECT_LE(backward_error(a, x, b), 1e-14);
        for (double each : x)
          ASSERT_LE(std::abs(each), 1e20) << "of a right-hand side of size 1";
      }
}

/// Rank 1: where nothing is left of other rows, L is bounded whatever the 2x2 pivot is.
TEST(DirectRank, SingularPairsAreNoPivots)
{
  const Matrix a = assemble(
      3, 3,
      {{0, 0, 0x1p-10}, {0, 1, 1}, {0, 2, 0}, {1, 0, 1}, {1, 1, 0x1p10}, {1, 2, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 5}});
  Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 8));
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.zero, 1);
  EXPECT_EQ(direct.report.positive, 2);
  const std::vector<double> b = product(a, random_vector(3, 3));
  EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-14);
}

/// The size of a 2x2 pivot beside it overflows, and with that the bound that an entry is compared with.
TEST(DirectRank, EmptyRowsBesideLargePivots)
{
  const Matrix a = assemble(
      3, 3, {{0, 0, 1e306}, {0, 1, 8e307}, {0, 2, 0}, {1, 0, 8e307}, {1, 1, 1.7e308}, {1, 2, 0}, {2, 0, 0}, {2, 1, 0}});
  const Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 8), {0.5});
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  if (!direct_on_device)
    EXPECT_EQ(direct.report.two_by_two, 1);
  EXPECT_EQ(direct.report.zero, 1);
  EXPECT_EQ(direct.report.negative, 1);
  EXPECT_EQ(direct.report.positive, 1);
}

/// Squares of entries of 1e200 overflow, so that nothing is known of what may be rounding.
TEST(DirectRank, PivotsThatCannotBeMeasuredAreUncertain)
{
  const Matrix a = assemble(2, 2, {{0, 0, 1e200}, {0, 1, 1e200}, {1, 0, 1e200}, {1, 1, 1e200 * (1 + 1e-13)}});
  const Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 8));
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.zero, 0);
  EXPECT_EQ(direct.report.positive, 2);
  EXPECT_EQ(direct.report.uncertain, 1);
}

/// Regular by what is far below rounding of what was added to the diagonal on the way, and exact all the same: below a
/// pivot with zeros on its diagonal, which adds nothing to other ones, a 1x1 pivot, and a 2x2 pivot with an eigenvalue
/// of -1e-24.
TEST(DirectRank, ZerosThatNoErrorsExplainAreUncertain)
{
  const PlanOptions natural = plan_options(Preprocessing::None, Ordering::Natural, 8);
  const Direct one(assemble(3, 3, {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {2, 0, 1}, {2, 2, 1e-25}}), natural);
  EXPECT_EQ(one.report.two_by_two, 1);
  EXPECT_EQ(one.report.zero, 1);
  EXPECT_EQ(one.report.uncertain, 1);
  const Direct two(
      assemble(4, 4, {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {2, 0, 1}, {2, 3, 1e-12}, {3, 2, 1e-12}, {3, 3, 1}}), natural);
  EXPECT_EQ(two.report.zero, 1);
  EXPECT_EQ(two.report.positive, 2);
  EXPECT_EQ(two.report.uncertain, 1);
}

/// Multiples of 1e-20 with these signs on the diagonal, and a last row and column of 1. Once that and one with it are
/// eliminated, nothing but rounding is left of the others as far as elimination can tell: their pivots, measured one by
/// one, do not have the signs of eigenvalues. negative: of the eigenvalues.
Matrix coupled_below_rounding(const std::vector<int> &signs, Index &negative)
{
  const Index n = Index(signs.size()) + 1;
  std::vector<Triplet> entries;
  double sum = 0; // of the inverses of the diagonal, which the last eigenvalue has the sign of, opposite
  negative = 0;
  for (Index i = 0; i + 1 < n; ++i) {
    const double d = 1e-20 * (i + 1) * signs[i];
    entries.insert(entries.end(), {{i, i, d}, {i, n - 1, 1}, {n - 1, i, 1}});
    negative += d < 0;
    sum += 1 / d;
  }
  negative += sum > 0;
  return assemble(n, n, entries);
}

TEST(DirectRank, CoupledPivotsBelowRoundingAreMeasuredTogether)
{
  for (unsigned bits = 0; bits < 64; ++bits) {
    SCOPED_TRACE(bits);
    std::vector<int> signs;
    for (Index i = 0; i < 6; ++i)
      signs.push_back((bits >> i & 1) ? -1 : 1);
    Index negative = 0;
    const Direct direct(coupled_below_rounding(signs, negative),
                        plan_options(Preprocessing::None, Ordering::Natural, 8));
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.report.zero, 0);
    EXPECT_EQ(direct.report.uncertain, 0);
    EXPECT_EQ(direct.report.negative, negative);
  }
}

/// What decides is one eigenvalue of what is left out, of which each entry may be rounding.
TEST(DirectRank, MeasuredPivotsAreFoundAmongSmallEntries)
{
  const Index blocks = 16;
  const Direct direct(singular_blocks_with_coupling(blocks), plan_options(Preprocessing::None, Ordering::Natural, 8));
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.measured, blocks);
  EXPECT_EQ(direct.report.zero, blocks - 1);
  EXPECT_EQ(direct.report.negative, 0);
  EXPECT_EQ(direct.report.uncertain, 0);
}

/// A sparse matrix of small numbers, up to six of whose rows and columns are twice another one less a third one.
Matrix with_dependent_rows(unsigned seed)
{
  Random random(seed * 104729u + 7);
  const Index n = 20 + Index(random.below(120)), entries = 1 + Index(random.below(5));
  const bool kkt = random.below(2) == 1; // no entries among the last rows
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
  for (Index i = 0; i < n; ++i) {
    a[i][i] = kkt && i > n / 2 ? 0 : double(random.below(17)) - 8;
    for (Index k = 0; k < entries; ++k) {
      const auto j = Index(random.below(n));
      const double x = (double(random.below(33)) - 16) / 8;
      if (!kkt || std::min(i, j) <= n / 2)
        a[j][i] = a[i][j] += x;
    }
  }
  for (auto left = Index(random.below(7)); left > 0; --left) {
    const auto i = Index(random.below(n)), p = Index(random.below(n)), q = Index(random.below(n));
    if (i == p || i == q || p == q)
      continue;
    for (Index j = 0; j < n; ++j)
      if (j != i)
        a[j][i] = a[i][j] = 2 * a[p][j] - a[q][j];
    a[i][i] = 2 * a[p][i] - a[q][i];
  }
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (a[i][j] != 0 || i == j)
        t.push_back({i, j, a[i][j]});
  return assemble(n, n, t);
}

/// Errors and rounding of the entries explain nearly all zeros. Without a step of refinement on the host, or on a
/// device without what is beside the diagonal, two and three times as many would be uncertain.
TEST(DirectRank, DependentRowsAreSeldomUncertain)
{
  const Index matrices = direct_on_device ? 300 : 3000;
  Index uncertain = 0, singular = 0;
  for (Index seed = 0; seed < matrices; ++seed) {
    const Direct direct(with_dependent_rows(unsigned(seed)),
                        plan_options(seed % 2 == 1 ? Preprocessing::Matching : Preprocessing::None,
                                     seed % 3 > 0 ? Ordering::ND : Ordering::Natural, seed % 5 > 0 ? 8 : 1));
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    singular += direct.report.zero > 0;
    uncertain += direct.report.uncertain > 0;
  }
  EXPECT_GE(singular, matrices / 2);
  EXPECT_LE(uncertain, direct_on_device ? 11 : 48);
}

/// More of them than are measured together: what is beside a pivot makes it uncertain, and those that are not measured
/// are taken for zero.
TEST(DirectRank, ManyCoupledPivotsBelowRoundingAreUncertain)
{
  if (direct_on_device)
    GTEST_SKIP() << "a device asks the host";
  std::vector<int> signs;
  for (Index i = 0; i < 300; ++i)
    signs.push_back(i % 3 == 0 ? -1 : 1);
  Index negative = 0;
  const Direct direct(coupled_below_rounding(signs, negative), plan_options(Preprocessing::None, Ordering::Natural, 8));
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_GE(direct.report.uncertain, 64);
  EXPECT_EQ(direct.report.uncertain + direct.report.zero, 299); // all but a pair
}

} // namespace
