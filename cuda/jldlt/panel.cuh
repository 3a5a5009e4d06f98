#ifndef TESSERA_CUDA_JLDLT_PANEL_CUH
#define TESSERA_CUDA_JLDLT_PANEL_CUH

#include "cuda/lanes/group_cuda.cuh"

#include "cuda/lanes/tensor_cores.cuh"
#include "factor/jldlt/view.hpp"

namespace tessera {

/// Entries of a panel with columns of so many entries in shared memory. Columns begin 4 banks of 8 bytes apart, so that
/// the 4 x 8 entries that a tensor core takes together are in different ones.
TESSERA_BOTH constexpr int panel_stride(int rows)
{
  return (rows < 8 ? 8 : rows) + 4;
}

/// Shared memory of a warp. Most: rows of the largest block.
template <int Most>
struct SweepStage {
  static constexpr int capacity = 2 * jacobi_piece_columns * panel_stride(Most); ///< at least the entries of an update
  alignas(16) double entry[capacity];                     ///< the panel by columns, or what updates multiply
  alignas(16) double zeros[panel_stride(max_block_rows)]; ///< a column that a tile does not keep
};

/// A matrix product, rows x columns in tiles of 8 x 8, in the registers of a warp. Products: how it multiplies
/// (lanes/tensor_cores.cuh). Lane l has entries
/// (l / 4, 2 (l % 4)) and (l / 4, 2 (l % 4) + 1) of each tile. Lower: only tiles on and below the diagonal.
template <int W, bool Lower, class Products>
struct WarpProduct {
  static constexpr int across = W < 8 ? 1 : W / 8, along = jacobi_piece_columns / 8;
  double entry[across][along][2] = {};

  static __device__ int row(int i) { return 8 * i + (threadIdx.x & 31) / 4; }
  static __device__ int column(int t, int e) { return 8 * t + 2 * (threadIdx.x & 3) + e; }

  /// action(row, column, entry) for the lane's entries of tiles that have columns before this one
  template <class Action>
  __device__ __forceinline__ void visit(int columns, const Action &action)
  {
#pragma unroll
    for (int t = 0; t < along; ++t)
      if (8 * t < columns) {
#pragma unroll
        for (int i = 0; i < across; ++i)
          if (!Lower || t <= i) {
#pragma unroll
            for (int e = 0; e < 2; ++e)
              action(row(i), column(t, e), entry[i][t][e]);
          }
      }
  }

  /// += aᵀ b for four rows of both. rows, columns: bits of those where the product may not be zero.
  __device__ __forceinline__ void add(const double (&a)[across], const double (&b)[along], std::uint32_t rows,
                                      std::uint32_t columns)
  {
#pragma unroll
    for (int t = 0; t < along; ++t) {
      const bool met = columns >> (8 * t) & 0xff;
      if constexpr (across == 1) {
        if (met)
          Products::multiply(entry[0][t], a[0], b[t]);
      } else {
#pragma unroll
        for (int i = 0; i < across; i += 2)
          if (!Lower || t <= i + 1)
            Products::multiply(entry[i][t], entry[i + 1][t], a[i], a[i + 1], b[t], met && (rows >> (8 * i) & 0xffff));
      }
    }
  }
};

/// A warp that computes a piece of a block row, W being the lanes of the block's rows: less the panel, in registers.
/// Lower: the piece is a diagonal tile, of which the lower triangle is wanted.
template <int W, int Most, bool Lower, class Products>
struct WarpPanel {
  static constexpr int stride = panel_stride(W);
  using Product = WarpProduct<W, Lower, Products>;

  const JacobiView &v;
  SweepStage<Most> &stage;
  double *const shared = stage.entry;
  int lane = threadIdx.x & 31;
  Product minus = {};

  /// Begins with zeros.
  __device__ __forceinline__ void clear(int) { clear_shared(0); }

  /// Clears columns of the panel in shared memory.
  __device__ __forceinline__ void clear_shared(int columns)
  {
    for (int i = 2 * lane; i < columns * stride; i += 64)
      *reinterpret_cast<double2 *>(shared + i) = double2{0, 0};
    for (int i = lane; i < panel_stride(max_block_rows); i += 32)
      stage.zeros[i] = 0;
    __syncwarp();
  }

  /// Begins with the entries of A that belong to the piece.
  __device__ __forceinline__ void load_entries(const JacobiPiece &piece)
  {
    constexpr int at_once = 4; // under way, while the panel is cleared
    Offset begin = piece.entry_begin;
    do {
      int place[at_once];
      double x[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const Offset e = begin + 32 * k + lane;
        place[k] = -1;
        if (e < piece.entry_end) {
          place[k] = __ldg(v.entry_column + e) * stride + __ldg(v.entry_row + e);
          x[k] = __ldg(v.a + __ldg(v.entry + e));
        }
      }
      if (begin == piece.entry_begin)
        clear_shared((piece.columns + 7) / 8 * 8);
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (place[k] >= 0)
          shared[place[k]] = -x[k];
      begin += 32 * at_once;
    } while (begin < piece.entry_end);
    __syncwarp();
    minus.visit(piece.columns, [&](int r, int c, double &x) { x = shared[c * stride + r]; });
    __syncwarp();
  }

  __device__ __forceinline__ void add_sums(const JacobiPiece &piece)
  {
    if (piece.parts == 0)
      return;
    const int size = piece.columns * W;
    minus.visit(piece.columns, [&](int r, int c, double &x) { shared[c * stride + r] = x; });
    __syncwarp();
    for (int i = lane; i < size; i += 32) {
      double sum = shared[i / W * stride + i % W];
      const double *part = v.parts + piece.part + i;
#pragma unroll 32
      for (Offset p = 0; p < piece.parts; ++p)
        sum -= part[p * size];
      shared[i / W * stride + i % W] = sum;
    }
    __syncwarp();
    minus.visit(piece.columns, [&](int r, int c, double &x) { x = shared[c * stride + r]; });
    __syncwarp();
  }

  __device__ __forceinline__ void store_largest(int rows, double *to)
  {
    double x = 0;
    minus.visit(rows, [&](int r, int c, double y) {
      if (c <= r && r < rows && fabs(y) > x)
        x = fabs(y);
    });
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      x = fmax(x, __shfl_xor_sync(~0u, x, step));
    if (lane == 0)
      *to = x;
  }

  /// Stores the panel by columns of W entries, zeros without a sign: products with zeros are left out on a core.
  __device__ __forceinline__ void store(int columns, double *to)
  {
    minus.visit(columns, [&](int r, int c, double x) {
      if (r < W && c < columns)
        to[c * W + r] = 0.0 - x;
    });
  }
};

} // namespace tessera
#endif
