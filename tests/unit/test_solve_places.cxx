// The order of work of the substitutions on a GPU, which the host makes.
#include "factor/bildlt/solve_places.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

BlockStructure structure_of(const Matrix &matrix, Index max_rows, Index fill_level)
{
  AnalysisOptions options;
  options.blocking.max_rows = options.blocking.low_fill_rows = max_rows;
  options.fill_level = fill_level;
  return analyze_matrix(matrix, store_reversed(matrix).source, options).structure;
}

/// Blocks whose rows a place finishes.
std::vector<Index> finished(const BlockStructure &s, const SolveOrder &order, const SolvePlaces &places,
                            const SolvePlace &place)
{
  if (place.item == no_item || place.work == Work::part)
    return {};
  if (place.work == Work::shared) {
    const Index(&block)[blocks_in_warp] = places.shared[place.item].block;
    return {block, std::find(block, block + blocks_in_warp, no_item)};
  }
  if (place.work != Work::bundle)
    return {place.item};
  const Bundle &bundle = order.bundles[place.item];
  std::vector<Index> blocks;
  for (Index b = 0; b < s.blocks(); ++b)
    if (order.row[b] >= bundle.row && order.row[b] < bundle.row + bundle.rows)
      blocks.push_back(b);
  return blocks;
}

/// Every block is finished once, after its parts and after all that it waits for by its level; returns the parts.
Index expect_order(const BlockStructure &s, const SolveOrder &order, const SolvePlaces &places, bool ascending)
{
  EXPECT_EQ(places.place.size() % ticket_places, 0u);
  std::vector<int> times(s.blocks(), 0);
  std::vector<Index> parts(s.blocks(), 0);
  Index level = ascending ? 0 : s.levels.levels() - 1, sums = 0, all_parts = 0;
  for (std::size_t i = 0; i < places.place.size(); ++i) {
    const SolvePlace &place = places.place[i];
    const bool whole_ticket = place.work == Work::whole || place.work == Work::part;
    if (whole_ticket && i % ticket_places != 0)
      continue; // a copy of the first
    if (place.work == Work::part) {
      EXPECT_EQ(times[place.item], 0);
      EXPECT_EQ(place.part, parts[place.item]++);
      EXPECT_EQ(place.sums, sums);
      sums += s.block_rows(place.item);
      ++all_parts;
    }
    for (const Index b : finished(s, order, places, place)) {
      ++times[b];
      EXPECT_TRUE(ascending ? s.levels.level[b] >= level : s.levels.level[b] <= level);
      level = s.levels.level[b];
      if (place.work == Work::whole) {
        EXPECT_EQ(place.sums + parts[b] * s.block_rows(b), sums);
      }
    }
  }
  EXPECT_EQ(places.sums, sums);
  EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
  return all_parts;
}

/// Rows of the solution are the structure's, block by block, and those of bundles fit a warp.
void expect_rows(const BlockStructure &s, const SolveOrder &order)
{
  ASSERT_EQ(order.perm.size(), s.perm.size());
  for (Index b = 0; b < s.blocks(); ++b)
    for (Index r = 0; r < s.block_rows(b); ++r)
      EXPECT_EQ(order.perm[order.row[b] + r], s.perm[s.block_start[b] + r]);
  for (const Bundle &bundle : order.bundles) {
    EXPECT_GT(bundle.rows, 0);
    EXPECT_LE(bundle.rows, 32);
  }
}

TEST(SolvePlaces, FinishEachBlockOnce)
{
  for (const NamedMatrix &x : factor_cases())
    for (const Index max_rows : {1, 4, 8, 32})
      for (const Index level : {Index(0), complete_level}) {
        SCOPED_TRACE(x.name + ", blocks of " + std::to_string(max_rows) + ", level " + std::to_string(level));
        const BlockStructure s = structure_of(x.matrix, max_rows, level);
        const SolveOrder order = make_solve_order(s);
        expect_rows(s, order);
        expect_order(s, order, order.forward, true);
        expect_order(s, order, order.backward, false);
      }
}

/// Blocks of a wide level that wait for few tiles share warps, four as many tiles as nearly as can be, and others do
/// not.
TEST(SolvePlaces, SmallBlocksOfWideLevelsShareWarps)
{
  for (const Index width : {2000, 2050}) {
    const WideLevels wide(width, small_rows);
    const BlockStructure s = analyze_matrix(wide.matrix, store_reversed(wide.matrix).source, wide.analysis).structure;
    ASSERT_EQ(s.levels.start[1], width);
    ASSERT_EQ(s.levels.start[2], 2 * width);
    const SolveOrder order = make_solve_order(s);
    expect_rows(s, order);
    EXPECT_FALSE(order.in_bundles);
    for (const SolvePlaces *places : {&order.forward, &order.backward}) {
      expect_order(s, order, *places, places == &order.forward);
      EXPECT_EQ(Index(places->shared.size()), width == 2050 ? 2 * ((width + 3) / 4) : 0);
    }
  }
}

TEST(SolvePlaces, RowsOfManyTilesAreShared)
{
  const BlockStructure s = structure_of(symmetric_on(arrow_graph(5000), 1.5, 4), 8, complete_level);
  const SolveOrder order = make_solve_order(s);
  EXPECT_GT(expect_order(s, order, order.forward, true), 10);
  EXPECT_TRUE(order.in_bundles);
  EXPECT_GE(Index(order.bundles.size()), s.blocks() / 32);
}

/// Of blocks of 4 rows a warp takes up to 96 tiles by itself.
TEST(SolvePlaces, NarrowBlocksAreAWarps)
{
  for (Index blocks : {60, 110}) {
    const BlockStructure s = structure_of(dense_symmetric(4 * blocks, 5), 4, complete_level);
    ASSERT_EQ(s.blocks(), blocks);
    const SolvePlaces forward = make_solve_order(s).forward;
    const bool any_whole = std::any_of(forward.place.begin(), forward.place.end(),
                                       [](const SolvePlace &place) { return place.work == Work::whole; });
    EXPECT_EQ(any_whole, blocks > 97);
  }
}

TEST(Parts, LeaveTheLastItemsToTheRow)
{
  for (const int width : {4, 8, 16, 32})
    for (const Parts cut : {Parts::of_tiles(width), Parts::of_columns(width)})
      for (Index items = 0; items < 5 * cut.size; ++items) {
        const Index left = items - cut.count(items) * cut.size;
        EXPECT_GE(left, std::min(items, cut.size / 2));
        EXPECT_LT(left, cut.size + (cut.size + 1) / 2);
      }
}

} // namespace
