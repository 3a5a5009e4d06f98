#ifndef TESSERA_CUDA_FRONT_TILE_COPIES_CUH
#define TESSERA_CUDA_FRONT_TILE_COPIES_CUH

#include "cuda/lanes/shared_barrier.cuh"

namespace tessera {

// Copies of pieces of global memory to shared memory, which one warp begins and all threads of its thread block await
// at a barrier. Addresses and bytes are multiples of 16. Of a barrier the warp calls begin() once a phase, with the
// bytes that will arrive in it, then copy() for each piece, then end(). What a lane wrote to shared memory before
// begin() is seen by who has waited.

/// By the copy engine of devices of compute capability 9.0 and newer: an instruction a piece.
struct BulkCopies {
  static constexpr int arrivals = 1; ///< what the barrier is initialized with
  static constexpr int least_capability = 90;

#if __CUDA_ARCH__ >= 900
  /// Copies that are begun later come after what the thread has written, and read what it has seen others write.
  static __device__ __forceinline__ void publish_to_engine()
  {
    asm volatile("fence.proxy.async;" ::: "memory");
  }

  static __device__ __forceinline__ void begin(__mbarrier_t *barrier, unsigned bytes)
  {
    if (first_lane())
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory");
  }

  static __device__ __forceinline__ void copy(void *to, const void *from, unsigned bytes, __mbarrier_t *barrier)
  {
    if (first_lane())
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
          "l"(from), "r"(bytes), "r"(address(barrier))
          : "memory");
  }
#else // never launched there
  static __device__ void publish_to_engine() {}
  static __device__ void begin(__mbarrier_t *, unsigned) {}
  static __device__ void copy(void *, const void *, unsigned, __mbarrier_t *) {}
#endif
  static __device__ __forceinline__ void end(__mbarrier_t *) {}

private:
  static __device__ __forceinline__ bool first_lane()
  {
    return (threadIdx.x & 31) == 0;
  }
  static __device__ __forceinline__ unsigned address(const void *shared)
  {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
  }
};

/// By the lanes of the warp, 16 bytes each at a time.
struct LaneCopies {
  static constexpr int arrivals = 33; ///< one for what was written before, and one for the copies of each lane
  static constexpr int least_capability = 80;

  static __device__ __forceinline__ void publish_to_engine() {}

  static __device__ __forceinline__ void begin(__mbarrier_t *barrier, unsigned)
  {
    if ((threadIdx.x & 31) == 0)
      __mbarrier_arrive(barrier);
  }

  static __device__ __forceinline__ void copy(void *to, const void *from, unsigned bytes, __mbarrier_t *)
  {
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    for (unsigned at = (threadIdx.x & 31) * 16; at < bytes; at += 32 * 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + at),
                   "l"(static_cast<const char *>(from) + at)
                   : "memory");
  }

  static __device__ __forceinline__ void end(__mbarrier_t *barrier)
  {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
                 : "memory");
  }
};

} // namespace tessera
#endif
