#ifndef TESSERA_TEST_JACOBI_SOLVER_HPP
#define TESSERA_TEST_JACOBI_SOLVER_HPP

#include "factor/jldlt/factorization.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/host_factor.hpp"

namespace tessera::test {

/// A matrix with its Jacobi-LDLT factor on the host.
struct JacobiSolver {
  Stored stored;
  Analysis analysis;
  std::unique_ptr<JacobiFactorization> factorization;
  JacobiReport report;

  JacobiSolver(const Matrix &matrix, const AnalysisOptions &analysis_options, const JacobiOptions &options)
      : stored(store_reversed(matrix)), analysis(analyze_matrix(matrix, stored.source, analysis_options)),
        factorization(make_host_jacobi(analysis))
  {
    again(matrix, options);
  }

  void again(const Matrix &matrix, const JacobiOptions &options)
  {
    stored = store_reversed(matrix);
    report = factorization->factor(stored.value.data(), Place::Host, options);
  }

  std::vector<double> apply(const std::vector<double> &r, bool definite = false)
  {
    std::vector<double> z(r.size(), 1e300);
    factorization->apply(r.data(), Place::Host, z.data(), Place::Host, definite);
    return z;
  }
};

inline AnalysisOptions blocks_of(Index max_rows, Index fill_level)
{
  AnalysisOptions options;
  options.blocking.max_rows = max_rows;
  options.fill_level = fill_level;
  return options;
}

inline Matrix grid_matrix(double shift = -0.71)
{
  return laplacian(tessera_test::grid_graph(14, 14, 1), shift);
}

} // namespace tessera::test
#endif
