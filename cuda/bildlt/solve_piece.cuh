#ifndef TESSERA_CUDA_BILDLT_SOLVE_PIECE_CUH
#define TESSERA_CUDA_BILDLT_SOLVE_PIECE_CUH

#include "cuda/lanes/team_cuda.cuh"

#include "cuda/lanes/tensor_cores.cuh"
#include "factor/bildlt/block_ildlt.hpp"

namespace tessera {

/// D⁻¹ L⁻¹ P of a block as the first operands of products, in the registers of a warp.
template <int W, class Products>
struct InverseOperand {
  static constexpr int down = W < 8 ? 1 : W / 8, steps = W / 4;
  double a[down][steps];

  /// scaled_inverse: [W x rows]. Columns beyond are -0, whose products with 0 leave every sum as it is.
  __device__ InverseOperand(const double *scaled_inverse, Index rows)
  {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int k = 0; k < steps; ++k) {
        const int row = 8 * i + lane / 4, column = 4 * k + lane % 4;
        a[i][k] = column < rows && row < W ? scaled_inverse[column * W + row] : -0.0;
      }
  }

  /// Overwrites up to 8 columns [W] by their products. A sum begins with -0, so that its first product is exact.
  __device__ void multiply(double *column, Index columns, Index rows) const
  {
    const int lane = threadIdx.x & 31;
    double b[steps], sum[down][2];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const int row = 4 * k + lane % 4;
      b[k] = row < rows && lane / 4 < columns ? column[lane / 4 * W + row] : 0.0;
    }
#pragma unroll
    for (int i = 0; i < down; ++i)
      sum[i][0] = sum[i][1] = -0.0;
#pragma unroll
    for (int k = 0; k < steps; ++k)
      multiply_tiles<Products, down>([&](int i) -> double(&)[2] { return sum[i]; }, [&](int i) { return a[i][k]; },
                                     b[k]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (const int row = 8 * i + lane / 4, c = 2 * (lane % 4) + h; row < W && c < columns)
          column[c * W + row] = sum[i][h];
  }
};

/// What solve_panel does (host/bildlt/solve_panel.hpp), by a warp. Products: how it multiplies
/// (lanes/tensor_cores.cuh).
template <int W, class Products>
__device__ void solve_piece(const StructureView &s, const PanelPiece &piece, const double *scaled_inverse,
                            double *squares)
{
  if (piece.tile_begin == piece.tile_end)
    return;
  const CudaTeam<W> g;
  const Index rows = s.block_rows(piece.block);
  const InverseOperand<W, Products> inverse(scaled_inverse, rows);
  for (Index c = piece.column_begin; c < piece.column_end; c += 8)
    inverse.multiply(piece.panel + Offset(c) * W, min(piece.column_end - c, 8), rows);
  __syncwarp();
  for (Offset t = piece.tile_begin + g.group(); t < piece.tile_end; t += g.groups()) {
    const Index begin = s.panel_column[t], end = begin + s.block_rows(s.tile_column[t]);
    double total = 0;
#pragma unroll 8
    for (Index c = begin; c < end; ++c) {
      const double x = g.load(piece.panel + Offset(c) * W);
      total = fma(x, x, total);
    }
    g.store(squares + (t - s.tile_start[piece.block]) * W, total);
  }
}

} // namespace tessera
#endif
