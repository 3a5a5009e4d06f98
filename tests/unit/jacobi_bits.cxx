// The Jacobi-LDLT factor of the CUDA backend against the host's, bit by bit, and its applications. Needs a GPU.
#include "factor/jldlt/difference.hpp"
#include "factor/jldlt/factorization.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

std::vector<double> apply(JacobiFactorization &factor, Index rows, Index sweeps, bool definite)
{
  Random random(3);
  std::vector<double> r(rows), z(rows);
  for (double &x : r)
    x = random.between(-1, 1);
  factor.set_apply_sweeps(sweeps);
  factor.apply(r.data(), Place::Host, z.data(), Place::Host, definite);
  return z;
}

/// Factors on both backends three times, the third time with other values, and expects that both succeed, with the same
/// factors, reports and applications by sweeps.
void expect_same(const Matrix &matrix, const AnalysisOptions &analysis_options, const JacobiOptions &options)
{
  Stored stored = store_reversed(matrix);
  const Analysis analysis = analyze_matrix(matrix, stored.source, analysis_options);
  const Index rows = analysis.structure.rows;
  const auto host = make_host_jacobi(analysis), device = make_cuda_jacobi(analysis);
  ASSERT_TRUE(device);
  for (int time = 0; time < 3; ++time) {
    SCOPED_TRACE("time " + std::to_string(time));
    if (time == 2)
      for (double &x : stored.value)
        x *= 1.25;
    const JacobiReport on_host = host->factor(stored.value.data(), Place::Host, options);
    const JacobiReport on_device = device->factor(stored.value.data(), Place::Host, options);
    EXPECT_EQ(difference(on_host, on_device), "");
    ASSERT_EQ(on_host.factor.status, FactorReport::Complete); // not two failures alike
    ASSERT_EQ(on_device.factor.status, FactorReport::Complete);
    EXPECT_EQ(difference(host->copy(), device->copy()), "");
    for (bool definite : {false, true})
      EXPECT_EQ(apply(*host, rows, 3, definite), apply(*device, rows, 3, definite));
    const std::vector<double> x = apply(*host, rows, 0, false), y = apply(*device, rows, 0, false);
    for (Index i = 0; i < rows; ++i)
      EXPECT_NEAR(x[i], y[i], 1e-6 * (1 + std::abs(x[i]))) << i;
  }
}

class JacobiBits : public testing::TestWithParam<Pivoting> {};

TEST_P(JacobiBits, SameOnHostAndDevice)
{
  JacobiOptions options;
  options.pivoting = GetParam();
  for (const NamedMatrix &x : factor_cases())
    for (Index max_rows : {1, 5, 16, 32})
      for (Index level : {0, 1}) {
        SCOPED_TRACE(x.name + ", blocks of " + std::to_string(max_rows) + ", level " + std::to_string(level));
        AnalysisOptions analysis_options;
        analysis_options.blocking.max_rows = max_rows;
        analysis_options.fill_level = level;
        expect_same(x.matrix, analysis_options, options);
      }
}

INSTANTIATE_TEST_SUITE_P(Pivotings, JacobiBits,
                         testing::Values(Pivoting::none, Pivoting::bunch_kaufman, Pivoting::rook, Pivoting::full));

TEST(JacobiBits, Stages)
{
  AnalysisOptions analysis_options;
  analysis_options.blocking.max_rows = 24;
  analysis_options.fill_level = 1;
  for (Index stages : {1, 2, 5, 64}) {
    JacobiOptions options;
    options.stages = stages;
    options.warm_start = false;
    expect_same(symmetric_on(random_graph(600, 2400, 9), 0, 2), analysis_options, options);
  }
}

TEST(JacobiBits, PushedBack)
{
  AnalysisOptions analysis_options;
  analysis_options.blocking.max_rows = 5;
  analysis_options.fill_level = 1;
  JacobiOptions options;
  options.outer_levels = 3;
  options.failure = 0.02;
  options.warm_start = false;
  expect_same(symmetric_on(random_graph(200, 900, 9), 0, 2), analysis_options, options);
}

/// A row and column that meet all others: their sums are cut into parts.
TEST(JacobiBits, LongRows)
{
  AnalysisOptions analysis_options;
  analysis_options.blocking.max_rows = 4;
  analysis_options.fill_level = 0;
  const Index n = 3000;
  Random random(5);
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, random.between(2, 3)});
    for (Index j : {n - 1, n - 2})
      if (i < n - 2) {
        const double x = random.between(-1, 1);
        triplets.push_back({i, j, x});
        triplets.push_back({j, i, x});
      }
  }
  for (Ordering ordering : {Ordering::Natural, Ordering::ND}) {
    analysis_options.blocking.ordering = ordering;
    expect_same(assemble(n, n, triplets), analysis_options, JacobiOptions());
  }
}

/// Rows of so many columns, in blocks of 20 and 32 rows, that products with them are summed in parts.
TEST(JacobiBits, LongPanels)
{
  AnalysisOptions analysis_options;
  analysis_options.blocking.ordering = Ordering::Natural;
  for (Index max_rows : {32, 20}) {
    analysis_options.blocking.max_rows = max_rows;
    expect_same(dense_symmetric(700, 7), analysis_options, JacobiOptions());
  }
}

} // namespace
