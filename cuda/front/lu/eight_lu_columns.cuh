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

/// Eight columns of an unsymmetric matrix in registers while they are eliminated, and the eight rows of U that they
/// give. A thread has a row of the columns and the column of that number of the rows, and the 8 x 8 block of the pivots
/// as every other thread, so that none waits for another. There is one branch: a warp waits at each for the operations
/// before it, which takes as long as a pivot.
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
    load();
#pragma unroll
    for (int j = 0; j < 4; ++j)
      eliminate(j);
    if (own_ > 4)
#pragma unroll
      for (int j = 4; j < 8; ++j)
        eliminate(j);
    if (columns_.is_row())
      keep();
    columns_.wait();
  }

  /// By a warp that has no rows, while others run: waits as often as they do.
  static __device__ __forceinline__ void stand_by(const Columns &columns)
  {
    for (int times = 0; times < 2; ++times)
      columns.wait();
  }

private:
  __device__ __forceinline__ void load()
  {
    const int number = columns_.is_row() ? row_ : 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      x_[j] = columns_.at(number, begin_ + j);
      y_[j] = columns_.at(begin_ + j, number);
#pragma unroll
      for (int i = 0; i < 8; ++i)
        d_[i][j] = columns_.at(begin_ + i, begin_ + j);
    }
    columns_.wait();
  }

  __device__ __forceinline__ void eliminate(int j)
  {
    const bool is_own = j < own_;
    const bool below = row_ > begin_ + j;
    const Reciprocal r(d_[j][j]);
    const double inverse = is_own ? r.value() : 0.0;
    const double v = x_[j], l = below ? v * inverse : 0.0, u = below ? y_[j] : 0.0;
#pragma unroll
    for (int i = j + 1; i < 8; ++i) {
      const double factor = -d_[i][j] * inverse;
#pragma unroll
      for (int k = j + 1; k < 8; ++k)
        if (i == j + 1 && k == i) // the next pivot
          d_[i][i] = is_own ? r.subtract_quotient(d_[i][j] * d_[j][i], d_[i][i]) : d_[i][i];
        else
          d_[i][k] = fma(factor, d_[j][k], d_[i][k]);
      x_[i] = fma(-l, d_[j][i], x_[i]);
      y_[i] = fma(factor, u, y_[i]);
    }
    line_.good = line_.good & (fabs(l) <= bound_);
    line_.row_mass = fma(fabs(l), fabs(v), line_.row_mass);
    line_.column_mass = fma(fabs(u), fabs(u * inverse), line_.column_mass);
    line_.pivot = is_own & (row_ == begin_ + j) ? d_[j][j] : line_.pivot;
    x_[j] = is_own & below ? l : v;
  }

  __device__ __forceinline__ void keep() const
  {
    const bool right = row_ >= begin_ + 8;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      columns_.put(j, j < own_ ? x_[j] : 0.0, j < own_ ? y_[j] : 0.0);
      columns_.at(row_, begin_ + j) = x_[j];
      if (right)
        columns_.at(begin_ + j, row_) = y_[j];
    }
  }

  const int begin_, own_, row_;
  const double bound_; ///< of L in the thread's row
  const Columns &columns_;
  EliminatedLine &line_;
  double x_[8], y_[8]; ///< the thread's row and column
  double d_[8][8];     ///< the block of the pivots: U, and below it columns that are not divided by their pivots
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
