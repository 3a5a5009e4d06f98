#ifndef TESSERA_CUDA_FRONT_TILE_TILE_PIECES_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_PIECES_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/tile/tile_product.cuh"

namespace tessera {

/// What a thread adds of a piece at a time, of 32 columns: its warp has every fourth column, its lane two rows of them.
struct PieceShare {
  static constexpr int warps = tile_threads / 32, columns = 32 / warps;
  TilePiece piece;
  int side, part; ///< side: of the contribution
  double x[columns][2];
  Index row[2], column; ///< in the front; column: in lane c, of column c of the warp

  __device__ __forceinline__ PieceShare(const FrontArrays &arrays, const TilePiece &p, int of_side, int number)
      : piece(p), side(of_side), part(number)
  {
    const Index *to = arrays.to_parent + p.below_begin;
    const double *const b = arrays.memory + p.contribution.begin;
    const double *const own[2] = {b + p.contribution.in_row(i(0), side), b + p.contribution.in_row(i(1), side)};
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const Offset before = p.contribution.in_column(j(c), side);
#pragma unroll
      for (int h = 0; h < 2; ++h)
        x[c][h] = is_there(h, c) ? __ldcg(own[h] + before) : 0.0;
    }
    for (int h = 0; h < 2; ++h)
      row[h] = i(h) < p.i_end ? to[i(h)] : 0;
    const int lane = threadIdx.x & 31;
    column = lane < columns && j(lane) < p.j_end ? to[j(lane)] : 0;
  }

  __device__ __forceinline__ bool has_next() const
  {
    return piece.j_begin + 32 * (part + 1) < piece.j_end;
  }
  __device__ __forceinline__ Index i(int h) const
  {
    return piece.i_begin + int(threadIdx.x & 31) + 32 * h;
  }
  __device__ __forceinline__ Index j(int c) const
  {
    return piece.j_begin + 32 * part + int(threadIdx.x / 32) + warps * c;
  }
  /// Side 1 is strictly lower triangular.
  __device__ __forceinline__ bool is_there(int h, int c) const
  {
    return i(h) < piece.i_end && j(c) < piece.j_end && i(h) >= j(c) + side;
  }
};

} // namespace tessera
#endif
