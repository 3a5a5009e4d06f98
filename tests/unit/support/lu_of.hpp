#ifndef TESSERA_TESTS_SUPPORT_LU_OF_HPP
#define TESSERA_TESTS_SUPPORT_LU_OF_HPP

#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/direct_solver.hpp"
#include "support/lu_cases.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera::test {

/// A matrix whose values the caller stores in reverse, its plan, and its factor.
template <class T>
struct LuOf {
  StoredOf<T> stored;
  LuPlanResult plan;
  std::unique_ptr<DirectFactorizationOf<T>> factorization;
  DirectReport report;

  explicit LuOf(const MatrixOf<T> &a, const PlanOptions &options = {}, const DirectOptions &direct = {},
                bool block_triangular = true)
      : stored(store_reversed(a)), plan(make_lu_plan(analysed_values(a), stored.source, options, block_triangular))
  {
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    factorization = make_host_lu<T>(plan.plan);
    report = factorization->factor(stored.value.data(), direct);
  }

  std::vector<T> solve(const std::vector<T> &b, bool transposed = false, Index columns = 1, Index steps = 0)
  {
    const Index n = static_cast<Index>(b.size()) / columns;
    std::vector<T> x(b.size(), NAN);
    if (transposed)
      factorization->solve_transposed(columns, b.data(), n, x.data(), n, {1e-14, steps});
    else
      factorization->solve(columns, b.data(), n, x.data(), n, {1e-14, steps});
    return x;
  }
};

} // namespace tessera::test
#endif
