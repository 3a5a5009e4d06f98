#ifndef TESSERA_TEST_LU_SOLVER_HPP
#define TESSERA_TEST_LU_SOLVER_HPP

#include "factor/lu/block_levels.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/backward_error.hpp"
#include "support/direct_backend.hpp"
#include "support/larger.hpp"
#include "support/lu_cases.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tessera::test {

/// A matrix whose values the caller stores in reverse, its plan, and its factor. Without block triangular form where it
/// has more levels than a device takes.
struct LuSolver {
  MatrixOf<double> matrix;
  StoredOf<double> stored;
  LuPlanResult plan;
  std::unique_ptr<DirectFactorization> factorization;
  DirectReport report;

  explicit LuSolver(const Matrix &a, const PlanOptions &options = {}, const DirectOptions &direct = {},
                    bool block_triangular = true)
      : matrix(with_arguments<double>(a)), stored(store_reversed(matrix)),
        plan(make_lu_plan(analysed_values(matrix), stored.source, options, block_triangular))
  {
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    if (count_block_levels(plan.plan) > device_block_levels)
      plan = make_lu_plan(analysed_values(matrix), stored.source, options, false);
    factorization = make_direct_lu(plan.plan);
    factor(direct);
  }

  void factor(const DirectOptions &direct = {}) { report = factorization->factor(stored.value.data(), direct); }

  Index rows() const { return matrix.pattern.rows; }

  std::vector<double> solve(const std::vector<double> &b, bool transposed = false, Index columns = 1, Index steps = 0)
  {
    std::vector<double> x(b.size(), NAN);
    if (transposed)
      factorization->solve_transposed(columns, b.data(), rows(), x.data(), rows(), {1e-14, steps});
    else
      factorization->solve(columns, b.data(), rows(), x.data(), rows(), {1e-14, steps});
    return x;
  }

  /// The largest backward error of solutions with A and its transpose.
  double error(Index steps, unsigned seed = 3)
  {
    double most = 0;
    for (bool t : {false, true}) {
      const MatrixOf<double> of = t ? transposed(matrix) : matrix;
      const std::vector<double> b = product(of, random_numbers<double>(rows(), seed));
      most = larger(most, backward_error(of, solve(b, t, 1, steps), b));
    }
    return most;
  }
};

} // namespace tessera::test
#endif
