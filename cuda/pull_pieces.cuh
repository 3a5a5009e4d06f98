#ifndef TESSERA_CUDA_PULL_PIECES_CUH
#define TESSERA_CUDA_PULL_PIECES_CUH

#include "pull_stage.cuh" // before the kernels

#include "factor/block_ildlt.hpp"
#include "multiply_updates.cuh"
#include "stage_updates.cuh"

// The updates of a piece by warps of a thread block. host/pull_updates.hpp is the other half, with the same order of
// operations.

namespace tessera {

/// Every block row that updates come from is done: levels are computed one after the other.
struct AllDone {
  __device__ bool operator()(Index) const { return true; }
};

/// The updates C_bj -= U_kbᵀ D_k U_kj of a piece (factor/updates.hpp). A round takes as many block rows k as there are
/// warps. Each warp looks up the tiles of one of them, all lanes at once, and stages them in shared memory, for the
/// time goes into waiting for memory. Then the warps do the products of all of them in ascending k, each for its
/// columns of the piece. done(k): whether block row k can be read; asked until it can.
template <int W, int Most, int Warps, class T, class Done>
struct PieceUpdates {
  using Team = PullTeam<W, Warps>;
  const StructureView &s;
  const FactorView<T> &f;
  const PanelPiece &piece; ///< its panel: stage.panel
  PullStage<W, Most, Warps, T> &stage;
  const Done &done;
  int lane = threadIdx.x & 31;
  int warp = Team::warp();

  /// The products of a round of that many block rows.
  __device__ void end_round(int staged_rows) const
  {
    const UpdateProducts<W, Most, Warps, T> products{stage, lane, warp};
    Team::sync();
    for (int from = 0; from < staged_rows; ++from) {
      products.multiply(from);
      __syncwarp();
    }
    Team::sync();
  }

  /// The updates by entries q_begin .. q_end - 1 of the block column.
  __device__ void pull(Offset q_begin, Offset q_end) const
  {
    const UpdateStager<W, Most, Warps, T> stager{s, f, piece, stage, lane, warp};
    const Index last_column = last_update_column(s, piece);
    int in_round = 0;
    for (Offset q0 = q_begin; q0 < q_end; q0 += 32) {
      // the lanes look for tiles (k, b) that keep something, 32 at a time, those whose block rows are done
      const Offset q = q0 + lane;
      const int tiles = int(min(q_end - q0, Offset(32)));
      const Index k = lane < tiles ? s.column_block[q] : 0;
      const Offset t = lane < tiles ? s.column_tile[q] : 0;
      bool ready = lane >= tiles;
      for (int begin = 0, end; begin < tiles; begin = end) {
        ready = ready || done(k);
        const unsigned waiting = __ballot_sync(~0u, !ready);
        end = waiting ? __ffs(waiting) - 1 : tiles;
        UpdateSource<T> mine = {};
        if (lane >= begin && lane < end)
          mine = update_source(s, f, k, t);
        for (unsigned hits = __ballot_sync(~0u, mine.count > 0); hits; hits &= hits - 1) {
          const UpdateSource<T> x = source_of_lane(mine, __ffs(hits) - 1);
          if (in_round == warp)
            stager.stage_row(x, last_column);
          if (++in_round == Warps) {
            end_round(Warps);
            in_round = 0;
          }
        }
      }
    }
    if (in_round > 0)
      end_round(in_round);
  }
};

/// panel[i] = stage.panel[i], or += it, for the columns of a piece; `panel` begins with its first.
template <int W, int Most, int Warps, class T>
__device__ void put_stage(const PanelPiece &piece, const PullStage<W, Most, Warps, T> &stage, bool add, double *panel)
{
  using Team = PullTeam<W, Warps>;
  const Index size = (piece.column_end - piece.column_begin) * W;
  for (Index i = Team::first_item(); i < size; i += Team::item_step())
    panel[i] = add ? panel[i] + stage.panel[i] : stage.panel[i];
  Team::sync();
}

/// A part of the updates of a piece by itself, to `sum` [W x columns of the piece], or added to it. By Warps warps, in
/// shared memory meanwhile.
template <int W, int Most, int Warps, class T, class Done>
__device__ void pull_part(const StructureView &s, const FactorView<T> &f, const PanelPiece &whole, Offset part,
                          PullStage<W, Most, Warps, T> &stage, const Done &done, bool add, double *sum)
{
  using Team = PullTeam<W, Warps>;
  const Offset begin = s.column_start[whole.block] + part * update_part;
  PanelPiece piece = whole;
  piece.panel = stage.panel - Offset(whole.column_begin) * W;
  for (Index i = Team::first_item(); i < (whole.column_end - whole.column_begin) * W; i += Team::item_step())
    stage.panel[i] = 0;
  Team::sync();
  PieceUpdates<W, Most, Warps, T, Done>{s, f, piece, stage, done}.pull(
      begin, min(begin + update_part, s.column_start[whole.block + 1]));
  put_stage<W>(whole, stage, add, sum);
}

/// A piece before its solve: entries of A less the updates, part after part. By Warps warps, in shared memory
/// meanwhile.
template <int W, int Most, int Warps, class T, class Done>
__device__ void pull_piece(const StructureView &s, const FactorView<T> &f, const ValuesView &values,
                           const PanelPiece &whole, PullStage<W, Most, Warps, T> &stage, const Done &done)
{
  const PullTeam<W, Warps> g;
  const Offset begin = s.column_start[whole.block], end = s.column_start[whole.block + 1];
  const Offset parts = count_parts(end - begin);
  double *const panel = whole.panel + Offset(whole.column_begin) * W;
  PanelPiece piece = whole;
  piece.panel = stage.panel - Offset(whole.column_begin) * W;
  gather_values(g, values, piece);
  if (parts == 1)
    PieceUpdates<W, Most, Warps, T, Done>{s, f, piece, stage, done}.pull(begin, end);
  put_stage<W>(whole, stage, false, panel);
  for (Offset part = 0; parts > 1 && part < parts; ++part)
    pull_part<W>(s, f, whole, part, stage, done, true, panel);
}

} // namespace tessera
#endif
