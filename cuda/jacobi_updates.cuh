#ifndef TESSERA_CUDA_JACOBI_UPDATES_CUH
#define TESSERA_CUDA_JACOBI_UPDATES_CUH

#include "jacobi_panel.cuh"
#include "warp_sums.cuh"

namespace tessera {

/// Adds updates to a panel. Threads wait for memory most of the time, so they stage as many updates at once as there is
/// room for: U_kj, and behind it the weights D_k U_kb.
template <int W, int Most>
struct UpdateTeam : PanelTeam<W, Most> {
  using Panel = PanelTeam<W, Most>;
  using Panel::stage, Panel::thread, Panel::v;

  static __device__ int u_size(const JacobiUpdate &x) { return count_columns(x.other) * padded(x.rows); }
  static __device__ int size_of(const JacobiUpdate &x) { return u_size(x) + padded(count_columns(x.own)) * x.rows; }

  /// Begins to stage an update, and lists which columns and rows of the panel it meets.
  __device__ void stage_update(const JacobiUpdate &x, int slot, double *to) const
  {
    const JacobiIterate &k = v.iterate[0], &l = v.iterate[1];
    const bool in_second = v.place[x.block];
    const double *u = (in_second ? l.u : k.u) + x.u, *weight = (in_second ? l.weight : k.weight) + x.weight;
    const int size = u_size(x);
    for (int j = 2 * thread; j < size; j += 2 * Panel::threads)
      __pipeline_memcpy_async(to + j, u + j, 2 * sizeof(double));
    Panel::copy_rows(weight, x.weight_stride, x.rows, count_columns(x.own), to + size);
    if (thread < 32 && x.other >> thread & 1)
      stage.target[slot][place_of_column(x.other, thread)] = x.first + place_of_column(x.target, thread);
    if (thread < 32 && x.own >> thread & 1)
      stage.own[slot][place_of_column(x.own, thread)] = thread;
  }

  /// A staged update.
  __device__ void add_update(const JacobiUpdate &x, int slot, const double *u) const
  {
    const Product2d product{count_columns(x.own), count_columns(x.other), x.rows, u + u_size(x), u, padded(x.rows)};
    const auto entry = [&](int c, int j) -> double & {
      return stage.panel[stage.target[slot][j] * Panel::stride + stage.own[slot][c]];
    };
    Panel::multiply(
        product, [&](int c, int j) { return -entry(c, j); }, [&](int c, int j, double sum) { entry(c, j) = -sum; });
    Panel::sync();
  }

  /// The updates begin .. end - 1 in their order, those of block rows that are known. Each lane looks one up.
  __device__ void add_updates(Offset begin, Offset end) const
  {
    const int lane = thread & 31;
    for (Offset at = begin; at < end; at += 32) {
      bool known = false;
      int size = 0;
      if (at + lane < end) {
        const JacobiUpdate &x = v.updates[at + lane];
        known = v.known(x.block);
        size = known ? size_of(x) : 0;
      }
      const int after = sum_up_to(size);
      for (unsigned todo = __ballot_sync(~0u, known), batch; todo; todo &= ~batch) {
        const int first = __ffs(todo) - 1, base = __shfl_sync(~0u, after - size, first);
        batch = todo & __ballot_sync(~0u, lane < first + staged_updates && after - base <= SweepStage<Most>::capacity);
        for (unsigned left = batch; left; left &= left - 1) {
          const int q = __ffs(left) - 1, place = __shfl_sync(~0u, after - size, q) - base;
          stage_update(v.updates[at + q], q - first, stage.buffer + place);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        Panel::sync();
        for (unsigned left = batch; left; left &= left - 1) {
          const int q = __ffs(left) - 1, place = __shfl_sync(~0u, after - size, q) - base;
          add_update(v.updates[at + q], q - first, stage.buffer + place);
        }
      }
    }
  }
};

} // namespace tessera
#endif
