#ifndef TESSERA_CUDA_FRONT_PIVOT_REPORT_CUH
#define TESSERA_CUDA_FRONT_PIVOT_REPORT_CUH

#include "cuda/front/front_arrays.cuh"
#include "factor/front/scaled_product.hpp"

#include <cuda_runtime.h>

namespace tessera {

/// What a factorization tells the host: sums over the pivots of the factor, and what was found on the way.
struct PivotTotals {
  unsigned long long negative, positive; ///< eigenvalues of D by sign
  ScaledProduct product;                 ///< of the eigenvalues of D
  double largest;                        ///< eigenvalue, by magnitude
  FrontVerdict verdict;                  ///< of the factorization
  ValueFindings findings;                ///< in the values of the matrix
};

/// Queues the sums over arrays.pivot [rows], in a fixed order, to *totals, which a device can write. Of a matrix that
/// is not finite there are none. parts: [report_parts] of work space. Returns the launch's error, if any.
cudaError_t sum_pivots(const FrontArrays &arrays, Index rows, PivotTotals *parts, PivotTotals *totals,
                       cudaStream_t stream);

constexpr int report_parts = 64;

} // namespace tessera
#endif
