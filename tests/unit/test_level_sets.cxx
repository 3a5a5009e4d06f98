#include "analysis/symbolic/level_sets.hpp"
#include "analysis/tiles/block_pattern.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace tessera;
using namespace tessera_test;

namespace {

TEST(LevelSets, RespectDependenciesAndAreMinimal)
{
  for (const auto &[name, graph] : small_graphs()) {
    BlockPattern tiles;
    ASSERT_EQ(level_fill(graph, 1, std::numeric_limits<Offset>::max(), tiles), FillStatus::Ok);
    const LevelSets sets = level_sets(tiles.upper);
    ASSERT_TRUE(is_permutation_of(sets.order, graph.rows)) << name;
    for (Index j = 0; j < graph.rows; ++j) {
      Index longest = -1;
      for (Offset p = tiles.columns.start[j]; p < tiles.columns.start[j + 1]; ++p)
        longest = std::max(longest, sets.level[tiles.columns.column[p]]);
      EXPECT_EQ(sets.level[j], longest + 1) << name << " block " << j;
    }
    ASSERT_EQ(sets.start.front(), 0);
    ASSERT_EQ(sets.start.back(), graph.rows);
    for (Index l = 0; l < sets.levels(); ++l) {
      EXPECT_LT(sets.start[l], sets.start[l + 1]) << name;
      for (Index k = sets.start[l]; k < sets.start[l + 1]; ++k) {
        EXPECT_EQ(sets.level[sets.order[k]], l) << name;
        if (k > sets.start[l]) {
          EXPECT_LT(sets.order[k - 1], sets.order[k]) << name;
        }
      }
    }
  }
}

TEST(LevelSets, ChainAndNoTiles)
{
  const LevelSets none = level_sets(graph_of(5, {}));
  EXPECT_EQ(none.levels(), 1);
  EXPECT_EQ(level_sets(Pattern()).levels(), 0);
  BlockPattern tiles;
  ASSERT_EQ(level_fill(grid_graph(6, 1, 1), 0, 100, tiles), FillStatus::Ok);
  EXPECT_EQ(level_sets(tiles.upper).levels(), 6);
}

} // namespace
