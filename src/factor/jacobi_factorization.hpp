#ifndef TESSERA_FACTOR_JACOBI_FACTORIZATION_HPP
#define TESSERA_FACTOR_JACOBI_FACTORIZATION_HPP

#include "factor/block_factorization.hpp"
#include "factor/jacobi_options.hpp"

namespace tessera {

/// A Jacobi-LDLᵀ factor on one backend.
class JacobiFactorization : public FactoredOperator {
public:
  /// Factors the matrix with these values, in the order that the analysis was told of. May be called again.
  virtual JacobiReport factor(const double *values, Place values_in, const JacobiOptions &options) = 0;

  /// Substitutions by so many Jacobi sweeps; 0: by the level sets, exactly.
  virtual void set_apply_sweeps(Index sweeps) = 0;
};

/// As make_host_factorization and make_cuda_factorization.
std::unique_ptr<JacobiFactorization> make_host_jacobi(const Analysis &analysis);
std::unique_ptr<JacobiFactorization> make_cuda_jacobi(const Analysis &analysis);

} // namespace tessera
#endif
