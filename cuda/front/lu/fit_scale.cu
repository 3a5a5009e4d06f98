#include "cuda/front/lu/fit_scale.cuh"

#include "base/scaled.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <cfloat>
#include <cmath>

namespace tessera {
namespace {

constexpr int threads = 256;

/// Raises largest[line[p]] to the bits of the magnitude of scaled entry p: these compare as magnitudes do.
__global__ void __launch_bounds__(threads)
    find_largest(const ScaledEntries a, const Index *line, unsigned long long *largest)
{
  const Offset p = Offset(blockIdx.x) * threads + threadIdx.x;
  if (p >= a.entries)
    return;
  const double x = scaled(a.value[a.source[p]], a.row_scale[a.row[p]], a.column_scale[a.column[p]]);
  const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(fabs(x)));
  unsigned long long *const most = largest + line[p];
  if (bits > *most)
    atomicMax(most, bits);
}

/// Fits the factors of rows, or of columns, to their largest entries, which become 0 again.
__global__ void __launch_bounds__(threads)
    fit_lines(Index lines, double *scale, unsigned long long *largest, unsigned long long *exponent)
{
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i >= lines)
    return;
  const double x = __longlong_as_double(static_cast<long long>(largest[i]));
  largest[i] = 0;
  if (!(x > 0 && x <= DBL_MAX))
    return;
  const int power = -ilogb(x);
  const double fitted = ldexp(scale[i], power);
  if (power == 0 || !(fitted >= DBL_MIN && fitted <= DBL_MAX))
    return;
  scale[i] = fitted;
  atomicAdd(exponent, static_cast<unsigned long long>(static_cast<long long>(power)));
}

} // namespace

cudaError_t fit_scale(const ScaledEntries &matrix, unsigned long long *largest, unsigned long long *exponent,
                      cudaStream_t stream)
{
  if (matrix.entries == 0)
    return cudaSuccess;
  const unsigned of_entries = thread_blocks(matrix.entries, threads), of_lines = thread_blocks(matrix.rows, threads);
  for (bool columns : {true, false}) {
    double *const scale = columns ? matrix.column_scale : matrix.row_scale;
    const Index *const line = columns ? matrix.column : matrix.row;
    cudaError_t error = launch_kernel(find_largest, {of_entries, threads, 0, stream}, matrix, line, largest);
    if (error == cudaSuccess)
      error = launch_kernel(fit_lines, {of_lines, threads, 0, stream}, matrix.rows, scale, largest, exponent);
    if (error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

} // namespace tessera
