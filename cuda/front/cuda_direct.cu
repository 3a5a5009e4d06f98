#include "factor/front/direct_factorization.hpp"

namespace tessera {

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &, FactorKind)
{
  return nullptr;
}

} // namespace tessera
