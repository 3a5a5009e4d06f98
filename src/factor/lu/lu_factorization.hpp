#ifndef TESSERA_FACTOR_LU_LU_FACTORIZATION_HPP
#define TESSERA_FACTOR_LU_LU_FACTORIZATION_HPP

#include "factor/front/direct_factorization.hpp"
#include "factor/lu/lu_plan.hpp"

namespace tessera {

/// A factorization P A Q = L U on the host, with threshold partial pivoting over whole columns. `plan` must outlive it.
/// The report counts pivots as 1x1; it has no signs. T: double or Complex.
template <class T = double>
std::unique_ptr<DirectFactorizationOf<T>> make_host_lu(const LuPlan &plan);

/// A factorization in the memory of PETSc's current GPU, or null in a build without CUDA. It should have at most
/// device_block_levels levels of diagonal blocks, see count_block_levels(). `plan` must outlive it. Throws
/// std::bad_alloc when the device has no memory for it.
std::unique_ptr<DirectFactorization> make_cuda_lu(const LuPlan &plan);

/// One on the host, which keeps its pivots where DirectOptions::keep_pivots asks for it: see make_keeping_direct(). A
/// new plan is made where columns were delayed.
template <class T = double>
std::unique_ptr<DirectFactorizationOf<T>> make_keeping_lu(const LuPlan &plan);

} // namespace tessera
#endif
