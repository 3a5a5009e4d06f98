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

/// What a report needs in device memory, and what it leaves as zeros.
struct ReportSpace {
  PivotTotals *part; ///< [report_parts] of work space
  int *ended;        ///< [1] 0 before and after
  int *count;        ///< [counts] of the factorization: 0 after
  Offset counts;
};

/// Queues the sums over arrays.pivot [rows], in a fixed order, to *totals, which a device can write. Of a matrix that
/// is not finite there are none. The verdict and the counts become 0. overlaps: see Grid. Returns the launch's error,
/// if any.
cudaError_t sum_pivots(const FrontArrays &arrays, Index rows, const ReportSpace &space, PivotTotals *totals,
                       cudaStream_t stream, bool overlaps);

constexpr int report_parts = 64;

} // namespace tessera
#endif
