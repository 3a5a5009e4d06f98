#ifndef TESSERA_HOST_LU_LU_BLOCK_HPP
#define TESSERA_HOST_LU_LU_BLOCK_HPP

#include "factor/front/options.hpp"
#include "host/front/blas.hpp"
#include "host/front/parallel_chunks.hpp"
#include "host/lu/lu_front.hpp"

#include <algorithm>

namespace tessera {

constexpr Index lu_block_columns = 256; ///< of a block, whose panels update what follows together
constexpr Index lu_small_columns = 16;  ///< so many are eliminated column by column

/// A block of a front's pivots: panels follow each other in it, each brought up to date with those before it, and then
/// the rest of the front with all of them.
template <class T>
class LuBlock {
protected:
  LuBlock(LuFront<T> &front, const DirectOptions &options, bool parallel)
      : f_(front), options_(options), parallel_(parallel)
  {
  }

  /// Eliminates a block of the columns before `end`, in panels of up to `width`. eliminate(panel_end): eliminates the
  /// columns before panel_end, which are up to date, and returns how many of those that it leaves, the first ones, are
  /// known to have no pivot; the block ends with them. Returns the same.
  template <class Eliminate>
  Index eliminate_block(Index end, Index width, const Eliminate &eliminate)
  {
    begin_ = f_.eliminated;
    const Index limit = std::min(begin_ + lu_block_columns, end);
    Index panel_end = begin_, failed = 0;
    while (f_.eliminated < limit && failed == 0) {
      panel_end = std::min(limit, f_.eliminated + width);
      bring_up_to_date(f_.eliminated, panel_end);
      failed = eliminate(panel_end);
    }
    bring_up_to_date(panel_end, f_.columns);
    update_right();
    return failed;
  }

  /// Whether all threads move so many rows in all own columns.
  bool is_shared(std::size_t rows) const { return parallel_ && rows * std::size_t(f_.columns) > parallel_numbers; }

  LuFront<T> &f_;
  const DirectOptions &options_;
  const bool parallel_;
  Index begin_ = 0; ///< first column of the block

private:
  /// Computes rows of U in the columns j0 .. j1 - 1, and brings what is below them up to date with the pivots of this
  /// block.
  void bring_up_to_date(Index j0, Index j1)
  {
    const Index done = f_.eliminated, many = done - begin_;
    if (many == 0)
      return;
    for_chunks_of_rows(j0, j1, parallel_, [&](Index c0, Index c1) {
      blas::solve_triangle(blas::Side::left, blas::Triangle::lower, blas::Form::given, blas::Diagonal::unit, many,
                           c1 - c0, f_.at(begin_, begin_), f_.rows, f_.at(begin_, c0), f_.rows);
      for (Index j = c0; j < c1; ++j)
        f_.column_mass[j] += mass_of(f_.at(begin_, j));
    });
    const Index size = chunk_rows(f_.rows - done, parallel_);
    const Index across = (j1 - j0 + size - 1) / size, down = (f_.rows - done + size - 1) / size;
    for_each_chunk(across * down, parallel_, [&](Index t) {
      const Index r0 = done + t / across * size, r1 = std::min(f_.rows, r0 + size);
      const Index c0 = j0 + t % across * size, c1 = std::min(j1, c0 + size);
      blas::subtract_product(r1 - r0, c1 - c0, many, f_.at(r0, begin_), f_.rows, f_.at(begin_, c0), f_.rows,
                             blas::Form::given, f_.at(r0, c0), f_.rows);
    });
  }

  /// The same for what is right of the own columns.
  void update_right()
  {
    const Index done = f_.eliminated, many = done - begin_, below = f_.below();
    if (many == 0)
      return;
    for_chunks_of_rows(0, below, parallel_, [&](Index c0, Index c1) {
      blas::solve_triangle(blas::Side::right, blas::Triangle::lower, blas::Form::transposed, blas::Diagonal::unit,
                           c1 - c0, many, f_.at(begin_, begin_), f_.rows, f_.right(begin_, c0), below);
      for (Index k = begin_; k < done; ++k) {
        const T *x = f_.right(k, 0);
        const double inverse = 1 / magnitude(*f_.at(k, k));
        for (Index i = c0; i < c1; ++i)
          f_.column_mass_below[i] += squared_magnitude(x[i]) * inverse;
      }
      blas::subtract_product(c1 - c0, f_.columns - done, many, f_.right(begin_, c0), below, f_.at(done, begin_),
                             f_.rows, blas::Form::transposed, f_.right(done, c0), below);
    });
  }

  /// What the pivots of the block add to the mass of a column with this part of U.
  double mass_of(const T *u) const
  {
    double sum = 0;
    for (Index k = begin_; k < f_.eliminated; ++k)
      sum += squared_magnitude(u[k - begin_]) / magnitude(*f_.at(k, k));
    return sum;
  }
};

} // namespace tessera
#endif
