#ifndef TESSERA_CUDA_FRONT_LU_EIGHT_LU_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_LU_EIGHT_LU_COLUMNS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/pair_factor.cuh"
#include "cuda/lanes/warp.cuh"

#include <cfloat>

namespace tessera {

/// What became of the row and the column that have the thread's number.
struct EliminatedLine {
  double row_mass, column_mass; ///< see is_pivot() of the host
  double pivot;
  bool good;      ///< L is bounded in this row, and the pivot in it is one
  bool uncertain; ///< the pivot is little more than rounding
};

/// Eight columns of an unsymmetric matrix while they are eliminated, and then the rows of U that they give. A thread
/// has a row of the columns, and the column of that number of the rows; every eight lanes have the rows of the pivots,
/// too, so that no warp waits for another.
///
/// Columns: the matrix in shared memory, and whose threads have its rows and columns, those of a warp or of a thread
/// block. row(): the thread's number, and is_row() whether there is a row of that number; at(i, j): an entry, a
/// reference; wait(): for all of its threads; put(q, l, u): what is to be subtracted, in column q of L and row q of U.
template <class Columns>
class EightLuColumns {
public:
  /// Columns from k on have no pivots here.
  __device__ __forceinline__ EightLuColumns(int begin, int k, const PivotRules &rules, const Columns &columns,
                                            EliminatedLine &line)
      : begin_(begin), own_(min(8, k - begin)), row_(columns.row()), bound_(row_ < k ? rules.own_bound : rules.bound),
        columns_(columns), line_(line)
  {
  }

  /// Overwrites the columns and the rows.
  __device__ __forceinline__ void run()
  {
    eliminate();
    columns_.wait();
    if (columns_.is_row())
      substitute();
    columns_.wait();
  }

  /// By a warp that has no rows, while others run: waits as often as they do.
  static __device__ __forceinline__ void stand_by(const Columns &columns)
  {
    for (int times = 0; times < 3; ++times)
      columns.wait();
  }

private:
  __device__ __forceinline__ void eliminate()
  {
    const int number = int(threadIdx.x & 7), row = columns_.is_row() ? row_ : 0;
    double p[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      x_[j] = columns_.at(row, begin_ + j);
      p[j] = columns_.at(begin_ + number, begin_ + j);
    }
    columns_.wait();
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int c = begin_ + j;
      inverse_[j] = 0;
      if (j < own_) {
        const double pivot = __shfl_sync(whole_warp, p[j], j), inverse = fast_reciprocal(pivot);
        const double l = row_ > c ? x_[j] * inverse : 0.0, of_pivots = number > j ? p[j] * inverse : 0.0;
#pragma unroll
        for (int i = j + 1; i < 8; ++i) {
          const double u = __shfl_sync(whole_warp, p[i], j);
          x_[i] = fma(-l, u, x_[i]);
          p[i] = fma(-of_pivots, u, p[i]);
        }
        line_.good = line_.good & (fabs(l) <= bound_);
        line_.row_mass = fma(l * l, fabs(pivot), line_.row_mass);
        line_.pivot = row_ == c ? pivot : line_.pivot;
        x_[j] = row_ > c ? l : x_[j];
        inverse_[j] = fabs(inverse);
      }
    }
    if (columns_.is_row())
#pragma unroll
      for (int j = 0; j < 8; ++j)
        columns_.at(row_, begin_ + j) = x_[j];
  }

  /// Rows of U right of the columns, and what all of them add to the masses of columns.
  __device__ __forceinline__ void substitute()
  {
    double y[8];
    double *const own = &columns_.at(begin_, row_);
    const bool right = row_ >= begin_ + 8;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      y[i] = own[i];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int q = 0; q < i; ++q)
        y[i] = right ? fma(-(q < own_ ? columns_.at(begin_ + i, begin_ + q) : 0.0), y[q], y[i]) : y[i];
      const bool above = i < own_ && row_ > begin_ + i;
      line_.column_mass = above ? fma(y[i] * y[i], inverse_[i], line_.column_mass) : line_.column_mass;
      columns_.put(i, i < own_ ? x_[i] : 0.0, i < own_ ? y[i] : 0.0);
      if (right)
        own[i] = y[i];
    }
  }

  const int begin_, own_, row_;
  const double bound_; ///< of L in the thread's row
  const Columns &columns_;
  EliminatedLine &line_;
  double x_[8];
  double inverse_[8]; ///< of the pivots' magnitudes
};

/// Whether the pivot in the thread's row, if it has one, is one, and with static pivoting a large one; and whether it
/// is little more than rounding.
__device__ __forceinline__ void judge_pivot(EliminatedLine &line, bool has_pivot, const PivotRules &rules)
{
  const double size = fabs(line.pivot), mass = sqrt(line.row_mass) * sqrt(line.column_mass);
  line.good = line.good & (!has_pivot || ((size > rules.zero * mass) & (size <= DBL_MAX)));
  if (rules.is_static)
    line.good = line.good & (!has_pivot || size >= rules.least_pivot());
  line.uncertain = has_pivot & !(size > rules.uncertain * mass);
}

} // namespace tessera
#endif
