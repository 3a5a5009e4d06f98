#ifndef TESSERA_CUDA_PULL_PIECES_CUH
#define TESSERA_CUDA_PULL_PIECES_CUH

#include "team_cuda.cuh"

#include "device_schedule.hpp"
#include "factor/block_ildlt.hpp"

#include <cuda_pipeline.h>
#include <type_traits>

namespace tessera {

/// Shared memory of the warps that pull the updates of one piece together. Each of them stages the updates by one block
/// row k at a time. Most: rows of the largest block.
template <int W, int Most, int Warps, class T>
struct PullStage {
  static constexpr int columns = piece_columns_on_device;
  static constexpr int staged_column = Most + 2;        ///< columns begin at even places, in other banks
  alignas(16) T others[Warps][columns * staged_column]; ///< kept columns of block row k that the piece holds
  double weight[Warps][W * Most];                       ///< kept columns of tile (k, b), then the weights; see place_of
  double panel[W * columns];                            ///< the piece
  int target[Warps][columns];                           ///< which column of the piece each of `others` meets
  int staged[Warps];                                    ///< how many `others` there are
  Index rows[Warps];                                    ///< of block row k
  std::int8_t kept[Warps][W];                           ///< which kept column a column of tile (k, b) is, or -1

  /// Where entry r of kept column c is in `weight`: skewed, so that lanes that read the same r of different columns
  /// meet different banks.
  static __device__ int place_of(int c, int r) { return c * Most + (r ^ (c & (Most - 1))); }
};

/// Every block row that updates come from is done: levels are computed one after the other.
struct AllDone {
  __device__ bool operator()(Index) const { return true; }
};

/// The warps that share a piece as a team (factor/block_ildlt.hpp): one, or all of a thread block.
template <int W, int Warps>
struct PullTeam : CudaTeam<W> {
  static __device__ int first_item() { return Warps == 1 ? threadIdx.x & 31 : threadIdx.x; }
  static __device__ int item_step() { return 32 * Warps; }
  static __device__ int warp() { return Warps == 1 ? 0 : threadIdx.x / 32; }
  static __device__ void sync()
  {
    if constexpr (Warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }
};

/// The updates C_bj -= U_kbᵀ D_k U_kj of pull_updates (factor/block_ildlt.hpp), in the same order of operations. A
/// round takes as many block rows k as there are warps. Each warp looks up the tiles of one of them, all lanes at once,
/// and stages them in shared memory, for the time goes into waiting for memory. Then the warps do the products of all
/// of them in ascending k, each for its columns of the piece. done(k): whether block row k can be read; asked until it
/// can.
template <int W, int Most, int Warps, class T, class Done>
struct PieceUpdates {
  using Stage = PullStage<W, Most, Warps, T>;
  using Team = PullTeam<W, Warps>;
  static constexpr int at_once = W == 32 ? 4 : 2; ///< columns that a group updates at the same time, against latency
  const StructureView &s;
  const FactorView<T> &f;
  const PanelPiece &piece; ///< its panel: stage.panel
  Stage &stage;
  const Done &done;
  int lane = threadIdx.x & 31;
  int warp = Team::warp();

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

  /// Block row k, of which tile t = (k, b) keeps `count` columns from the first-th on. Each lane reads one, and the
  /// warp that stages it has its lanes read no more of it than they need.
  struct Source {
    Index k, rows, first, count, row_start;
    Offset t, end;
    const T *value;
    const std::uint8_t *column;

    __device__ Source of_lane(int from) const
    {
      return {
          __shfl_sync(~0u, k, from),
          __shfl_sync(~0u, rows, from),
          __shfl_sync(~0u, first, from),
          __shfl_sync(~0u, count, from),
          __shfl_sync(~0u, row_start, from),
          __shfl_sync(~0u, t, from),
          __shfl_sync(~0u, end, from),
          reinterpret_cast<const T *>(__shfl_sync(~0u, reinterpret_cast<unsigned long long>(value), from)),
          reinterpret_cast<const std::uint8_t *>(__shfl_sync(~0u, reinterpret_cast<unsigned long long>(column), from))};
    }
  };

  /// What this lane has to know of block row k, if it is asked; else a source that keeps nothing.
  __device__ Source source(Index k, Offset t, bool asked) const
  {
    Source x = {};
    if (!asked)
      return x;
    x.k = k;
    x.t = t;
    x.first = f.first[t + k];
    x.count = f.first[t + k + 1] - x.first;
    x.rows = s.block_rows(k);
    x.row_start = s.block_start[k];
    x.end = s.tile_start[k + 1];
    x.value = f.value[k];
    x.column = f.column[k];
    return x;
  }

  /// Begins to stage the columns of block row k that the piece holds, and returns how many there are.
  __device__ int stage_others(const Source &x, Index last_column)
  {
    int staged = 0;
    for (Offset y0 = piece.column_begin == 0 ? x.t : x.t + 1; y0 < x.end; y0 += 32) {
      const Offset y = y0 + lane;
      const Index j = y < x.end ? s.tile_column[y] : last_column + 1;
      Index first = 0, count = 0;
      int target = -1;
      if (j <= last_column) {
        first = f.first[y + x.k];
        count = f.first[y + x.k + 1] - first;
        target = count > 0 ? find(j) : -1;
      }
      for (unsigned hits = __ballot_sync(~0u, target >= 0); hits; hits &= hits - 1) {
        const int from = __ffs(hits) - 1;
        const Index hit_first = __shfl_sync(~0u, first, from);
        const int columns = __shfl_sync(~0u, count, from), base = __shfl_sync(~0u, target, from);
        const T *u = x.value + Offset(hit_first) * x.rows;
        for (int c = 0; c < columns; ++c)
          if (lane < x.rows)
            __pipeline_memcpy_async(stage.others[warp] + (staged + c) * Stage::staged_column + lane,
                                    u + c * x.rows + lane, sizeof(T));
        if (lane < columns)
          stage.target[warp][staged + lane] = base + x.column[hit_first + lane];
        staged += columns;
      }
      if (__any_sync(~0u, j > last_column))
        break;
    }
    return staged;
  }

  /// Begins to copy the kept columns of tile (k, b) to where their weights will be.
  __device__ void stage_own(const Source &x)
  {
    const T *u = x.value + Offset(x.first) * x.rows;
    for (int c = lane / Most; c < x.count; c += 32 / Most)
      if (const int r = lane % Most; r < x.rows) {
        double *to = stage.weight[warp] + Stage::place_of(c, r);
        if constexpr (std::is_same<T, double>::value)
          __pipeline_memcpy_async(to, u + c * x.rows + r, sizeof(T));
        else
          *to = u[c * x.rows + r];
      }
    if (lane < W)
      stage.kept[warp][lane] = -1;
    __syncwarp();
    if (lane < x.count)
      stage.kept[warp][x.column[x.first + lane]] = lane;
  }

  /// Stages the updates by block row k. What does not depend on each other is read at the same time.
  __device__ void stage_row(const Source &x, Index last_column)
  {
    const int r = lane % Most;
    const bool inside = r < x.rows;
    const double d = inside ? f.d[x.row_start + r] : 0, e = inside ? f.e[x.row_start + r] : 0;
    stage_own(x);
    const int staged = stage_others(x, last_column);
    __pipeline_commit();
    const double before = __shfl_up_sync(~0u, e, 1), e_before = r > 0 ? before : 0;
    __pipeline_wait_prior(0);
    __syncwarp();
    // the kept columns of tile (k, b) become weights, in place
    for (int begin = 0; begin < x.count; begin += 32 / Most) {
      const int c = begin + lane / Most;
      const bool mine = c < x.count && inside;
      const auto u = [&](int i) { return stage.weight[warp][Stage::place_of(c, i)]; };
      const double weight = mine ? update_weight(d, e, e_before, u, r) : 0;
      __syncwarp();
      if (mine)
        stage.weight[warp][Stage::place_of(c, r)] = weight;
    }
    if (lane == 0) {
      stage.staged[warp] = staged;
      stage.rows[warp] = x.rows;
    }
  }

  /// Adds the products of the weights that warp `from` staged with its staged columns, as far as they meet columns of
  /// this warp: those are consecutive. The groups of the warp take turns.
  __device__ void multiply(int from)
  {
    const int staged = stage.staged[from], row = lane & (W - 1), group = lane / W;
    const int target = lane < staged ? stage.target[from][lane] : -1;
    const unsigned mine = __ballot_sync(~0u, target >= 0 && target / (Stage::columns / Warps) == warp);
    if (mine == 0)
      return;
    const int begin = __ffs(mine) - 1, end = begin + __popc(mine);
    const Index rows = stage.rows[from];
    const int kept = stage.kept[from][row];
    double weight[Most];
#pragma unroll
    for (int r = 0; r < Most; ++r)
      weight[r] = kept >= 0 && r < rows ? stage.weight[from][Stage::place_of(kept, r)] : 0;
    for (int c = begin + group; c < end; c += at_once * (32 / W))
      update_some(rows, weight, from, c, end);
  }

  /// Updates columns c, c + 32 / W, ... before `end`, at most at_once of them.
  __device__ void update_some(Index rows, const double (&weight)[Most], int from, int c, int end)
  {
    double sum[at_once];
    double *entry[at_once];
    const T *u[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int column = c + i * (32 / W) < end ? c + i * (32 / W) : c; // one too many is not stored
      entry[i] = stage.panel + stage.target[from][column] * W + (lane & (W - 1));
      u[i] = stage.others[from] + column * Stage::staged_column;
      sum[i] = *entry[i];
    }
#pragma unroll
    for (int r = 0; r < Most; r += 2) {
      if (r >= rows)
        break;
      const bool both = r + 1 < rows;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const T one = u[i][r], other = u[i][r + 1]; // the padding, if it is beyond the rows
        sum[i] = fma(weight[r], double(one), sum[i]);
        sum[i] = both ? fma(weight[r + 1], double(other), sum[i]) : sum[i];
      }
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (c + i * (32 / W) < end)
        *entry[i] = sum[i];
  }

  /// The products of a round of that many block rows.
  __device__ void end_round(int staged_rows)
  {
    Team::sync();
    for (int from = 0; from < staged_rows; ++from) {
      multiply(from);
      __syncwarp();
    }
    Team::sync();
  }

  /// The updates by entries q_begin .. q_end - 1 of the block column.
  __device__ void pull(Offset q_begin, Offset q_end)
  {
    const Index b = piece.block;
    const Index last_column = piece.tile_end > piece.tile_begin ? s.tile_column[piece.tile_end - 1] : b;
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
        const Source mine = source(k, t, lane >= begin && lane < end);
        for (unsigned hits = __ballot_sync(~0u, mine.count > 0); hits; hits &= hits - 1) {
          const Source x = mine.of_lane(__ffs(hits) - 1);
          if (in_round == warp)
            stage_row(x, last_column);
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
