#ifndef TESSERA_CUDA_PULL_PIECES_CUH
#define TESSERA_CUDA_PULL_PIECES_CUH

#include "team_cuda.cuh"

#include "device_schedule.hpp"
#include "factor/block_ildlt.hpp"

#include <cuda_pipeline.h>

namespace tessera {

/// Shared memory of a warp that pulls the updates of one piece. Most: rows of the largest block.
template <int W, int Most, class T>
struct PullStage {
  static constexpr int staged_column = Most + 2;                 ///< columns begin at even places, in other banks
  alignas(16) T own[W * staged_column];                          ///< kept columns of tile (k, b)
  alignas(16) T others[piece_columns_on_device * staged_column]; ///< kept columns of block row k that the piece holds
  double panel[W * piece_columns_on_device];                     ///< the piece
  int target[piece_columns_on_device];                           ///< which column of the piece each of `others` meets
};

/// Every block row that updates come from is done: levels are computed one after the other.
struct AllDone {
  __device__ bool operator()(Index) const { return true; }
};

/// The updates C_bj -= U_kbᵀ D_k U_kj of pull_updates (factor/block_ildlt.hpp), in the same order of operations, by a
/// warp: block rows k one after the other, their tiles looked up by all lanes at once and staged in shared memory, the
/// weights -(D_k U_kb) in registers, a lane a row of the piece. done(k): whether block row k can be read; asked until
/// it can.
template <int W, int Most, class T, class Done>
struct PieceUpdates {
  static constexpr int staged_column = PullStage<W, Most, T>::staged_column;
  const StructureView &s;
  const FactorView<T> &f;
  const PanelPiece &piece; ///< its panel: stage.panel
  PullStage<W, Most, T> &stage;
  const Done &done;
  int lane = threadIdx.x & 31;

  /// Panel column of tile (b, j) less the first of the piece, or -1 if the piece does not hold it.
  __device__ int find(Index j) const
  {
    if (j == piece.block)
      return piece.column_begin == 0 ? 0 : -1;
    Offset low = piece.tile_begin, high = piece.tile_end;
    while (low < high) {
      const Offset middle = (low + high) / 2;
      if (s.tile_column[middle] < j)
        low = middle + 1;
      else
        high = middle;
    }
    return low < piece.tile_end && s.tile_column[low] == j ? s.panel_column[low] - piece.column_begin : -1;
  }

  /// Begins to copy `columns` kept columns of block row k from the first-th on.
  __device__ void copy(Index k, Index rows, Index first, int columns, T *to) const
  {
    const T *from = f.value[k] + Offset(first) * rows;
    for (int c = 0; c < columns; ++c)
      if (lane < rows)
        __pipeline_memcpy_async(to + c * staged_column + lane, from + c * rows + lane, sizeof(T));
  }

  /// Stages the columns of block row k, from tile t on, that the piece holds, and returns how many there are.
  __device__ int stage_others(Index k, Index rows, Offset t, Index last_column)
  {
    const Offset end = s.tile_start[k + 1];
    int staged = 0;
    for (Offset y0 = t; y0 < end; y0 += 32) {
      const Offset y = y0 + lane;
      const Index j = y < end ? s.tile_column[y] : last_column + 1;
      Index first = 0, count = 0;
      int target = -1;
      if (j <= last_column) {
        first = f.first[y + k];
        count = f.first[y + k + 1] - first;
        target = count > 0 ? find(j) : -1;
      }
      for (unsigned hits = __ballot_sync(~0u, target >= 0); hits; hits &= hits - 1) {
        const int from = __ffs(hits) - 1;
        const Index hit_first = __shfl_sync(~0u, first, from);
        const int columns = __shfl_sync(~0u, count, from), base = __shfl_sync(~0u, target, from);
        copy(k, rows, hit_first, columns, stage.others + staged * staged_column);
        if (lane < columns)
          stage.target[staged + lane] = base + f.column[k][hit_first + lane];
        staged += columns;
      }
      if (__any_sync(~0u, j > last_column))
        break;
    }
    return staged;
  }

  /// weight[r] = -(D_k U_kb)(r, row) for the piece's row that this lane holds; 0 where the tile keeps no such column.
  __device__ void weights(Index k, Index rows, Index first, int columns, double (&weight)[Most]) const
  {
    const int row = lane & (W - 1);
    const int column = lane < columns ? f.column[k][first + lane] : W;
    int place = -1;
    for (int c = 0; c < columns; ++c)
      place = __shfl_sync(~0u, column, c) == row ? c : place;
    const T *u = stage.own + (place < 0 ? 0 : place) * staged_column;
    const double *d = f.d + s.block_start[k], *e = f.e + s.block_start[k];
    double before = 0; // e[r - 1] u[r - 1]
#pragma unroll
    for (int r = 0; r < Most; ++r) {
      double x = 0;
      if (r < rows) {
        const double ur = double(u[r]), er = e[r];
        x = d[r] * ur;
        if (er != 0)
          x += er * double(u[r + 1]);
        x += before;
        before = er * ur;
      }
      weight[r] = place < 0 ? 0 : -x;
    }
  }

  /// Adds the products of the weights with the staged columns; the groups of the warp take turns.
  __device__ void multiply(Index rows, int staged, const double (&weight)[Most]) const
  {
    const int row = lane & (W - 1), group = lane / W;
    for (int c = group; c < staged; c += 32 / W) {
      double *entry = stage.panel + stage.target[c] * W + row;
      const T *u = stage.others + c * staged_column;
      double sum = *entry;
#pragma unroll
      for (int r = 0; r < Most; r += 4) {
        if (r >= rows)
          break;
        sum = fma(weight[r], double(u[r]), sum);
        sum = r + 1 < rows ? fma(weight[r + 1], double(u[r + 1]), sum) : sum;
        sum = r + 2 < rows ? fma(weight[r + 2], double(u[r + 2]), sum) : sum;
        sum = r + 3 < rows ? fma(weight[r + 3], double(u[r + 3]), sum) : sum;
      }
      *entry = sum;
    }
  }

  __device__ void pull()
  {
    const Index b = piece.block;
    const Index last_column = piece.tile_end > piece.tile_begin ? s.tile_column[piece.tile_end - 1] : b;
    for (Offset q0 = s.column_start[b]; q0 < s.column_start[b + 1]; q0 += 32) {
      // the lanes look for tiles (k, b) that keep something, 32 at a time, those whose block rows are done
      const Offset q = q0 + lane;
      const int tiles = int(min(s.column_start[b + 1] - q0, Offset(32)));
      const Index k = lane < tiles ? s.column_block[q] : 0;
      const Offset t = lane < tiles ? s.column_tile[q] : 0;
      bool ready = lane >= tiles;
      for (int begin = 0, end; begin < tiles; begin = end) {
        ready = ready || done(k);
        const unsigned waiting = __ballot_sync(~0u, !ready);
        end = waiting ? __ffs(waiting) - 1 : tiles;
        const bool mine = lane >= begin && lane < end;
        const Index first = mine ? f.first[t + k] : 0, count = mine ? f.first[t + k + 1] - first : 0;
        for (unsigned hits = __ballot_sync(~0u, count > 0); hits; hits &= hits - 1) {
          const int from = __ffs(hits) - 1;
          update(__shfl_sync(~0u, k, from), __shfl_sync(~0u, t, from), __shfl_sync(~0u, first, from),
                 __shfl_sync(~0u, count, from), last_column);
        }
      }
    }
  }

  /// The updates by block row k, whose tile t = (k, b) keeps `count` columns from the first-th on.
  __device__ void update(Index k, Offset t, Index first, int count, Index last_column)
  {
    const Index rows = s.block_rows(k);
    const int staged = stage_others(k, rows, piece.column_begin == 0 ? t : t + 1, last_column);
    if (staged == 0)
      return;
    copy(k, rows, first, count, stage.own);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    double weight[Most];
    weights(k, rows, first, count, weight);
    multiply(rows, staged, weight);
    __syncwarp();
  }
};

/// A piece before its solve: entries of A less the updates. By a warp, which keeps it in shared memory meanwhile.
template <int W, int Most, class T, class Done>
__device__ void pull_piece(const StructureView &s, const FactorView<T> &f, const ValuesView &values,
                           const PanelPiece &whole, PullStage<W, Most, T> &stage, const Done &done)
{
  const CudaTeam<W> g;
  PanelPiece piece = whole;
  piece.panel = stage.panel - Offset(whole.column_begin) * W;
  gather_values(g, values, piece);
  PieceUpdates<W, Most, T, Done>{s, f, piece, stage, done}.pull();
  for (Offset i = Offset(piece.column_begin) * W + g.first_item(); i < Offset(piece.column_end) * W; i += g.item_step())
    whole.panel[i] = piece.panel[i];
  __syncwarp();
}

} // namespace tessera
#endif
