#ifndef TESSERA_ANALYSIS_SYMBOLIC_BLOCK_TRIANGULAR_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_BLOCK_TRIANGULAR_HPP

#include "base/types.hpp"

#include <algorithm>
#include <vector>

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

/// [blocks] the levels of diagonal blocks: each is one level above the highest of those that its rows have entries in,
/// which come before it. for_coupled(b, f): calls f(c) for all blocks c, with b or without, that block b has entries
/// in.
template <class ForCoupled>
std::vector<Index> levels_of_blocks(Index blocks, const ForCoupled &for_coupled)
{
  std::vector<Index> level(blocks, 0);
  for (Index b = 0; b < blocks; ++b)
    for_coupled(b, [&](Index c) { level[b] = c == b ? level[b] : std::max(level[b], level[c] + 1); });
  return level;
}

/// How many levels the blocks of a form have.
Index count_levels(const Pattern &a, const BlockTriangularForm &form);

} // namespace tessera
#endif
