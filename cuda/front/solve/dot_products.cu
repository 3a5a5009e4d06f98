#include "cuda/front/solve/dot_products.cuh"

#include "base/compensated_sum.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>

namespace tessera {
namespace {

constexpr int threads = 256;
constexpr Index most_parts = 64; ///< thread blocks of a product

/// The vectors x_i and y_j of the k-th product.
struct Pair {
  Index i, j;

  __device__ Pair(const VectorPairs &pairs, Offset k)
  {
    if (pairs.which == VectorPairs::Equal) {
      i = j = Index(k);
    } else if (pairs.which == VectorPairs::All) {
      i = Index(k % pairs.m);
      j = Index(k / pairs.m);
    } else { // j (2 m - j + 1) / 2 are before those of y_j
      const double m2 = 2.0 * pairs.m + 1;
      j = Index((m2 - sqrt(m2 * m2 - 8.0 * double(k))) / 2); // or beside it, by rounding
      const auto before = [&](Index of) { return Offset(of) * (2 * pairs.m - of + 1) / 2; };
      j -= before(j) > k;
      j += before(j + 1) <= k;
      i = j + Index(k - before(j));
    }
  }
};

/// What is added up for a pair of entries.
struct Product {
  static __device__ void add(CompensatedSum &sum, double x, double y) { sum.add_product(x, y); }
};
struct Square {
  static __device__ void add(CompensatedSum &sum, double x, double y) { sum.add_product(x * y, x * y); }
};

/// A part, blockIdx.y, of the sum for each pair, blockIdx.x: [pairs, parts], with what it has lost.
template <class Term>
__global__ void __launch_bounds__(threads)
    add_part(VectorPairs pairs, Index n, const double *x, const double *y, Offset y_leading, double2 *part)
{
  const Pair pair(pairs, blockIdx.x);
  const double *const a = x + Offset(pair.i) * n, *const b = y + pair.j * y_leading;
  CompensatedSum own;
  for (Offset k = Offset(blockIdx.y) * threads + threadIdx.x; k < n; k += Offset(gridDim.y) * threads)
    Term::add(own, a[k], b[k]);
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
    part[Offset(blockIdx.x) * gridDim.y + blockIdx.y] = all[0];
}

/// The sum of its parts, for each pair. A thread a pair.
__global__ void __launch_bounds__(threads) add_parts(VectorPairs pairs, Index parts, const double2 *part, double *sum)
{
  const Offset k = Offset(blockIdx.x) * threads + threadIdx.x;
  if (k >= pairs.count())
    return;
  CompensatedSum all;
  for (Index p = 0; p < parts; ++p)
    all.add(part[k * parts + p].x, part[k * parts + p].y);
  const Pair pair(pairs, k);
  if (pairs.which == VectorPairs::Equal) {
    sum[k] = all.value();
    return;
  }
  sum[Offset(pair.j) * pairs.m + pair.i] = all.value();
  if (pairs.which == VectorPairs::Symmetric)
    sum[Offset(pair.i) * pairs.m + pair.j] = all.value();
}

/// Parts of each product; as many for a vector y whatever the number of others, for the same bits.
Index parts_of(const VectorPairs &pairs)
{
  const Offset of_one = pairs.which == VectorPairs::All ? pairs.m : pairs.count();
  return Index(std::clamp<Offset>(2 * most_parts / std::max<Offset>(of_one, 1), 1, most_parts));
}

template <class Term>
void queue_sums(const VectorPairs &pairs, Index n, const double *x, const double *y, Offset y_leading, double2 *space,
                double *sum, const DeviceQueue &queue)
{
  const Offset count = pairs.count();
  if (count == 0)
    return;
  const Index parts = parts_of(pairs);
  check(launch_kernel(add_part<Term>, {dim3(unsigned(count), unsigned(parts)), threads, 0, queue}, pairs, n, x, y,
                      y_leading, space),
        "multiplying vectors");
  check(launch_kernel(add_parts, {thread_blocks(count, threads), threads, 0, queue}, pairs, parts, space, sum),
        "adding products");
}

} // namespace

Offset product_space(const VectorPairs &pairs)
{
  return pairs.count() * parts_of(pairs);
}

void queue_dot_products(const VectorPairs &pairs, Index n, const double *x, const double *y, Offset y_leading,
                        double2 *space, double *product, const DeviceQueue &queue)
{
  queue_sums<Product>(pairs, n, x, y, y_leading, space, product, queue);
}

void queue_sums_of_squares(const VectorPairs &pairs, Index n, const double *x, const double *y, Offset y_leading,
                           double2 *space, double *sum, const DeviceQueue &queue)
{
  queue_sums<Square>(pairs, n, x, y, y_leading, space, sum, queue);
}

} // namespace tessera
