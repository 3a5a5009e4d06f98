#ifndef TESSERA_CUDA_LANES_SIGNALS_CUH
#define TESSERA_CUDA_LANES_SIGNALS_CUH

#include "base/types.hpp"
#include "cuda/lanes/instructions.cuh"

namespace tessera {

/// Whether a count has reached n; then the thread sees all that those who counted had written before.
__device__ __forceinline__ bool has_count(const int *count, int n)
{
  return load_acquire(count) >= n;
}

/// Waits until it has.
__device__ __forceinline__ void wait_for_count(const int *count, int n)
{
  while (!has_count(count, n)) {
  }
}

/// Counts; what the thread, and those it has synchronized with, wrote before is seen by who waits for the count.
__device__ __forceinline__ void add_to_count(int *count)
{
  increment_release(count);
}

/// By a thread block: counts one of n, and returns whether it is the last. What all threads of all n wrote before is
/// then seen by those of the last one.
__device__ __forceinline__ bool is_last_of(int *count, int n)
{
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0)
    last = fetch_increment(count) == n - 1;
  __syncthreads();
  return last;
}

/// By a thread block: calls work(t) for tickets t < count, in ascending order among all thread blocks, until none is
/// left.
template <class Work>
__device__ __forceinline__ void take_tickets(int *ticket, Offset count, const Work &work)
{
  __shared__ int next;
  for (;;) {
    if (threadIdx.x == 0)
      next = atomicAdd(ticket, 1);
    __syncthreads();
    const int t = next;
    if (t >= count)
      return;
    work(t);
    __syncthreads();
  }
}

} // namespace tessera
#endif
