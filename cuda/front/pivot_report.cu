#include "cuda/front/pivot_report.cuh"
#include "cuda/runtime/launch_kernel.cuh"

namespace tessera {
namespace {

constexpr int threads = 256;

__device__ PivotTotals none()
{
  return {};
}

__device__ void add(PivotTotals &t, const PivotTotals &other)
{
  t.negative += other.negative;
  t.positive += other.positive;
  t.largest = fmax(t.largest, other.largest);
  t.product.times(other.product);
}

/// The sum of what the threads of a block have, in the order of the threads, in thread 0.
__device__ void add_threads(PivotTotals &own)
{
  // made of words, for shared memory has no constructors
  __shared__ __align__(16) unsigned char room[threads * sizeof(PivotTotals)];
  PivotTotals *const all = reinterpret_cast<PivotTotals *>(room);
  all[threadIdx.x] = own;
  for (int n = threads / 2; n > 0; n /= 2) {
    __syncthreads();
    if (int(threadIdx.x) < n)
      add(all[threadIdx.x], all[threadIdx.x + n]);
  }
  __syncthreads();
  own = all[0];
}

__global__ void __launch_bounds__(threads) sum_parts(const FrontArrays arrays, Index rows, PivotTotals *parts)
{
  const double *const pivot = arrays.pivot;
  PivotTotals t = none();
  if (!arrays.finite())
    rows = 0;
  for (Offset i = Offset(blockIdx.x) * threads + threadIdx.x; i < rows; i += Offset(gridDim.x) * threads) {
    t.negative += pivot[i] < 0;
    t.positive += pivot[i] > 0;
    t.largest = fmax(t.largest, fabs(pivot[i]));
    t.product.times(pivot[i]);
  }
  add_threads(t);
  if (threadIdx.x == 0)
    parts[blockIdx.x] = t;
}

__global__ void __launch_bounds__(threads)
    sum_totals(const FrontArrays arrays, const PivotTotals *parts, PivotTotals *totals)
{
  PivotTotals t = int(threadIdx.x) < report_parts ? parts[threadIdx.x] : none();
  add_threads(t);
  if (threadIdx.x == 0) {
    t.verdict = *arrays.verdict;
    t.findings = *arrays.findings;
    *totals = t;
  }
}

} // namespace

cudaError_t sum_pivots(const FrontArrays &arrays, Index rows, PivotTotals *parts, PivotTotals *totals,
                       cudaStream_t stream)
{
  const cudaError_t launched = launch_kernel(sum_parts, {report_parts, threads, 0, stream}, arrays, rows, parts);
  if (launched != cudaSuccess)
    return launched;
  return launch_kernel(sum_totals, {1, threads, 0, stream}, arrays, parts, totals);
}

} // namespace tessera
