// Jacobi-LDLT against the level-scheduled factor, dense references and its own promises.
#include "factor/bildlt/factorization.hpp"
#include "support/jacobi_solver.hpp"
#include "support/larger.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// Sweeps enough for the fixed point, nothing perturbed on the way.
JacobiOptions to_the_end(const Analysis &analysis)
{
  JacobiOptions options;
  options.epsilon = 0;
  options.watch = false;
  options.sweeps = analysis.structure.levels.levels() + 1;
  return options;
}

double difference(const std::vector<double> &x, const std::vector<double> &y)
{
  double d = 0, size = 1e-300;
  for (std::size_t i = 0; i < x.size(); ++i) {
    d = larger(d, std::fabs(x[i] - y[i]));
    size = std::max(size, std::fabs(y[i]));
  }
  return d / size;
}

double dot(const std::vector<double> &x, const std::vector<double> &y)
{
  double s = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    s += x[i] * y[i];
  return s;
}

class FixedPoint : public testing::TestWithParam<std::tuple<int, int, Pivoting>> {};

TEST_P(FixedPoint, IsTheFactorByLevels)
{
  const auto [max_rows, level, pivoting] = GetParam();
  for (const NamedMatrix &c : factor_cases()) {
    if (c.singular)
      continue;
    SCOPED_TRACE(c.name);
    const AnalysisOptions analysis_options = blocks_of(max_rows, level);
    const Analysis analysis = analyze(c.matrix, analysis_options);
    JacobiOptions options = to_the_end(analysis);
    options.pivoting = pivoting;
    JacobiSolver jacobi(c.matrix, analysis_options, options);
    FactorOptions levels;
    levels.perturbation = 0;
    levels.pivoting = pivoting;
    const auto reference = make_host_factorization(jacobi.analysis, Precision::Double);
    const FactorReport report = reference->factor(jacobi.stored.value.data(), Place::Host, levels);
    EXPECT_EQ(jacobi.report.factor.status, FactorReport::Complete);
    EXPECT_EQ(jacobi.report.factor.negative, report.negative);
    EXPECT_EQ(jacobi.report.factor.zero, report.zero);
    const std::vector<double> r = random_vector(c.matrix.pattern.rows, 3);
    std::vector<double> z(r.size());
    reference->apply(r.data(), Place::Host, z.data(), Place::Host, false);
    EXPECT_LE(difference(jacobi.apply(r), z), 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(Options, FixedPoint,
                         testing::Combine(testing::Values(2, 5, 16, 32), testing::Values(0, 1, -1),
                                          testing::Values(Pivoting::bunch_kaufman, Pivoting::rook, Pivoting::full)));

TEST(Jacobi, CompleteFillSolves)
{
  for (const NamedMatrix &c : factor_cases()) {
    if (c.singular)
      continue;
    SCOPED_TRACE(c.name);
    for (Index max_rows : {1, 3, 8, 32}) {
      const AnalysisOptions analysis_options = blocks_of(max_rows, complete_level);
      if (max_rows == 1 && (c.name == "n2 zero diagonal" || c.name == "saddle" || c.name == "disconnected" ||
                            c.name == "random" || c.name == "dense row" || c.name == "dense"))
        continue; // has pivots that need a neighbour
      JacobiOptions options = to_the_end(analyze(c.matrix, analysis_options));
      options.pivoting = Pivoting::full;
      JacobiSolver jacobi(c.matrix, analysis_options, options);
      const Dense x = inverse(dense_of(c.matrix));
      const std::vector<double> r = random_vector(x.n, 5), z = jacobi.apply(r);
      for (Index i = 0; i < x.n; ++i) {
        long double s = 0, size = 0;
        for (Index j = 0; j < x.n; ++j) {
          s += x(i, j) * r[j];
          size += std::abs(x(i, j) * r[j]);
        }
        EXPECT_NEAR(double(s), z[i], 1e-6 * double(largest(x))) << i;
      }
    }
  }
}

TEST(Jacobi, ErrorIsEstimatedWithTheFillLeftOut)
{
  for (Index level : {0, 1}) {
    const Matrix matrix = grid_matrix();
    JacobiOptions options;
    options.epsilon = 1e-3;
    JacobiSolver jacobi(matrix, blocks_of(4, level), options);
    const FactorCopy f = jacobi.factorization->copy();
    const BlockStructure &s = jacobi.analysis.structure;
    HostBlockFactor<double> factor(s);
    factor.inverse = f.inverse;
    factor.d = f.d;
    factor.e = f.e;
    factor.first = f.first;
    std::vector<double> value = f.value;
    std::vector<std::uint8_t> column = f.column;
    Offset values = 0, columns = 0;
    for (Index b = 0; b < s.blocks(); ++b) {
      factor.value[b] = value.data() + values;
      factor.column[b] = column.data() + columns;
      const Index kept = f.first[s.tiles.upper.start[b + 1] + b];
      columns += kept;
      values += Offset(kept) * s.block_rows(b);
    }
    const DenseFactor dense = dense_factor(s, factor);
    const Dense product = multiply(transpose(dense.u), multiply(dense.d, dense.u));
    const Dense a = scaled_and_permuted(matrix, jacobi.analysis);
    long double error = 0, size = 0;
    for (std::size_t i = 0; i < a.a.size(); ++i) {
      error += (product.a[i] - a.a[i]) * (product.a[i] - a.a[i]);
      size += a.a[i] * a.a[i];
    }
    const double exact = double(std::sqrt(error / size));
    EXPECT_GT(jacobi.report.final_error, 0.6 * exact);
    EXPECT_LT(jacobi.report.final_error, 1.6 * exact);
  }
}

/// Leading blocks without a pivot: they only factor once others came before them.
Matrix dense_with_zero_blocks(Index n, Index zeros)
{
  Random random(4);
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double x = i < zeros ? 0 : random.between(-1, 1);
      triplets.push_back({i, j, x});
      if (i != j)
        triplets.push_back({j, i, x});
    }
  return assemble(n, n, triplets);
}

TEST(Jacobi, BlocksWithoutPivotsArePushedBack)
{
  AnalysisOptions analysis_options = blocks_of(4, 0);
  analysis_options.preprocessing = Preprocessing::None;
  analysis_options.blocking.ordering = Ordering::Natural;
  analysis_options.blocking.strategy = BlockStrategy::Grid;
  const Matrix matrix = dense_with_zero_blocks(30, 8);
  JacobiOptions options = to_the_end(analyze(matrix, analysis_options));
  options.epsilon = 1e-12;
  JacobiSolver stays(matrix, analysis_options, options);
  EXPECT_GT(stays.report.factor.perturbed, 0);
  options.outer_levels = 1;
  JacobiSolver jacobi(matrix, analysis_options, options);
  EXPECT_EQ(jacobi.report.pushed, 2);
  EXPECT_EQ(jacobi.report.factor.perturbed, 0);
  const std::vector<double> x = random_vector(30, 7);
  std::vector<double> b(30);
  for (Index i = 0; i < 30; ++i)
    for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
      b[i] += matrix.value[p] * x[matrix.pattern.column[p]];
  EXPECT_LE(difference(jacobi.apply(b), x), 1e-9);
  jacobi.factorization->set_apply_sweeps(20);
  EXPECT_LE(difference(jacobi.apply(b), x), 1e-9);
  jacobi.factorization->set_apply_sweeps(0);
  options.outer_levels = 0; // and back to the first order
  options.warm_start = false;
  jacobi.again(matrix, options);
  EXPECT_EQ(jacobi.report.factor.perturbed, stays.report.factor.perturbed);
  EXPECT_EQ(jacobi.factorization->copy().inverse, stays.factorization->copy().inverse);
  EXPECT_EQ(jacobi.factorization->copy().d, stays.factorization->copy().d);
  EXPECT_EQ(jacobi.factorization->copy().value, stays.factorization->copy().value);
  EXPECT_EQ(jacobi.apply(b), stays.apply(b));
}

TEST(Jacobi, RepeatedPushBacksStayConsistent)
{
  const Matrix matrix = symmetric_on(random_graph(200, 900, 9), 0, 2);
  AnalysisOptions analysis_options = blocks_of(5, 1);
  JacobiOptions options = to_the_end(analyze(matrix, analysis_options));
  options.sweeps = 100;
  options.outer_levels = 4;
  options.failure = 0.02;
  JacobiSolver jacobi(matrix, analysis_options, options);
  EXPECT_GT(jacobi.report.pushed, 0);
  // one more sweep changes nothing: it is a fixed point
  const std::vector<double> r = random_vector(200, 1), z = jacobi.apply(r);
  options.sweeps = 101;
  JacobiSolver more(matrix, analysis_options, options);
  EXPECT_LE(difference(more.apply(r), z), 1e-9);
  EXPECT_EQ(more.report.pushed, jacobi.report.pushed);
}

TEST(Jacobi, SweepsOfTheApplicationConverge)
{
  JacobiOptions options;
  JacobiSolver jacobi(grid_matrix(), blocks_of(8, 1), options);
  const std::vector<double> r = random_vector(196, 2), s = random_vector(196, 4);
  const std::vector<double> exact = jacobi.apply(r), definite = jacobi.apply(r, true);
  EXPECT_GT(difference(exact, definite), 0.1);
  jacobi.factorization->set_apply_sweeps(jacobi.analysis.structure.levels.levels());
  EXPECT_LE(difference(jacobi.apply(r), exact), 1e-12);
  EXPECT_LE(difference(jacobi.apply(r, true), definite), 1e-12);
  for (Index sweeps : {1, 2, 3, 4}) {
    jacobi.factorization->set_apply_sweeps(sweeps);
    EXPECT_NEAR(dot(s, jacobi.apply(r)), dot(r, jacobi.apply(s)), 1e-11 * std::sqrt(dot(r, r) * dot(exact, exact)));
    EXPECT_GT(dot(r, jacobi.apply(r, true)), 0) << "definite";
  }
  jacobi.factorization->set_apply_sweeps(0);
  EXPECT_GT(dot(r, jacobi.apply(r, true)), 0) << "definite";
}

/// Rows and columns that meet all others, whose sums are cut into parts, first and last.
TEST(Jacobi, LongRows)
{
  const Index n = 3000;
  for (Index dense : {Index(0), n - 2}) {
    Random random(5);
    std::vector<Triplet> triplets;
    for (Index i = 0; i < n; ++i) {
      triplets.push_back({i, i, random.between(2, 3)});
      for (Index j : {dense, dense + 1})
        if (i != dense && i != dense + 1) {
          const double x = random.between(-0.01, 0.01);
          triplets.push_back({i, j, x});
          triplets.push_back({j, i, x});
        }
    }
    const Matrix matrix = assemble(n, n, triplets);
    AnalysisOptions analysis_options = blocks_of(4, 0);
    analysis_options.preprocessing = Preprocessing::None;
    analysis_options.blocking.ordering = Ordering::Natural;
    analysis_options.blocking.strategy = BlockStrategy::Grid;
    JacobiOptions options;
    options.epsilon = 1e-12;
    options.sweeps = 3;
    options.watch = dense != 0;
    JacobiSolver jacobi(matrix, analysis_options, options);
    if (options.watch) {
      EXPECT_LE(jacobi.report.final_error, 1e-14) << "there is no fill to leave out if the dense rows are last";
    }
    FactorOptions levels;
    levels.perturbation = 1e-12;
    const auto reference = make_host_factorization(jacobi.analysis, Precision::Double);
    reference->factor(jacobi.stored.value.data(), Place::Host, levels);
    const std::vector<double> r = random_vector(n, 3);
    std::vector<double> z(n);
    reference->apply(r.data(), Place::Host, z.data(), Place::Host, false);
    EXPECT_LE(difference(jacobi.apply(r), z), 1e-7);
    jacobi.factorization->set_apply_sweeps(jacobi.analysis.structure.levels.levels());
    EXPECT_LE(difference(jacobi.apply(r), z), 1e-7);
  }
}

TEST(Jacobi, SameBitsForAllNumbersOfThreads)
{
  const Matrix matrix = shifted_laplacian(12);
  JacobiOptions options;
  options.outer_levels = 1;
  options.failure = 0.05;
  const AnalysisOptions analysis_options = blocks_of(8, 1);
  std::vector<double> expected, z;
  FactorCopy copy;
  for (int threads : {1, 2, 3, 4, 1}) {
    const Threads set(threads);
    JacobiSolver jacobi(matrix, analysis_options, options);
    jacobi.factorization->set_apply_sweeps(3);
    const std::vector<double> by_sweeps = jacobi.apply(random_vector(matrix.pattern.rows, 1));
    if (expected.empty()) {
      expected = by_sweeps;
      copy = jacobi.factorization->copy();
    }
    EXPECT_EQ(by_sweeps, expected);
    const FactorCopy other = jacobi.factorization->copy();
    EXPECT_EQ(other.value, copy.value);
    EXPECT_EQ(other.inverse, copy.inverse);
    EXPECT_EQ(other.d, copy.d);
  }
}

TEST(Jacobi, WhatIsNotANumberOrZero)
{
  Matrix matrix = grid_matrix();
  JacobiOptions options;
  JacobiSolver jacobi(matrix, blocks_of(8, 0), options);
  const std::vector<double> r = random_vector(196, 1), z = jacobi.apply(r);
  Matrix broken = matrix;
  broken.value[10] = std::nan("");
  jacobi.again(broken, options);
  EXPECT_EQ(jacobi.report.factor.status, FactorReport::NonFinite);
  jacobi.again(matrix, options); // recovers, as if nothing had been
  EXPECT_EQ(jacobi.report.factor.status, FactorReport::Complete);
  EXPECT_EQ(jacobi.apply(r), z);
  for (const NamedMatrix &c : factor_cases())
    if (c.name == "zero" || c.name == "no entries") {
      const JacobiSolver zero(c.matrix, blocks_of(8, 0), options);
      EXPECT_EQ(zero.report.factor.zero, c.matrix.pattern.rows);
    }
}

TEST(Jacobi, ScaledCopiesHaveTheSamePivots)
{
  Matrix matrix = grid_matrix();
  JacobiOptions options;
  JacobiSolver jacobi(matrix, blocks_of(8, 0), options);
  const FactorCopy copy = jacobi.factorization->copy();
  for (double &x : matrix.value)
    x *= 0x1p-60;
  JacobiSolver scaled(matrix, blocks_of(8, 0), options);
  EXPECT_EQ(scaled.report.epsilon, jacobi.report.epsilon);
  EXPECT_EQ(scaled.report.factor.negative, jacobi.report.factor.negative);
  EXPECT_EQ(scaled.factorization->copy().value, copy.value);
}

} // namespace
