// Solves with a block factor on the CUDA backend: against the host's, and against each other bit by bit. Needs a GPU.
#include "factor/bildlt/factorization.hpp"
#include "factor/bildlt/views.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/host_factor.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// A tridiagonal matrix whose first and last `width` rows meet all others, by entries of 1e-6 to 1.
Matrix bordered(Index n, Index width)
{
  Random random(7);
  std::vector<Triplet> triplets;
  const auto add = [&](Index i, Index j, double value) {
    triplets.push_back({i, j, value});
    triplets.push_back({j, i, value});
  };
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, (i % 3 ? 4.0 : -4.0) * (i < width || i >= n - width ? n : 1)});
    if (i + 1 < n)
      add(i, i + 1, random.between(-1, 1));
    for (Index j = 0; j < width; ++j)
      for (Index dense : {j, n - 1 - j})
        if (dense > i + 1 || (dense < i - 1 && i < n - width))
          add(i, dense, std::pow(10, random.between(-6, 0)));
  }
  return assemble(n, n, triplets);
}

std::vector<double> apply(BlockFactorization &factorization, const std::vector<double> &r, bool definite)
{
  std::vector<double> z(r.size(), 1e300);
  factorization.apply(r.data(), Place::Host, z.data(), Place::Host, definite);
  return z;
}

/// Largest difference of two vectors, relative to the largest entry of the first.
double difference_of(const std::vector<double> &x, const std::vector<double> &y)
{
  double error = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(y[i]))
      return std::numeric_limits<double>::infinity();
    error = std::max(error, std::fabs(x[i] - y[i]));
    size = std::max(size, std::fabs(x[i]));
  }
  return error / size;
}

/// Applies a factor on both backends, several times, and again when it has been computed once more.
void expect_same_solves(const Matrix &matrix, const AnalysisOptions &analysis_options, double tolerance,
                        Precision precision)
{
  const Stored stored = store_reversed(matrix);
  const Analysis analysis = analyze_matrix(matrix, stored.source, analysis_options);
  const auto host = make_host_factorization(analysis, precision), device = make_cuda_factorization(analysis, precision);
  FactorOptions options;
  options.drop_tolerance = tolerance;
  const std::vector<double> r = random_vector(matrix.pattern.rows, 3);
  std::vector<double> first[2];
  for (int time = 0; time < 3; ++time) {
    ASSERT_EQ(host->factor(stored.value.data(), Place::Host, options).status, FactorReport::Complete);
    ASSERT_EQ(device->factor(stored.value.data(), Place::Host, options).status, FactorReport::Complete);
    ASSERT_EQ(difference(analysis.structure, host->copy(), device->copy()), "") << "time " << time;
    for (const bool definite : {false, true, true, false}) {
      const std::vector<double> z = apply(*device, r, definite);
      EXPECT_LE(difference_of(apply(*host, r, definite), z), 1e-11);
      if (first[definite].empty())
        first[definite] = z;
      EXPECT_EQ(first[definite], z) << "time " << time << (definite ? ", definite" : "");
    }
  }
}

/// Rows and columns of so many tiles that thread blocks share them; by the tolerance all of the parts hold something,
/// or some.
TEST(Solve, SumsInParts)
{
  for (const Index max_rows : {1, 3, 8, 13, 32})
    for (const double tolerance : {0.0, 1e-3, 0.5})
      for (const Precision precision : {Precision::Double, Precision::Single}) {
        SCOPED_TRACE("blocks of " + std::to_string(max_rows) + ", drop tolerance " + std::to_string(tolerance));
        AnalysisOptions options;
        options.preprocessing = Preprocessing::None;
        options.blocking.strategy = BlockStrategy::Grid;
        options.blocking.ordering = Ordering::Natural;
        options.blocking.max_rows = max_rows;
        options.fill_level = 0;
        const Index blocks = 200 + 3200 / group_width(max_rows); // a thread block takes fewer tiles of larger blocks
        expect_same_solves(bordered(blocks * max_rows, max_rows), options, tolerance, precision);
      }
}

/// Factors that are dense in the end: a row waits for the row before it and for parts of its own.
TEST(Solve, WideRows)
{
  const Matrix dense = symmetric_on(random_graph(800, 30000, 1), 60, 6),
               grid = symmetric_on(grid_graph(40, 40, 1), 5, 2);
  for (const Matrix *matrix : {&dense, &grid})
    for (const Index max_rows : {4, 8, 16, 32}) {
      SCOPED_TRACE(std::to_string(matrix->pattern.rows) + " rows, blocks of " + std::to_string(max_rows));
      AnalysisOptions options;
      options.blocking.max_rows = options.blocking.low_fill_rows = max_rows;
      options.fill_level = complete_level;
      expect_same_solves(*matrix, options, 0, Precision::Double);
    }
}

/// Blocks of a level share warps, and wait for others or for nothing.
TEST(Solve, WideLevels)
{
  const WideLevels five(2050, 5), eight(2050, 8);
  expect_same_solves(five.matrix, five.analysis, 0, Precision::Single);
  expect_same_solves(eight.matrix, eight.analysis, 0, Precision::Double);
}

/// Factors of one pattern that keep other entries each time: what is listed of them is replayed from the second on.
TEST(Solve, ListsOfLaterFactors)
{
  const Matrix matrix = symmetric_on(grid_graph(30, 30, 2), 5, 2);
  for (const Index max_rows : {4, 8, 32}) {
    AnalysisOptions analysis_options;
    analysis_options.preprocessing = Preprocessing::None;
    analysis_options.blocking.max_rows = max_rows;
    analysis_options.fill_level = 0;
    const Analysis analysis = analyze(matrix, analysis_options);
    const auto host = make_host_factorization(analysis, Precision::Double),
               device = make_cuda_factorization(analysis, Precision::Double);
    FactorOptions options;
    options.drop_tolerance = 1e-4;
    const std::vector<double> r = random_vector(matrix.pattern.rows, 3);
    for (Index time = 0; time < 8; ++time) {
      SCOPED_TRACE("blocks of " + std::to_string(max_rows) + ", time " + std::to_string(time));
      std::vector<double> values = matrix.value;
      for (Index i = 0; i < matrix.pattern.rows; ++i)
        for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
          if (const Index j = matrix.pattern.column[p]; i != j && (i % 8 == time || j % 8 == time))
            values[p] *= 1e-9;
      ASSERT_EQ(host->factor(values.data(), Place::Host, options).status, FactorReport::Complete);
      ASSERT_EQ(device->factor(values.data(), Place::Host, options).status, FactorReport::Complete);
      EXPECT_LE(difference_of(apply(*host, r, false), apply(*device, r, false)), 1e-11);
    }
  }
}

/// A NaN in the right-hand side comes out as NaN: nobody waits for it for ever.
TEST(Solve, EndsWithNaN)
{
  const Matrix matrix = bordered(3000, 4);
  const Stored stored = store_reversed(matrix);
  AnalysisOptions options;
  options.blocking.max_rows = 4;
  options.fill_level = 0;
  const Analysis analysis = analyze_matrix(matrix, stored.source, options);
  const auto device = make_cuda_factorization(analysis, Precision::Double);
  ASSERT_EQ(device->factor(stored.value.data(), Place::Host, {}).status, FactorReport::Complete);
  const std::vector<double> r = random_vector(matrix.pattern.rows, 3), before = apply(*device, r, false);
  const std::vector<double> bad = apply(*device, std::vector<double>(r.size(), std::nan("")), false);
  EXPECT_TRUE(std::all_of(bad.begin(), bad.end(), [](double x) { return std::isnan(x); }));
  EXPECT_EQ(apply(*device, r, false), before);
}

} // namespace
