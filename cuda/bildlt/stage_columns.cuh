#ifndef TESSERA_CUDA_BILDLT_STAGE_COLUMNS_CUH
#define TESSERA_CUDA_BILDLT_STAGE_COLUMNS_CUH

#include "cuda/bildlt/update_ring.cuh"

#include "factor/bildlt/updates.hpp"

#include <cuda_pipeline.h>

namespace tessera {

/// A warp that copies kept columns of a block row k into a slot of the ring, and turns those of tile (k, b) into
/// weights. ld: of the ring.
template <int W, class Ring, class T>
struct ColumnStager {
  int ld, lane;

  /// Whether the columns in the places are a whole tile of 32 rows and columns, which is so in the dense end of a tree.
  __device__ bool is_whole(const UpdateSource<T> &x, Index kept) const
  {
    const Index first = __shfl_sync(~0u, kept, 0);
    return x.rows == 32 && __all_sync(~0u, first >= 0 && kept == first + lane);
  }

  /// Begins to copy a whole tile.
  template <class Slot>
  __device__ void copy_whole(const UpdateSource<T> &x, Index kept, Slot *to) const
  {
    const T *u = x.value + Offset(__shfl_sync(~0u, kept, 0)) * 32 + lane;
#pragma unroll 8
    for (int c = 0; c < 32; ++c)
      __pipeline_memcpy_async(reinterpret_cast<T *>(to + c * ld) + lane, u + c * 32, sizeof(T));
  }

  /// Turns a copied whole tile into weights, in place, where D is diagonal: what make_weights does, with fewer
  /// instructions.
  __device__ void scale_whole(double d, double *to) const
  {
    constexpr int at_once = 8;
    const auto column = [](T u) { return [u](Index) { return u; }; };
    TESSERA_ROLL
    for (int c = 0; c < 32; c += at_once) {
      double weight[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        weight[i] = update_weight(d, 0, 0, column(reinterpret_cast<const T *>(to + (c + i) * ld)[lane]), Index(lane));
      __syncwarp();
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        to[(c + i) * ld + lane] = weight[i];
    }
  }

  /// Begins to copy the columns of block row k that the piece holds. other: which of its kept columns meets the column
  /// of the piece with this lane's number. Rows up to the next multiple of 4 become 0.
  __device__ void copy_others(const UpdateSource<T> &x, Index other, T *to) const
  {
    copy<Ring::columns>(x, other, to);
    const int width = group_width(x.rows), r = lane & (width - 1);
    if (r >= x.rows && r < (x.rows + 3) / 4 * 4)
      for (int c = lane / width; c < Ring::columns; c += 32 / width)
        to[c * ld + r] = 0;
  }

  /// Begins to copy the kept columns of tile (k, b) to where their weights will be. own: which of the kept columns of
  /// block row k belongs to the row of the piece with this lane's number.
  __device__ void copy_own(const UpdateSource<T> &x, Index own, double *to) const
  {
    copy<W>(x, own, to);
  }

  /// Turns the copied columns of tile (k, b) into weights, in place; they are 0 in those rows of the piece that are not
  /// `kept`. Rows up to the next multiple of 4 become -0, whose products with 0 leave every sum as it is, also one that
  /// is -0.
  __device__ void make_weights(const UpdateSource<T> &x, unsigned kept, double d, double e, double *to) const
  {
    const int width = group_width(x.rows), at_once = 32 / width, r = lane & (width - 1);
    const bool inside = r < x.rows, padding = !inside && r < (x.rows + 3) / 4 * 4;
    const bool pairs = __any_sync(~0u, e != 0);
    const double before = __shfl_up_sync(~0u, e, 1), e_before = r > 0 ? before : 0;
    const int partner = lane + (e != 0 ? 1 : e_before != 0 ? -1 : 0); // the other row of a 2x2 pivot
    constexpr int unroll = 4;
    TESSERA_ROLL
    for (int c0 = 0; c0 < W; c0 += unroll * at_once) {
      T u[unroll], next[unroll] = {};
      double weight[unroll];
#pragma unroll
      for (int i = 0; i < unroll; ++i) {
        const int c = c0 + i * at_once + lane / width;
        u[i] = c < W && inside ? reinterpret_cast<const T *>(to + c * ld)[r] : T(0);
      }
      if (pairs)
#pragma unroll
        for (int i = 0; i < unroll; ++i)
          next[i] = __shfl_sync(~0u, u[i], partner);
#pragma unroll
      for (int i = 0; i < unroll; ++i) {
        const auto column = [&](Index row) { return row == r ? u[i] : next[i]; };
        const bool there = kept >> ((c0 + i * at_once + lane / width) & 31) & 1;
        weight[i] = there ? update_weight(d, e, e_before, column, Index(r)) : 0;
      }
      __syncwarp();
#pragma unroll
      for (int i = 0; i < unroll; ++i)
        if (const int c = c0 + i * at_once + lane / width; c < W && (inside || padding))
          to[c * ld + r] = inside ? weight[i] : -0.0;
    }
  }

private:
  /// Begins to copy kept columns to `Columns` places. from: which one goes to the place with this lane's number, -1 for
  /// none. The lanes ask each other for several at a time, because every answer takes a while.
  template <int Columns, class Slot>
  __device__ void copy(const UpdateSource<T> &x, Index from, Slot *to) const
  {
    constexpr int unroll = 8;
    const int width = group_width(x.rows), at_once = 32 / width, r = lane & (width - 1);
    TESSERA_ROLL
    for (int c0 = 0; c0 < Columns; c0 += unroll * at_once) {
      Index column[unroll];
#pragma unroll
      for (int i = 0; i < unroll; ++i)
        column[i] = __shfl_sync(~0u, from, (c0 + i * at_once + lane / width) & 31);
#pragma unroll
      for (int i = 0; i < unroll; ++i)
        if (const int c = c0 + i * at_once + lane / width; c < Columns && column[i] >= 0 && r < x.rows)
          __pipeline_memcpy_async(reinterpret_cast<T *>(to + c * ld) + r, x.value + Offset(column[i]) * x.rows + r,
                                  sizeof(T));
    }
  }
};

} // namespace tessera
#endif
