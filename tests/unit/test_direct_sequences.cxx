// The direct LDLᵀ on the backend that the program is linked for, of matrices whose values are not those that were
// analysed.
#include "factor/front/predicted_time.hpp"
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/lu_cases.hpp"
#include "support/random_matrix.hpp"
#include "support/weak_diagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

DirectOptions may_be_analysed_anew()
{
  DirectOptions options;
  options.other_values = true;
  return options;
}

/// R A R with these powers of two.
Matrix scaled_by(Matrix a, const std::vector<int> &power)
{
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      a.value[p] = std::ldexp(a.value[p], power[i] + power[a.pattern.column[p]]);
  return a;
}

std::vector<double> scaled_by(std::vector<double> x, const std::vector<int> &power)
{
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::ldexp(x[i], power[i]);
  return x;
}

/// Powers that are the same for neighbours, so that rows of a front grow and others do not.
std::vector<int> powers(Index rows)
{
  std::vector<int> power(rows);
  for (Index i = 0; i < rows; ++i)
    power[i] = i / 7 % 3 == 0 ? -25 : 15;
  return power;
}

/// R A R: pivots that were good are too small beside rows that have grown, until scale factors are those of the new
/// values. Each row is solved by its own scale, and no other pivots are needed.
void expect_new_scale(Direct &direct, const Matrix &before, const DirectOptions &options)
{
  const std::vector<int> power = powers(before.pattern.rows);
  const Matrix after = scaled_by(before, power);
  const Offset negative = direct.report.negative;
  direct.stored.value = store_reversed(after).value;
  direct.factorization->take_copies();
  for (bool first : {true, false}) {
    direct.report = direct.factorization->factor(direct.stored.value.data(), options);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.report.rescales, first && direct_on_device ? 1 : 0) << "they are kept";
    EXPECT_EQ(direct.report.searches + direct.report.delay_rounds, 0);
    const Offset values = first && direct_on_device ? direct.stored.value.size() * sizeof(double) : 0;
    EXPECT_EQ(direct.factorization->take_copies().to_host, values);
    EXPECT_EQ(direct.report.negative, negative);
    EXPECT_LE(determinant_error(direct.factorization->determinant(), with_arguments<double>(after)), 1e-9);
    const std::vector<double> b = product(before, random_vector(before.pattern.rows, 5)), rb = scaled_by(b, power);
    EXPECT_LE(backward_error(before, scaled_by(direct.solve(rb), power), b), 1e-12);
    std::vector<double> y(b.size()), x(b.size());
    direct.factorization->halves()->forward(rb.data(), y.data());
    direct.factorization->halves()->backward(y.data(), x.data());
    EXPECT_LE(backward_error(before, scaled_by(x, power), b), 1e-12);
  }
}

TEST(DirectSequence, RowsThatGrow)
{
  const Matrix a = laplacian(grid_graph(7, 7, 6), -0.37);
  for (Preprocessing preprocessing : {Preprocessing::Matching, Preprocessing::Equilibrate})
    for (bool anew : {false, true}) {
      SCOPED_TRACE(anew);
      const DirectOptions options = anew ? may_be_analysed_anew() : DirectOptions();
      Direct direct(a, plan_options(preprocessing, Ordering::ND, 8), options);
      ASSERT_EQ(direct.report.status, DirectReport::Complete);
      EXPECT_EQ(direct.report.rescales, 0);
      expect_new_scale(direct, a, options);
      // Static pivoting has the scale factors of the analysis.
      DirectOptions fixed;
      fixed.threshold = 0;
      direct.stored.value = store_reversed(a).value;
      ASSERT_EQ(direct.factorization->factor(direct.stored.value.data(), fixed).status, DirectReport::Complete);
      const std::vector<double> b = random_vector(a.pattern.rows, 6);
      EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-12);
      expect_new_scale(direct, a, options);
    }
}

/// Pivots that a plan with delayed columns has found go on with the scale factors of other values, and these go over to
/// the next plan.
TEST(DirectSequence, DelayedColumnsOfRowsThatGrow)
{
  const Matrix a = laplacian(grid_graph(7, 7, 6), -0.37), weak = with_weak_diagonal(a, 0.2);
  DirectOptions options;
  options.least_delay_flops = 0;
  Direct direct(a, plan_options(Preprocessing::Equilibrate, Ordering::ND, 8), options);
  const std::vector<int> power = powers(a.pattern.rows);
  for (const auto &[before, fails] : {std::pair{a, false}, {weak, true}, {a, false}}) {
    direct.stored.value = store_reversed(scaled_by(before, power)).value;
    direct.report = direct.factorization->factor(direct.stored.value.data(), options);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.report.delay_rounds > 0, fails && direct_on_device);
    const std::vector<double> b = product(before, random_vector(a.pattern.rows, 7));
    EXPECT_LE(backward_error(before, scaled_by(direct.solve(scaled_by(b, power)), power), b), 1e-12);
    EXPECT_LE(determinant_error(direct.factorization->determinant(), with_arguments<double>(scaled_by(before, power))),
              1e-9);
  }
}

/// [D B; Bᵀ -D] with d on the diagonal and a sparse B.
Matrix with_diagonal(Index half, double d)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < half; ++i) {
    t.push_back({i, i, d});
    t.push_back({half + i, half + i, -d});
    for (Index k : {0, 1, 30, 61}) {
      const Index j = half + (i + k) % half;
      const double x = 0.5 + (7 * i + 5 * k) % 11 / 8.0;
      t.push_back({i, j, x});
      t.push_back({j, i, x});
    }
  }
  return assemble(2 * half, 2 * half, t);
}

/// Where no row has a pivot of its own any more the plan is of no use. A search of all pivots, which is tried where it
/// should take less than an analysis, as of the larger matrix, is given up.
TEST(DirectSequence, EndsForANewAnalysis)
{
  for (Index half : {300, 1500}) {
    Direct direct(with_diagonal(half, 3), plan_options(Preprocessing::Matching, Ordering::Natural, 8));
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    const FrontPlan &plan = direct.plan.plan;
    EXPECT_EQ(predicted_pivoting_time(plan) < predicted_analysis_time(plan), half == 1500);
    direct.stored.value = store_reversed(with_diagonal(half, 0)).value;
    const DirectReport r = direct.factorization->factor(direct.stored.value.data(), may_be_analysed_anew());
    EXPECT_EQ(r.status, direct_on_device ? DirectReport::Cascade : DirectReport::Complete);
  }
}

/// A caller who cannot analyse another matrix gets whatever it takes, also after that.
TEST(DirectSequence, GoesOnWithoutANewAnalysis)
{
  const Index half = 300;
  Direct direct(with_diagonal(half, 3), plan_options(Preprocessing::Matching, Ordering::Natural, 8));
  const std::vector<double> zero = store_reversed(with_diagonal(half, 0)).value;
  direct.factorization->factor(zero.data(), may_be_analysed_anew());
  for (const std::vector<double> &values : {direct.stored.value, zero}) {
    const DirectReport r = direct.factorization->factor(values.data(), {});
    ASSERT_EQ(r.status, DirectReport::Complete);
    EXPECT_EQ(r.negative, half);
  }
}

/// A few pivots that fail are searched, and the plan has them.
TEST(DirectSequence, FewPivotsAreSearched)
{
  const Matrix a = laplacian(grid_graph(12, 12, 12), -0.37), weak = with_weak_diagonal(a, 0.05);
  Direct direct(a, plan_options(Preprocessing::Equilibrate, Ordering::ND, 8));
  direct.stored.value = store_reversed(weak).value;
  for (bool first : {true, false}) {
    direct.report = direct.factorization->factor(direct.stored.value.data(), may_be_analysed_anew());
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.report.searches, first && direct_on_device ? 1 : 0);
    EXPECT_EQ(direct.report.rescales, 0) << "no row has grown";
    const std::vector<double> b = product(weak, random_vector(a.pattern.rows, 8));
    EXPECT_LE(backward_error(weak, direct.solve(b), b), 1e-13);
  }
}

/// The diagonal entries of every fifth row a thousandth.
Matrix with_small_diagonal(Matrix a)
{
  for (Index i = 0; i < a.pattern.rows; i += 5)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] == i)
        a.value[p] *= 1e-3;
  return a;
}

/// Pivots that the host searches by a larger threshold than that of the test pass by it, too.
TEST(DirectSequence, SearchedPivotsPassForLonger)
{
  if (!direct_on_device)
    GTEST_SKIP() << "the host finds its pivots in each factorization";
  const Matrix a = laplacian(grid_graph(9, 9, 5), -0.37), weak = with_small_diagonal(with_weak_diagonal(a, 0.1));
  for (bool strictly : {false, true}) {
    SCOPED_TRACE(strictly);
    Direct direct(a, plan_options(Preprocessing::Equilibrate, Ordering::ND, 8));
    direct.stored.value = store_reversed(weak).value;
    DirectOptions options;
    options.threshold = 1e-4;
    options.search_threshold = strictly ? 0.01 : 0;
    direct.report = direct.factorization->factor(direct.stored.value.data(), options);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_GT(direct.report.searches, 0);
    direct.report = direct.factorization->factor(direct.stored.value.data(), {});
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.report.searches == 0, strictly);
  }
}

} // namespace
