#ifndef TESSERA_CUDA_LANES_INVERT_BY_COLUMNS_CUH
#define TESSERA_CUDA_LANES_INVERT_BY_COLUMNS_CUH

#include "cuda/lanes/group_cuda.cuh"

namespace tessera {

/// What inverse_lower of tile/triangular.hpp does, with its order of operations on an entry and so its bits, for a
/// group. A lane has a column of L⁻¹ instead of a row: it needs no other lane's, and L, which all lanes read at the
/// same place, lies in shared memory. place: of lane j, where column j of L⁻¹ goes, perm[j]. x: entries of the lane's
/// row of X, 0 outside of it. shared: [W (W + 1)] of the group, not in L; overwritten.
template <int W>
TESSERA_COLLECTIVE void invert_by_columns(const double *L, int ld, int n, int place, double *shared, double (&x)[W])
{
  const int lane = opaque(CudaGroup<W>::rank()); // or kernels with a loop keep the identity matrix on their stacks
#pragma unroll
  for (int k = 0; k < W; ++k)
    x[k] = k < n && lane < n ? L[lane + k * ld] : 0;
#pragma unroll
  for (int k = 0; k < W; ++k)
    shared[k * W + lane] = x[k];
  CudaGroup<W>::sync();
#pragma unroll
  for (int i = 0; i < W; ++i)
    x[i] = i == lane ? 1 : 0;
#pragma unroll
  for (int k = 0; k < W - 1; ++k)
#pragma unroll
    for (int i = (k + 1) / 2 * 2; i < W; i += 2) {
      const double2 l = *reinterpret_cast<const double2 *>(shared + k * W + i);
      if (i > k)
        x[i] = fma(-l.x, x[k], x[i]);
      x[i + 1] = fma(-l.y, x[k], x[i + 1]);
    }
  CudaGroup<W>::sync();
  if (lane < n) { // its column of X, with columns an odd number of entries apart
    double *const column = shared + place * (W + 1);
#pragma unroll
    for (int i = 0; i < W; ++i)
      column[i] = x[i];
  }
  CudaGroup<W>::sync();
#pragma unroll
  for (int c = 0; c < W; ++c)
    x[c] = c < n && lane < n ? shared[c * (W + 1) + lane] : 0;
  CudaGroup<W>::sync();
}

/// The same with X in memory, which may be L: [n columns, ldx].
template <int W>
TESSERA_COLLECTIVE void invert_by_columns(const double *L, int ld, int n, const std::int32_t *perm, double *X, int ldx,
                                          double *shared)
{
  const int lane = CudaGroup<W>::rank();
  double x[W];
  invert_by_columns<W>(L, ld, n, lane < n ? perm[lane] : 0, shared, x);
#pragma unroll
  for (int c = 0; c < W; ++c)
    if (c < n && lane < n)
      X[c * ldx + lane] = x[c];
  CudaGroup<W>::sync();
}

} // namespace tessera
#endif
