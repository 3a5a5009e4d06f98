#ifndef TESSERA_FACTOR_JLDLT_INDEXED_BLOCKS_HPP
#define TESSERA_FACTOR_JLDLT_INDEXED_BLOCKS_HPP

#include "analysis/tiles/block_pattern.hpp"
#include "base/bytes.hpp"
#include "base/portable.hpp"

#include <algorithm>

namespace tessera {

/// The iBCSR of a symmetric block matrix as plain pointers, which a kernel takes by value. Shapes as in IndexedBlocks.
/// push_back() in factor/jldlt/push_back.hpp changes the order.
struct IndexView {
  Index blocks;
  const Offset *start;
  Index *index, *tile;
  Offset *diagonal;
  Index *level, *order, *place;

  /// Whether block a comes before block b in the current order.
  TESSERA_BOTH bool before(Index a, Index b) const { return place[a] < place[b]; }
};

/// A symmetric block matrix whose blocks can change their order while no tile moves: the indexed block-sparse row
/// format, iBCSR (thesis 6.4.1 and 8.3.1).
///
/// A tile is stored once, for its two block rows, as it was at first: rows of the block that came first then. Where
/// order has put the other of the two first it is used transposed. Block row i lists the tiles on both sides of its
/// diagonal as ends (index, tile), sorted by the current places of the blocks that the indices name.
struct IndexedBlocks {
  std::vector<Offset> start;    ///< [blocks + 1] ends of each block row
  std::vector<Index> index;     ///< [ends] the block at the tile's other end, by its first number
  std::vector<Index> tile;      ///< [ends] which tile; it has another end in the block row of that block
  std::vector<Offset> diagonal; ///< [blocks] the first end of the block row that comes after its diagonal tile
  std::vector<Index> level;     ///< [blocks] X: how often the block was pushed back
  std::vector<Index> order;     ///< [blocks] P: the block at each place
  std::vector<Index> place;     ///< [blocks] P⁻¹: the place of each block

  Index blocks() const { return static_cast<Index>(start.size()) - 1; }
  Offset bytes() const { return bytes_of_all(start, index, tile, diagonal, level, order, place); }
  IndexView view();
};

/// The iBCSR of a pattern of tiles in its own order. Tiles are numbered as in tiles.upper.
IndexedBlocks index_blocks(const BlockPattern &tiles);

/// Calls visit(tile (k, b), tile (k, j)) for the blocks k before both b and j, in their current order, for which both
/// tiles exist. b is before j. Takes the tiles of the shorter block row one by one and looks them up in the longer.
template <class Visit>
void visit_common(const IndexView &v, Index b, Index j, const Visit &visit)
{
  const bool swapped = v.diagonal[b] - v.start[b] > v.diagonal[j] - v.start[j];
  const Index shorter = swapped ? j : b, longer = swapped ? b : j;
  const Index *at = v.index + v.start[longer], *const end = v.index + v.diagonal[longer];
  for (Offset p = v.start[shorter]; p < v.diagonal[shorter] && at != end; ++p) {
    at = std::lower_bound(at, end, v.index[p], [&](Index x, Index y) { return v.before(x, y); });
    if (at == end || *at != v.index[p])
      continue;
    const Index one = v.tile[p], other = v.tile[at - v.index];
    visit(swapped ? other : one, swapped ? one : other);
  }
}

} // namespace tessera
#endif
