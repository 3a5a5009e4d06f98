#include "analysis/tiles/make_tiles.hpp"

#include "analysis/tiles/colour_levels.hpp"
#include "base/permute.hpp"

#include <utility>

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

/// The blocks of a blocking in another order, order[new] = old.
Blocking in_order(const Blocking &blocking, const std::vector<Index> &order)
{
  Blocking result;
  result.perm.reserve(blocking.perm.size());
  for (const Index b : order) {
    result.perm.insert(result.perm.end(), blocking.perm.begin() + blocking.start[b],
                       blocking.perm.begin() + blocking.start[b + 1]);
    result.start.push_back(static_cast<Index>(result.perm.size()));
  }
  return result;
}

/// Colours the last levels of a matrix with incomplete fill, unless that makes more tiles than there may be.
void colour(const CompressedGraph &graph, const Blocking &blocking, const Pattern &blocks, const TileOptions &options,
            TiledMatrix &tiled)
{
  const BlockPattern &tiles = tiled.structure.tiles;
  const std::vector<Index> order = colour_last_levels(tiles, level_sets(tiles.upper), options.short_level);
  BlockPattern again;
  if (order.empty() || fill(permute_graph(blocks, order), tiled.fill_level, options.max_tiles, again) != FillStatus::Ok)
    return;
  expand_blocking(graph, in_order(blocking, order), tiled.structure);
  tiled.structure.tiles = std::move(again);
}

} // namespace

TiledMatrix make_tiles(const CompressedGraph &graph, const Blocking &blocking, Index worthwhile,
                       const TileOptions &options)
{
  const bool automatic = options.fill_level == automatic_level;
  TiledMatrix result;
  expand_blocking(graph, blocking, result.structure);
  result.low_fill = automatic && worthwhile != complete_level;
  Index &level = result.fill_level = automatic ? worthwhile : options.fill_level;
  const Pattern blocks = block_graph(graph.pattern, blocking);
  while ((result.status = fill(blocks, level, options.max_tiles, result.structure.tiles)) != FillStatus::Ok) {
    if (!automatic || level == 0)
      break;
    level = level == complete_level ? most_fill_levels : level - 1;
  }
  if (result.status == FillStatus::Ok && level != complete_level && options.short_level > 0)
    colour(graph, blocking, blocks, options, result);
  return result;
}

} // namespace tessera
