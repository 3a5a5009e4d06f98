// Direct LU whose pivots are in other rows than the plan has them in: of the same front, where a device searches for
// them, and looks first from then on.
#include "support/backward_error.hpp"
#include "support/dense.hpp"
#include "support/lu_solver.hpp"
#include "support/pivots_elsewhere.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

using namespace tessera;
using namespace tessera::test;

namespace {

std::vector<double> times(std::vector<double> x, const std::vector<double> &scale)
{
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] *= scale[i];
  return x;
}

/// Diagonal blocks whose pivots have to be searched, in fronts of a warp, of a thread block, and of tiles. What is
/// measured is the error of each row by its own scale.
TEST(LuRowOrder, PivotsOffTheDiagonal)
{
  for (auto [k, m] : {std::pair<Index, Index>{20, 10}, {9, 5}, {40, 60}, {45, 40}, {100, 90}, {71, 150}})
    for (Rows rows : {Rows::Shuffled, Rows::Shifted, Rows::Reversed, Rows::Swapped})
      for (int exponent : {0, 33}) {
        SCOPED_TRACE(std::to_string(k) + ", rows " + std::to_string(int(rows)) + ", 2^" + std::to_string(exponent));
        const PivotsElsewhere a(k, m, rows, exponent);
        LuSolver lu(a.scaled(), plan_options(Preprocessing::None, Ordering::Natural, 1));
        ASSERT_EQ(lu.plan.plan.fronts.tree.fronts(), 2);
        ASSERT_EQ(lu.report.status, DirectReport::Complete);
        EXPECT_EQ(lu.report.searches, 0);
        EXPECT_EQ(lu.report.uncertain, 0);
        const bool is_kept = direct_on_device && k + m > 32; // a warp searches as fast as it takes rows that are known
        EXPECT_EQ(lu.report.reorders, int(is_kept));
        EXPECT_EQ(lu.report.searched_panels > 0, direct_on_device && !is_kept);
        EXPECT_LE(determinant_error(lu.factorization->determinant(), lu.matrix), 1e-9);
        const MatrixOf<double> unscaled = with_arguments<double>(a.matrix);
        const std::vector<double> wanted = random_numbers<double>(lu.rows(), 5), b = product(unscaled, wanted),
                                  bt = product(transposed(unscaled), wanted);
        EXPECT_LE(backward_error(unscaled, times(lu.solve(times(b, a.row_scale)), a.column_scale), b), 1e-14);
        const std::vector<double> y = times(lu.solve(times(bt, a.column_scale), true), a.row_scale);
        EXPECT_LE(backward_error(transposed(unscaled), y, bt), 1e-14);
      }
}

/// Two matrices, one beside the other.
Matrix direct_sum(const Matrix &a, const Matrix &b)
{
  std::vector<Triplet> t;
  Index first = 0;
  for (const Matrix *m : {&a, &b}) {
    for (Index i = 0; i < m->pattern.rows; ++i)
      for (Offset p = m->pattern.start[i]; p < m->pattern.start[i + 1]; ++p)
        t.push_back({first + i, first + m->pattern.column[p], m->value[p]});
    first += m->pattern.rows;
  }
  return assemble(first, first, t);
}

/// Beside a front of a thread block those of warps keep their rows as well.
TEST(LuRowOrder, PivotsOffTheDiagonalOfEveryFront)
{
  for (auto [k, m] : {std::pair<Index, Index>{20, 10}, {9, 5}, {31, 1}})
    for (Rows rows : {Rows::Shuffled, Rows::Shifted, Rows::Reversed, Rows::Swapped}) {
      SCOPED_TRACE(std::to_string(k) + ", rows " + std::to_string(int(rows)));
      LuSolver lu(direct_sum(PivotsElsewhere(k, m, rows, 0).matrix, PivotsElsewhere(40, 60, Rows::Shifted, 0).matrix),
                  plan_options(Preprocessing::None, Ordering::Natural, 1));
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.reorders, int(direct_on_device));
      EXPECT_EQ(lu.report.searched_panels, 0);
      EXPECT_LE(determinant_error(lu.factorization->determinant(), lu.matrix), 1e-9);
      EXPECT_LE(lu.error(0), 1e-14);
    }
}

/// The rows of pivots that a device keeps are no longer those of the next values: they are searched again.
TEST(LuRowOrder, PivotsInOtherRowsThanBefore)
{
  for (auto [k, m] : {std::pair<Index, Index>{20, 10}, {40, 60}, {100, 90}}) {
    SCOPED_TRACE(k);
    const auto with_rows = [k = k, m = m](Rows rows) {
      return direct_sum(PivotsElsewhere(k, m, rows, 0).matrix, PivotsElsewhere(40, 30, rows, 0).matrix);
    };
    LuSolver lu(with_rows(Rows::Shifted), plan_options(Preprocessing::None, Ordering::Natural, 1));
    for (Rows rows : {Rows::Shuffled, Rows::Reversed, Rows::Swapped, Rows::Shifted}) {
      lu.matrix = with_arguments<double>(with_rows(rows));
      lu.stored.value = store_reversed(lu.matrix).value;
      lu.factor();
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.reorders + lu.report.searches, 0);
      EXPECT_EQ(lu.report.searched_panels > 0, direct_on_device && rows != Rows::Shifted);
      EXPECT_LE(lu.error(0), 1e-13);
      EXPECT_LE(determinant_error(lu.factorization->determinant(), lu.matrix), 1e-9);
    }
  }
}

/// A dense matrix that is `diagonal` on the diagonal, 1 beside it in pairs of rows, `below` in the first column far
/// below, and small elsewhere.
Matrix pairs_of_rows(Index n, double diagonal, double below)
{
  Random random(81);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const double x = 1e-3 * random.between(-1, 1);
      t.push_back({i, j, i == j ? diagonal : j == (i ^ 1) ? 1 : j == 0 && i == n - 1 ? below : x});
    }
  return assemble(n, n, t);
}

/// They are good in their panels, but not in the rows of the next ones, where those on the diagonal are.
TEST(LuRowOrder, RowsOfPivotsAreForgottenWhereTheyFail)
{
  const Matrix beside = pairs_of_rows(200, 1e-6, 0.5), on_diagonal = pairs_of_rows(200, 20, 150);
  LuSolver lu(beside, plan_options(Preprocessing::None, Ordering::Natural, 1));
  for (bool back : {false, true, false}) {
    SCOPED_TRACE(back);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_EQ(lu.report.reorders, int(direct_on_device && !back));
    lu.matrix = with_arguments<double>(back ? beside : on_diagonal);
    lu.stored.value = store_reversed(lu.matrix).value;
    lu.factor();
    EXPECT_EQ(lu.report.searches, 0);
    EXPECT_EQ(lu.report.forgotten_orders, int(direct_on_device && !back));
    EXPECT_EQ(lu.report.searched_panels, 0);
    EXPECT_LE(lu.error(0), 1e-13);
  }
}

} // namespace
