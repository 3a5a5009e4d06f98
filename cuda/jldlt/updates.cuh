#ifndef TESSERA_CUDA_JLDLT_UPDATES_CUH
#define TESSERA_CUDA_JLDLT_UPDATES_CUH

#include "cuda/jldlt/panel.cuh"
#include "cuda/jldlt/update_lookup.cuh"
#include "cuda/runtime/warp_sums.cuh"

#include <cuda_pipeline.h>

namespace tessera {

/// Adds updates to a panel. A warp stages as many of them as there is room for, since it waits for memory most of the
/// time, and waits for no other warp.
template <int W, int Most, bool Lower, class Products>
struct UpdateTeam : WarpPanel<W, Most, Lower, Products> {
  using Panel = WarpPanel<W, Most, Lower, Products>;
  using Product = typename Panel::Product;
  using Panel::lane, Panel::minus, Panel::shared, Panel::stage, Panel::v;
  static constexpr int across = Product::across, along = Product::along;

  /// The updates begin .. end - 1 in their order, those of block rows that are known. Each lane looks one up.
  __device__ __forceinline__ void add_updates(Offset begin, Offset end)
  {
    for (Offset at = begin; at < end; at += 32) {
      const UpdateLookup<Lower> found(v, at + lane, end);
      const int after = sum_up_to(found.size), before = after - found.size;
      for (unsigned todo = __ballot_sync(~0u, found.size > 0), batch; todo; todo &= ~batch) {
        const int base = __shfl_sync(~0u, before, __ffs(todo) - 1);
        batch = todo & __ballot_sync(~0u, after - base <= SweepStage<Most>::capacity);
        stage_batch(found, batch, before, base);
        for (unsigned left = batch; left; left &= left - 1) {
          const int q = __ffs(left) - 1, place = __shfl_sync(~0u, before, q) - base;
          add_update(found.of_lane(q), shared + place);
        }
        __syncwarp();
      }
    }
  }

private:
  /// Begins to copy the kept columns of a tile, 16 bytes a lane. Addresses are stepped: with their computation from the
  /// column copies were a third of all instructions.
  __device__ __forceinline__ void copy_columns(const double *from, int columns, int rows, double *to) const
  {
    const int parts = padded(rows) / 2, span = parts <= 4 ? 4 : parts <= 8 ? 8 : 16, part = lane & (span - 1);
    const int first = lane / span, step = 32 / span, end = part < parts ? columns : 0;
    const double *source = from + first * padded(rows) + 2 * part;
    double *target = to + first * FoundUpdate::stride_of(rows) + 2 * part;
    const int source_step = step * padded(rows), target_step = step * FoundUpdate::stride_of(rows);
#pragma unroll 4
    for (int c = first; c < end; c += step, source += source_step, target += target_step)
      __pipeline_memcpy_async(target, source, 2 * sizeof(double));
  }

  /// x with another sign if `sign` is negative.
  static __device__ __forceinline__ double flip(double x, unsigned sign)
  {
    return __hiloint2double(__double2hiint(x) ^ int(sign & 0x80000000), __double2loint(x));
  }

  /// minus += U_kbᵀ J_k U_kj, staged at `at`. Rows and columns of the panel that are not kept are products with zeros,
  /// or left out where tiles have no others.
  __device__ __forceinline__ void add_update(const FoundUpdate &x, const double *at)
  {
    const int stride = FoundUpdate::stride_of(x.rows);
    const auto find = [&](const double *tile, std::uint32_t kept, int c) {
      return (kept >> c & 1 ? tile + place_of_column(kept, c) * stride : stage.zeros) + (lane & 3);
    };
    const double *const others = Lower ? at : at + count_columns(x.own) * stride;
    const std::uint32_t negative = x.negative >> (lane & 3);
    const double *own[across], *u[along];
#pragma unroll
    for (int i = 0; i < across; ++i)
      own[i] = find(at, x.own, 8 * i + lane / 4);
#pragma unroll
    for (int t = 0; t < along; ++t)
      u[t] = find(others, x.columns, 8 * t + lane / 4);
#pragma unroll 2
    for (int r = 0; r < x.rows; r += 4) { // what pads a column is zero
      double a[across], b[along];
#pragma unroll
      for (int i = 0; i < across; ++i)
        a[i] = flip(own[i][r], negative << (31 - r));
#pragma unroll
      for (int t = 0; t < along; ++t)
        b[t] = u[t][r];
      minus.add(a, b, x.own, x.columns);
    }
  }

  /// Copies the columns of a batch of updates, a bit each, to where `before` less `base` says, and waits for them.
  __device__ __forceinline__ void stage_batch(const UpdateLookup<Lower> &found, unsigned batch, int before, int base)
  {
    for (unsigned left = batch; left; left &= left - 1) {
      const int q = __ffs(left) - 1, place = __shfl_sync(~0u, before, q) - base;
      const FoundUpdate x = found.of_lane(q);
      if (!Lower)
        copy_columns(x.own_u, count_columns(x.own), x.rows, shared + place);
      copy_columns(x.u, count_columns(x.columns), x.rows,
                   shared + place + UpdateLookup<Lower>::staged_columns(x.own, 0) * FoundUpdate::stride_of(x.rows));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }
};

} // namespace tessera
#endif
