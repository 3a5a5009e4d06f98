#include "factor/bildlt/factorization.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/jldlt/factorization.hpp"
#include "factor/lu/lu_factorization.hpp"

namespace tessera {

std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &, Precision)
{
  return nullptr;
}

std::unique_ptr<JacobiFactorization> make_cuda_jacobi(const Analysis &)
{
  return nullptr;
}

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &, FactorKind)
{
  return nullptr;
}

std::unique_ptr<DirectFactorization> make_cuda_lu(const LuPlan &)
{
  return nullptr;
}

std::vector<std::uint64_t> visible_cuda_devices()
{
  return {};
}

void free_pinned_memory() {}

} // namespace tessera
