#ifndef TESSERA_TESTS_SUPPORT_DIRECT_BACKEND_HPP
#define TESSERA_TESTS_SUPPORT_DIRECT_BACKEND_HPP

#include "factor/lu/lu_factorization.hpp"

namespace tessera::test {

/// An empty factorization on the backend that the program is linked for. All arrays that it is given are on the host;
/// for a device they are copied.
std::unique_ptr<DirectFactorization> make_direct(const FrontPlan &plan, FactorKind kind);

/// The same for LU.
std::unique_ptr<DirectFactorization> make_direct_lu(const LuPlan &plan);

/// Whether that is a device, which takes the pivots of the plan, or those that the host finds.
extern const bool direct_on_device;

} // namespace tessera::test
#endif
