#ifndef TESSERA_HOST_FRONT_SOLVE_LOWER_COLUMNS_HPP
#define TESSERA_HOST_FRONT_SOLVE_LOWER_COLUMNS_HPP

#include "host/front/blas.hpp"
#include "host/front/parallel_chunks.hpp"

#include <algorithm>

// Substitutions with the eliminated columns [L11; L21] of a front, of LDLᵀ or of LU. W: the rows of the front times
// `columns`, W1 those of its pivots, W2 the others. Their order depends on the front only.

namespace tessera {

constexpr Index solve_block_columns = 256; ///< of a front, that are substituted together

/// W1 = L11⁻¹ W1 and W2 -= L21 W1. diagonal: of L11.
template <class Front, class T>
void forward_lower(const Front &f, blas::Diagonal diagonal, Index columns, bool parallel, T *w)
{
  for (Index k = 0; k < f.eliminated; k += solve_block_columns) {
    const Index width = std::min(solve_block_columns, f.eliminated - k);
    blas::solve_triangle(blas::Side::left, blas::Triangle::lower, blas::Form::given, diagonal, width, columns,
                         f.at(k, k), f.rows, w + k, f.rows);
    for_chunks_of_rows(k + width, f.rows, parallel, [&](Index r0, Index r1) {
      blas::subtract_product(r1 - r0, columns, width, f.at(r0, k), f.rows, w + k, f.rows, blas::Form::given, w + r0,
                             f.rows);
    });
  }
}

/// W1 = L11⁻ᵀ (W1 - L21ᵀ W2), or with adjoints. form: transposed or adjoint; diagonal: of L11.
template <blas::Form form, class Front, class T>
void backward_lower(const Front &f, blas::Diagonal diagonal, Index columns, bool parallel, T *w)
{
  constexpr Index chunk = 32; // columns of L that one call takes; few enough for balance
  for (Index k = (f.eliminated - 1) / solve_block_columns * solve_block_columns; k >= 0 && f.eliminated > 0;
       k -= solve_block_columns) {
    const Index width = std::min(solve_block_columns, f.eliminated - k), after = k + width;
    for_each_chunk((width + chunk - 1) / chunk, parallel, [&](Index t) {
      const Index c = k + t * chunk, many = std::min(chunk, after - c);
      blas::subtract_transposed_product(form, many, columns, f.rows - after, f.at(after, c), f.rows, w + after, f.rows,
                                        w + c, f.rows);
    });
    blas::solve_triangle(blas::Side::left, blas::Triangle::lower, form, diagonal, width, columns, f.at(k, k), f.rows,
                         w + k, f.rows);
  }
}

} // namespace tessera
#endif
