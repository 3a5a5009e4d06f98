#ifndef TESSERA_CUDA_FRONT_SIGNALS_CUH
#define TESSERA_CUDA_FRONT_SIGNALS_CUH

namespace tessera {

/// Whether a count has reached n; then the thread sees all that those who counted had written before.
__device__ __forceinline__ bool has_count(const int *count, int n)
{
  int now = 0;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
  return now >= n;
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
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(count) : "memory");
}

} // namespace tessera
#endif
