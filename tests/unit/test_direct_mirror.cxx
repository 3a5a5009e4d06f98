// The direct solver: values that are compared with their mirror images. Linked twice, for the host and for a device.
#include "analysis/input/row_input.hpp"
#include "support/direct_solver.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tessera;
using namespace tessera::test;

namespace {

/// A factorization that looks at mirror images.
struct Compared {
  RowInput input;
  PlanResult plan;
  std::unique_ptr<DirectFactorization> factorization;

  explicit Compared(const Matrix &a, const PlanOptions &options = {})
      : input(read_rows(a.pattern.rows, a.pattern.start.data(), a.pattern.column.data(), a.value.data())),
        plan(make_plan(input.matrix, input.source, options))
  {
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    EXPECT_FALSE(input.mirror.empty());
    plan.plan.mirror = input.mirror;
    factorization = make_direct(plan.plan, FactorKind::LDLT);
  }

  DirectReport factor(const std::vector<double> &values) { return factorization->factor(values.data(), {}); }
};

/// Checks that each of some entries is found when it changes by a bit, and nothing is when none does.
void expect_found(const Matrix &a, Compared &compared)
{
  const Pattern &pattern = a.pattern;
  ASSERT_EQ(compared.factor(a.value).status, DirectReport::Complete);
  const Index step = std::max(pattern.rows / 7, 1);
  for (Index i = 0; i < pattern.rows; i += step)
    for (Offset p = pattern.start[i]; p < pattern.start[i + 1];
         p += std::max<Offset>(1, (pattern.start[i + 1] - p) / 3)) {
      if (pattern.column[p] == i)
        continue;
      std::vector<double> values = a.value;
      values[p] = std::nextafter(values[p], 10);
      const DirectReport report = compared.factor(values);
      EXPECT_EQ(report.status, DirectReport::NotSymmetric) << i;
      EXPECT_EQ(report.failed_row, std::min(i, pattern.column[p]));
    }
  EXPECT_EQ(compared.factor(a.value).status, DirectReport::Complete);
}

TEST(DirectMirror, FindsEveryEntryThatDiffers)
{
  for (const NamedMatrix &c : factor_cases()) {
    SCOPED_TRACE(c.name);
    if (c.matrix.pattern.entries() == 0)
      continue;
    Compared compared(c.matrix);
    expect_found(c.matrix, compared);
  }
}

/// A row that meets 3000 others is looked at by a thread block of its own.
TEST(DirectMirror, OfALongRow)
{
  std::vector<Triplet> t = {{3000, 3000, 1.0}};
  for (Index i = 0; i < 3000; ++i) {
    t.push_back({i, i, 2.0 + i % 3});
    t.push_back({i, 3000, 0.25});
    t.push_back({3000, i, 0.25});
  }
  const Matrix a = assemble(3001, 3001, t);
  Compared compared(a);
  expect_found(a, compared);
}

/// The plan with the pivots that were found says where mirror images are, too.
TEST(DirectMirror, AfterPivotsWereSearched)
{
  const Matrix a = without_diagonal(60, 7);
  Compared compared(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
  expect_found(a, compared);
}

/// So does the plan with kept pivots.
TEST(DirectMirror, WithKeptPivots)
{
  Random random(3);
  const Matrix a = random_kkt(random, 300, 150, 4);
  Compared compared(a, plan_options(Preprocessing::None, Ordering::AMD, 8));
  const std::unique_ptr<DirectFactorization> keeping = make_keeping_direct(compared.plan.plan, FactorKind::LDLT);
  DirectOptions keep;
  keep.keep_pivots = true;
  for (Index k = 0; k < 2; ++k) {
    const DirectReport report = keeping->factor(a.value.data(), keep);
    EXPECT_EQ(report.status, DirectReport::Complete);
    EXPECT_EQ(report.replans, k);
  }
  std::vector<double> values = a.value;
  values.back() = 2; // of the last constraint, which has no diagonal entry
  EXPECT_EQ(keeping->factor(values.data(), keep).status, DirectReport::NotSymmetric);
}

TEST(DirectMirror, ChangesNoFactor)
{
  const Matrix a = saddle_point();
  const Index n = a.pattern.rows;
  Compared compared(a);
  ASSERT_EQ(compared.factor(a.value).status, DirectReport::Complete);
  FrontPlan plan = compared.plan.plan;
  plan.mirror.clear();
  const auto alone = make_direct(plan, FactorKind::LDLT);
  ASSERT_EQ(alone->factor(a.value.data(), {}).status, DirectReport::Complete);
  const std::vector<double> b = random_vector(n, 5);
  std::vector<double> x(n), y(n);
  compared.factorization->solve(1, b.data(), n, x.data(), n, {});
  alone->solve(1, b.data(), n, y.data(), n, {});
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
}

/// An entry that is not finite is that first.
TEST(DirectMirror, OfEntriesThatAreNotFinite)
{
  const Matrix a = saddle_point();
  Compared compared(a);
  std::vector<double> values = a.value;
  values.back() = NAN;
  EXPECT_EQ(compared.factor(values).status, DirectReport::NonFinite);
}

} // namespace
