#include "cuda/front/solve/dot_products.cuh"

#include "base/compensated_sum.hpp"
#include "cuda/runtime/device_array.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>

namespace tessera {
namespace {

constexpr int threads = 256;
constexpr Index most_parts = 64; ///< thread blocks of a product

/// Pairs (i, j) of vectors that are multiplied: (k, k), or all with m > i >= j, column by column.
struct Pairs {
  Index m;
  bool equal;

  TESSERA_BOTH Index count() const { return equal ? m : m * (m + 1) / 2; }

  /// The k-th; returns i.
  TESSERA_BOTH Index find(Index k, Index &j) const
  {
    if (equal)
      return j = k;
    for (j = 0; k >= m - j; ++j)
      k -= m - j;
    return j + k;
  }
};

/// A part of the product of a pair, blockIdx.y, for each blockIdx.x: sum [pairs, parts], with what it has lost.
__global__ void __launch_bounds__(threads)
    multiply_pair(Pairs pairs, Index n, const double *x, const double *y, double2 *sum)
{
  Index j;
  const Index i = pairs.find(Index(blockIdx.y), j);
  const double *const a = x + Offset(i) * n, *const b = y + Offset(j) * n;
  CompensatedSum own;
  for (Offset k = Offset(blockIdx.x) * threads + threadIdx.x; k < n; k += Offset(gridDim.x) * threads)
    own.add_product(a[k], b[k]);
  __shared__ double2 all[threads];
  all[threadIdx.x] = {own.sum(), own.lost()};
  for (int step = threads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (int(threadIdx.x) < step) {
      const double2 other = all[threadIdx.x + step];
      own.add(other.x, other.y);
      all[threadIdx.x] = {own.sum(), own.lost()};
    }
  }
  if (threadIdx.x == 0)
    sum[Offset(blockIdx.y) * gridDim.x + blockIdx.x] = all[0];
}

/// The product of each pair.
std::vector<double> multiply(const Pairs &pairs, Index n, const double *x, const double *y, const DeviceQueue &queue)
{
  const Index count = pairs.count();
  std::vector<double> product(count);
  if (count == 0 || n == 0)
    return product;
  const Index parts = std::clamp<Index>(2 * most_parts / count, 1, most_parts);
  const DeviceArray<double2> sum(Offset(count) * parts, queue);
  check(launch_kernel(multiply_pair, {dim3(unsigned(parts), unsigned(count)), threads, 0, queue}, pairs, n, x, y,
                      sum.data()),
        "multiplying vectors");
  const std::vector<double2> on_host = copy_to_host(sum, queue);
  for (Index k = 0; k < count; ++k) {
    CompensatedSum all;
    for (Index part = 0; part < parts; ++part)
      all.add(on_host[Offset(k) * parts + part].x, on_host[Offset(k) * parts + part].y);
    product[k] = all.value();
  }
  return product;
}

} // namespace

std::vector<double> dot_products(Index m, Index n, const double *x, const double *y, const DeviceQueue &queue)
{
  const Pairs pairs{m, false};
  const std::vector<double> each = multiply(pairs, n, x, y, queue);
  std::vector<double> product(Offset(m) * m);
  for (Index k = 0; k < pairs.count(); ++k) {
    Index j;
    const Index i = pairs.find(k, j);
    product[Offset(i) * m + j] = product[Offset(j) * m + i] = each[k];
  }
  return product;
}

std::vector<double> squared_norms(Index m, Index n, const double *x, const DeviceQueue &queue)
{
  return multiply({m, true}, n, x, x, queue);
}

} // namespace tessera
