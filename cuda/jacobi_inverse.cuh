#ifndef TESSERA_CUDA_JACOBI_INVERSE_CUH
#define TESSERA_CUDA_JACOBI_INVERSE_CUH

#include "invert_by_columns.cuh"

namespace tessera {

/// Shared memory of a thread block.
TESSERA_COLLECTIVE double *group_memory()
{
  __shared__ __align__(16) double values[launch_threads * (32 + 1)];
  return values;
}

/// Shared memory of the groups of a thread block, W (W + 1) values for each: the same for all W, so that a kernel with
/// groups of several widths takes no more of it than one with the widest.
template <int W>
struct SharedGroupMemory {
  static TESSERA_COLLECTIVE double *of_group() { return group_memory() + threadIdx.x / W * (W * (W + 1)); }
};

/// The same for a group that has just factored a tile, in the shared memory that the Schur complement was in.
template <int W>
TESSERA_COLLECTIVE void invert_by_columns(const double *L, int ld, int n, const std::int32_t *perm, double *X, int ldx)
{
  invert_by_columns<W>(L, ld, n, perm, X, ldx, SharedGroupMemory<W>::of_group());
}

} // namespace tessera
#endif
