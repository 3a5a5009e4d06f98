#ifndef TESSERA_CUDA_JACOBI_PANEL_CUH
#define TESSERA_CUDA_JACOBI_PANEL_CUH

#include "group_cuda.cuh"

#include "factor/jacobi_view.hpp"

#include <cuda_pipeline.h>

namespace tessera {

constexpr int staged_updates = 8; ///< at the same time at most

/// Shared memory of the threads that compute a piece of a block row. Most: rows of the largest block.
template <int Most>
struct SweepStage {
  static constexpr int capacity = 2 * Most * max_block_rows; ///< at least the entries of an update or a solve
  alignas(16) double panel[jacobi_piece_columns * (Most + 2)];
  alignas(16) double buffer[capacity];                 ///< what updates multiply; what a solve does, and its result
  std::uint8_t target[staged_updates][max_block_rows]; ///< of an update, the panel's column for each column of U_kj
  std::uint8_t own[staged_updates][max_block_rows];    ///< likewise the row for each column of U_kb
};

/// A matrix product in shared memory, sums over r = 0 .. rows - 1 in this order: entry (c, j) += a(r, c) x(r, j).
struct Product2d {
  int columns, others, rows; ///< c < columns, j < others
  const double *a;           ///< [rows x padded(columns)]
  const double *x;           ///< by columns, x_stride entries between them, a multiple of 2; zero from `rows` on
  int x_stride;
};

/// The threads of a block that compute a piece of a block row in shared memory. W: lanes of the block's rows.
template <int W, int Most>
struct PanelTeam {
  static constexpr int threads = Most == 32 ? 64 : 32;
  static constexpr int stride = W + 2; ///< columns begin at even places, in other banks
  const JacobiView &v;
  SweepStage<Most> &stage;
  int thread = threadIdx.x;

  static __device__ void sync()
  {
    if constexpr (threads == 32)
      __syncwarp();
    else
      __syncthreads();
  }

  __device__ void clear(int columns) const
  {
    for (int i = thread; i < columns * stride; i += threads)
      stage.panel[i] = 0;
    sync();
  }

  /// Begins with the entries of A that belong to the piece.
  __device__ void load_entries(const JacobiPiece &piece) const
  {
    clear(piece.columns);
    for (Offset e = piece.entry_begin + thread; e < piece.entry_end; e += threads)
      stage.panel[v.entry_column[e] * stride + v.entry_row[e]] = v.a[v.entry[e]];
    sync();
  }

  __device__ void add_parts(const JacobiPiece &piece) const
  {
    const int size = piece.columns * W;
    for (int i = thread; i < size; i += threads) {
      double sum = stage.panel[i / W * stride + i % W];
      const double *part = v.parts + piece.part + i;
#pragma unroll 8
      for (Offset p = 0; p < piece.parts; ++p)
        sum += part[p * size];
      stage.panel[i / W * stride + i % W] = sum;
    }
    sync();
  }

  /// Stores the panel by columns of W entries, zeros without a sign: products with zeros are left out.
  __device__ void store(int columns, double *to) const
  {
    for (int i = thread; i < columns * W; i += threads)
      to[i] = stage.panel[i / W * stride + i % W] + 0.0;
  }

  /// Begins to copy a matrix by rows to one with padded(columns) entries between rows.
  __device__ void copy_rows(const double *from, int from_stride, int rows, int columns, double *to) const
  {
    const int span = columns <= 4 ? 4 : columns <= 8 ? 8 : columns <= 16 ? 16 : 32, c = thread & (span - 1);
    for (int r = thread / span; r < rows && c < columns; r += threads / span)
      __pipeline_memcpy_async(to + r * padded(columns) + c, from + r * from_stride + c, sizeof(double));
  }

  /// The product: sum = begin(c, j), then end(c, j, sum). Few entries go one by one to the threads, which take two at
  /// a time, others by 4 x 2.
  template <class Begin, class End>
  __device__ void multiply(const Product2d &p, const Begin &begin, const End &end) const
  {
    const int n = p.columns * p.others;
    if (n <= 2 * threads) {
      const int i = thread, next = i + threads;
      if (i < n)
        add_entries<1, 1>(p, i % p.columns, i / p.columns, begin, end);
      if (next < n)
        add_entries<1, 1>(p, next % p.columns, next / p.columns, begin, end);
    } else {
      const int across = (p.columns + 3) / 4, tiles = across * ((p.others + 1) / 2);
      for (int i = thread; i < tiles; i += threads)
        add_entries<4, 2>(p, i % across * 4, i / across * 2, begin, end);
    }
  }

private:
  /// Entries (c .. c + C - 1, j .. j + J - 1) of a product, in registers.
  template <int C, int J, class Begin, class End>
  __device__ void add_entries(const Product2d &p, int c, int j, const Begin &begin, const End &end) const
  {
    const int a_stride = padded(p.columns);
    const double *a = p.a + c, *x[J];
    double sum[C][J];
#pragma unroll
    for (int k = 0; k < J; ++k) {
      x[k] = p.x + (j + k < p.others ? j + k : j) * p.x_stride;
#pragma unroll
      for (int i = 0; i < C; ++i)
        sum[i][k] = c + i < p.columns && j + k < p.others ? begin(c + i, j + k) : 0;
    }
    int r = 0;
#pragma unroll 2
    for (; r + 1 < p.rows; r += 2, a += 2 * a_stride) {
      double one[C], two[C];
      load(a, one);
      load(a + a_stride, two);
#pragma unroll
      for (int k = 0; k < J; ++k) {
        const double2 y = *reinterpret_cast<const double2 *>(x[k] + r);
#pragma unroll
        for (int i = 0; i < C; ++i)
          sum[i][k] = fma(two[i], y.y, fma(one[i], y.x, sum[i][k]));
      }
    }
    if (r < p.rows) {
      double one[C];
      load(a, one);
#pragma unroll
      for (int k = 0; k < J; ++k)
#pragma unroll
        for (int i = 0; i < C; ++i)
          sum[i][k] = fma(one[i], x[k][r], sum[i][k]);
    }
#pragma unroll
    for (int k = 0; k < J; ++k)
#pragma unroll
      for (int i = 0; i < C; ++i)
        if (c + i < p.columns && j + k < p.others)
          end(c + i, j + k, sum[i][k]);
  }

  static __device__ void load(const double *a, double (&x)[1])
  {
    x[0] = *a;
  }
  static __device__ void load(const double *a, double (&x)[4])
  {
    const double2 one = *reinterpret_cast<const double2 *>(a), two = *reinterpret_cast<const double2 *>(a + 2);
    x[0] = one.x;
    x[1] = one.y;
    x[2] = two.x;
    x[3] = two.y;
  }
};

} // namespace tessera
#endif
