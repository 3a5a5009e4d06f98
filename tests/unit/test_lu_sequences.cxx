// The direct LU on the backend that the program is linked for, of matrices whose values change by orders of magnitude:
// what is done about that without the host.
#include "support/dense.hpp"
#include "support/lu_cases.hpp"
#include "support/lu_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

using namespace tessera;
using namespace tessera::test;

namespace {

/// A' = R A with powers of two R: fronts of a warp, of a thread block, and of tiles whose rows of other fronts grow.
/// Pivots that were good are too small beside them, until their scale factors are those of the new values.
TEST(LuSequence, RowsThatGrow)
{
  for (auto [k, m] : {std::pair<Index, Index>{20, 10}, {40, 60}, {100, 90}}) {
    SCOPED_TRACE(k);
    LuSolver lu(two_fronts(k, m, 1, 0, 0), plan_options(Preprocessing::Matching, Ordering::Natural, 1));
    ASSERT_EQ(lu.plan.plan.fronts.tree.fronts(), 2);
    const MatrixOf<double> before = lu.matrix;
    for (Index i = 2 * k; i < lu.rows(); ++i)
      for (Offset p = before.pattern.start[i]; p < before.pattern.start[i + 1]; ++p)
        lu.matrix.value[p] = std::ldexp(before.value[p], 30);
    lu.stored.value = store_reversed(lu.matrix).value;
    for (bool first : {true, false}) {
      lu.factor();
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.searches, 0);
      EXPECT_EQ(lu.report.rescales, first && direct_on_device ? 1 : 0) << "they are kept";
      EXPECT_LE(determinant_error(lu.factorization->determinant(), lu.matrix), 1e-9);
      const std::vector<double> b = product(before, random_numbers<double>(lu.rows(), 5));
      std::vector<double> larger_b = b;
      std::for_each(larger_b.begin() + 2 * k, larger_b.end(), [](double &x) { x = std::ldexp(x, 30); });
      EXPECT_LE(backward_error(before, lu.solve(larger_b), b), 1e-13) << "each row by its own scale";
      EXPECT_LE(lu.error(10), 1e-14);
    }
  }
}

/// Nodal equations of a grid of resistors and of rectifiers beside it: a source between two nodes, and four diodes.
/// Conductances of diodes come from `seed`, between 1e-9 and 1e9.
Matrix rectifiers(Index side, Index seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  const auto conduct = [&](Index i, Index j, double g) {
    for (const auto &[row, column, sign] : {std::tuple{i, i, 1}, {j, j, 1}, {i, j, -1}, {j, i, -1}})
      if (row >= 0 && column >= 0)
        t.push_back({row, column, sign * g});
  };
  const Index nodes = side * side, rectifiers = nodes / 3, unknowns = nodes + 3 * rectifiers;
  for (Index k = 0; k < nodes; ++k) {
    conduct(-1, k, 1e-4);
    if (k % side > 0)
      conduct(k - 1, k, 1);
    if (k >= side)
      conduct(k - side, k, 1);
  }
  for (Index r = 0; r < rectifiers; ++r) {
    const Index a = nodes + 3 * r, b = a + 1, source = a + 2;
    for (Index end : {a, b}) {
      t.push_back({end, source, end == a ? 1.0 : -1.0});
      t.push_back({source, end, end == a ? 1.0 : -1.0});
      conduct(-1, end, 1e-6);
      for (Index to : {Index(-1), 3 * r})
        conduct(end, to, std::pow(10, random.between(-9, 9)));
    }
    t.push_back({source, source, 0});
  }
  return assemble(unknowns, unknowns, t);
}

/// Steps of Newton's method, for which the host has no values to look at after the first one. The same bits again.
TEST(LuSequence, SequenceOfACircuit)
{
  const DirectOptions options{1e-6}; // PCLU's
  PlanOptions plan;
  prefer_device(plan);
  std::vector<double> before;
  for (int run = 0; run < 2; ++run) {
    LuSolver lu(rectifiers(12, 1), plan, options);
    Index rescales = 0;
    for (Index step = 2; step <= 9; ++step) {
      lu.matrix = with_arguments<double>(rectifiers(12, step));
      lu.stored.value = store_reversed(lu.matrix).value;
      lu.factor(options);
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.searches, 0) << step;
      rescales += lu.report.rescales;
      EXPECT_LE(lu.error(10), 1e-14);
    }
    EXPECT_EQ(rescales > 0, direct_on_device);
    const std::vector<double> x = lu.solve(random_numbers<double>(lu.rows(), 3));
    EXPECT_TRUE(run == 0 || std::memcmp(x.data(), before.data(), x.size() * sizeof x[0]) == 0);
    before = x;
  }
}

} // namespace
