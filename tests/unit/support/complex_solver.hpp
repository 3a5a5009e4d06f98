#ifndef TESSERA_TESTS_SUPPORT_COMPLEX_SOLVER_HPP
#define TESSERA_TESTS_SUPPORT_COMPLEX_SOLVER_HPP

#include "factor/front/direct_factorization.hpp"
#include "support/complex_cases.hpp"
#include "support/direct_solver.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <type_traits>

namespace tessera::test {

/// A matrix of which the caller stores the upper triangle in reverse, its plan, and its factor.
template <Symmetry S>
struct ComplexDirect {
  StoredOf<Complex> stored;
  PlanResult plan;
  std::unique_ptr<DirectFactorizationOf<Complex>> factorization;
  DirectReport report;

  explicit ComplexDirect(const MatrixOf<Complex> &a, const PlanOptions &options = {}, const DirectOptions &direct = {},
                         FactorKind kind = FactorKind::LDLT)
      : stored(store_upper<S>(a)), plan(make_plan(analysed_values(a), stored.source, options))
  {
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    factorization = make_host_direct<Complex>(plan.plan, kind, S);
    report = factorization->factor(stored.value.data(), direct);
  }

  std::vector<Complex> solve(const std::vector<Complex> &b, bool transposed = false, Index columns = 1, Index steps = 0)
  {
    const Index n = static_cast<Index>(b.size()) / columns;
    std::vector<Complex> x(b.size(), NAN);
    if (transposed)
      factorization->solve_transposed(columns, b.data(), n, x.data(), n, {1e-14, steps});
    else
      factorization->solve(columns, b.data(), n, x.data(), n, {1e-14, steps});
    return x;
  }
};

/// Both symmetries, for typed tests.
using Symmetries = testing::Types<std::integral_constant<Symmetry, Symmetry::Symmetric>,
                                  std::integral_constant<Symmetry, Symmetry::Hermitian>>;

} // namespace tessera::test
#endif
