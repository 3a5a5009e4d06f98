#ifndef TESSERA_CUDA_JACOBI_UPDATES_CUH
#define TESSERA_CUDA_JACOBI_UPDATES_CUH

#include "jacobi_panel.cuh"

#include <cuda_pipeline.h>

namespace tessera {

/// A warp that adds updates to a panel. It waits for memory most of the time, so it stages as many updates at once as
/// there is room for: U_kj, and the weights D_k U_kb behind it.
template <int W, int Most>
struct UpdateWarp : PanelWarp<W, Most> {
  using Panel = PanelWarp<W, Most>;
  using Panel::lane, Panel::row, Panel::stage, Panel::v, Panel::stride;
  static constexpr int few_products = 96; ///< of columns: then lanes take products in place of rows

  static __device__ int u_size(const JacobiUpdate &x) { return count_columns(x.other) * padded(x.rows); }
  /// Even, so that what follows is aligned.
  static __device__ int weight_size(const JacobiUpdate &x) { return (count_columns(x.own) * x.rows + 1) & ~1; }
  static __device__ bool fits(const JacobiUpdate &x)
  {
    return u_size(x) + weight_size(x) <= SweepStage<Most>::capacity;
  }

  /// Where the weights of an update are in memory.
  __device__ const double *weights_of(const JacobiUpdate &x, bool in_second) const
  {
    return (in_second ? v.iterate[1].weight : v.iterate[0].weight) + x.weight;
  }

  /// Begins to copy U_kj of an update, and the weights behind it if both fit.
  __device__ void stage_update(const JacobiUpdate &x, bool in_second, double *to) const
  {
    const double *from = (in_second ? v.iterate[1].u : v.iterate[0].u) + x.u;
    const int size = u_size(x);
    for (int j = 2 * lane; j < size; j += 64)
      __pipeline_memcpy_async(to + j, from + j, 2 * sizeof(double));
    if (!fits(x))
      return;
    const double *weight = weights_of(x, in_second);
    const int columns = count_columns(x.own), span = columns <= 4 ? 4 : columns <= 8 ? 8 : columns <= 16 ? 16 : 32;
    const int c = lane & (span - 1);
    for (int r = lane / span; r < x.rows && c < columns; r += 32 / span)
      __pipeline_memcpy_async(to + size + r * columns + c, weight + r * x.weight_stride + c, sizeof(double));
  }

  /// A staged update by rows: the weights [x.rows x columns] of the lane's row go to registers.
  __device__ void add_by_rows(const JacobiUpdate &x, const double *u, const double *from, int columns) const
  {
    double weight[Most];
    const bool there = x.own >> row & 1;
    from += place_of_column(x.own, row);
#pragma unroll
    for (int r = 0; r < Most; ++r)
      weight[r] = there && r < x.rows ? -from[r * columns] : 0;
    Panel::template multiply<true>(weight, x.rows, u, padded(x.rows), count_columns(x.other), stage.target);
  }

  /// A staged update by entries: a lane takes two at a time, of columns that both tiles keep.
  __device__ void add_by_entries(const JacobiUpdate &x, const double *u, const double *weight) const
  {
    const int own = count_columns(x.own), products = own * count_columns(x.other);
    for (int i = lane; i < products; i += 64) {
      const int j = i / own, c = i - j * own, next = i + 32 < products ? i + 32 : i, l = next / own, d = next - l * own;
      double *const one = stage.panel + stage.target[j] * stride + stage.own[c];
      double *const other = stage.panel + stage.target[l] * stride + stage.own[d];
      const double *a = weight + c, *b = weight + d, *x_one = u + j * padded(x.rows), *x_other = u + l * padded(x.rows);
      double sum = *one, sum_other = *other;
#pragma unroll 4
      for (int r = 0; r < x.rows; ++r) {
        sum = fma(-a[r * own], x_one[r], sum);
        sum_other = fma(-b[r * own], x_other[r], sum_other);
      }
      *one = sum;
      if (i + 32 < products)
        *other = sum_other;
    }
    __syncwarp();
  }

  /// A staged update.
  __device__ void add_update(const JacobiUpdate &x, bool in_second, const double *u) const
  {
    const int own = count_columns(x.own), other = count_columns(x.other);
    const bool staged = fits(x);
    __syncwarp(); // before others still read these
    if (x.other >> lane & 1)
      stage.target[place_of_column(x.other, lane)] = x.first + place_of_column(x.target, lane);
    if (x.own >> lane & 1)
      stage.own[place_of_column(x.own, lane)] = lane;
    __syncwarp();
    if (staged && own * other <= few_products)
      add_by_entries(x, u, u + u_size(x));
    else if (staged)
      add_by_rows(x, u, u + u_size(x), own);
    else
      add_by_rows(x, u, weights_of(x, in_second), x.weight_stride);
  }

  /// The updates begin .. end - 1 in their order, those of block rows that are known. Each lane looks one up.
  __device__ void add_updates(Offset begin, Offset end) const
  {
    for (Offset at = begin; at < end; at += 32) {
      bool known = false, second = false;
      int size = 0;
      if (at + lane < end) {
        const JacobiUpdate &x = v.updates[at + lane];
        known = v.known(x.block);
        second = v.place[x.block];
        size = known ? u_size(x) + (fits(x) ? weight_size(x) : 0) : 0;
      }
      int after = size;
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(~0u, after, step);
        after += lane >= step ? other : 0;
      }
      const unsigned in_second = __ballot_sync(~0u, second);
      for (unsigned todo = __ballot_sync(~0u, known), batch; todo; todo &= ~batch) {
        const int base = __shfl_sync(~0u, after - size, __ffs(todo) - 1);
        batch = todo & __ballot_sync(~0u, after - base <= SweepStage<Most>::capacity);
        for (unsigned left = batch; left; left &= left - 1) {
          const int q = __ffs(left) - 1;
          stage_update(v.updates[at + q], in_second >> q & 1,
                       stage.update + __shfl_sync(~0u, after - size, q) - base);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
        for (unsigned left = batch; left; left &= left - 1) {
          const int q = __ffs(left) - 1;
          add_update(v.updates[at + q], in_second >> q & 1,
                     stage.update + __shfl_sync(~0u, after - size, q) - base);
        }
        __syncwarp();
      }
    }
  }
};

} // namespace tessera
#endif
