// The direct LU: solutions, determinants, rank, blocks and bits, for every kind of matrix, threshold and order.
#include "base/permute.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/dense.hpp"
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <omp.h>

using namespace tessera;
using namespace tessera::test;

namespace {

/// A matrix whose values the caller stores in reverse, its plan, and its factor.
struct Lu {
  Stored stored;
  LuPlanResult plan;
  std::unique_ptr<DirectFactorization> factorization;
  DirectReport report;

  explicit Lu(const Matrix &a, const PlanOptions &options = {}, const DirectOptions &direct = {},
              bool block_triangular = true)
      : stored(store_reversed(a)), plan(make_lu_plan(a, stored.source, options, block_triangular))
  {
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    factorization = make_host_lu(plan.plan);
    report = factorization->factor(stored.value.data(), direct);
  }

  std::vector<double> solve(const std::vector<double> &b, bool transposed = false, Index columns = 1, Index steps = 0)
  {
    const Index n = static_cast<Index>(b.size()) / columns;
    std::vector<double> x(b.size(), NAN);
    if (transposed)
      factorization->solve_transposed(columns, b.data(), n, x.data(), n, {1e-14, steps});
    else
      factorization->solve(columns, b.data(), n, x.data(), n, {1e-14, steps});
    return x;
  }
};

Matrix transposed(const Matrix &a)
{
  std::vector<Offset> position;
  Matrix t{tessera::transpose(a.pattern, &position), {}};
  for (Offset p : position)
    t.value.push_back(a.value[p]);
  return t;
}

/// Random values on the entries of a graph and, with `diagonal`, on the diagonal; about `missing` of 8 entries of the
/// graph are left out on one side.
Matrix unsymmetric_on(const Pattern &graph, bool diagonal, unsigned missing, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  for (Index i = 0; i < graph.rows; ++i) {
    if (diagonal)
      t.push_back({i, i, random.between(-1, 1)});
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      if (random.below(8) >= Index(missing))
        t.push_back({i, graph.column[p], random.between(-1, 1)});
  }
  return assemble(graph.rows, graph.rows, t);
}

/// Rows and columns in a random order each.
Matrix shuffled(const Matrix &a, unsigned seed)
{
  const Index n = a.pattern.rows;
  const std::vector<Index> row = tessera_test::random_permutation(n, seed),
                           column = tessera_test::random_permutation(n, seed + 1);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      t.push_back({row[i], column[a.pattern.column[p]], a.value[p]});
  return assemble(n, n, t);
}

/// Blocks of these sizes on the diagonal, each a random one, and entries below them.
Matrix block_triangular(const std::vector<Index> &sizes, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  Index first = 0;
  for (Index size : sizes) {
    for (Index i = 0; i < size; ++i) {
      t.push_back({first + i, first + i, random.between(1, 2)});
      t.push_back({first + i, first + (i + 1) % size, random.between(-1, 1)}); // a cycle: strongly connected
      t.push_back({first + i, first + random.below(size), random.between(-1, 1)});
      if (first > 0)
        t.push_back({first + i, random.below(first), random.between(-1, 1)});
    }
    first += size;
  }
  return assemble(first, first, t);
}

Matrix dense_unsymmetric(Index n, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t.push_back({i, j, random.between(-1, 1)});
  return assemble(n, n, t);
}

/// Rows and columns times powers of two up to 2^-66 or 2^66.
Matrix badly_scaled(Matrix a, unsigned seed)
{
  Random random(seed);
  std::vector<double> column(a.pattern.cols);
  for (double &x : column)
    x = std::ldexp(1, random.below(133) - 66);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    const double row = std::ldexp(1, random.below(133) - 66);
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      a.value[p] *= row * column[a.pattern.column[p]];
  }
  return a;
}

std::vector<NamedMatrix> lu_cases()
{
  using namespace tessera_test;
  return {{"n0", assemble(0, 0, {})},
          {"n1", assemble(1, 1, {{0, 0, -3}})},
          {"n2", assemble(2, 2, {{0, 1, 2}, {1, 0, 3}, {1, 1, 1}})},
          {"permutation", assemble(4, 4, {{0, 2, 1}, {1, 0, 2}, {2, 3, -1}, {3, 1, 5}})},
          {"dense40", dense_unsymmetric(40, 1)},
          {"dense100", dense_unsymmetric(100, 2)},
          {"grid", unsymmetric_on(grid_graph(13, 11, 1), true, 0, 3)},
          {"grid3d", unsymmetric_on(grid_graph(8, 7, 6), true, 1, 4)},
          {"shuffled", shuffled(unsymmetric_on(grid_graph(12, 12, 1), true, 1, 5), 6)},
          {"no_diagonal", unsymmetric_on(grid_graph(10, 10, 1), false, 0, 7)},
          {"random", unsymmetric_on(random_graph(200, 500, 8), true, 2, 9)},
          {"arrow", unsymmetric_on(arrow_graph(90), true, 0, 10)},
          {"dense_row", unsymmetric_on(dense_row_graph(10, 9), true, 0, 11)},
          {"blocks", block_triangular({1, 1, 7, 40, 1, 90, 2, 1}, 12)},
          {"shuffled_blocks", shuffled(block_triangular({3, 1, 1, 60, 33, 1, 1}, 13), 14)},
          {"singletons", shuffled(block_triangular(std::vector<Index>(50, 1), 15), 16)}};
}

PlanOptions plan_options(Preprocessing preprocessing, Ordering ordering, Index nemin)
{
  PlanOptions options;
  options.preprocessing = preprocessing;
  options.ordering = ordering;
  options.relaxation.nemin = nemin;
  return options;
}

const std::vector<PlanOptions> &all_plans()
{
  static const std::vector<PlanOptions> plans = {
      {},
      plan_options(Preprocessing::None, Ordering::Natural, 1),
      plan_options(Preprocessing::None, Ordering::ND, 32),
      plan_options(Preprocessing::Matching, Ordering::METIS, 1),
      plan_options(Preprocessing::Matching, Ordering::AMD, 200),
  };
  return plans;
}

TEST(Lu, SolvesEveryKindOfMatrix)
{
  for (const NamedMatrix &c : lu_cases())
    for (std::size_t p = 0; p < all_plans().size(); ++p)
      for (double threshold : {0.01, 0.5})
        for (bool blocks : {true, false}) {
          SCOPED_TRACE(c.name + ", plan " + std::to_string(p));
          Lu lu(c.matrix, all_plans()[p], {threshold}, blocks);
          ASSERT_EQ(lu.report.status, DirectReport::Complete);
          const Index n = c.matrix.pattern.rows;
          EXPECT_EQ(lu.report.one_by_one, n);
          EXPECT_EQ(lu.report.zero, 0);
          const Matrix other = transposed(c.matrix);
          const std::vector<double> x = random_vector(n, 3), b = product(c.matrix, x), bt = product(other, x);
          EXPECT_LE(backward_error(c.matrix, lu.solve(b), b), 1e-12);
          EXPECT_LE(backward_error(c.matrix, lu.solve(b, false, 1, 10), b), 1e-14);
          EXPECT_LE(backward_error(other, lu.solve(bt, true), bt), 1e-12);
          EXPECT_LE(backward_error(other, lu.solve(bt, true, 1, 10), bt), 1e-14);
        }
}

TEST(Lu, ManyRightHandSides)
{
  const Matrix a = shuffled(block_triangular({3, 1, 60, 1, 33}, 13), 14);
  const Index n = a.pattern.rows, columns = 70;
  Lu lu(a);
  const Matrix other = transposed(a);
  for (bool t : {false, true}) {
    std::vector<double> b;
    for (Index j = 0; j < columns; ++j) {
      const std::vector<double> one = product(t ? other : a, random_vector(n, 20 + j));
      b.insert(b.end(), one.begin(), one.end());
    }
    const std::vector<double> x = lu.solve(b, t, columns);
    for (Index j = 0; j < columns; ++j) {
      const std::vector<double> xj(x.begin() + j * n, x.begin() + (j + 1) * n),
          bj(b.begin() + j * n, b.begin() + (j + 1) * n);
      EXPECT_LE(backward_error(t ? other : a, xj, bj), 1e-13);
    }
  }
}

TEST(Lu, FindsTheDiagonalBlocks)
{
  const std::vector<Index> sizes = {3, 1, 1, 60, 33, 1, 1};
  const Lu lu(shuffled(block_triangular(sizes, 13), 14));
  std::vector<Index> found, expected = sizes;
  for (const DiagonalBlock &b : lu.plan.plan.block)
    found.push_back(lu.plan.plan.fronts.tree.first[b.end] - lu.plan.plan.fronts.tree.first[b.begin]);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
  EXPECT_GT(lu.plan.plan.coupling.source.size(), 0u);
}

/// The determinant by Gaussian elimination in extended precision.
long double determinant(Dense a)
{
  long double product = 1;
  for (Index k = 0; k < a.n; ++k) {
    Index row = k;
    for (Index i = k; i < a.n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(row, k)))
        row = i;
    for (Index j = 0; j < a.n && row != k; ++j)
      std::swap(a(k, j), a(row, j));
    product *= row == k ? a(k, k) : -a(k, k);
    for (Index i = k + 1; i < a.n; ++i)
      for (Index j = a.n - 1; j >= k; --j)
        a(i, j) -= a(i, k) / a(k, k) * a(k, j);
  }
  return product;
}

TEST(Lu, DeterminantAndCondition)
{
  for (const NamedMatrix &c : lu_cases()) {
    SCOPED_TRACE(c.name);
    Lu lu(c.matrix);
    const ScaledProduct product_of_pivots = lu.factorization->determinant();
    const long double expected = determinant(dense_of(c.matrix)),
                      found = std::ldexp((long double)product_of_pivots.mantissa, int(product_of_pivots.exponent));
    EXPECT_LE(std::abs(found - expected), 1e-9L * std::abs(expected));
    if (c.matrix.pattern.rows == 0)
      continue;
    const Dense inverse_of = inverse(dense_of(c.matrix));
    long double norm = 0;
    for (Index i = 0; i < inverse_of.n; ++i) {
      long double sum = 0;
      for (Index j = 0; j < inverse_of.n; ++j)
        sum += std::abs(inverse_of(i, j));
      norm = std::max(norm, sum);
    }
    EXPECT_LE(lu.factorization->inverse_norm(), double(norm) * (1 + 1e-6));
    EXPECT_GE(lu.factorization->inverse_norm(), double(norm) / 3);
  }
}

TEST(Lu, BadScalingDoesNotMatter)
{
  using namespace tessera_test;
  for (unsigned seed : {1, 2, 3}) {
    const Matrix a = unsymmetric_on(grid_graph(12, 11, 2), true, 1, seed), bad = badly_scaled(a, seed);
    Lu lu(a), scaled_lu(bad);
    EXPECT_EQ(scaled_lu.report.status, DirectReport::Complete);
    EXPECT_EQ(scaled_lu.report.zero, 0);
    EXPECT_LE(scaled_lu.report.delayed, lu.report.delayed + 2);
    const std::vector<double> b = product(bad, random_vector(bad.pattern.rows, 3));
    EXPECT_LE(backward_error(bad, scaled_lu.solve(b, false, 1, 10), b), 1e-14);
  }
}

TEST(Lu, DelaysColumnsWithoutPivots)
{
  // Without its matching, a matrix with the large entries off the diagonal delays most columns.
  using namespace tessera_test;
  const Matrix a = unsymmetric_on(grid_graph(14, 14, 1), false, 0, 3);
  Lu lu(a, plan_options(Preprocessing::None, Ordering::Natural, 1), {0.5});
  EXPECT_GT(lu.report.delayed, a.pattern.rows / 4);
  EXPECT_GT(lu.report.work, lu.report.flops * 1.01);
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 3));
  EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-14);
}

TEST(Lu, EntriesOfLAreBounded)
{
  // The pivot of column 0 is small beside an entry far below it, in a row of another front.
  using namespace tessera_test;
  Matrix a = unsymmetric_on(grid_graph(30, 30, 1), true, 0, 3);
  for (Index i = 0; i < a.pattern.rows; i += 7)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] == i)
        a.value[p] = 1e-9;
  for (Index nemin : {1, 64}) {
    Lu lu(a, plan_options(Preprocessing::None, Ordering::ND, nemin));
    EXPECT_LE(lu.report.largest, 1e6); // 1e9 with these pivots
    const std::vector<double> b = product(a, random_vector(a.pattern.rows, 3));
    EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-13);
  }
}

TEST(Lu, FindsTheRank)
{
  using namespace tessera_test;
  Random random(5);
  for (Index n : {1, 5, 40, 150})
    for (Index rank : {0, 1, n / 2, n - 1}) {
      // the product of random n x rank and rank x n matrices of small whole numbers is exact
      std::vector<Triplet> t;
      std::vector<double> x(n * std::max(rank, 1)), y(x.size());
      for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = double(random.below(9) - 4) + 0.5;
        y[k] = double(random.below(9) - 4) + 0.25;
      }
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          double sum = 0;
          for (Index k = 0; k < rank; ++k)
            sum += x[k * n + i] * y[k * n + j];
          t.push_back({i, j, sum});
        }
      const Matrix a = assemble(n, n, t);
      Lu lu(a, {}, {}, false);
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.zero, n - std::min(rank, n)) << n << " " << rank;
      EXPECT_EQ(lu.factorization->determinant().mantissa == 0, rank < n);
      const std::vector<double> b = product(a, random_vector(n, 3)), bt = product(transposed(a), random_vector(n, 4));
      EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-11);
      EXPECT_LE(backward_error(transposed(a), lu.solve(bt, true), bt), 1e-11);
    }
}

TEST(Lu, FindsTheRankOfSparseMatrices)
{
  using namespace tessera_test;
  for (Index copies : {1, 3}) {
    Matrix a = laplacian(disconnected_graph(grid_graph(6, 5, 4), copies), 0.0); // and an isolated vertex
    for (Index i = 0; i < a.pattern.rows; ++i)
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        a.value[p] *= 1 + i % 5; // row sums stay 0
    for (const PlanOptions &plan : all_plans()) {
      Lu lu(a, plan, {}, false);
      EXPECT_EQ(lu.report.zero, copies + 1);
      const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2));
      EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-13);
    }
  }
}

TEST(Lu, FindsTheRankWhereChildrenCancel)
{
  for (Index constraints : {12, 60, 200})
    for (Index nemin : {1, 64}) {
      const Lu lu(cancelling_kkt(400, constraints), plan_options(Preprocessing::None, Ordering::Natural, nemin), {},
                  false);
      EXPECT_EQ(lu.report.zero, constraints);
    }
}

TEST(Lu, StructurallySingular)
{
  // rows 0 and 1 have entries in column 3 only
  const Matrix a = assemble(4, 4, {{0, 3, 1}, {1, 3, 2}, {2, 0, 1}, {2, 2, 3}, {3, 1, 1}, {3, 3, 1}});
  for (const PlanOptions &plan : all_plans()) {
    const Lu lu(a, plan, {}, false);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_EQ(lu.report.zero, 1);
  }
  EXPECT_EQ(Lu(a).plan.structural_rank, 3);
}

TEST(Lu, SameBitsForAnyNumberOfThreads)
{
  using namespace tessera_test;
  const Matrix a = unsymmetric_on(grid_graph(19, 18, 17), true, 1, 3);
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 3));
  const int before = omp_get_max_threads();
  std::vector<double> first[2];
  for (int threads : {1, 2, 5, 2}) {
    omp_set_num_threads(threads);
    Lu lu(a);
    for (bool t : {false, true}) {
      const std::vector<double> x = lu.solve(b, t);
      if (first[t].empty())
        first[t] = x;
      EXPECT_EQ(std::memcmp(first[t].data(), x.data(), x.size() * sizeof(double)), 0) << threads;
      EXPECT_LE(backward_error(t ? transposed(a) : a, x, b), 1e-12);
    }
  }
  omp_set_num_threads(before);
}

TEST(Lu, FactorsAgainWithOtherValues)
{
  using namespace tessera_test;
  const Pattern graph = grid_graph(9, 8, 7);
  const Matrix a = unsymmetric_on(graph, true, 0, 3), other = unsymmetric_on(graph, true, 0, 4);
  Lu lu(a);
  const std::vector<double> b = random_vector(a.pattern.rows, 3);
  const Stored stored = store_reversed(other);
  for (bool t : {false, true}) {
    lu.report = lu.factorization->factor(lu.stored.value.data(), {});
    const Matrix at = transposed(a), ot = transposed(other);
    EXPECT_LE(backward_error(t ? at : a, lu.solve(b, t, 1, 10), b), 1e-14);
    lu.report = lu.factorization->factor(stored.value.data(), {});
    EXPECT_LE(backward_error(t ? ot : other, lu.solve(b, t, 1, 10), b), 1e-14);
    std::vector<double> x(b.size());
    const Index n = a.pattern.rows;
    const SolveReport solved = t ? lu.factorization->solve_transposed(1, b.data(), n, x.data(), n, {})
                                 : lu.factorization->solve(1, b.data(), n, x.data(), n, {});
    EXPECT_LE(solved.backward_error, 1e-14) << "measured with the values of before";
  }
}

TEST(Lu, KeptPivotsDelayNothing)
{
  using namespace tessera_test;
  for (Preprocessing preprocessing : {Preprocessing::None, Preprocessing::Matching}) {
    const bool blocks = preprocessing == Preprocessing::None;
    const Matrix plain = unsymmetric_on(grid_graph(10, 10, 1), false, 0, 7),
                 a = blocks ? plain : badly_scaled(plain, 3);
    const Stored stored = store_reversed(a);
    const PlanOptions options = plan_options(preprocessing, Ordering::Natural, 1);
    const LuPlanResult plan = make_lu_plan(a, stored.source, options, blocks);
    const auto factor = make_keeping_lu(plan.plan);
    DirectOptions keep, forget;
    keep.threshold = forget.threshold = 0.5;
    keep.keep_pivots = true;
    const DirectReport first = factor->factor(stored.value.data(), keep);
    const ScaledProduct determinant = factor->determinant();
    EXPECT_GE(first.delayed, 10);
    for (int i = 0; i < 3; ++i) {
      const DirectReport again = factor->factor(stored.value.data(), keep);
      EXPECT_EQ(again.delayed, 0);
      EXPECT_EQ(again.zero, 0);
      EXPECT_EQ(again.replans, 1);
      EXPECT_EQ(again.work, again.planned);
      EXPECT_NEAR(factor->determinant().mantissa, determinant.mantissa, 1e-9);
      EXPECT_EQ(factor->determinant().exponent, determinant.exponent);
      for (bool t : {false, true}) {
        const Matrix of = t ? transposed(a) : a;
        const Index n = a.pattern.rows;
        const std::vector<double> b = random_vector(n, 3);
        std::vector<double> x(n);
        t ? factor->solve_transposed(1, b.data(), n, x.data(), n, {}) : factor->solve(1, b.data(), n, x.data(), n, {});
        EXPECT_LE(backward_error(of, x, b), 1e-14);
      }
    }
    EXPECT_EQ(factor->factor(stored.value.data(), forget).delayed, first.delayed) << "what was kept is forgotten";
  }
}

TEST(Lu, KeptScaleIsThatOfTheValues)
{
  using namespace tessera_test;
  const Matrix a = unsymmetric_on(grid_graph(10, 10, 1), true, 0, 7), other = badly_scaled(a, 5);
  const Stored first = store_reversed(a), second = store_reversed(other);
  const LuPlanResult plan = make_lu_plan(a, first.source, lu_plan_options());
  const Offset old_scale = make_host_lu(plan.plan)->factor(second.value.data(), {}).delayed;
  ASSERT_GT(old_scale, 10);
  const auto factor = make_keeping_lu(plan.plan);
  DirectOptions keep;
  keep.keep_pivots = true;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(factor->factor(first.value.data(), keep).delayed, 0);
    EXPECT_LT(factor->factor(second.value.data(), keep).delayed, 3);
    const std::vector<double> b = product(other, random_vector(a.pattern.rows, 3));
    std::vector<double> x(b.size());
    factor->solve(1, b.data(), a.pattern.rows, x.data(), a.pattern.rows, {});
    EXPECT_LE(backward_error(other, x, b), 1e-14);
    EXPECT_EQ(factor->factor(second.value.data(), {}).delayed, old_scale) << "what was kept is forgotten";
  }
}

/// A product of triangular matrices of few binary digits, which is exact, with a last pivot that elimination takes
/// for rounding, and that is none.
TEST(Lu, MeasuresWhatLooksLikeZero)
{
  const Index n = 40;
  for (double last : {0x1p-50, 0.0}) {
    Random random(4);
    Dense l(n), u(n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        l(i, j) = (random.below(3) - 1) * 0.0625L;
        u(j, i) = (random.below(3) - 1) * 0.0625L;
      }
      l(i, i) = 1;
      u(i, i) = i + 1 < n ? (random.below(2) ? 1 : -1) : last;
    }
    const Dense product_of = multiply(l, u);
    std::vector<Triplet> t;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        t.push_back({i, j, double(product_of(i, j))});
    const Matrix a = assemble(n, n, t);
    for (const PlanOptions &plan : all_plans()) {
      const Lu lu(a, plan, {}, false);
      EXPECT_EQ(lu.report.zero, last == 0);
      const ScaledProduct found = lu.factorization->determinant();
      EXPECT_NEAR(std::abs(std::ldexp(found.mantissa, int(found.exponent))), last, 1e-2 * last);
    }
  }
}

TEST(Lu, NonFinite)
{
  using namespace tessera_test;
  const Matrix a = unsymmetric_on(grid_graph(9, 8, 1), true, 0, 3);
  Lu lu(a);
  std::vector<double> values = lu.stored.value;
  values[17] = NAN;
  EXPECT_EQ(lu.factorization->factor(values.data(), {}).status, DirectReport::NonFinite);
  for (double &x : values)
    x = 1.7e308; // sums overflow
  EXPECT_NE(lu.factorization->factor(values.data(), {}).status, DirectReport::NeedsHost);
  lu.report = lu.factorization->factor(lu.stored.value.data(), {});
  EXPECT_EQ(lu.report.status, DirectReport::Complete);
  Matrix bad = a;
  bad.value[5] = INFINITY;
  const Stored stored = store_reversed(bad);
  EXPECT_EQ(make_lu_plan(bad, stored.source, {}).status, AnalysisStatus::NonFinite);
}

} // namespace
