#ifndef TESSERA_CUDA_JACOBI_SWEEP_CUH
#define TESSERA_CUDA_JACOBI_SWEEP_CUH

#include "team_cuda.cuh"

#include "factor/jacobi_view.hpp"

#include <cuda_pipeline.h>

// The steps of a sweep of factor/jacobi_ldlt.hpp that pull updates: what a warp does of them. host/jacobi_sweep.hpp is
// the other half, with the same order of operations.

namespace tessera {

/// Shared memory of a warp that computes a piece of a block row. W: lanes of the block's rows; Most: those of the
/// largest block.
template <int W, int Most>
struct SweepStage {
  static constexpr int stride = W + 2; ///< columns begin at even places, in other banks; W is whole steps
  alignas(16) double panel[jacobi_piece_columns * stride];
  alignas(16) double u[max_block_rows * Most]; ///< U_kj
  int target[max_block_rows];                  ///< which column of the panel each column of U_kj meets
};

/// A warp that computes a piece: lane l holds row l % W; its 32 / W groups of lanes take columns in turn.
template <int W, int Most>
struct SweepWarp {
  using Stage = SweepStage<W, Most>;
  static constexpr int stride = Stage::stride, groups = 32 / W, at_once = 4;
  const JacobiView &v;
  Stage &stage;
  int lane = threadIdx.x & 31, row = lane & (W - 1), group = lane / W;

  /// Begins with the entries of A that belong to the piece.
  __device__ void load_entries(const JacobiPiece &piece) const
  {
    clear(piece.columns);
    for (Offset e = piece.entry_begin + lane; e < piece.entry_end; e += 32)
      stage.panel[v.entry_column[e] * stride + v.entry_row[e]] = v.a[v.entry[e]];
    __syncwarp();
  }

  __device__ void clear(int columns) const
  {
    for (int i = lane; i < columns * stride; i += 32)
      stage.panel[i] = 0;
    __syncwarp();
  }

  /// panel[columns] += a matrix with rows in the lanes times columns of `from`: [padded(rows) entries each]. target:
  /// which column of the panel each of the n goes to; without it, the same.
  template <bool Add, int Size>
  __device__ void multiply(const double (&factor)[Size], int rows, const double *from, int from_stride, int n,
                           const int *target) const
  {
    for (int c0 = 0; c0 < n; c0 += at_once * groups) {
      double sum[at_once];
      const double *x[at_once];
      int to[at_once];
#pragma unroll
      for (int q = 0; q < at_once; ++q) {
        const int c = c0 + q * groups + group;
        to[q] = c < n ? (target ? target[c] : c) * stride + row : -1;
        x[q] = from + (c < n ? c : 0) * from_stride;
        sum[q] = Add && c < n ? stage.panel[to[q]] : 0;
      }
#pragma unroll
      for (int r = 0; r < Size; r += jacobi_step) {
        if (r >= rows)
          break;
#pragma unroll
        for (int q = 0; q < at_once; ++q) {
          const double2 one = *reinterpret_cast<const double2 *>(x[q] + r);
          const double2 two = *reinterpret_cast<const double2 *>(x[q] + r + 2);
          sum[q] = fma(factor[r], one.x, sum[q]);
          sum[q] = fma(factor[r + 1], one.y, sum[q]);
          sum[q] = fma(factor[r + 2], two.x, sum[q]);
          sum[q] = fma(factor[r + 3], two.y, sum[q]);
        }
      }
      __syncwarp(); // the panel may be what is multiplied
#pragma unroll
      for (int q = 0; q < at_once; ++q)
        if (to[q] >= 0)
          stage.panel[to[q]] = sum[q];
    }
    __syncwarp();
  }

  /// The updates begin .. end - 1: the columns of U_kj are staged in shared memory, the weights -(D_k U_kb) are in
  /// registers.
  __device__ void add_updates(Offset begin, Offset end) const
  {
    if (begin == end)
      return;
    double weight[Most];
    Offset loaded = -1;
    unsigned second = 0; // bit i: the second iterate has the block of update begin + i, for the next 32 of them
    JacobiUpdate next = v.updates[begin];
    for (Offset i = begin; i < end; ++i) {
      if ((i - begin) % 32 == 0)
        second = __ballot_sync(~0u, i + lane < end && v.old_in[v.updates[i + lane].block]);
      const JacobiUpdate x = next;
      next = v.updates[i + 1 < end ? i + 1 : i];
      const int n = count_columns(x.other), size = n * padded(x.rows);
      const JacobiIterate &k = v.iterate[0], &l = v.iterate[1];
      const bool in_second = second >> (i - begin) % 32 & 1;
      const double *from = (in_second ? l.u : k.u) + x.u;
      for (int j = 2 * lane; j < size; j += 64)
        __pipeline_memcpy_async(stage.u + j, from + j, 2 * sizeof(double));
      __pipeline_commit();
      if (x.weight != loaded) {
        loaded = x.weight;
        const bool there = x.own >> row & 1;
        const double *w = (in_second ? l.weight : k.weight) + x.weight + place_of_column(x.own, row);
#pragma unroll
        for (int r = 0; r < Most; ++r)
          weight[r] = there && r < x.rows ? -w[r * x.weight_stride] : 0;
      }
      if (x.other >> lane & 1)
        stage.target[place_of_column(x.other, lane)] = x.first + place_of_column(x.target, lane);
      __pipeline_wait_prior(0);
      __syncwarp();
      multiply<true>(weight, x.rows, stage.u, padded(x.rows), n, stage.target);
    }
  }

  __device__ void add_parts(const JacobiPiece &piece) const
  {
    const int size = piece.columns * W;
    for (int i = lane; i < size; i += 32) {
      double sum = stage.panel[i / W * stride + i % W];
      const double *part = v.parts + piece.part + i;
#pragma unroll 8
      for (Offset p = 0; p < piece.parts; ++p)
        sum += part[p * size];
      stage.panel[i / W * stride + i % W] = sum;
    }
    __syncwarp();
  }

  /// The piece before its solve: entries of A less the updates.
  __device__ void pull(const JacobiPiece &piece) const
  {
    load_entries(piece);
    if (v.fresh)
      return;
    add_updates(piece.update_begin, piece.update_end);
    add_parts(piece);
  }

  /// Stores the panel by columns of W entries.
  __device__ void store(int columns, double *to) const
  {
    for (int i = lane; i < columns * W; i += 32)
      to[i] = stage.panel[i / W * stride + i % W];
  }

  /// panel = L⁻¹ P panel.
  __device__ void solve(const JacobiPiece &piece, int rows) const
  {
    const double *inverse = v.now(piece.block).inverse + v.inverse_start[piece.block];
    double factor[W];
#pragma unroll
    for (int i = 0; i < W; ++i)
      factor[i] = row < rows && i < rows ? inverse[i * rows + row] : 0;
    multiply<false>(factor, rows, stage.panel, stride, piece.columns, nullptr);
  }

  /// Stores the panel, D U, by rows, and U by columns.
  __device__ void store_tiles(const JacobiPiece &piece, int rows) const
  {
    const Index at = v.block_start[piece.block] + row;
    const JacobiIterate now = v.now(piece.block);
    const double own = row < rows ? now.own[at] : 0, other = row < rows ? now.other[at] : 0;
    const int partner = row < rows ? now.partner[at] : 0;
    double *u = now.u + piece.u, *weight = now.weight + piece.weight;
    for (int c = group; c < piece.columns; c += groups) {
      const double *x = stage.panel + c * stride;
      if (row < padded(rows)) // what is between columns stays zero
        u[c * padded(rows) + row] = row < rows ? fma(other, x[partner], own * x[row]) : 0;
    }
    const int span = piece.columns <= 4 ? 4 : piece.columns <= 8 ? 8 : piece.columns <= 16 ? 16 : 32;
    const int c = lane & (span - 1);
    for (int r = lane / span; r < rows && c < piece.columns; r += 32 / span)
      weight[r * padded(piece.columns) + c] = stage.panel[c * stride + r];
  }
};

/// A part of the updates of a piece.
struct PullPart {
  using Item = JacobiPart;

  template <int W, int Most>
  static __device__ void run(const JacobiView &v, const JacobiPart &part, SweepStage<W, Most> &stage)
  {
    const SweepWarp<W, Most> warp{v, stage};
    warp.clear(part.columns);
    warp.add_updates(part.update_begin, part.update_end);
    warp.store(part.columns, v.parts + part.place);
  }
};

/// The diagonal tile of a block less its updates, to now.lower.
struct PullDiagonal {
  using Item = JacobiPiece;

  template <int W, int Most>
  static __device__ void run(const JacobiView &v, const JacobiPiece &piece, SweepStage<W, Most> &stage)
  {
    const SweepWarp<W, Most> warp{v, stage};
    warp.pull(piece);
    warp.store(piece.columns, v.now(piece.block).lower + piece.u);
  }
};

/// A piece of the next iterate. Its diagonal tile is factored.
struct SweepTiles {
  using Item = JacobiPiece;

  template <int W, int Most>
  static __device__ void run(const JacobiView &v, const JacobiPiece &piece, SweepStage<W, Most> &stage)
  {
    const SweepWarp<W, Most> warp{v, stage};
    const int rows = v.block_rows(piece.block);
    warp.pull(piece);
    warp.solve(piece, rows);
    warp.store_tiles(piece, rows);
  }
};

constexpr int sweep_warps = 1; ///< of a thread block: more would wait for the longest

template <class Step, int W, int Most>
__global__ void __launch_bounds__(32 * sweep_warps, Most == 32 ? 12 : 24)
    run_sweep(std::int64_t count, const typename Step::Item *items, const JacobiView v)
{
  __shared__ SweepStage<W, Most> stage[sweep_warps];
  const std::int64_t item = std::int64_t(blockIdx.x) * sweep_warps + threadIdx.x / 32;
  if (item < count && v.active[items[item].block])
    Step::template run<W, Most>(v, items[item], stage[threadIdx.x / 32]);
}

} // namespace tessera
#endif
