#include "analysis/tiles/block_pattern.hpp"
#include "analysis/tiles/blocking.hpp"
#include "base/permute.hpp"
#include "support/graphs.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace tessera;
using namespace tessera_test;

namespace {

constexpr Offset unlimited = std::numeric_limits<Offset>::max();

std::vector<Index> identity(Index n)
{
  std::vector<Index> perm(n);
  for (Index i = 0; i < n; ++i)
    perm[i] = i;
  return perm;
}

/// Vertices in random order cut into blocks of one to four.
Blocking random_blocking(Index n, unsigned seed)
{
  std::mt19937 random(seed);
  Blocking blocking{random_permutation(n, seed), {0}};
  while (blocking.start.back() < n)
    blocking.start.push_back(std::min(n, blocking.start.back() + 1 + static_cast<Index>(random() % 4)));
  return blocking;
}

void expect_consistent(const std::string &name, const BlockPattern &tiles)
{
  ASSERT_EQ(tiles.position.size(), tiles.upper.column.size()) << name;
  ASSERT_EQ(tiles.fill_level.size(), tiles.upper.column.size()) << name;
  ASSERT_EQ(tiles.columns.column.size(), tiles.upper.column.size()) << name;
  for (Index i = 0; i < tiles.upper.rows; ++i) {
    for (Offset p = tiles.upper.start[i]; p < tiles.upper.start[i + 1]; ++p) {
      EXPECT_GT(tiles.upper.column[p], p > tiles.upper.start[i] ? tiles.upper.column[p - 1] : i) << name;
    }
  }
  for (Index j = 0; j < tiles.columns.rows; ++j) {
    for (Offset q = tiles.columns.start[j]; q < tiles.columns.start[j + 1]; ++q) {
      const Index i = tiles.columns.column[q];
      const Offset p = tiles.position[q];
      EXPECT_TRUE(p >= tiles.upper.start[i] && p < tiles.upper.start[i + 1] && tiles.upper.column[p] == j) << name;
      if (q > tiles.columns.start[j]) {
        EXPECT_GT(i, tiles.columns.column[q - 1]) << name;
      }
    }
  }
}

/// The tiles of `tiles` are exactly those with level <= fill_level.
void expect_levels(const std::string &name, const BlockPattern &tiles, const std::vector<std::vector<Index>> &level,
                   Index fill_level)
{
  Offset expected = 0;
  for (Index i = 0; i < tiles.upper.rows; ++i) {
    for (Index j = i + 1; j < tiles.upper.rows; ++j)
      expected += level[i][j] <= fill_level;
    for (Offset p = tiles.upper.start[i]; p < tiles.upper.start[i + 1]; ++p)
      EXPECT_EQ(level[i][tiles.upper.column[p]], tiles.fill_level[p]) << name;
  }
  EXPECT_EQ(tiles.upper.entries(), expected) << name << " level " << fill_level;
}

TEST(BlockPattern, LevelOfFillMatchesDefinition)
{
  for (const auto &[name, graph] : small_graphs()) {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      const Pattern permuted = permute_graph(graph, random_permutation(graph.rows, seed));
      const auto level = naive_levels(permuted, identity(graph.rows));
      for (Index k : {0, 1, 2, 5, 100}) {
        BlockPattern tiles;
        ASSERT_EQ(level_fill(permuted, k, unlimited, tiles), FillStatus::Ok);
        expect_consistent(name, tiles);
        expect_levels(name, tiles, level, k);
      }
    }
  }
}

TEST(BlockPattern, CompleteFillMatchesElimination)
{
  for (const auto &[name, graph] : small_graphs()) {
    const Pattern permuted = permute_graph(graph, random_permutation(graph.rows, 4));
    auto level = naive_levels(permuted, identity(graph.rows));
    for (auto &row : level) {
      for (Index &l : row)
        l = l < no_tile ? std::min(l, 1) : no_tile;
    }
    BlockPattern tiles;
    ASSERT_EQ(complete_fill(permuted, unlimited, tiles), FillStatus::Ok);
    expect_consistent(name, tiles);
    expect_levels(name, tiles, level, 1);
  }
}

TEST(BlockPattern, BlockGraphHoldsEveryEntryAndNothingElse)
{
  for (const auto &[name, graph] : small_graphs()) {
    const Blocking blocking = random_blocking(graph.rows, 6);
    std::vector<std::pair<Index, Index>> edges;
    std::vector<Index> block_of(graph.rows);
    for (Index b = 0; b < blocking.blocks(); ++b) {
      for (Index k = blocking.start[b]; k < blocking.start[b + 1]; ++k)
        block_of[blocking.perm[k]] = b;
    }
    for (Index i = 0; i < graph.rows; ++i) {
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
        edges.push_back({block_of[i], block_of[graph.column[p]]});
    }
    const Pattern expected = graph_of(blocking.blocks(), edges), blocks = block_graph(graph, blocking);
    EXPECT_EQ(blocks.start, expected.start) << name;
    EXPECT_EQ(blocks.column, expected.column) << name;
  }
}

TEST(BlockPattern, CompleteBlockPatternContainsTheScalarFill)
{
  for (const auto &[name, graph] : small_graphs()) {
    const Blocking blocking = random_blocking(graph.rows, 9);
    BlockPattern tiles;
    ASSERT_EQ(complete_fill(block_graph(graph, blocking), unlimited, tiles), FillStatus::Ok);
    const auto level = naive_levels(graph, blocking.perm);
    for (Index a = 0; a < blocking.blocks(); ++a) {
      for (Index b = a + 1; b < blocking.blocks(); ++b) {
        bool filled = false;
        for (Index i = blocking.start[a]; i < blocking.start[a + 1]; ++i) {
          for (Index j = blocking.start[b]; j < blocking.start[b + 1]; ++j)
            filled = filled || level[i][j] < no_tile;
        }
        const auto row = tiles.upper.column.begin();
        EXPECT_TRUE(!filled || std::binary_search(row + tiles.upper.start[a], row + tiles.upper.start[a + 1], b))
            << name;
      }
    }
  }
}

TEST(BlockPattern, BudgetIsExact)
{
  const Pattern graph = permute_graph(grid_graph(12, 12, 1), random_permutation(144, 2));
  BlockPattern tiles;
  for (const bool complete : {false, true}) {
    const auto fill = [&](Offset budget) {
      return complete ? complete_fill(graph, budget, tiles) : level_fill(graph, 2, budget, tiles);
    };
    ASSERT_EQ(fill(unlimited), FillStatus::Ok);
    const Offset needed = tiles.upper.entries();
    EXPECT_EQ(fill(needed), FillStatus::Ok);
    EXPECT_EQ(fill(needed - 1), FillStatus::OverBudget);
    EXPECT_EQ(tiles.upper.entries(), 0);
    EXPECT_TRUE(tiles.upper.column.empty() && tiles.position.empty() && tiles.fill_level.empty());
  }
}

TEST(BlockPattern, SameForAnyNumberOfThreads)
{
  const Pattern graph = permute_graph(grid_graph(30, 30, 3), random_permutation(2700, 3));
  BlockPattern reference[2];
  for (int t : {1, 2, 5}) {
    const test::Threads scope(t);
    BlockPattern tiles[2];
    ASSERT_EQ(level_fill(graph, 2, unlimited, tiles[0]), FillStatus::Ok);
    ASSERT_EQ(complete_fill(graph, unlimited, tiles[1]), FillStatus::Ok);
    for (int k = 0; k < 2; ++k) {
      if (t == 1)
        reference[k] = tiles[k];
      EXPECT_EQ(tiles[k].upper.start, reference[k].upper.start);
      EXPECT_EQ(tiles[k].upper.column, reference[k].upper.column);
      EXPECT_EQ(tiles[k].fill_level, reference[k].fill_level);
      EXPECT_EQ(tiles[k].position, reference[k].position);
    }
  }
}

} // namespace
