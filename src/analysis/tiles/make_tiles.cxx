#include "analysis/tiles/make_tiles.hpp"

namespace tessera {
namespace {

/// Sets perm, block_start and pairs of the rows from a blocking of the vertices of the compressed graph.
void expand_blocking(const CompressedGraph &graph, const Blocking &blocking, BlockStructure &structure)
{
  structure.rows = static_cast<Index>(graph.row.size());
  structure.perm = expand(graph, blocking.perm);
  structure.block_start.assign(1, 0);
  structure.pairs.assign(blocking.blocks(), 0);
  Index rows = 0;
  for (Index b = 0; b < blocking.blocks(); ++b) {
    for (Index v = blocking.start[b]; v < blocking.start[b + 1]; ++v) {
      if (graph.weight[blocking.perm[v]] == 2)
        structure.pairs[b] |= std::uint32_t(1) << (rows - structure.block_start[b]);
      rows += graph.weight[blocking.perm[v]];
    }
    structure.block_start.push_back(rows);
  }
}

constexpr Index most_fill_levels = 4; ///< tried where complete fill has too many tiles

FillStatus fill(const Pattern &blocks, Index level, Offset max_tiles, BlockPattern &tiles)
{
  return level == complete_level ? complete_fill(blocks, max_tiles, tiles)
                                 : level_fill(blocks, level, max_tiles, tiles);
}

} // namespace

TiledMatrix make_tiles(const CompressedGraph &graph, const Blocking &blocking, Index fill_level, Index worthwhile,
                       Offset max_tiles)
{
  const bool automatic = fill_level == automatic_level;
  TiledMatrix result;
  expand_blocking(graph, blocking, result.structure);
  result.low_fill = automatic && worthwhile != complete_level;
  Index &level = result.fill_level = automatic ? worthwhile : fill_level;
  const Pattern blocks = block_graph(graph.pattern, blocking);
  while ((result.status = fill(blocks, level, max_tiles, result.structure.tiles)) != FillStatus::Ok) {
    if (!automatic || level == 0)
      break;
    level = level == complete_level ? most_fill_levels : level - 1;
  }
  return result;
}

} // namespace tessera
