#ifndef TESSERA_CUDA_FRONT_TILE_TILE_GATHER_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_GATHER_CUH

#include "cuda/front/tile/factor_tile.cuh"
#include "cuda/front/tile/tile_pieces.cuh"
#include "cuda/lanes/signals.cuh"

namespace tessera {

/// By a thread block: puts a tile of a front together in its shared memory, with its masses: entries of A, then pieces
/// of the children's contributions, in their order. For LU a tile on side 1 is one of the transposed matrix.
template <int Sides>
class TileGather {
public:
  __device__ TileGather(const FrontArrays &arrays, const TileTask &task, const DeviceFront &front,
                        TileScratch<Sides> &scratch)
      : arrays_(arrays), t_(task), f_(front), s_(scratch), side_(Sides == 1 ? 0 : task.side)
  {
  }

  /// Waits for all children, and where the tile's place is still read for those who read there.
  __device__ void run()
  {
    clear();
    arrays_.for_entries<tile_threads>(t_.entry_begin, t_.entry_end, [&](std::uint32_t at, double x) {
      s_.whole.a[(at & 0xffff) * tile_leading + (at >> 16)] = x;
      if (Sides == 1 && diagonal() && (at & 0xffff) == at >> 16)
        s_.mass[0][at >> 16] = fabs(x);
    });
    const GatheredRange &before = s_.strip.before;
    if (threadIdx.x == 0)
      wait_for_count(arrays_.arrived + t_.front, f_.awaited);
    else if (threadIdx.x >= 32)
      for (Index k = before.begin + threadIdx.x - 32; k < before.end; k += tile_threads - 32)
        wait_for_count(arrays_.gathered + arrays_.gathered_first[k].strip, arrays_.gathered_first[k].tiles);
    __syncthreads();
    add_pieces(side_);
    if (Sides == 2 && diagonal())
      add_pieces(1);
  }

private:
  static constexpr int width = DeviceFront::tile_width;

  __device__ bool diagonal() const { return t_.row == t_.column; }

  __device__ void clear()
  {
    for (int x = threadIdx.x; x < width * tile_leading; x += tile_threads)
      s_.whole.a[x] = 0;
    if (threadIdx.x < Sides * width)
      s_.mass[threadIdx.x / width][threadIdx.x % width] = 0;
    __syncthreads();
    const int c = t_.column * width + threadIdx.x;
    if (diagonal() && threadIdx.x < width && c >= f_.columns && c < f_.columns_padded)
      s_.whole.a[threadIdx.x * tile_leading + threadIdx.x] = arrays_.rules.padding_pivot();
  }

  /// What children hand on on a side. The numbers of the next share are on their way while one is added.
  __device__ void add_pieces(int side)
  {
    if (t_.piece_begin == t_.piece_end)
      return;
    Offset p = t_.piece_begin;
    PieceShare share(arrays_, arrays_.piece[p], side, 0);
    for (;;) {
      const bool same = share.has_next();
      p += same ? 0 : 1;
      if (p == t_.piece_end)
        break;
      const PieceShare next(arrays_, arrays_.piece[p], side, same ? share.part + 1 : 0);
      add_share(share);
      if (!same)
        __syncthreads();
      share = next;
    }
    add_share(share);
    __syncthreads();
  }

  /// Of side 1 into a tile on the diagonal as its transpose.
  __device__ __forceinline__ void add_share(const PieceShare &share)
  {
    const int i0 = t_.row * width, j0 = t_.column * width;
    const bool transposed = Sides == 2 && share.side != side_;
    const int down = transposed ? tile_leading : 1, across = transposed ? 1 : tile_leading;
#pragma unroll
    for (int c = 0; c < PieceShare::columns; ++c) {
      double *column = s_.whole.a + (__shfl_sync(whole_warp, share.column, c) - j0) * across - i0 * down;
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (share.is_there(h, c))
          column[share.row[h] * down] += share.x[c][h];
    }
    if (diagonal() && share.part == 0) {
      const TilePiece &p = share.piece;
      const Offset begin = p.contribution.begin + p.contribution.mass(0, share.side);
      for (int k = p.j_begin + threadIdx.x; k < p.j_end; k += tile_threads)
        s_.mass[share.side][arrays_.to_parent[p.below_begin + k] - i0] += __ldcg(arrays_.memory + (begin + k));
    }
  }

  const FrontArrays &arrays_;
  const TileTask &t_;
  const DeviceFront &f_;
  TileScratch<Sides> &s_;
  const Index side_;
};

} // namespace tessera
#endif
