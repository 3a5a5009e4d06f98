#ifndef TESSERA_ANALYSIS_SYMBOLIC_BLOCK_TRIANGULAR_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_BLOCK_TRIANGULAR_HPP

#include "base/types.hpp"

namespace tessera {

/// The diagonal blocks of the block triangular form of a square pattern: its strongly connected components, in an order
/// in which the rows of a block have no entry in a block that comes later (Tarjan 1972, by SuiteSparse's BTF). The
/// diagonal counts as full.
struct BlockTriangularForm {
  Index blocks = 0;
  std::vector<Index> block; ///< [rows] the block of each row, and of the column of the same number
};

/// Throws std::bad_alloc without memory.
BlockTriangularForm block_triangular_form(const Pattern &a);

/// How many levels its blocks have: a block is one level above the highest of those that its rows have entries in.
Index count_levels(const Pattern &a, const BlockTriangularForm &form);

} // namespace tessera
#endif
