#ifndef TESSERA_CUDA_BILDLT_STAGE_UPDATES_CUH
#define TESSERA_CUDA_BILDLT_STAGE_UPDATES_CUH

#include "cuda/bildlt/piece_tiles.cuh"
#include "cuda/bildlt/stage_columns.cuh"
#include "cuda/runtime/warp_sums.cuh"

#include "factor/bildlt/updates.hpp"

namespace tessera {

/// What lane `from` knows of a block row.
template <class T>
__device__ UpdateSource<T> source_of_lane(const UpdateSource<T> &x, int from)
{
  const auto address = [from](const auto *p) {
    return reinterpret_cast<decltype(p)>(__shfl_sync(~0u, reinterpret_cast<unsigned long long>(p), from));
  };
  return {__shfl_sync(~0u, x.block, from),
          __shfl_sync(~0u, x.rows, from),
          __shfl_sync(~0u, x.first, from),
          __shfl_sync(~0u, x.count, from),
          __shfl_sync(~0u, x.row_start, from),
          __shfl_sync(~0u, x.tile, from),
          __shfl_sync(~0u, x.tile_end, from),
          address(x.value),
          address(x.column)};
}

/// A warp that stages its share of the updates of a piece: one of as many as there are such warps.
template <int W, class Warps, class T, class Done>
struct UpdateStager {
  using Ring = UpdateRing<W, Warps, T>;
  const StructureView &s;
  const FactorView<T> &f;
  const PanelPiece &piece;
  Ring &ring;
  int ld;
  const Done &done;
  int lane, stager;
  ColumnStager<W, Ring, T> columns;
  PieceTiles tiles;
  Index first_column, last_column; ///< block columns of the piece

  __device__ UpdateStager(const StructureView &s, const FactorView<T> &f, const PanelPiece &piece, Ring &ring, int ld,
                          const Done &done)
      : s(s), f(f), piece(piece), ring(ring), ld(ld), done(done), lane(threadIdx.x & 31),
        stager(threadIdx.x / 32 - Warps::multiplying), columns{ld, lane}, tiles(s, piece, lane),
        first_column(piece.tile_end > piece.tile_begin ? s.tile_column[piece.tile_begin] : piece.block),
        last_column(last_update_column(s, piece))
  {
  }

  __device__ typename Ring::Places &places() const { return ring.places[stager]; }

  /// Stages the updates by entries q_begin .. q_end - 1 of the block column, then the end of the part. n: entries of
  /// the ring so far.
  __device__ void stage_part(Offset q_begin, Offset q_end, unsigned &n) const
  {
    TESSERA_ROLL
    for (Offset q0 = q_begin; q0 < q_end; q0 += 32) {
      // the lanes look for tiles (k, b) that keep something, 32 at a time, those whose block rows are done
      const Offset q = q0 + lane;
      const int tiles = int(min(q_end - q0, Offset(32)));
      const Index k = lane < tiles ? s.column_block[q] : 0;
      const Offset t = lane < tiles ? s.column_tile[q] : 0;
      bool ready = lane >= tiles;
      TESSERA_ROLL
      for (int begin = 0, end; begin < tiles; begin = end) {
        ready = ready || done(k);
        __syncwarp(); // what one lane knows to be stored, the others may read
        const unsigned waiting = __ballot_sync(~0u, !ready);
        end = waiting ? __ffs(waiting) - 1 : tiles;
        UpdateSource<T> mine = {};
        if (lane >= begin && lane < end)
          mine = update_source(s, f, k, t);
        TESSERA_ROLL
        for (unsigned hits = __ballot_sync(~0u, mine.count > 0); hits; hits &= hits - 1, ++n)
          if (n % Warps::staging == stager)
            stage_row(source_of_lane(mine, __ffs(hits) - 1), n);
      }
    }
    if (n % Warps::staging == stager) {
      acquire(n);
      hand_over(n, 0, 0);
    }
    ++n;
  }

  /// Waits until the slot of entry n is free.
  __device__ void acquire(unsigned n) const
  {
    if (n >= Ring::slots) {
      const unsigned round = n / Ring::slots - 1;
      wait_for_phase(ring.empty[round % 2] + n % Ring::slots, round / 2);
    }
    __syncwarp();
  }

  /// Gives entry n to the warps that multiply, as soon as its copies have arrived.
  __device__ void hand_over(unsigned n, Index rows, unsigned met) const
  {
    const int slot = n % Ring::slots;
    if (lane == 0) {
      ring.rows[slot] = rows;
      ring.met[slot] = met;
    }
    __pipeline_arrive_on(ring.full + slot);
    __mbarrier_arrive(ring.full + slot);
  }

  /// Stages the updates by block row k as entry n.
  __device__ void stage_row(const UpdateSource<T> &x, unsigned n) const
  {
    const int width = group_width(x.rows), r = lane & (width - 1);
    const bool inside = r < x.rows;
    const double d = inside ? f.d[x.row_start + r] : 0, e = inside ? f.e[x.row_start + r] : 0;
    const int place = lane < x.count ? x.column[x.first + lane] : 0;
    places().own[lane] = -1;
    places().other[lane] = -1;
    __syncwarp();
    if (piece.column_begin > 0)
      find_others(x);
    if (lane < x.count)
      places().own[place] = x.first + lane;
    __syncwarp();
    const Index own = places().own[lane], other = piece.column_begin > 0 ? places().other[lane] : own;
    const unsigned met = __ballot_sync(~0u, other >= 0);
    __syncwarp();
    acquire(n);
    if (met) {
      double *weight = ring.weight(n % Ring::slots, ld);
      T *others = ring.others(n % Ring::slots, ld);
      const bool whole = W == 32 && columns.is_whole(x, own);
      if (whole)
        columns.copy_whole(x, own, weight);
      else
        columns.copy_own(x, own, weight);
      __pipeline_commit();
      if (columns.is_whole(x, other))
        columns.copy_whole(x, other, others);
      else
        columns.copy_others(x, other, others);
      __pipeline_commit();
      __pipeline_wait_prior(1);
      __syncwarp();
      if (whole && !__any_sync(~0u, e != 0))
        columns.scale_whole(d, weight);
      else
        columns.make_weights(x, __ballot_sync(~0u, own >= 0), d, e, weight);
    }
    hand_over(n, x.rows, met);
  }

  /// A tile of block row k that is at most 32 tiles before the first one in the columns of the piece or after them. The
  /// lanes look at 32 tiles at a time.
  __device__ Offset first_tile(const UpdateSource<T> &x) const
  {
    Offset low = first_update_tile(piece, x), high = x.tile_end;
    TESSERA_ROLL
    while (high - low > 32) {
      const Offset step = (high - low + 31) / 32, last = low + (lane + 1) * step - 1;
      const bool before = last < high && s.tile_column[last] < first_column;
      low += __popc(__ballot_sync(~0u, before)) * step;
      high = min(high, low + step);
    }
    return low;
  }

  /// Looks up the kept columns of block row k that the piece holds.
  __device__ void find_others(const UpdateSource<T> &x) const
  {
    TESSERA_ROLL
    for (Offset y0 = first_tile(x); y0 < x.tile_end; y0 += 32) {
      const Offset y = y0 + lane;
      const bool inside = y < x.tile_end;
      const Index j = inside ? s.tile_column[y] : last_column + 1;
      const Index first = inside ? f.first[y + x.block] : 0, next = inside ? f.first[y + x.block + 1] : 0;
      const Index target = tiles.find(j);
      const int count = target >= 0 ? next - first : 0, end = sum_up_to(count), begin = end - count;
      TESSERA_ROLL
      for (int i = 0; i < count; ++i)
        places().owner[begin + i] = lane;
      __syncwarp();
      const int found = __shfl_sync(~0u, end, 31), from = lane < found ? places().owner[lane] : 0;
      const Index kept = __shfl_sync(~0u, first - begin, from) + lane;
      const Index tile = __shfl_sync(~0u, target, from) - piece.column_begin;
      if (lane < found)
        places().other[tile + x.column[kept]] = kept;
      __syncwarp();
      if (__any_sync(~0u, j > last_column))
        break;
    }
  }
};

} // namespace tessera
#endif
