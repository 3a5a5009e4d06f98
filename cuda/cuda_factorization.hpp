#ifndef TESSERA_CUDA_CUDA_FACTORIZATION_HPP
#define TESSERA_CUDA_CUDA_FACTORIZATION_HPP

#include "factor/block_factorization.hpp"

#include <functional>

namespace tessera {

/// A factorization on the current device: values, r and z are device pointers. stream: gives the cudaStream_t that work
/// is queued on, as a pointer; apply returns when its work is queued, factor when its report is known. Errors of the
/// CUDA runtime throw BackendError. `analysis` must outlive it.
std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &analysis, Precision precision,
                                                            std::function<void *()> stream);

} // namespace tessera
#endif
