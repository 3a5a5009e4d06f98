#ifndef TESSERA_CUDA_FRONT_LU_FIT_SCALE_CUH
#define TESSERA_CUDA_FRONT_LU_FIT_SCALE_CUH

#include "base/types.hpp"

#include <cuda_runtime.h>

namespace tessera {

/// The entries of an unsymmetric matrix in device memory, and the scale factors of its rows and columns.
struct ScaledEntries {
  Offset entries;
  Index rows;
  const double *value;
  const std::uint32_t *source;      ///< [entries] places among the values
  const Index *row, *column;        ///< [entries] their scale factors
  double *row_scale, *column_scale; ///< [rows] positive
};

/// Queues new scale factors: those of columns, and then those of rows, times the power of two that brings the largest
/// entry to [1, 2); where that is 0, or the factor would not be a normal number, it stays. The same bits every time.
/// largest: [rows] zeros, also after. exponent: [1] is raised by the logarithm, modulo 2^64, of what the product of all
/// factors is multiplied with. Returns a launch's error, if any.
cudaError_t fit_scale(const ScaledEntries &matrix, unsigned long long *largest, unsigned long long *exponent,
                      cudaStream_t stream);

} // namespace tessera
#endif
