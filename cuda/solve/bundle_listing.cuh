#ifndef TESSERA_CUDA_SOLVE_BUNDLE_LISTING_CUH
#define TESSERA_CUDA_SOLVE_BUNDLE_LISTING_CUH

#include "cuda/solve/row_list.cuh"

namespace tessera {

/// Where the rows of bundles come from: plain pointers for kernels.
struct BundleRows {
  Index bundles;
  const Bundle *bundle;   ///< [bundles]
  const Index *block;     ///< [rows] block of each row of the solution
  const Index *solve_row; ///< [blocks] first row of each
};

constexpr int list_threads = 256; ///< of the kernels that list what a solve reads

/// length, and start[i] = entries of bundle i; start[bundles] = 0. A warp a bundle. Items::row(b, r) goes through the
/// entries of row r of block b.
template <class Items>
__global__ void measure_bundles(Items items, BundleRows rows, std::uint8_t *length, Offset *start)
{
  const Index i = blockIdx.x * (list_threads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i == 0 && lane == 0)
    start[rows.bundles] = 0;
  if (i >= rows.bundles)
    return;
  const Bundle bundle = rows.bundle[i];
  Index n = 0;
  if (lane < bundle.rows) {
    const Index row = bundle.row + lane, b = rows.block[row];
    for (auto entry = items.row(b, row - rows.solve_row[b]); entry.there(); entry.next())
      ++n;
    length[row] = std::uint8_t(n);
  }
  for (int step = 16; step > 0; step /= 2)
    n += __shfl_xor_sync(~0u, n, step);
  if (lane == 0)
    start[i] = n;
}

/// Entries and inverses of bundles, to where they belong: start is the exclusive sum of what measure_bundles wrote. A
/// warp a bundle.
template <class Items, class T>
__global__ void fill_bundles(Items items, BundleRows rows, const std::uint8_t *length, const Offset *start, T *value,
                             Index *target, double *inverse)
{
  const Index i = blockIdx.x * (list_threads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i >= rows.bundles)
    return;
  const Bundle bundle = rows.bundle[i];
  const bool in = lane < bundle.rows;
  const Index row = bundle.row + (in ? lane : 0), b = rows.block[row], r = row - rows.solve_row[b];
  const Index size = in ? items.size(b) : 0;
  const unsigned below = (1u << lane) - 1;
  auto entry = items.row(b, r);
  const int n = in ? length[row] : 0, longest = __reduce_max_sync(~0u, n);
  Offset at = start[i];
  for (int j = 0; j < longest; ++j) {
    const bool there = j >= longest - n;
    const unsigned active = __ballot_sync(~0u, there);
    if (there) {
      value[at + __popc(active & below)] = entry.value();
      target[at + __popc(active & below)] = entry.target();
      entry.next();
    }
    at += __popc(active);
  }
  at = bundle.inverse;
  for (Index c = 0; c < 32; ++c) {
    const unsigned active = __ballot_sync(~0u, c < size);
    if (c < size)
      inverse[at + __popc(active & below)] = items.inverse(b, r, c);
    at += __popc(active);
  }
}

} // namespace tessera
#endif
