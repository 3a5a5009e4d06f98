#ifndef TESSERA_CUDA_JACOBI_PANEL_CUH
#define TESSERA_CUDA_JACOBI_PANEL_CUH

#include "team_cuda.cuh"

#include "factor/jacobi_view.hpp"

namespace tessera {

/// Shared memory of a warp that computes a piece of a block row. Most: rows of the largest block.
template <int Most>
struct SweepStage {
  static constexpr int capacity = Most == 32 ? 1280 : 512; ///< at least the entries of a tile
  alignas(16) double panel[jacobi_piece_columns * (Most + 2)];
  alignas(16) double update[capacity]; ///< U_kj and weights of updates: see UpdateWarp
  int target[max_block_rows];          ///< which column of the panel each column of U_kj meets
  int own[max_block_rows];             ///< which row each column of U_kb meets
};

/// A piece of a block row in shared memory, and a warp that works on it: lane l holds row l % W; its 32 / W groups of
/// lanes take columns in turn.
template <int W, int Most>
struct PanelWarp {
  static constexpr int stride = W + 2; ///< columns begin at even places, in other banks; W is whole steps
  static constexpr int groups = 32 / W, at_once = 4;
  const JacobiView &v;
  SweepStage<Most> &stage;
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

  /// Stores the panel by columns of W entries, zeros without a sign: products with zeros may have been left out.
  __device__ void store(int columns, double *to) const
  {
    for (int i = lane; i < columns * W; i += 32)
      to[i] = stage.panel[i / W * stride + i % W] + 0.0;
  }

  /// panel = L⁻¹ P panel.
  __device__ void multiply_by_inverse(const JacobiPiece &piece, int rows) const
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

} // namespace tessera
#endif
