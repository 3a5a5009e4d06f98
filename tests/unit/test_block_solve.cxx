#include "factor/bildlt/factorization.hpp"
#include "support/factor_cases.hpp"
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

constexpr Pivoting pivotings[] = {Pivoting::none, Pivoting::bunch_kaufman, Pivoting::rook};

/// A factorization as the preconditioner has it.
struct Solver {
  Stored stored;
  Analysis analysis;
  std::unique_ptr<BlockFactorization> factorization;
  FactorReport report;

  Solver(const Matrix &matrix, const AnalysisOptions &analysis_options, const FactorOptions &options,
         Precision precision = Precision::Double)
      : stored(store_reversed(matrix)), analysis(analyze_matrix(matrix, stored.source, analysis_options)),
        factorization(make_host_factorization(analysis, precision)),
        report(factorization->factor(stored.value.data(), Place::Host, options))
  {
  }

  std::vector<double> apply(const std::vector<double> &r, bool definite = false)
  {
    std::vector<double> z(r.size(), 1e300);
    factorization->apply(r.data(), Place::Host, z.data(), Place::Host, definite);
    return z;
  }
};

/// Largest difference of z from X r, relative to the largest of |X| |r|.
double error_of(const Dense &x, const std::vector<double> &r, const std::vector<double> &z)
{
  long double error = 0, size = 0;
  for (Index i = 0; i < x.n; ++i) {
    long double sum = 0, magnitude = 0;
    for (Index j = 0; j < x.n; ++j) {
      sum += x(i, j) * r[j];
      magnitude += std::fabs(x(i, j) * r[j]);
    }
    if (!std::isfinite(z[i]))
      return std::numeric_limits<double>::infinity();
    error = std::max(error, std::fabs(sum - z[i]));
    size = std::max(size, magnitude);
  }
  return size > 0 ? static_cast<double>(error / size) : static_cast<double>(error);
}

TEST(Solve, CompleteFactorGivesTheInverse)
{
  for (const auto &[name, matrix, singular] : factor_cases()) {
    if (singular)
      continue;
    const Dense exact = inverse(dense_of(matrix));
    const std::vector<double> r = random_vector(matrix.pattern.rows, 3);
    for (const Index max_rows : {2, 3, 4, 7, 8, 16, 25, 32})
      for (const Pivoting pivoting : pivotings) {
        SCOPED_TRACE(name + ", blocks of " + std::to_string(max_rows) + ", pivoting " + std::to_string(int(pivoting)));
        FactorOptions options;
        options.pivoting = pivoting;
        Solver solver(matrix, with_blocks(max_rows), options);
        ASSERT_EQ(solver.report.perturbed, 0);
        EXPECT_LE(error_of(exact, r, solver.apply(r)), 1e-9);
        Solver single(matrix, with_blocks(max_rows), options, Precision::Single);
        EXPECT_LE(error_of(exact, r, single.apply(r)), 1e-3);
      }
  }
}

/// D or |D| from the factor's own arrays, inverted: 2x2 blocks by their eigenvectors.
Dense inverse_pivots(const HostBlockFactor<double> &factor, Index n, bool absolute)
{
  Dense x(n);
  for (Index i = 0; i < n; ++i) {
    const long double a = factor.d[i], b = factor.e[i];
    if (b == 0) {
      x(i, i) = a == 0 ? 0 : 1 / (absolute ? std::fabs(a) : a);
      continue;
    }
    const long double c = factor.d[i + 1], angle = std::atan2(2 * b, a - c) / 2;
    const long double cosine = std::cos(angle), sine = std::sin(angle);
    long double first = a * cosine * cosine + 2 * b * cosine * sine + c * sine * sine;
    long double second = a * sine * sine - 2 * b * cosine * sine + c * cosine * cosine;
    first = 1 / (absolute ? std::fabs(first) : first);
    second = 1 / (absolute ? std::fabs(second) : second);
    x(i, i) = first * cosine * cosine + second * sine * sine;
    x(i + 1, i + 1) = first * sine * sine + second * cosine * cosine;
    x(i, i + 1) = x(i + 1, i) = (first - second) * cosine * sine;
    ++i;
  }
  return x;
}

/// S Pᵀ (UᵀDU)⁻¹ P S in the caller's order, with D or |D|.
Dense dense_inverse(Factored<double> &x, bool absolute)
{
  const BlockStructure &s = x.analysis.structure;
  const DenseFactor dense = dense_factor(s, x.factor);
  const Dense u = inverse(dense.u);
  const Dense product = multiply(multiply(u, inverse_pivots(x.factor, s.rows, absolute)), transpose(u));
  Dense z(s.rows);
  for (Index i = 0; i < s.rows; ++i)
    for (Index j = 0; j < s.rows; ++j)
      z(s.perm[i], s.perm[j]) = product(i, j) * x.analysis.scale[s.perm[i]] * x.analysis.scale[s.perm[j]];
  return z;
}

TEST(Solve, AppliesTheFactorAsItIs)
{
  for (const auto &[name, matrix, singular] : factor_cases())
    for (const double tolerance : {0.0, 0.1})
      for (const Pivoting pivoting : pivotings) {
        SCOPED_TRACE(name + ", pivoting " + std::to_string(int(pivoting)));
        FactorOptions options;
        options.drop_tolerance = tolerance;
        options.pivoting = pivoting;
        Factored<double> x(matrix, with_blocks(6), options);
        Solver solver(matrix, with_blocks(6), options);
        const std::vector<double> r = random_vector(matrix.pattern.rows, 8);
        const Dense plain = dense_inverse(x, false), definite = dense_inverse(x, true);
        EXPECT_LE(error_of(plain, r, solver.apply(r)), 1e-8);
        EXPECT_LE(error_of(definite, r, solver.apply(r, true)), 1e-8);
        EXPECT_LE(error_of(plain, r, solver.apply(r)), 1e-8); // and back
      }
}

TEST(Solve, DefiniteIsPositiveDefinite)
{
  for (const auto &[name, matrix, singular] : factor_cases()) {
    if (name == "zero" || name == "no entries" || matrix.pattern.rows == 0)
      continue; // their pivots are 0
    SCOPED_TRACE(name);
    for (const Pivoting pivoting : pivotings) {
      FactorOptions options;
      options.pivoting = pivoting;
      Solver solver(matrix, with_blocks(5), options);
      for (unsigned seed = 1; seed <= 10; ++seed) {
        const std::vector<double> r = random_vector(matrix.pattern.rows, seed);
        const std::vector<double> z = solver.apply(r, true);
        double product = 0;
        for (std::size_t i = 0; i < r.size(); ++i)
          product += r[i] * z[i];
        EXPECT_GT(product, 0);
      }
    }
  }
}

TEST(Solve, ZeroPivotsGiveZeros)
{
  Solver solver(assemble(4, 4, {{0, 0, 0}, {1, 2, 0}, {2, 1, 0}}), with_blocks(8), {});
  EXPECT_EQ(solver.apply({1, 2, 3, 4}), std::vector<double>(4, 0.0));
}

TEST(Solve, AfterARefactorization)
{
  const Pattern graph = grid_graph(9, 9, 1);
  const Matrix first = symmetric_on(graph, 5, 1), second = symmetric_on(graph, -5, 2);
  const std::vector<double> r = random_vector(81, 4);
  Solver solver(first, with_blocks(6), {}), other(second, with_blocks(6), {});
  const std::vector<double> of_first = solver.apply(r, true);
  const Stored stored = store_reversed(second);
  solver.apply(r); // D⁻¹ of the first is known now, and must not stay
  solver.factorization->factor(stored.value.data(), Place::Host, {});
  EXPECT_LE(error_of(inverse(dense_of(second)), r, solver.apply(r)), 1e-12);
  solver.factorization->factor(solver.stored.value.data(), Place::Host, {});
  EXPECT_EQ(solver.apply(r, true), of_first);
  EXPECT_LE(error_of(inverse(dense_of(second)), r, other.apply(r)), 1e-12);
  EXPECT_GT(solver.factorization->bytes(), 8 * solver.report.entries);
}

TEST(Solve, SameBitsForEveryNumberOfThreads)
{
  const std::vector<Matrix> cases = {symmetric_on(random_graph(1600, 5600, 2), 0.5, 1),
                                     laplacian(grid_graph(150, 140, 1), -0.3)};
  for (const Matrix &matrix : cases) {
    const std::vector<double> r = random_vector(matrix.pattern.rows, 4);
    for (const Precision precision : {Precision::Double, Precision::Single}) {
      Solver solver(matrix, with_blocks(32), {}, precision);
      const std::vector<double> z = solver.apply(r);
      for (const int t : {1, 2, 3, 4}) {
        const Threads scope(t);
        const std::vector<double> again = solver.apply(r);
        EXPECT_EQ(std::memcmp(z.data(), again.data(), z.size() * sizeof(double)), 0) << t << " threads";
      }
    }
  }
}

} // namespace
