#ifndef TESSERA_CUDA_FRONT_PIVOT_REPORT_CUH
#define TESSERA_CUDA_FRONT_PIVOT_REPORT_CUH

#include "cuda/front/front_arrays.cuh"
#include "factor/front/scaled_product.hpp"

#include <cuda_runtime.h>

namespace tessera {

/// What a factorization tells the host: sums over the pivots of the factor, and what was found on the way.
struct PivotTotals {
  unsigned long long negative, positive; ///< eigenvalues of D by sign
  ScaledProduct product;                 ///< of the eigenvalues of D that are not 0
  double largest;                        ///< eigenvalue, by magnitude
  FrontVerdict verdict;                  ///< of the factorization
  ValueFindings findings;                ///< in the values of the matrix
};

/// In pinned memory of the host, which sees all of it when it sees that it is written.
struct PivotReport {
  PivotTotals totals;
  unsigned is_written; ///< 0 before
};

/// Of some pivots, as in PivotTotals. The product is mantissa 2^exponent, with a mantissa of [1/2, 1).
struct PivotSums {
  unsigned long long negative, positive;
  double mantissa, largest;
  long long exponent;
};

/// What a report needs in device memory, and what it leaves as zeros.
struct ReportSpace {
  PivotSums *part; ///< [report_parts] of work space
  int *ended;      ///< [1] 0 before and after
  int *count;      ///< [counts] of the factorization: 0 after
  Offset counts;
  ValueFindings *findings; ///< as in FrontArrays: all bits 0 after
};

/// Queues the report with the sums over arrays.pivot [rows], in a fixed order. Of a matrix that is not finite there are
/// none. The verdict, the findings and the counts become 0. overlaps: see Grid. Returns the launch's error, if any.
cudaError_t sum_pivots(const FrontArrays &arrays, Index rows, const ReportSpace &space, PivotReport *report,
                       cudaStream_t stream, bool overlaps);

/// Queues a list of the rows with pivots 0, the first most_left_out of them that are found. pivot: [rows]; count: [1] 0
/// before and after. Returns the launch's error, if any.
cudaError_t list_zero_pivots(const double *pivot, Index rows, LeftOut *list, int *count, cudaStream_t stream);

/// Queues the scale factors of listed pivots, `count` of them. row_scale, column_scale: [rows] in elimination order.
/// Returns the launch's error, if any.
cudaError_t give_scale(const double *row_scale, const double *column_scale, LeftOut *list, Index count,
                       cudaStream_t stream);

constexpr int report_parts = 64;

} // namespace tessera
#endif
