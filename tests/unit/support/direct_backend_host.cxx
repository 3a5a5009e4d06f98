#include "support/direct_backend.hpp"

namespace tessera::test {

const bool direct_on_device = false;

std::unique_ptr<DirectFactorization> make_direct(const FrontPlan &plan, FactorKind kind)
{
  return make_host_direct(plan, kind);
}

std::unique_ptr<DirectFactorization> make_direct_lu(const LuPlan &plan)
{
  return make_host_lu(plan);
}

} // namespace tessera::test
