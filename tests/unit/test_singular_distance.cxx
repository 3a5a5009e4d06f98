// How far a matrix is from a singular one, by solutions. Linked twice, for the host and for a device.
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/lu_cases.hpp"
#include "support/lu_solver.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

constexpr RefinementOptions refined{1e-14, 10}, no_refinement{1e-14, 0};

SolveReport solve(LuSolver &lu, bool transposed, const std::vector<double> &b, std::vector<double> &x,
                  const RefinementOptions &options = refined)
{
  const Index n = lu.rows(), columns = Index(b.size()) / n;
  x.assign(b.size(), NAN);
  return transposed ? lu.factorization->solve_transposed(columns, b.data(), n, x.data(), n, options)
                    : lu.factorization->solve(columns, b.data(), n, x.data(), n, options);
}

/// An arrow, whose long row and column are near a combination of the others, so that solutions are large.
Matrix near_singular_arrow(Index n, double added)
{
  std::vector<Triplet> t;
  for (Index i = 0; i + 1 < n; ++i)
    t.insert(t.end(), {{i, i, 1}, {i, n - 1, 1}, {n - 1, i, 1}});
  t.push_back({n - 1, n - 1, double(n - 1) + added});
  return assemble(n, n, t);
}

TEST(SingularDistance, IsThatOfTheSolution)
{
  for (const Matrix &a : {near_singular_arrow(900, 1e-7), near_singular_arrow(40, 1e-3),
                          unsymmetric_on(grid_graph(15, 14, 1), true, 0, 3)}) {
    LuSolver lu(a);
    for (bool transposed : {false, true}) {
      const MatrixOf<double> of = transposed ? test::transposed(lu.matrix) : lu.matrix;
      std::vector<double> x;
      const SolveReport report = solve(lu, transposed, random_numbers<double>(lu.rows(), 3), x, {1, 1});
      EXPECT_EQ(report.steps, 0);
      const double expected = singular_within(of, x);
      EXPECT_NEAR(report.singular.least, expected, 1e-5 * expected);
      EXPECT_FALSE(report.singular.is_rounding);
    }
  }
  const Matrix a = near_singular_arrow(900, 1e-7);
  Direct direct(a);
  const std::vector<double> b = random_numbers<double>(900, 3);
  std::vector<double> x(900);
  const SolveReport report = direct.factorization->solve(1, b.data(), 900, x.data(), 900, refined);
  EXPECT_LE(report.singular.least, 1e-6);
  EXPECT_GE(report.singular.least, 1e-12);
}

/// Of several right-hand sides, the one that tells most.
TEST(SingularDistance, IsTheLeastOfAll)
{
  LuSolver lu(near_singular_arrow(60, 1e-8));
  const Index n = lu.rows();
  const std::vector<double> any = random_numbers<double>(n, 5), regular = product(lu.matrix, any);
  std::vector<double> b = regular, x;
  const double of_regular = solve(lu, false, regular, x).singular.least,
               of_any = solve(lu, false, any, x).singular.least;
  EXPECT_GE(of_regular, 0.01);
  EXPECT_LE(of_any, 1e-6);
  b.insert(b.end(), any.begin(), any.end());
  b.insert(b.end(), regular.begin(), regular.end());
  EXPECT_NEAR(solve(lu, false, b, x).singular.least, of_any, 1e-5 * of_any);
  EXPECT_EQ(solve(lu, false, regular, x).singular.least, of_regular); // it is that of a solve
}

/// Convection and diffusion on cubes without walls, whose rows sum up to 0, and whose left null vectors span so much
/// that pivots do not tell. Either they do, or a solution does.
TEST(SingularDistance, TellsOfZerosThatPivotsHide)
{
  for (Index side : {8, 10, 12, 16, 18, 24}) {
    SCOPED_TRACE(side);
    const Matrix graph = laplacian(grid_graph(side, side, side), 0.0);
    std::vector<Triplet> t;
    for (Index i = 0; i < graph.pattern.rows; ++i)
      for (Offset p = graph.pattern.start[i]; p < graph.pattern.start[i + 1]; ++p)
        if (const Index j = graph.pattern.column[p]; j != i) {
          const double x = j < i ? -1.5 : -0.5;
          t.insert(t.end(), {{i, j, x}, {i, i, -x}});
        }
    LuSolver lu(assemble(graph.pattern.rows, graph.pattern.rows, t), {}, {}, false);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    std::vector<double> x;
    const SolveReport report = solve(lu, false, random_numbers<double>(lu.rows(), 3), x);
    EXPECT_TRUE(lu.report.zero + lu.report.uncertain > 0 || report.singular.is_rounding)
        << report.singular.least << " with a backward error of " << report.backward_error;
  }
}

/// Entries between 1e-60 and 1e60 make no regular matrix look singular.
TEST(SingularDistance, DoesNotDependOnScale)
{
  const Matrix a = unsymmetric_on(grid_graph(12, 11, 1), true, 0, 3);
  Matrix scaled = a;
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      scaled.value[p] = std::ldexp(a.value[p], (i * 37) % 200 - 100 + (a.pattern.column[p] * 53) % 200 - 100);
  std::vector<double> x;
  LuSolver of_a(a), of_scaled(scaled);
  const std::vector<double> b = random_numbers<double>(a.pattern.rows, 3);
  std::vector<double> scaled_b = b;
  for (Index i = 0; i < a.pattern.rows; ++i)
    scaled_b[i] = std::ldexp(b[i], (i * 37) % 200 - 100);
  const double expected = solve(of_a, false, b, x).singular.least;
  EXPECT_GE(expected, 1e-6);
  const SolveReport report = solve(of_scaled, false, scaled_b, x);
  EXPECT_NEAR(report.singular.least, expected, 1e-6 * expected);
  EXPECT_FALSE(report.singular.is_rounding);
}

TEST(SingularDistance, IsUnknownWithoutASolution)
{
  LuSolver lu(unsymmetric_on(grid_graph(5, 4, 1), true, 0, 3));
  std::vector<double> x;
  EXPECT_EQ(solve(lu, false, std::vector<double>(lu.rows(), 0.0), x).singular.least, -1); // a solution of 0
  EXPECT_EQ(solve(lu, false, random_numbers<double>(lu.rows(), 3), x, no_refinement).singular.least, -1);
  LuSolver overflows(assemble(2, 2, {{0, 0, 1e-200}, {1, 1, 1}}));
  EXPECT_GE(solve(overflows, false, {1e200, 1}, x).singular.least, 1);
}

} // namespace
