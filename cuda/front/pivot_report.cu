#include "cuda/front/pivot_report.cuh"
#include "cuda/lanes/instructions.cuh"
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

/// Of the pivots that the threads of the grid have, in thread 0 of each block.
__device__ PivotTotals sum_own(const FrontArrays &arrays, Index rows)
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
  return t;
}

/// The thread block that ends last adds what all have found, in their order. After that the counts are 0 again.
__global__ void __launch_bounds__(threads)
    sum_all(const FrontArrays arrays, Index rows, const ReportSpace space, PivotTotals *totals)
{
  wait_for_launch_before();
  const PivotTotals own = sum_own(arrays, rows);
  for (Offset i = Offset(blockIdx.x) * threads + threadIdx.x; i < space.counts; i += Offset(gridDim.x) * threads)
    space.count[i] = 0;
  bool last = false;
  if (threadIdx.x == 0) {
    space.part[blockIdx.x] = own;
    __threadfence();
    last = atomicAdd(space.ended, 1) == int(gridDim.x) - 1;
    __threadfence();
  }
  if (!__syncthreads_or(last))
    return;
  PivotTotals t = threadIdx.x < gridDim.x ? space.part[threadIdx.x] : none();
  add_threads(t);
  if (threadIdx.x > 0)
    return;
  t.verdict = *arrays.verdict;
  t.findings = *arrays.findings;
  *totals = t;
  *arrays.verdict = {};
  *space.ended = 0;
}

} // namespace

cudaError_t sum_pivots(const FrontArrays &arrays, Index rows, const ReportSpace &space, PivotTotals *totals,
                       cudaStream_t stream, bool overlaps)
{
  return launch_kernel(sum_all, {report_parts, threads, 0, stream, overlaps}, arrays, rows, space, totals);
}

} // namespace tessera
