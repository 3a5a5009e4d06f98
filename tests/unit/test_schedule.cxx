#include "factor/bildlt/schedule.hpp"

#include "support/factor_cases.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Every block row is in one task or one segment, after all of its descendants in it.
void expect_forest(const BlockStructure &s, const ForestCut &forest)
{
  std::vector<Index> place(s.blocks(), -1);
  ASSERT_EQ(static_cast<Index>(forest.order.size()), s.blocks());
  for (Index i = 0; i < s.blocks(); ++i) {
    EXPECT_EQ(place[forest.order[i]], -1);
    place[forest.order[i]] = i;
  }
  for (Index b = 0; b < s.blocks(); ++b)
    if (forest.parent[b] >= 0 && forest.segment[b] == forest.segment[forest.parent[b]]) {
      EXPECT_LT(place[b], place[forest.parent[b]]);
    }
  EXPECT_EQ(forest.task_start.front(), 0);
  EXPECT_EQ(forest.task_start.back(), forest.segment_start.front());
  EXPECT_EQ(forest.segment_start.back(), s.blocks());
}

/// The memory of the rows of a batch does not overlap, and batches stay in their level.
void expect_batches(const BlockStructure &s, const Schedule &schedule, const RowBatches &batches, bool by_levels)
{
  for (Index batch = 0; batch < batches.batches(); ++batch)
    for (Index r = batches.start[batch]; r < batches.start[batch + 1]; ++r) {
      const Index b = batches.row[r];
      const Offset end = batches.offset[r] + row_doubles(s.block_rows(b), s.panel_width[b], schedule.pieces(b),
                                                         s.tiles.upper.start[b + 1] - s.tiles.upper.start[b]);
      EXPECT_LE(end, r + 1 < batches.start[batch + 1] ? batches.offset[r + 1] : batches.most_doubles);
      if (by_levels && r > batches.start[batch]) {
        EXPECT_EQ(s.levels.level[b], s.levels.level[batches.row[r - 1]]);
      }
    }
}

/// The pieces of a block row are all its tiles, in order.
void expect_pieces(const BlockStructure &s, const Schedule &schedule, Index piece_columns)
{
  ASSERT_EQ(static_cast<Index>(schedule.piece_start.size()), s.blocks() + 1);
  EXPECT_EQ(schedule.piece_start.front(), 0);
  for (Index b = 0; b < s.blocks(); ++b) {
    const Offset begin = schedule.piece_start[b], end = schedule.piece_start[b + 1];
    ASSERT_LT(begin, end);
    EXPECT_EQ(schedule.piece_column[begin], 0);
    EXPECT_EQ(schedule.piece_tile[begin], s.tiles.upper.start[b]);
    for (Offset p = begin + 1; p < end; ++p) {
      EXPECT_GT(schedule.piece_tile[p], schedule.piece_tile[p - 1]);
      EXPECT_LT(schedule.piece_tile[p], s.tiles.upper.start[b + 1]);
      EXPECT_EQ(schedule.piece_column[p], s.panel_column[schedule.piece_tile[p]]);
      EXPECT_GE(schedule.piece_column[p] - schedule.piece_column[p - 1], piece_columns);
    }
  }
}

TEST(Schedule, CoversEverythingOnce)
{
  std::vector<NamedMatrix> cases = factor_cases();
  cases.push_back({"random graph", symmetric_on(tessera_test::random_graph(300, 700, 2), 0, 3)});
  for (const auto &[name, matrix, singular] : cases) {
    SCOPED_TRACE(name);
    AnalysisOptions options;
    options.blocking.max_rows = 6;
    const Analysis analysis = analyze_matrix(matrix, store_reversed(matrix).source, options);
    for (const Index piece_columns : {1, 7, 40, 512})
      for (const Offset batch_doubles : {Offset(1), Offset(500), Offset(1) << 19}) {
        const Schedule schedule = make_schedule(analysis.structure, piece_columns, batch_doubles);
        expect_forest(analysis.structure, schedule.forest);
        expect_batches(analysis.structure, schedule, schedule.split, false);
        expect_batches(analysis.structure, schedule, schedule.levels, true);
        expect_pieces(analysis.structure, schedule, piece_columns);
      }
  }
}

TEST(Schedule, GroupWidthHoldsTheRows)
{
  for (Index rows = 1; rows <= 32; ++rows) {
    EXPECT_GE(group_width(rows), rows);
    EXPECT_TRUE(group_width(rows) == 4 || group_width(rows) < 2 * rows);
  }
}

} // namespace
