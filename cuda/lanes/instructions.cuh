#ifndef TESSERA_CUDA_LANES_INSTRUCTIONS_CUH
#define TESSERA_CUDA_LANES_INSTRUCTIONS_CUH

#include <cuda_awbarrier_primitives.h>
#include <cuda_runtime.h>

namespace tessera {

// Instructions of PTX that CUDA C++ has no function for, or whose function does more than is wanted. All inline
// assembler is here: tests/emulation has these functions for a processor. Names and semantics: the PTX manual.

// --- registers ---

/// x, but the compiler knows nothing of it: so it does not compute in front of a loop what follows from x, and keep
/// that all the time.
__device__ __forceinline__ int opaque(int x)
{
  asm volatile("" : "+r"(x));
  return x;
}

// --- global memory that other thread blocks write and read at the same time ---

/// The thread sees all that who stored or added this value with release semantics had written before.
__device__ __forceinline__ int load_acquire(const int *x)
{
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(x) : "memory");
  return value;
}

__device__ __forceinline__ void store_release(int *x, int value)
{
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(x), "r"(value) : "memory");
}

/// *x += 1
__device__ __forceinline__ void increment_release(int *x)
{
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(x) : "memory");
}

/// *x += 1; returns what it was before, and the thread sees all that those who added before had written.
__device__ __forceinline__ int fetch_increment(int *x)
{
  int before;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(x) : "memory");
  return before;
}

__device__ __forceinline__ double load_relaxed(const double *x)
{
  double value;
  asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(value) : "l"(x) : "memory");
  return value;
}

__device__ __forceinline__ void store_relaxed(double *x, double value)
{
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(x), "d"(value) : "memory");
}

/// *x as it is beyond the caches of a multiprocessor, or 0 where it is not wanted: a load without a branch.
__device__ __forceinline__ double load_if(bool wanted, const double *x)
{
  double value;
  asm volatile("{\n\t.reg .pred wanted;\n\tsetp.ne.s32 wanted, %2, 0;\n\tmov.f64 %0, 0d0000000000000000;\n\t"
               "@wanted ld.global.cg.f64 %0, [%1];\n\t}"
               : "=&d"(value)
               : "l"(x), "r"(int(wanted)));
  return value;
}

__device__ __forceinline__ void prefetch_to_l2(const void *x)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x));
}

// --- launches that overlap, see Grid ---

/// By a thread block: the next launch need not wait for it.
__device__ __forceinline__ void let_next_launch_begin()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Waits for the end of the launch before, and sees what it has written.
__device__ __forceinline__ void wait_for_launch_before()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// --- arithmetic: first guesses, subnormal numbers taken as zeros ---

/// 1 / x with 20 bits
__device__ __forceinline__ double guess_reciprocal(double x)
{
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}

/// 1 / x with nearly all bits
__device__ __forceinline__ float guess_reciprocal(float x)
{
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / sqrt(x) with 20 bits
__device__ __forceinline__ double guess_rsqrt(double x)
{
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}

/// C += A B by a warp's tensor cores for A [8, 4] and B [4, 8], spread over lanes as tensor_cores.cuh says.
__device__ __forceinline__ void multiply_by_tensor_cores(double (&c)[2], double a, double b)
{
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
}

/// Likewise for A [16, 4], where it is wanted.
__device__ __forceinline__ void multiply_by_tensor_cores(double (&upper)[2], double (&lower)[2], double a_upper,
                                                         double a_lower, double b, int wanted)
{
#if __CUDA_ARCH__ >= 900
  asm("{\n\t.reg .pred wanted;\n\tsetp.ne.s32 wanted, %7, 0;\n\t"
      "@wanted mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, "
      "%3};\n\t}"
      : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
      : "d"(a_upper), "d"(a_lower), "d"(b), "r"(wanted));
#else
  if (wanted) {
    multiply_by_tensor_cores(upper, a_upper, b);
    multiply_by_tensor_cores(lower, a_lower, b);
  }
#endif
}

// --- shared memory: barriers, and copies that arrive at them ---

__device__ __forceinline__ unsigned shared_address(const void *shared)
{
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Whether a phase of a barrier, odd or even, has ended. The one before must have. CUDA's own function sleeps between
/// two tries, which this does not.
__device__ __forceinline__ bool has_phase_ended(__mbarrier_t *barrier, unsigned phase)
{
  int ended;
  asm volatile("{\n"
               ".reg .pred p;\n"
#if __CUDA_ARCH__ >= 900 // where a try waits a little
               "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
#else
               "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
#endif
               "selp.b32 %0, 1, 0, p;\n"
               "}"
               : "=r"(ended)
               : "r"(shared_address(barrier)), "r"(phase & 1)
               : "memory");
  return ended != 0;
}

/// Copies 16 bytes of global to shared memory; arrive_after_copies() tells when.
__device__ __forceinline__ void copy_16_bytes(void *to, const void *from)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

/// Copies a number of 4 or 8 bytes of global to shared memory, or sets it to 0 where it is not wanted; ends as copies
/// of cuda_pipeline.h do.
template <class T>
__device__ __forceinline__ void copy_if(bool wanted, T *to, const T *from)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(sizeof(T)),
               "r"(wanted ? int(sizeof(T)) : 0)
               : "memory");
}

/// The thread arrives at the barrier when all copies that it has begun are done.
__device__ __forceinline__ void arrive_after_copies(__mbarrier_t *barrier)
{
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

#if __CUDA_ARCH__ >= 900
/// The thread arrives at the barrier, whose phase ends no sooner than copies of so many bytes have arrived as well.
__device__ __forceinline__ void arrive_and_expect(__mbarrier_t *barrier, unsigned bytes)
{
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

/// The copy engine copies bytes of global to shared memory, which arrive at the barrier.
__device__ __forceinline__ void copy_by_engine(void *to, const void *from, unsigned bytes, __mbarrier_t *barrier)
{
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

/// Copies by the engine that are begun later come after what the thread has written to shared memory.
__device__ __forceinline__ void fence_engine_writes()
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Copies by the engine that are begun later read what the thread has seen others write to global memory.
__device__ __forceinline__ void fence_engine_reads()
{
  asm volatile("fence.proxy.async.global;" ::: "memory");
}
#else // never called there
__device__ inline void arrive_and_expect(__mbarrier_t *, unsigned) {}
__device__ inline void copy_by_engine(void *, const void *, unsigned, __mbarrier_t *) {}
__device__ inline void fence_engine_writes() {}
__device__ inline void fence_engine_reads() {}
#endif

} // namespace tessera
#endif
