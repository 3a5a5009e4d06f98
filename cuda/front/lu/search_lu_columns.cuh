#ifndef TESSERA_CUDA_FRONT_LU_SEARCH_LU_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_LU_SEARCH_LU_COLUMNS_CUH

#include "cuda/front/lu/eliminate_lu_columns.cuh"
#include "cuda/front/lu/searched_line.cuh"
#include "cuda/lanes/largest_lane.cuh"

namespace tessera {

/// Eight columns of a small unsymmetric matrix while they are eliminated with the largest open entry of each as its
/// pivot, and then the rows of U that they give. Lane i has row i of the columns, and column i of the rows. Rows stay
/// where they are.
class EightSearchedLuColumns {
public:
  __device__ __forceinline__ EightSearchedLuColumns(double *a, int begin, int n, EliminationScratch &s, unsigned &open,
                                                    SearchedLine &line)
      : a_(a), begin_(begin), own_(min(8, n - begin)), lane_(threadIdx.x & 31), s_(s), open_(open), line_(line)
  {
  }

  /// Overwrites the columns, and leaves both in the scratch: L as zeros in rows that are no longer open.
  __device__ __forceinline__ void run()
  {
    eliminate();
    __syncwarp();
    substitute();
    __syncwarp();
  }

private:
  /// What is no number is the largest: its block has no factor anyway.
  __device__ __forceinline__ void eliminate()
  {
    double x[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      x[j] = a_[(begin_ + j) * small_leading + lane_];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      double l = 0;
      if (j < own_) {
        const int row = largest_lane(x[j], open_);
        const double p = __shfl_sync(whole_warp, x[j], row), inverse = fast_reciprocal(p);
        open_ &= ~(1u << row);
        line_.odd ^= __popc(open_ & first_bits(row)) & 1; // rows before this one that come later
        const bool open = open_ >> lane_ & 1, own = lane_ == begin_ + j;
        l = open ? x[j] * inverse : 0.0;
#pragma unroll
        for (int i = j + 1; i < 8; ++i)
          x[i] = fma(-l, __shfl_sync(whole_warp, x[i], row), x[i]);
        line_.row_mass = fma(l * l, fabs(p), line_.row_mass);
        line_.pivot = own ? p : line_.pivot;
        line_.row = own ? row : line_.row;
        x[j] = open ? l : x[j];
        inverse_ = own ? fabs(inverse) : inverse_;
      }
      s_.l[j][lane_] = l;
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
      a_[(begin_ + j) * small_leading + lane_] = x[j];
  }

  /// Rows of U, and what all but their pivots add to the masses of columns. Right of the eight columns the matrix has
  /// them only when it is updated.
  __device__ __forceinline__ void substitute()
  {
    double y[8];
    const bool right = lane_ >= begin_ + 8;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int row = __shfl_sync(whole_warp, line_.row, begin_ + i);
      y[i] = a_[lane_ * small_leading + row];
#pragma unroll
      for (int q = 0; q < i; ++q)
        y[i] = right ? fma(-s_.l[q][row], y[q], y[i]) : y[i];
      const bool above = i < own_ && lane_ > begin_ + i;
      const double inverse = __shfl_sync(whole_warp, inverse_, begin_ + i);
      line_.column_mass = above ? fma(y[i] * y[i], inverse, line_.column_mass) : line_.column_mass;
      s_.v[i][lane_] = i < own_ ? y[i] : 0.0;
    }
  }

  double *const a_;
  const int begin_, own_, lane_;
  EliminationScratch &s_;
  unsigned &open_; ///< rows without a pivot
  SearchedLine &line_;
  double inverse_ = 0; ///< of the magnitude of the pivot in the lane's column
};

/// By one warp: all rows, in columns from tile `begin` on, less the product of what eight columns left in the scratch.
/// That makes rows of U of those that had these pivots.
__device__ __forceinline__ void update_all_rows(double *a, int begin, int tiles, const EliminationScratch &s)
{
  const int lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
#pragma unroll 1
  for (int tj = begin; tj < tiles; ++tj) {
    double *const at = a + (8 * tj + 2 * inner) * small_leading + row;
    double sum[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sum[i][0] = at[8 * i];
      sum[i][1] = at[small_leading + 8 * i];
    }
#pragma unroll
    for (int q = 0; q < 8; q += 4)
      multiply_tiles<TensorProducts, 4>([&](int i) -> double(&)[2] { return sum[i]; },
                                        [&](int i) { return -s.l[q + inner][8 * i + row]; },
                                        s.v[q + inner][8 * tj + row]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      at[8 * i] = sum[i][0];
      at[small_leading + 8 * i] = sum[i][1];
    }
  }
  __syncwarp();
}

/// By one warp: row i of a becomes what is row `row` of lane i.
__device__ __forceinline__ void order_rows(double *a, int row)
{
  const int lane = threadIdx.x & 31;
#pragma unroll 1
  for (int begin = 0; begin < 32; begin += 8) {
    double x[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      x[j] = a[(begin + j) * small_leading + row];
    __syncwarp();
#pragma unroll
    for (int j = 0; j < 8; ++j)
      a[(begin + j) * small_leading + lane] = x[j];
  }
  __syncwarp();
}

/// By one warp: eliminates all n columns of a small matrix by partial pivoting. It has 32 rows and columns, those from
/// n on 0. Overwritten by L and U as eliminate_lu_columns() would leave them, had the rows been in the order of the
/// pivots. Lane i knows of row and column i; its masses are given, and stay those of the row in its old place.
inline __device__ __noinline__ SearchedLine search_lu_columns(double *a, int n, double row_mass, double column_mass,
                                                              const PivotRules rules, EliminationScratch &s)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&s));
  const int lane = threadIdx.x & 31, tiles = (n + 7) / 8;
  SearchedLine line{{row_mass, column_mass, 1, true, false}, lane, 0, 0};
  unsigned open = first_bits(n);
#pragma unroll 1
  for (int c = 0; c < n; c += 8) {
    EightSearchedLuColumns(a, c, n, s, open, line).run();
    update_all_rows(a, c / 8 + 1, tiles, s);
  }
  order_rows(a, line.row);
  judge_searched(line, lane < n, rules);
  return line;
}

} // namespace tessera
#endif
