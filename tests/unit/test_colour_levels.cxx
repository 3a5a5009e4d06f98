// Orders of blocks in which the last level sets are colours.
#include "analysis/tiles/colour_levels.hpp"

#include "analysis/analysis.hpp"
#include "analysis/ordering/ordering.hpp"
#include "base/permute.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

BlockPattern tiles_of(const Pattern &graph, Index fill_level)
{
  BlockPattern tiles;
  EXPECT_EQ(level_fill(graph, fill_level, std::numeric_limits<Offset>::max(), tiles), FillStatus::Ok);
  return tiles;
}

/// A grid of n x n x 8 vertices, each next to those around it, as linear elements have it.
Pattern element_graph(Index n)
{
  const auto vertex = [n](Index x, Index y, Index z) { return (x * n + y) * 8 + z; };
  std::vector<std::pair<Index, Index>> edges;
  for (Index x = 0; x < n; ++x)
    for (Index y = 0; y < n; ++y)
      for (Index z = 0; z < 8; ++z)
        for (Index d = 0; d < 27; ++d) {
          const Index i = x + d / 9 - 1, j = y + d / 3 % 3 - 1, k = z + d % 3 - 1;
          if (i >= 0 && i < n && j >= 0 && j < n && k >= 0 && k < 8)
            edges.push_back({vertex(x, y, z), vertex(i, j, k)});
        }
  return graph_of(n * n * 8, edges);
}

/// One vertex a block, by nested dissection, whose separators keep the order of the grid.
Pattern dissected_grid()
{
  const Pattern grid = element_graph(40);
  OrderingChoice choice;
  choice.leaf = 8;
  return permute_graph(grid, order(grid, std::vector<Index>(grid.rows, 1), Ordering::ND, choice));
}

/// Without fill: fewer levels, the same tiles, and only blocks of short levels at the end have moved.
TEST(ColourLevels, ShortensChainsAtTheEnd)
{
  const Pattern graph = dissected_grid();
  const BlockPattern tiles = tiles_of(graph, 0);
  const LevelSets levels = level_sets(tiles.upper);
  const std::vector<Index> order = colour_last_levels(tiles, levels, 50);
  ASSERT_TRUE(is_permutation_of(order, graph.rows));
  const BlockPattern again = tiles_of(permute_graph(graph, order), 0);
  EXPECT_EQ(again.upper.entries(), tiles.upper.entries());
  const LevelSets coloured = level_sets(again.upper);
  EXPECT_LE(coloured.levels(), levels.levels() * 3 / 4);

  Index kept = 0;
  while (kept < graph.rows && (kept == 0 || order[kept] > order[kept - 1]))
    ++kept;
  EXPECT_GE(kept, graph.rows * 9 / 10);
  for (Index k = kept; k < graph.rows; ++k) {
    const Index level = levels.level[order[k]];
    EXPECT_LT(levels.start[level + 1] - levels.start[level], 50);
  }
}

/// Levels that are long, or too many blocks, stay.
TEST(ColourLevels, LeavesOthersAlone)
{
  const Pattern graph = dissected_grid();
  const BlockPattern tiles = tiles_of(graph, 0);
  EXPECT_TRUE(colour_last_levels(tiles, level_sets(tiles.upper), 1).empty());
  const Pattern chain = grid_graph(1000, 1, 1); // a tenth of whose levels may be coloured
  const BlockPattern links = tiles_of(chain, 0);
  const std::vector<Index> order = colour_last_levels(links, level_sets(links.upper), 50);
  ASSERT_TRUE(is_permutation_of(order, chain.rows));
  for (Index k = 0; k < 900; ++k)
    EXPECT_EQ(order[k], k);
  EXPECT_LE(level_sets(tiles_of(permute_graph(chain, order), 0).upper).levels(), 903);
}

/// Each entry of the matrix is in a diagonal block or in a tile of the blocks that its row and column are in.
void expect_covered(const Pattern &matrix, const BlockStructure &s)
{
  std::vector<Index> block(matrix.rows);
  for (Index b = 0; b < s.blocks(); ++b)
    for (Index k = s.block_start[b]; k < s.block_start[b + 1]; ++k)
      block[s.perm[k]] = b;
  for (Index i = 0; i < matrix.rows; ++i)
    for (Offset p = matrix.start[i]; p < matrix.start[i + 1]; ++p) {
      const auto [first, last] = std::minmax(block[i], block[matrix.column[p]]);
      const auto begin = s.tiles.upper.column.begin();
      ASSERT_TRUE(first == last || std::find(begin + s.tiles.upper.start[first], begin + s.tiles.upper.start[first + 1],
                                             last) != begin + s.tiles.upper.start[first + 1])
          << i << " " << matrix.column[p];
    }
}

/// In an analysis: with incomplete fill alone, and the factor has the entries of the matrix in the tiles.
TEST(ColourLevels, ShortensAnalyses)
{
  const Matrix matrix = symmetric_on(grid_graph(40, 40, 8), 8, 3);
  AnalysisOptions options = with_blocks(2);
  const auto analysis_of = [&](Index fill_level, Index short_level) {
    options.fill_level = fill_level;
    options.short_level = short_level;
    return analyze_matrix(matrix, store_reversed(matrix).source, options);
  };
  for (const Index fill_level : {0, 1}) {
    const Analysis before = analysis_of(fill_level, 0), after = analysis_of(fill_level, 50);
    EXPECT_LT(after.structure.levels.levels(), before.structure.levels.levels()) << fill_level;
    EXPECT_TRUE(is_permutation_of(after.structure.perm, matrix.pattern.rows));
    expect_covered(matrix.pattern, after.structure);
    if (fill_level == 0)
      EXPECT_EQ(after.structure.tiles.upper.entries(), before.structure.tiles.upper.entries());
  }
  EXPECT_EQ(analysis_of(complete_level, 50).structure.perm, analysis_of(complete_level, 0).structure.perm);
}

} // namespace
