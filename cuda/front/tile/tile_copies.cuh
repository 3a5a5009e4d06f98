#ifndef TESSERA_CUDA_FRONT_TILE_TILE_COPIES_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_COPIES_CUH

#include "cuda/front/tile/tile_product.cuh"
#include "cuda/lanes/shared_barrier.cuh"

namespace tessera {

// Copies of pieces of global memory to shared memory, which one warp begins and all threads of its thread block await
// at a barrier. Addresses and bytes are multiples of 16. Of a barrier the warp calls begin() once a phase, with the
// bytes that will arrive in it, then copy() for each piece, then end(). What a lane wrote to shared memory before
// begin() is seen by who has waited. Copies that are begun after order_writes() come after what the thread has written
// to shared memory, and after order_reads() they read what it has seen others write to global memory.

/// By the copy engine of devices of compute capability 9.0 and newer: an instruction a piece.
struct BulkCopies {
  static constexpr int arrivals = 1; ///< what the barrier is initialized with
  static constexpr int least_capability = 90;

  static __device__ __forceinline__ void order_writes() { fence_engine_writes(); }
  static __device__ __forceinline__ void order_reads() { fence_engine_reads(); }

  static __device__ __forceinline__ void begin(__mbarrier_t *barrier, unsigned bytes)
  {
    if (first_lane())
      arrive_and_expect(barrier, bytes);
  }

  static __device__ __forceinline__ void copy(void *to, const void *from, unsigned bytes, __mbarrier_t *barrier)
  {
    if (first_lane())
      copy_by_engine(to, from, bytes, barrier);
  }

  static __device__ __forceinline__ void end(__mbarrier_t *) {}

private:
  static __device__ __forceinline__ bool first_lane() { return (threadIdx.x & 31) == 0; }
};

/// By the lanes of the warp, 16 bytes each at a time.
struct LaneCopies {
  static constexpr int arrivals = 33; ///< one for what was written before, and one for the copies of each lane
  static constexpr int least_capability = 80;

  static __device__ __forceinline__ void order_writes() {}
  static __device__ __forceinline__ void order_reads() {}

  static __device__ __forceinline__ void begin(__mbarrier_t *barrier, unsigned)
  {
    if ((threadIdx.x & 31) == 0)
      __mbarrier_arrive(barrier);
  }

  static __device__ __forceinline__ void copy(void *to, const void *from, unsigned bytes, __mbarrier_t *)
  {
    for (unsigned at = (threadIdx.x & 31) * 16; at < bytes; at += 32 * 16)
      copy_16_bytes(static_cast<char *>(to) + at, static_cast<const char *>(from) + at);
  }

  static __device__ __forceinline__ void end(__mbarrier_t *barrier) { arrive_after_copies(barrier); }
};

/// By a thread block: a copy of an object to shared memory, a word a thread, which is on its way until it is written.
template <class T>
class WordCopy {
public:
  __device__ __forceinline__ explicit WordCopy(const T *from) : word_(has_word() ? __ldg(word_of(from)) : 0) {}

  __device__ __forceinline__ void write(T *to) const
  {
    if (has_word())
      word_of(to)[0] = word_;
  }

private:
  static constexpr int words = sizeof(T) / sizeof(int);
  static_assert(sizeof(T) % sizeof(int) == 0 && words <= tile_threads, "a word a thread");

  static __device__ __forceinline__ bool has_word() { return threadIdx.x < words; }
  static __device__ __forceinline__ const int *word_of(const T *object)
  {
    return reinterpret_cast<const int *>(object) + threadIdx.x;
  }
  static __device__ __forceinline__ int *word_of(T *object) { return reinterpret_cast<int *>(object) + threadIdx.x; }

  int word_;
};

} // namespace tessera
#endif
