#include "factor/jacobi_factorization.hpp"

namespace tessera {

std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &, Precision)
{
  return nullptr;
}

std::unique_ptr<JacobiFactorization> make_cuda_jacobi(const Analysis &)
{
  return nullptr;
}

} // namespace tessera
