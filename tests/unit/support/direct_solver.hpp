#ifndef TESSERA_TESTS_SUPPORT_DIRECT_SOLVER_HPP
#define TESSERA_TESTS_SUPPORT_DIRECT_SOLVER_HPP

#include "factor/front/make_plan.hpp"
#include "support/backward_error.hpp"
#include "support/direct_backend.hpp"
#include "support/factor_cases.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera::test {

inline PlanOptions plan_options(Preprocessing preprocessing, Ordering ordering, Index nemin)
{
  PlanOptions options;
  options.preprocessing = preprocessing;
  options.ordering = ordering;
  options.relaxation = {nemin, 0.1};
  return options;
}

/// Plans of every kind.
inline const std::vector<PlanOptions> &all_plans()
{
  static const std::vector<PlanOptions> plans = {
      {},
      plan_options(Preprocessing::None, Ordering::Natural, 1),
      plan_options(Preprocessing::None, Ordering::ND, 32),
      plan_options(Preprocessing::Equilibrate, Ordering::AMD, 4),
      plan_options(Preprocessing::Matching, Ordering::METIS, 1),
  };
  return plans;
}

/// A matrix whose values the caller stores in reverse, its plan, and a factor on the backend of the program.
struct Direct {
  Stored stored;
  PlanResult plan;
  std::unique_ptr<DirectFactorization> factorization;
  DirectReport report;

  explicit Direct(const Matrix &a, const PlanOptions &options = {}, const DirectOptions &direct = {},
                  FactorKind kind = FactorKind::LDLT)
      : stored(store_reversed(a)), plan(make_plan(a, stored.source, options))
  {
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    factorization = make_direct(plan.plan, kind);
    report = factorization->factor(stored.value.data(), direct);
  }

  std::vector<double> solve(const std::vector<double> &b, Index columns = 1, Index steps = 0)
  {
    const Index n = static_cast<Index>(b.size()) / columns;
    std::vector<double> x(b.size(), NAN);
    factorization->solve(columns, b.data(), n, x.data(), n, {1e-14, steps});
    return x;
  }
};

} // namespace tessera::test
#endif
