#include "cuda/front/pivot_report.cuh"
#include "cuda/lanes/instructions.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>

namespace tessera {
namespace {

constexpr int threads = 256, at_once = 8;

__device__ PivotSums none()
{
  return {0, 0, 0.5, 0, 1};
}

/// A product of mantissas of as many as there are threads does not underflow.
__device__ void add(PivotSums &t, const PivotSums &other)
{
  t.negative += other.negative;
  t.positive += other.positive;
  t.largest = fmax(t.largest, other.largest);
  t.mantissa *= other.mantissa;
  t.exponent += other.exponent;
}

__device__ void normalize(PivotSums &t)
{
  int power = 0;
  t.mantissa = fraction(t.mantissa, &power);
  t.exponent += power;
}

/// The sum of what the threads of a block have, in the order of the threads, in thread 0.
__device__ void add_threads(PivotSums &own)
{
  __shared__ PivotSums all[threads];
  all[threadIdx.x] = own;
  for (int n = threads / 2; n > 0; n /= 2) {
    __syncthreads();
    if (int(threadIdx.x) < n)
      add(all[threadIdx.x], all[threadIdx.x + n]);
  }
  own = all[threadIdx.x];
  if (threadIdx.x == 0)
    normalize(own);
  __syncthreads();
}

/// Of the pivots that the threads of the grid have, in thread 0 of each block.
__device__ PivotSums sum_own(const FrontArrays &arrays, Index rows)
{
  const double *const pivot = arrays.pivot;
  PivotSums t = none();
  if (!arrays.finite())
    rows = 0;
  const Offset step = Offset(gridDim.x) * threads;
  for (Offset i = Offset(blockIdx.x) * threads + threadIdx.x; i < rows; i += at_once * step) {
    double d[at_once];
#pragma unroll
    for (int q = 0; q < at_once; ++q) // all are on their way before one is looked at
      d[q] = i + q * step < rows ? pivot[i + q * step] : NAN;
#pragma unroll
    for (int q = 0; q < at_once; ++q)
      if (i + q * step < rows) {
        t.negative += d[q] < 0;
        t.positive += d[q] > 0;
        t.largest = fmax(t.largest, fabs(d[q]));
        int power = 0;
        t.mantissa *= fraction(d[q] == 0 ? 1 : d[q], &power);
        t.exponent += power;
      }
    normalize(t);
  }
  add_threads(t);
  return t;
}

/// In the thread block that ends last, the sum of what all have found, in their order; returns whether it is that one.
__device__ bool sum_blocks(PivotSums &own, const ReportSpace &space)
{
  if (gridDim.x == 1)
    return true;
  bool last = false;
  if (threadIdx.x == 0) {
    space.part[blockIdx.x] = own;
    __threadfence();
    last = atomicAdd(space.ended, 1) == int(gridDim.x) - 1;
    __threadfence();
  }
  if (!__syncthreads_or(last))
    return false;
  own = threadIdx.x < gridDim.x ? space.part[threadIdx.x] : none();
  add_threads(own);
  return true;
}

/// The report. After that what has to be is 0 again.
__global__ void __launch_bounds__(threads)
    sum_all(const FrontArrays arrays, Index rows, const ReportSpace space, PivotReport *report)
{
  wait_for_launch_before();
  const FrontVerdict verdict = *arrays.verdict;
  const ValueFindings findings = *arrays.findings;
  PivotSums sums = sum_own(arrays, rows);
  for (Offset i = Offset(blockIdx.x) * threads + threadIdx.x; i < space.counts; i += Offset(gridDim.x) * threads)
    space.count[i] = 0;
  if (!sum_blocks(sums, space) || threadIdx.x > 0)
    return;
  report->totals = {sums.negative, sums.positive, {sums.mantissa, sums.exponent}, sums.largest, verdict, findings};
  __threadfence_system();
  *static_cast<volatile unsigned *>(&report->is_written) = 1;
  *arrays.verdict = {};
  *space.findings = {};
  *space.ended = 0;
}

__global__ void __launch_bounds__(threads) list_zeros(const double *pivot, Index rows, LeftOut *list, int *count)
{
  const Index i = Index(blockIdx.x) * threads + Index(threadIdx.x);
  if (i >= rows || pivot[i] != 0)
    return;
  if (const int k = atomicAdd(count, 1); k < most_left_out)
    list[k] = {i, i, 0, 0};
}

__global__ void __launch_bounds__(threads)
    give_scale_factors(const double *row_scale, const double *column_scale, LeftOut *list, Index count)
{
  const Index k = Index(blockIdx.x) * threads + Index(threadIdx.x);
  if (k >= count)
    return;
  list[k].row_scale = row_scale[list[k].row];
  list[k].column_scale = column_scale[list[k].column];
}

} // namespace

cudaError_t list_zero_pivots(const double *pivot, Index rows, LeftOut *list, int *count, cudaStream_t stream)
{
  const cudaError_t launched =
      launch_kernel(list_zeros, {thread_blocks(rows, threads), threads, 0, stream}, pivot, rows, list, count);
  return launched == cudaSuccess ? cudaMemsetAsync(count, 0, sizeof *count, stream) : launched;
}

cudaError_t give_scale(const double *row_scale, const double *column_scale, LeftOut *list, Index count,
                       cudaStream_t stream)
{
  return launch_kernel(give_scale_factors, {thread_blocks(count, threads), threads, 0, stream}, row_scale, column_scale,
                       list, count);
}

cudaError_t sum_pivots(const FrontArrays &arrays, Index rows, const ReportSpace &space, PivotReport *report,
                       cudaStream_t stream, bool overlaps)
{
  const unsigned blocks = std::clamp<unsigned>(thread_blocks(rows, at_once * threads), 1, report_parts);
  return launch_kernel(sum_all, {blocks, threads, 0, stream, overlaps}, arrays, rows, space, report);
}

} // namespace tessera
