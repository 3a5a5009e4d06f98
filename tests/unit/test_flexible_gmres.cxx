// FGMRES with a factor: its least-squares problem, and its vectors on the host.
#include "factor/front/flexible_gmres.hpp"
#include "host/front/solve/krylov_vectors.hpp"
#include "support/lu_cases.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Random entries of an upper Hessenberg matrix of m columns, whose last ones are real.
template <class T>
std::vector<std::vector<T>> random_hessenberg(Index m)
{
  std::vector<std::vector<T>> h;
  for (Index j = 0; j < m; ++j) {
    h.push_back(random_numbers<T>(j + 2, 7 + j));
    h[j][j + 1] = magnitude(h[j][j + 1]);
  }
  return h;
}

/// β e₁ - H y.
template <class T>
std::vector<T> residual_of(double beta, const std::vector<std::vector<T>> &h, const std::vector<T> &y)
{
  std::vector<T> r(h.size() + 1);
  r[0] = beta;
  for (std::size_t j = 0; j < h.size(); ++j)
    for (std::size_t i = 0; i < h[j].size(); ++i)
      r[i] -= h[j][i] * y[j];
  return r;
}

/// The residual is orthogonal to the columns, and as long as the problem says.
template <class T>
void expect_least_squares()
{
  constexpr double beta = 3;
  const auto h = random_hessenberg<T>(9);
  HessenbergProblem<T> problem(beta);
  double before = beta;
  for (const std::vector<T> &column : h) {
    problem.add(column);
    EXPECT_LE(problem.residual(), before * (1 + 1e-15));
    before = problem.residual();
  }
  const std::vector<T> r = residual_of(beta, h, problem.solution());
  EXPECT_NEAR(std::sqrt(std::abs(inner_product(Index(r.size()), r.data(), r.data()))), problem.residual(), 1e-14);
  for (const std::vector<T> &column : h)
    EXPECT_LE(std::abs(inner_product(Index(column.size()), column.data(), r.data())), 1e-14);
}

TEST(FlexibleGmres, SolvesTheLeastSquaresProblem)
{
  expect_least_squares<double>();
  expect_least_squares<Complex>();
}

TEST(FlexibleGmres, ColumnsThatBeginWithZero)
{
  HessenbergProblem<double> problem(1);
  problem.add({0, 2});
  EXPECT_EQ(problem.residual(), 1);
  problem.add({4, 0, 0});
  EXPECT_EQ(problem.residual(), 0);
  EXPECT_EQ(problem.solution(), (std::vector<double>{0, 0.25}));
}

/// The correction of a solution with A = M + 1 of rank `rank`, of a diagonal M by which it is preconditioned.
struct Corrected {
  Index steps;
  std::vector<double> x;
};
Corrected correct(Index n, Index rank, double wanted, Index most)
{
  const auto solve = [&](const double *from, double *to) {
    for (Index i = 0; i < n; ++i)
      to[i] = from[i] / double(1 + i % 5);
  };
  const auto multiply = [&](const double *from, double *to) {
    for (Index i = 0; i < n; ++i)
      to[i] = from[i] * double(1 + i % 5) + (i < rank ? 100.0 * double((i + 1) * (i + 1)) * from[i] : 0);
  };
  const std::vector<double> b = random_numbers<double>(n, 11);
  const double norm = std::sqrt(inner_product(n, b.data(), b.data()));
  std::vector<double> x(n);
  KrylovVectors<double> vectors(b, norm, solve, multiply, x);
  const Index steps = flexible_gmres<double>(vectors, norm, wanted * norm, most);
  std::vector<double> product(n);
  multiply(x.data(), product.data());
  for (Index i = 0; i < n; ++i)
    EXPECT_NEAR(product[i], b[i], steps == rank + 1 ? 1e-12 : 1.0) << i;
  return {steps, x};
}

TEST(FlexibleGmres, TakesAStepForEachRowThatThePreconditionerHasWrong)
{
  for (Index rank : {0, 1, 3})
    EXPECT_EQ(correct(50, rank, 1e-13, 10).steps, rank + 1);
  EXPECT_EQ(correct(50, 3, 1e-13, 2).steps, 2) << "at most";
}

/// Forty rows at which each step is of little use: four steps, and no more.
TEST(FlexibleGmres, EndsWhereItIsSlow)
{
  EXPECT_EQ(correct(50, 40, 1e-13, 30).steps, 4);
}

/// A matrix that changes a vector by next to nothing.
TEST(FlexibleGmres, VectorsAreOrthonormal)
{
  constexpr Index n = 40, steps = 4;
  std::vector<std::vector<double>> v;
  const auto solve = [&](const double *from, double *to) {
    v.emplace_back(from, from + n);
    std::copy(from, from + n, to);
  };
  const auto multiply = [&](const double *from, double *to) {
    for (Index i = 0; i < n; ++i)
      to[i] = from[i] + 1e-9 * from[(i + 1) % n];
  };
  const std::vector<double> b = random_numbers<double>(n, 5);
  std::vector<double> x(n);
  KrylovVectors<double> vectors(b, std::sqrt(inner_product(n, b.data(), b.data())), solve, multiply, x);
  for (Index j = 0; j < steps; ++j)
    EXPECT_EQ(next_products<double>(vectors, j).size(), std::size_t(j + 2));
  for (Index i = 0; i < steps; ++i)
    for (Index j = 0; j <= i; ++j)
      EXPECT_NEAR(inner_product(n, v[i].data(), v[j].data()), i == j, 1e-14) << i << ' ' << j;
}

TEST(FlexibleGmres, HasTheSameBitsForAnyNumberOfThreads)
{
  constexpr Index n = 70000; // more than one thread takes
  const auto by_threads = [&](int threads) {
    const Threads with(threads);
    return correct(n, 3, 1e-13, 10).x;
  };
  EXPECT_EQ(by_threads(1), by_threads(3));
}

} // namespace
