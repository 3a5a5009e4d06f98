#ifndef TESSERA_FACTOR_JLDLT_FACTORIZATION_HPP
#define TESSERA_FACTOR_JLDLT_FACTORIZATION_HPP

#include "analysis/analysis.hpp"
#include "factor/bildlt/factor_copy.hpp"
#include "factor/jldlt/options.hpp"
#include "factor/operator.hpp"

#include <memory>

namespace tessera {

/// A Jacobi-LDLᵀ factor on one backend.
class JacobiFactorization : public FactoredOperator {
public:
  /// Factors the matrix with these values, in the order that the analysis was told of. May be called again, unless it
  /// threw: std::bad_alloc for lack of memory, OverBudget where it would hold more than the options allow.
  virtual JacobiReport factor(const double *values, Place values_in, const JacobiOptions &options) = 0;

  /// Substitutions by so many Jacobi sweeps; 0: by the level sets, exactly.
  virtual void set_apply_sweeps(Index sweeps) = 0;

  /// Makes what applications need besides the last factor, which has to be complete; else the first one makes it.
  virtual void prepare_apply() = 0;

  /// All numbers of the last factor, which has to be complete, as solves by levels take it.
  virtual FactorCopy copy() = 0;
};

/// As make_host_factorization and make_cuda_factorization.
std::unique_ptr<JacobiFactorization> make_host_jacobi(const Analysis &analysis);
std::unique_ptr<JacobiFactorization> make_cuda_jacobi(const Analysis &analysis);

} // namespace tessera
#endif
