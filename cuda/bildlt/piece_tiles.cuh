#ifndef TESSERA_CUDA_BILDLT_PIECE_TILES_CUH
#define TESSERA_CUDA_BILDLT_PIECE_TILES_CUH

#include "factor/bildlt/views.hpp"

namespace tessera {

/// The tiles of a piece, one in each lane of a warp: at most 32, for they have a column each at least.
struct PieceTiles {
  static constexpr Index none = 0x7fffffff;
  Index block, column; ///< block column and first panel column of this lane's tile

  __device__ PieceTiles(const StructureView &s, const PanelPiece &piece, int lane)
  {
    const Offset t = piece.tile_begin + lane;
    block = t < piece.tile_end ? s.tile_column[t] : none;
    column = t < piece.tile_end ? s.panel_column[t] : none;
  }

  /// Panel column of tile (b, j), or -1 if the piece does not hold it. Each lane asks for its own j.
  __device__ Index find(Index j) const
  {
    const int i = count_below(block, j);
    const Index found = __shfl_sync(~0u, block, i), target = __shfl_sync(~0u, column, i);
    return found == j ? target : -1;
  }

  /// Which tile a panel column of the piece belongs to. Each lane asks for its own.
  __device__ int tile_of(Index c) const { return count_below(column, c + 1) - 1 + (__shfl_sync(~0u, column, 31) <= c); }

private:
  /// How many of the first 31 of ascending numbers, one in each lane, are less than x.
  static __device__ int count_below(Index number, Index x)
  {
    int i = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      i += __shfl_sync(~0u, number, i + step - 1) < x ? step : 0;
    return i;
  }
};

} // namespace tessera
#endif
