#ifndef TESSERA_CUDA_SOLVE_SOLVE_BUNDLE_CUH
#define TESSERA_CUDA_SOLVE_SOLVE_BUNDLE_CUH

#include "cuda/solve/block_solve.cuh"
#include "cuda/solve/solve_entries.cuh"

namespace tessera {

// Bundles: a warp whose lanes have a row of a block each

/// What a lane knows of its row.
struct BundleLane {
  bool in;
  Index row;        ///< of the solution
  int r = 0, k = 0; ///< place in its block, rows of the block
  unsigned below;   ///< lanes before it

  template <class Place>
  __device__ BundleLane(const Place &b, const std::uint8_t *shape)
      : in(Index(threadIdx.x % 32) < b.rows), row(b.row + Index(threadIdx.x % 32)), below((1u << threadIdx.x % 32) - 1)
  {
    if (in) {
      const int both = __ldg(shape + row);
      r = both % 16;
      k = both / 16;
    }
  }
};

/// Sum of the lane's `length` entries times what they meet. first: the bundle's in the list.
template <class T>
__device__ double pull_list(const RowListView<T> &list, Offset first, int length, unsigned below, const double *x)
{
  constexpr int at_once = 4;
  const int longest = __reduce_max_sync(~0u, length), begin = longest - length;
  double sum = 0;
  for (int j0 = 0; j0 < longest; j0 += at_once) {
    T entry[at_once];
    double value[at_once];
    const double *from[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      const bool there = j0 + j >= begin && j0 + j < longest;
      const unsigned active = __ballot_sync(~0u, there);
      const Offset at = first + __popc(active & below);
      entry[j] = there ? __ldg(list.value + at) : T(0);
      from[j] = there ? x + __ldg(list.target + at) : nullptr;
      first += __popc(active);
    }
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      value[j] = from[j] ? peek(from[j]) : 0;
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      if (pending(value[j]))
        value[j] = await(from[j]);
      sum = fma(double(entry[j]), value[j], sum);
    }
    __syncwarp();
  }
  return sum;
}

/// A row of the listed inverse of the lane's block, which has at most Most rows.
template <int Most>
struct BundleInverse {
  double entry[Most];

  __device__ BundleInverse(const double *m, const BundleLane &lane)
  {
#pragma unroll
    for (int c = 0; c < Most; ++c) {
      const unsigned active = __ballot_sync(~0u, c < lane.k);
      entry[c] = c < lane.k ? __ldg(m + __popc(active & lane.below)) : 0;
      m += __popc(active);
    }
  }

  /// The lane's entry of the product with y, of which each lane holds one.
  __device__ double multiply(double y, const BundleLane &lane) const
  {
    double sum = 0;
#pragma unroll
    for (int c = 0; c < Most; ++c) {
      const double other = __shfl_sync(~0u, y, threadIdx.x - lane.r + c);
      sum = c < lane.k ? fma(entry[c], other, sum) : sum;
    }
    return sum;
  }
};

/// v_b = L⁻¹ P (P S r - sum over k of U_kbᵀ v_k) for the blocks of a bundle.
template <int Most, class T>
__device__ void forward_bundle(const SolveView<T> &s, const ForwardWork &b, const double *r)
{
  const BundleLane lane(b, s.shape);
  const int length = lane.in ? __ldg(s.forward_rows.length + lane.row) : 0;
  const double rhs = lane.in ? r[__ldg(s.perm + lane.row)] * __ldg(s.scale + lane.row) : 0;
  const BundleInverse<Most> inverse(b.inverse, lane);
  const double v = inverse.multiply(rhs - pull_list(s.forward_rows, b.first, length, lane.below, s.v), lane);
  if (lane.in) {
    publish(s.v + lane.row, v);
    reset(s.x + lane.row);
  }
}

/// x_b = (L⁻¹ P)ᵀ (D⁻¹ v_b - sum over j of U_bj x_j) for the blocks of a bundle, and their rows of z = S Pᵀ x.
template <int Most, class T>
__device__ void backward_bundle(const SolveView<T> &s, const BackwardWork<T> &b, double *z)
{
  const BundleLane lane(b, s.shape);
  const int length = lane.in ? __ldg(s.backward_rows.length + lane.row) : 0;
  const double v = lane.in ? s.v[lane.row] : 0, e = lane.in ? __ldg(s.e_inverse + lane.row) : 0;
  const double below = __shfl_down_sync(~0u, v, 1), above = __shfl_up_sync(~0u, e * v, 1);
  double rhs = 0;
  if (lane.in)
    rhs = fma(__ldg(s.d_inverse + lane.row), v, lane.r + 1 < lane.k ? e * below : 0) + (lane.r > 0 ? above : 0);
  const Index to = lane.in ? __ldg(s.perm + lane.row) : 0;
  const double scale = lane.in ? __ldg(s.scale + lane.row) : 0;
  const BundleInverse<Most> inverse(b.inverse, lane);
  const double x = inverse.multiply(rhs - pull_list(s.backward_rows, b.first, length, lane.below, s.x), lane);
  if (lane.in) {
    publish(s.x + lane.row, x);
    reset(s.v + lane.row);
    z[to] = x * scale;
  }
}

} // namespace tessera
#endif
