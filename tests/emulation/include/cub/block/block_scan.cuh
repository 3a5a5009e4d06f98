#ifndef TESSERA_EMULATION_CUB_BLOCK_SCAN_CUH
#define TESSERA_EMULATION_CUB_BLOCK_SCAN_CUH

#include <cuda_runtime.h>

namespace cub {

/// Scans over the threads of a thread block, in their order.
template <class T, int Threads>
class BlockScan {
public:
  struct TempStorage {
    T x[Threads];
  };

  explicit BlockScan(TempStorage &memory) : x_(memory.x) {}

  /// before: f over initial and the x of the threads before this one. all: over those of all threads, without initial.
  template <class F>
  void ExclusiveScan(T x, T &before, T initial, F f, T &all)
  {
    x_[threadIdx.x] = x;
    __syncthreads();
    before = initial;
    for (unsigned i = 0; i < threadIdx.x; ++i)
      before = f(before, x_[i]);
    all = x_[0];
    for (unsigned i = 1; i < Threads; ++i)
      all = f(all, x_[i]);
    __syncthreads();
  }

private:
  T *x_;
};

} // namespace cub
#endif
