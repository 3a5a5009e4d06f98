#include "cuda/front/solve/dot_products.cuh"

#include "base/compensated_sum.hpp"
#include "cuda/runtime/device_array.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>

namespace tessera {
namespace {

constexpr int threads = 256;
constexpr Index most_parts = 64; ///< thread blocks of a product

/// The k-th pair (i, j) with m > i >= j, column by column.
struct Pair {
  Index i, j = 0;

  TESSERA_BOTH Pair(Index m, Index k)
  {
    while (k >= m - j)
      k -= m - j++;
    i = j + k;
  }
};

/// A part of the product of a pair, blockIdx.y, for each blockIdx.x: sum [pairs, parts], with what it has lost.
__global__ void __launch_bounds__(threads)
    multiply_pair(Index m, Index n, const double *x, const double *y, double2 *sum)
{
  const Pair pair(m, Index(blockIdx.y));
  const double *const a = x + Offset(pair.i) * n, *const b = y + Offset(pair.j) * n;
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

} // namespace

std::vector<double> dot_products(Index m, Index n, const double *x, const double *y, const DeviceQueue &queue)
{
  std::vector<double> product(Offset(m) * m);
  if (m == 0 || n == 0)
    return product;
  const Index pairs = m * (m + 1) / 2, parts = std::clamp<Index>(2 * most_parts / pairs, 1, most_parts);
  const DeviceArray<double2> sum(Offset(pairs) * parts, queue);
  check(launch_kernel(multiply_pair, {dim3(unsigned(parts), unsigned(pairs)), threads, 0, queue}, m, n, x, y,
                      sum.data()),
        "multiplying vectors");
  const std::vector<double2> on_host = copy_to_host(sum, queue);
  for (Index k = 0; k < pairs; ++k) {
    const Pair pair(m, k);
    CompensatedSum all;
    for (Index part = 0; part < parts; ++part)
      all.add(on_host[Offset(k) * parts + part].x, on_host[Offset(k) * parts + part].y);
    product[Offset(pair.i) * m + pair.j] = product[Offset(pair.j) * m + pair.i] = all.value();
  }
  return product;
}

} // namespace tessera
