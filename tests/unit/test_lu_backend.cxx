// The direct LU on the backend that the program is linked for: solutions, also of the transposed system, determinants,
// pivots off the diagonal, values that change, and bits. What the host alone does is in test_lu.cxx.
#include "support/backward_error.hpp"
#include "support/dense.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"
#include "support/larger.hpp"
#include "support/lu_cases.hpp"
#include "support/lu_solver.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// Those of lu_cases(), and larger ones, whose fronts take several panels and tiles.
std::vector<NamedMatrix> cases()
{
  std::vector<NamedMatrix> list = lu_cases();
  list.push_back({"dense 200", dense_unsymmetric(200, 21)});
  list.push_back({"grid of large separators", unsymmetric_on(grid_graph(12, 13, 11), true, 1, 22)});
  list.push_back({"many leaves", unsymmetric_on(leaves_graph(600, 40, 4), true, 0, 23)});
  return list;
}

/// Full diagonal blocks of so many rows, and nothing else.
Matrix disconnected(const std::vector<Index> &rows)
{
  std::vector<Triplet> t;
  Index begin = 0;
  for (Index n : rows) {
    for (Index i = 0; i < n * n; ++i)
      t.push_back({begin + i / n, begin + i % n, i % (n + 1) == 0 ? 3.0 * n : 1.0 + i});
    begin += n;
  }
  return assemble(begin, begin, t);
}

TEST(LuBackend, SolvesEveryKindOfMatrix)
{
  for (const NamedMatrix &c : cases())
    for (std::size_t p = 0; p < lu_plans().size(); ++p) {
      if (c.matrix.pattern.rows > 500 && p != 0 && p != 4)
        continue; // without a matching, or of tiny fronts: only slow
      SCOPED_TRACE(c.name + ", plan " + std::to_string(p));
      DirectOptions searched; // delays of such systems have a test of their own
      searched.least_delay_flops = INFINITY;
      LuSolver lu(c.matrix, lu_plans()[p], searched);
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.one_by_one, lu.rows());
      EXPECT_EQ(lu.report.zero, 0);
      EXPECT_LE(lu.error(0), 1e-12);
      EXPECT_LE(lu.error(10), 1e-14);
    }
}

/// Blocks on several levels, of which the highest needs all others, and one of them with a front of tiles.
TEST(LuBackend, LevelsOfBlocks)
{
  for (bool blocks : {true, false}) {
    LuSolver lu(shuffled(block_triangular({3, 1, 60, 1, 33, 2, 200}, 13), 14), {}, {}, blocks);
    EXPECT_EQ(count_block_levels(lu.plan.plan) > 2, blocks);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_LE(lu.error(0), 1e-12);
    EXPECT_LE(lu.error(10), 1e-14);
  }
}

/// A plan for a device leaves the block triangular form of a small matrix with blocks that are coupled, and of any with
/// very many levels; their number is that of the plan that has them.
TEST(LuBackend, PlansForADeviceLeaveBlocksOnManyLevels)
{
  const Matrix coupled = shuffled(block_triangular({3, 1, 60, 1, 33, 2}, 13), 14);
  const std::vector<Offset> source = in_place(coupled);
  PlanOptions options;
  const LuPlanResult host = make_lu_plan(coupled, source, options);
  const Index levels = count_block_levels(host.plan);
  ASSERT_GT(levels, 2);
  EXPECT_EQ(host.left_levels, 0);
  EXPECT_EQ(host.plan.block.size(), 6u);
  prefer_device(options);
  const LuPlanResult whole = make_lu_plan(coupled, source, options);
  EXPECT_EQ(whole.left_levels, levels);
  EXPECT_EQ(whole.plan.block.size(), 1u);
  options.coupled_rows = 0; // as if it had many rows
  for (Index most : {levels - 1, levels}) {
    options.most_block_levels = most;
    const LuPlanResult large = make_lu_plan(coupled, source, options);
    EXPECT_EQ(large.left_levels, most < levels ? levels : 0);
    EXPECT_EQ(large.plan.block.size(), most < levels ? 1u : 6u);
  }
  const Matrix apart = disconnected({4, 5, 6});
  prefer_device(options);
  const LuPlanResult uncoupled = make_lu_plan(apart, in_place(apart), options);
  EXPECT_EQ(uncoupled.left_levels, 0);
  EXPECT_EQ(uncoupled.plan.block.size(), 3u);
}

TEST(LuBackend, ManyRightHandSides)
{
  LuSolver lu(shuffled(block_triangular({3, 1, 60, 1, 33}, 13), 14));
  ASSERT_GT(count_block_levels(lu.plan.plan), 1);
  const Index n = lu.rows(), columns = 19;
  for (bool t : {false, true}) {
    const MatrixOf<double> of = t ? transposed(lu.matrix) : lu.matrix;
    std::vector<double> b;
    for (Index j = 0; j < columns; ++j) {
      const std::vector<double> one = product(of, random_numbers<double>(n, 20 + j));
      b.insert(b.end(), one.begin(), one.end());
    }
    const std::vector<double> x = lu.solve(b, t, columns);
    for (Index j = 0; j < columns; ++j) {
      const std::vector<double> xj(x.begin() + j * n, x.begin() + (j + 1) * n),
          bj(b.begin() + j * n, b.begin() + (j + 1) * n);
      EXPECT_LE(backward_error(of, xj, bj), 1e-13) << j;
    }
  }
}

TEST(LuBackend, DeterminantAndCondition)
{
  for (const NamedMatrix &c : lu_cases())
    for (std::size_t p : {0, 1}) { // the second one has pivots off its diagonal
      if (c.matrix.pattern.rows > 250)
        continue; // the reference takes long
      SCOPED_TRACE(c.name + ", plan " + std::to_string(p));
      LuSolver lu(c.matrix, lu_plans()[p]);
      const Dense reference = extended(lu.matrix);
      EXPECT_LE(determinant_error(lu.factorization->determinant(), lu.matrix), 1e-9);
      EXPECT_NEAR(lu.factorization->norm(), row_sum_norm(reference), 1e-12 * row_sum_norm(reference));
      if (reference.n == 0)
        continue;
      const double norm = row_sum_norm(inverse(reference));
      EXPECT_LE(lu.factorization->inverse_norm(), norm * (1 + 1e-6));
      EXPECT_GE(lu.factorization->inverse_norm(), norm / 3);
    }
}

/// The largest entries are beside the diagonal, in the same front.
TEST(LuBackend, PivotsInOtherRowsOfAFront)
{
  for (Index n : {20, 90, 180}) {
    SCOPED_TRACE(n);
    Matrix a = dense_unsymmetric(n, 31);
    for (Index i = 0; i < n; ++i)
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        a.value[p] *= a.pattern.column[p] == i ? 1e-14 : a.pattern.column[p] == (i ^ 1) ? 100 : 1;
    LuSolver lu(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_EQ(lu.report.searches, 0);
    EXPECT_LE(lu.error(0), 1e-13);
    EXPECT_LE(determinant_error(lu.factorization->determinant(), lu.matrix), 1e-9);
  }
}

/// Pivots that no front has itself: on a device the host finds them, once.
TEST(LuBackend, PivotsOfOtherFronts)
{
  const DirectOptions strict{0.5};
  LuSolver lu(unsymmetric_on(grid_graph(14, 14, 1), false, 0, 3),
              plan_options(Preprocessing::None, Ordering::Natural, 1), strict);
  ASSERT_EQ(lu.report.status, DirectReport::Complete);
  EXPECT_EQ(lu.report.searches > 0, direct_on_device);
  EXPECT_GT(lu.report.delayed, lu.rows() / 4);
  EXPECT_LE(lu.error(0), 1e-13);
  lu.factor(strict);
  EXPECT_EQ(lu.report.searches, 0);
  EXPECT_LE(lu.error(0), 1e-13);
}

/// The geometric mean. Entries of L are up to 100, so that rounding moves the error of one matrix by a factor of ten.
double typical(const std::vector<double> &errors)
{
  const double logs = std::accumulate(errors.begin(), errors.end(), 0.0,
                                      [](double sum, double error) { return sum + std::log(error); });
  return std::exp(logs / double(errors.size()));
}

/// The same, delayed by the device; and grids with rows that are next to nothing on the diagonal.
TEST(LuBackend, DelaysColumns)
{
  if (!direct_on_device)
    GTEST_SKIP() << "the host delays columns while it factors";
  DirectOptions options;
  options.least_delay_flops = 0;
  std::vector<double> unrefined;
  for (auto [n, seed] : {std::pair<Index, unsigned>{7, 3}, {7, 4}, {7, 5}, {7, 6}, {8, 3}, {8, 4}, {8, 5}, {13, 3}}) {
    SCOPED_TRACE(std::to_string(n) + ", seed " + std::to_string(seed));
    Matrix a = unsymmetric_on(grid_graph(n, n, n), true, 0, seed);
    for (Index i = 0; i < a.pattern.rows; i += n < 13 ? 7 : 29)
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        a.value[p] *= a.pattern.column[p] == i ? 1e-9 : 1;
    LuSolver lu(a, plan_options(Preprocessing::None, Ordering::ND, 16), options, false);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_GT(lu.report.delay_rounds, 0);
    EXPECT_EQ(lu.report.searches, 0);
    EXPECT_GT(lu.report.delayed, 0);
    unrefined.push_back(lu.error(0));
    EXPECT_LE(lu.error(10), 1e-14);
    lu.factor(options);
    EXPECT_EQ(lu.report.delay_rounds, 0);
    EXPECT_EQ(lu.error(0), unrefined.back());
  }
  EXPECT_LE(typical(unrefined), 1e-12);
  // Without a matching, of tiny fronts.
  LuSolver large(unsymmetric_on(grid_graph(12, 13, 11), true, 1, 22), lu_plans()[4], options);
  ASSERT_EQ(large.report.status, DirectReport::Complete);
  EXPECT_LE(large.error(0), 4e-12);
  EXPECT_LE(large.error(10), 1e-14);
}

/// Fronts of ten and nine rows of tiles, which a device takes two at a time; the first one hands on five of them.
TEST(LuBackend, FrontsOfManyTiles)
{
  std::vector<double> errors;
  for (double scale : {0.3, 0.7, 1., 1.5, 2., 3., 4., 5.}) {
    LuSolver lu(two_fronts(280, 260, scale, 0, 0), plan_options(Preprocessing::None, Ordering::Natural, 1));
    ASSERT_EQ(lu.plan.plan.fronts.tree.fronts(), 2);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    errors.push_back(lu.error(0));
    EXPECT_LE(determinant_error(lu.factorization->determinant(), lu.matrix), 1e-9);
  }
  EXPECT_LE(typical(errors), 1e-13);
}

/// Fronts of a warp, of a thread block, and of tiles.
TEST(LuBackend, WholeColumnsAreTested)
{
  struct Case {
    Index k, m, begin, end; ///< large entries in rows of the parent, of the next panels, or of the next panel alone
  };
  for (const Case &c : {Case{20, 10, 40, 50},
                        {40, 60, 80, 140},
                        {40, 60, 32, 140},
                        {100, 90, 200, 290},
                        {100, 90, 32, 290},
                        {100, 90, 32, 64}}) {
    SCOPED_TRACE(std::to_string(c.k) + ", " + std::to_string(c.begin) + " to " + std::to_string(c.end));
    const PlanOptions options = plan_options(Preprocessing::None, Ordering::Natural, 1);
    LuSolver lu(two_fronts(c.k, c.m, 1e-4, c.begin, c.end), options);
    ASSERT_EQ(lu.plan.plan.fronts.tree.fronts(), 2);
    EXPECT_EQ(lu.report.searches > 0, direct_on_device);
    EXPECT_TRUE(lu.report.delayed > 0 || c.begin < 2 * c.k);
    EXPECT_LE(lu.error(0), 1e-13);
    EXPECT_EQ(LuSolver(two_fronts(c.k, c.m, 1, c.begin, c.end), options).report.searches, 0) << "nothing is small";
  }
}

/// Diagonal but for the last row and column, which have 20 entries from `first` on, with all entries stored: what is
/// subtracted from the last pivot comes from there. The last pivot becomes `last` and rounding. exchanged: the last two
/// rows are.
Matrix dense_arrow(Index n, Index first, double left, double above, double last, bool exchanged)
{
  Random random(61);
  std::vector<Triplet> t;
  std::vector<double> d(n), l(n, 0), u(n, 0);
  long double sum = last;
  for (Index k = 0; k + 1 < n; ++k) {
    d[k] = random.between(1, 2);
    l[k] = k / 20 == first / 20 ? left * random.between(0.5, 1) : 0;
    u[k] = k / 20 == first / 20 ? above * random.between(0.5, 1) : 0;
    sum += static_cast<long double>(l[k]) * u[k] / d[k];
  }
  d[n - 1] = double(sum);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t.push_back({exchanged && i >= n - 2 ? 2 * n - 3 - i : i, j,
                   i == j       ? d[i]
                   : i == n - 1 ? l[j]
                   : j == n - 1 ? u[i]
                                : 0});
  return assemble(n, n, t);
}

/// What was subtracted from a pivot by panels before counts, of its row and of its column, also where it is searched.
TEST(LuBackend, MassesOfPanelsBefore)
{
  // a front of a thread block, tiles before the last one, and a panel before the last one of a tile
  for (auto [n, first] : {std::pair<Index, Index>{90, 0}, {200, 0}, {240, 200}}) {
    SCOPED_TRACE(n);
    const PlanOptions options = plan_options(Preprocessing::None, Ordering::Natural, 8);
    for (auto [left, above] : {std::pair<double, double>{30, 1e-8}, {1e-8, 30}, {1, 1}})
      for (bool exchanged : {false, true}) {
        LuSolver rounding(dense_arrow(n, first, left, above, 0, exchanged), options);
        EXPECT_EQ(rounding.report.status, DirectReport::Complete);
        EXPECT_EQ(rounding.report.zero, 1);
        LuSolver small(dense_arrow(n, first, left, above, 1e-4 * left * above, exchanged), options);
        EXPECT_EQ(small.report.status, DirectReport::Complete);
        EXPECT_EQ(small.report.searches, 0);
        EXPECT_EQ(small.report.zero, 0);
      }
  }
}

TEST(LuBackend, EntriesOfLAreBounded)
{
  // The pivot of column 0 is small beside an entry far below it, in a row of another front.
  Matrix a = unsymmetric_on(grid_graph(30, 30, 1), true, 0, 3);
  for (Index i = 0; i < a.pattern.rows; i += 7)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] == i)
        a.value[p] = 1e-9;
  for (Index nemin : {1, 64}) {
    LuSolver lu(a, plan_options(Preprocessing::None, Ordering::ND, nemin));
    EXPECT_LE(lu.report.largest, 1e6); // 1e9 with these pivots
    EXPECT_LE(lu.error(0), 1e-12);
  }
}

/// All entries are stored, most of them 0: a product of triangular matrices with inverses of small numbers, of which
/// the second one ends with a zero.
Matrix of_rank_less_one(Index n)
{
  Random random(51);
  Dense l(n), u(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(0, i - 3); j < i; ++j) {
      l(i, j) = (random.below(3) - 1) * 0.125L;
      u(j, i) = (random.below(3) - 1) * 0.125L;
    }
    l(i, i) = 1;
    u(i, i) = i + 1 < n ? (random.below(2) ? 1 : -1) : 0;
  }
  const Dense product_of = multiply(l, u);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t.push_back({i, j, double(product_of(i, j))});
  return assemble(n, n, t);
}

TEST(LuBackend, SingularMatrices)
{
  std::vector<NamedMatrix> singular = {{"grid", laplacian(grid_graph(6, 5, 4), 0.0)}};
  for (Index n : {12, 90, 200}) // a front of a warp, of a thread block, and of tiles
    singular.push_back({"dense " + std::to_string(n), of_rank_less_one(n)});
  for (const NamedMatrix &c : singular) {
    SCOPED_TRACE(c.name);
    LuSolver lu(c.matrix, plan_options(Preprocessing::None, Ordering::Natural, 8));
    EXPECT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_EQ(lu.report.zero, 1);
    EXPECT_EQ(lu.report.searches, 0);
    EXPECT_LE(lu.error(0), 1e-12);
  }
}

/// What is singular by its pattern, down to a matrix without entries.
TEST(LuBackend, RowsWithoutEntries)
{
  struct Case {
    NamedMatrix named;
    Index zero; ///< pivots that are
  };
  std::vector<Triplet> large; // dense but for a row and a column
  const Matrix dense = dense_unsymmetric(90, 71);
  for (Index i = 0; i < 90; ++i)
    for (Offset p = dense.pattern.start[i]; p < dense.pattern.start[i + 1]; ++p)
      if (i != 40 && dense.pattern.column[p] != 40)
        large.push_back({i, dense.pattern.column[p], dense.value[p]});
  for (const Case &c : {Case{{"1 x 1", assemble(1, 1, {})}, 1},
                        {{"2 x 2", assemble(2, 2, {})}, 2},
                        {{"3 x 3", assemble(3, 3, {})}, 3},
                        {{"an empty row", assemble(2, 2, {{0, 0, 2}, {0, 1, 1}})}, 1},
                        {{"an empty column", assemble(2, 2, {{0, 1, 2}, {1, 1, 1}})}, 1},
                        {{"one entry", assemble(2, 2, {{1, 0, 2}})}, 1},
                        {{"a row and its column", assemble(3, 3, {{0, 0, 2}, {0, 2, 1}, {2, 0, 1}, {2, 2, -1}})}, 1},
                        {{"90 x 90", assemble(90, 90, large)}, 1}})
    for (std::size_t p = 0; p < 2 * lu_plans().size(); ++p) {
      SCOPED_TRACE(c.named.name + ", plan " + std::to_string(p));
      const bool blocks = p % 2 == 0; // whose singular ones say nothing of the rank to a host
      LuSolver lu(c.named.matrix, lu_plans()[p / 2], {}, blocks);
      for (int i = 0; i < 3; ++i) { // on a device the second time replays
        EXPECT_EQ(lu.report.status, DirectReport::Complete);
        if (blocks && !direct_on_device) {
          EXPECT_GE(lu.report.zero, c.zero);
        } else {
          EXPECT_EQ(lu.report.zero, c.zero);
          EXPECT_LE(lu.error(0), 1e-13);
        }
        lu.factor();
      }
    }
}

/// Every factorization after the first one replays recorded launches on a device.
TEST(LuBackend, FactorsAgain)
{
  const Pattern graph = grid_graph(9, 8, 7);
  LuSolver lu(unsymmetric_on(graph, true, 0, 3));
  const std::vector<double> b = random_numbers<double>(lu.rows(), 3);
  const MatrixOf<double> first = lu.matrix, second = with_arguments<double>(unsymmetric_on(graph, true, 0, 4));
  std::vector<double> before[2];
  for (int i = 0; i < 3; ++i) {
    for (const MatrixOf<double> &a : {second, first}) {
      lu.matrix = a;
      lu.stored.value = store_reversed(a).value;
      lu.factor();
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_LE(lu.error(10), 1e-14);
      std::vector<double> x(b.size());
      for (bool t : {false, true}) {
        const SolveReport solved =
            t ? lu.factorization->solve_transposed(1, b.data(), lu.rows(), x.data(), lu.rows(), {})
              : lu.factorization->solve(1, b.data(), lu.rows(), x.data(), lu.rows(), {});
        EXPECT_LE(solved.backward_error, 1e-14) << "measured with the values of before";
      }
    }
    for (bool t : {false, true}) {
      const std::vector<double> x = lu.solve(b, t);
      if (i == 2) { // pivots that were found for the first values may differ from those of the second round on
        EXPECT_EQ(std::memcmp(x.data(), before[t].data(), x.size() * sizeof x[0]), 0);
      }
      before[t] = x;
    }
  }
}

TEST(LuBackend, NonFinite)
{
  LuSolver lu(unsymmetric_on(grid_graph(9, 8, 1), true, 0, 3));
  const std::vector<double> good = lu.stored.value;
  for (double bad : {NAN, INFINITY, -INFINITY}) {
    lu.stored.value[17] = bad;
    lu.factor();
    EXPECT_EQ(lu.report.status, DirectReport::NonFinite);
    lu.stored.value = good;
    lu.factor();
    EXPECT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_LE(lu.error(0), 1e-12);
  }
  for (double &x : lu.stored.value)
    x = 1.7e308; // sums overflow
  lu.factor();
  EXPECT_NE(lu.report.status, DirectReport::Complete);
}

} // namespace
