#include "factor/schedule.hpp"

#include "support/factor_cases.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Batches take the positions of the level sets one after the other, and none reaches beyond its level.
void expect_batches(const BlockStructure &s, const Schedule &schedule, Offset batch_doubles)
{
  Index position = 0, level = 0;
  Offset piece = 0;
  for (const Batch &batch : schedule.batches) {
    EXPECT_EQ(batch.row_begin, position);
    EXPECT_EQ(batch.piece_begin, piece);
    ASSERT_GT(batch.row_end, batch.row_begin);
    while (s.levels.start[level + 1] <= batch.row_begin)
      ++level;
    EXPECT_LE(batch.row_end, s.levels.start[level + 1]);
    if (batch.row_end - batch.row_begin > 1) {
      EXPECT_LE(batch.panel_size, batch_doubles);
    }
    position = batch.row_end;
    piece = batch.piece_end;
  }
  EXPECT_EQ(position, s.blocks());
  EXPECT_EQ(piece, static_cast<Offset>(schedule.piece_block.size()));
}

/// The panels of a batch do not overlap.
void expect_panels(const BlockStructure &s, const Schedule &schedule)
{
  for (const Batch &batch : schedule.batches) {
    std::vector<std::pair<Offset, Offset>> ranges;
    for (Index position = batch.row_begin; position < batch.row_end; ++position) {
      const Index b = s.levels.order[position];
      ranges.push_back({schedule.panel_offset[b],
                        schedule.panel_offset[b] + Offset(s.panel_width[b]) * group_width(s.block_rows(b))});
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_GE(ranges[i].first, i == 0 ? 0 : ranges[i - 1].second);
      EXPECT_LE(ranges[i].second, batch.panel_size);
    }
  }
}

/// The pieces of a block row are all its tiles, in order.
void expect_pieces(const BlockStructure &s, const Schedule &schedule, Index piece_columns)
{
  ASSERT_EQ(static_cast<Index>(schedule.piece_start.size()), s.blocks() + 1);
  EXPECT_EQ(schedule.piece_start.front(), 0);
  EXPECT_EQ(schedule.piece_start.back(), static_cast<Offset>(schedule.piece_block.size()));
  for (Index position = 0; position < s.blocks(); ++position) {
    const Index b = s.levels.order[position];
    const Offset begin = schedule.piece_start[position], end = schedule.piece_start[position + 1];
    ASSERT_LT(begin, end);
    EXPECT_EQ(schedule.piece_column[begin], 0);
    EXPECT_EQ(schedule.piece_tile[begin], s.tiles.upper.start[b]);
    for (Offset p = begin; p < end; ++p) {
      EXPECT_EQ(schedule.piece_block[p], b);
      if (p == begin)
        continue;
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
        const Schedule schedule = make_schedule(analysis.structure, piece_columns, batch_doubles, 1e5);
        expect_batches(analysis.structure, schedule, batch_doubles);
        expect_panels(analysis.structure, schedule);
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
