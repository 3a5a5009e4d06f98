#include "analysis/tiles/block_structure.hpp"

#include "base/permute.hpp"
#include "support/factor_cases.hpp"
#include "support/network.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

std::vector<AnalysisOptions> some_options()
{
  std::vector<AnalysisOptions> list;
  for (const Preprocessing preprocessing : {Preprocessing::Matching, Preprocessing::Equilibrate, Preprocessing::None})
    for (const BlockStrategy strategy : {BlockStrategy::SN, BlockStrategy::BR, BlockStrategy::RB, BlockStrategy::RBR})
      for (const Ordering ordering : {Ordering::Natural, Ordering::AMD, Ordering::ND, Ordering::RCM}) {
        AnalysisOptions options;
        options.preprocessing = preprocessing;
        options.blocking.strategy = strategy;
        options.blocking.ordering = ordering;
        options.blocking.max_rows = 2 + static_cast<Index>(list.size() % 9);
        list.push_back(options);
      }
  return list;
}

void expect_blocks(const std::string &name, const BlockStructure &s, Index n, Index max_rows)
{
  ASSERT_EQ(s.rows, n) << name;
  ASSERT_TRUE(tessera_test::is_permutation_of(s.perm, n)) << name;
  ASSERT_EQ(s.block_start.front(), 0) << name;
  ASSERT_EQ(s.block_start.back(), n) << name;
  ASSERT_EQ(static_cast<Index>(s.pairs.size()), s.blocks()) << name;
  for (Index b = 0; b < s.blocks(); ++b) {
    EXPECT_GE(s.block_rows(b), 1) << name;
    EXPECT_LE(s.block_rows(b), max_rows) << name;
    // the rows of a pair are in the block, and no row is in two pairs
    EXPECT_EQ(s.pairs[b] & (s.pairs[b] << 1), 0u) << name;
    EXPECT_EQ(std::uint64_t(s.pairs[b]) >> (s.block_rows(b) - 1), 0u) << name;
  }
}

void expect_panels(const std::string &name, const BlockStructure &s)
{
  for (Index b = 0; b < s.blocks(); ++b) {
    Index width = s.block_rows(b);
    for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1]; ++t) {
      EXPECT_EQ(s.panel_column[t], width) << name;
      width += s.block_rows(s.tiles.upper.column[t]);
    }
    EXPECT_EQ(s.panel_width[b], width) << name;
  }
}

/// Places the values by the map into a dense matrix, each place at most once, and compares its block upper triangle.
void expect_values(const std::string &name, const Matrix &matrix, const Stored &stored, const Analysis &analysis)
{
  const BlockStructure &s = analysis.structure;
  const ValueMap &map = s.values;
  Dense placed(s.rows);
  std::vector<bool> taken(static_cast<std::size_t>(s.rows) * s.rows, false);
  ASSERT_EQ(static_cast<Index>(map.start.size()), s.blocks() + 1) << name;
  for (Index b = 0; b < s.blocks(); ++b) {
    std::vector<Index> column; // of each panel column
    for (Index j = s.block_start[b]; j < s.block_start[b + 1]; ++j)
      column.push_back(j);
    for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1]; ++t)
      for (Index j = s.block_start[s.tiles.upper.column[t]]; j < s.block_start[s.tiles.upper.column[t] + 1]; ++j)
        column.push_back(j);
    for (Offset p = map.start[b]; p < map.start[b + 1]; ++p) {
      ASSERT_LT(map.row[p], s.block_rows(b)) << name;
      ASSERT_GE(map.column[p], 0) << name;
      ASSERT_LT(map.column[p], static_cast<Index>(column.size())) << name;
      const Index i = s.block_start[b] + map.row[p], j = column[map.column[p]];
      EXPECT_FALSE(taken[static_cast<std::size_t>(i) * s.rows + j]) << name;
      taken[static_cast<std::size_t>(i) * s.rows + j] = true;
      placed(i, j) = map.scale[p] * stored.value[map.source[p]];
    }
  }
  const Dense expected = scaled_and_permuted(matrix, analysis);
  const Dense pattern = scaled_and_permuted({matrix.pattern, std::vector<double>(matrix.value.size(), 1)}, analysis);
  for (Index b = 0; b < s.blocks(); ++b)
    for (Index i = s.block_start[b]; i < s.block_start[b + 1]; ++i)
      for (Index j = s.block_start[b]; j < s.rows; ++j) {
        ASSERT_EQ(placed(i, j), expected(i, j)) << name << " " << i << " " << j;
        ASSERT_EQ(bool(taken[static_cast<std::size_t>(i) * s.rows + j]), pattern(i, j) != 0) << name;
      }
}

TEST(BlockStructure, PlacesEveryEntryOnce)
{
  for (const auto &[name, matrix, singular] : factor_cases()) {
    const Stored stored = store_reversed(matrix);
    for (const AnalysisOptions &options : some_options()) {
      const Analysis analysis = analyze_matrix(matrix, stored.source, options);
      ASSERT_EQ(analysis.status, AnalysisStatus::Ok) << name;
      expect_blocks(name, analysis.structure, matrix.pattern.rows, options.blocking.max_rows);
      expect_panels(name, analysis.structure);
      expect_values(name, matrix, stored, analysis);
    }
  }
}

TEST(BlockStructure, PairsAreNeighboursInTheirBlock)
{
  // zero diagonal, so that the only perfect matching of n rows consists of the pairs (2i, 2i + 1)
  std::vector<Triplet> triplets;
  const Index n = 20;
  for (Index i = 0; i < n; i += 2) {
    triplets.push_back({i, i + 1, 3});
    triplets.push_back({i + 1, i, 3});
    triplets.push_back({i, (i + 4) % n, 1e-3});
    triplets.push_back({(i + 4) % n, i, 1e-3});
  }
  const Matrix matrix = assemble(n, n, triplets);
  for (Index max_rows = 2; max_rows <= 7; ++max_rows) {
    AnalysisOptions options;
    options.blocking.max_rows = max_rows;
    const Analysis analysis = analyze_matrix(matrix, store_reversed(matrix).source, options);
    const BlockStructure &s = analysis.structure;
    EXPECT_EQ(analysis.pairs, n / 2);
    Index pairs = 0;
    for (Index b = 0; b < s.blocks(); ++b)
      for (Index i = 0; i + 1 < s.block_rows(b); ++i)
        if ((s.pairs[b] >> i) & 1) {
          EXPECT_EQ(s.perm[s.block_start[b] + i] / 2, s.perm[s.block_start[b] + i + 1] / 2);
          ++pairs;
        }
    EXPECT_EQ(pairs, n / 2);
  }
}

TEST(Analysis, SameForEveryNumberOfThreads)
{
  const Matrix matrix = symmetric_on(tessera_test::grid_graph(20, 21, 3), 0, 8);
  const Stored stored = store_reversed(matrix);
  std::vector<Analysis> results;
  for (const int t : {1, 2, 3, 4}) {
    const Threads scope(t);
    results.push_back(analyze_matrix(matrix, stored.source, {}));
    const BlockStructure &s = results.back().structure, &first = results.front().structure;
    EXPECT_EQ(s.perm, first.perm);
    EXPECT_EQ(s.block_start, first.block_start);
    EXPECT_EQ(s.pairs, first.pairs);
    EXPECT_EQ(s.tiles.upper.column, first.tiles.upper.column);
    EXPECT_EQ(s.levels.order, first.levels.order);
    EXPECT_EQ(s.values.source, first.values.source);
    EXPECT_EQ(s.values.column, first.values.column);
    EXPECT_EQ(s.values.row, first.values.row);
    EXPECT_EQ(s.values.scale, first.values.scale);
    EXPECT_EQ(results.back().scale, results.front().scale);
  }
}

/// A complete factor is ordered by nested dissection where minimum degree's takes longer than that. With dropping,
/// which the automatic level is followed by where the complete factor is costly, or levels of fill, it has to take far
/// longer.
TEST(Analysis, DissectsWhatIsFactoredCompletely)
{
  const auto flops = [](Index points, Index fill_level, Ordering ordering) {
    const Matrix matrix = laplacian(tessera_test::grid_graph(points, points, points), 0.5);
    AnalysisOptions options;
    options.preprocessing = Preprocessing::None;
    options.blocking.ordering = ordering;
    options.fill_level = fill_level;
    return analyze_matrix(matrix, store_reversed(matrix).source, options).complete.flops;
  };
  const double by_degree = flops(24, complete_level, Ordering::AMD),
               dissected = flops(24, complete_level, Ordering::ND);
  ASSERT_LT(2 * dissected, by_degree);
  EXPECT_EQ(flops(24, complete_level, Ordering::Automatic), dissected);
  EXPECT_EQ(flops(24, automatic_level, Ordering::Automatic), dissected);
  EXPECT_EQ(flops(24, 1, Ordering::Automatic), by_degree);
  EXPECT_EQ(flops(16, complete_level, Ordering::Automatic), flops(16, complete_level, Ordering::AMD));

  const double costly = flops(31, complete_level, Ordering::AMD);
  ASSERT_FALSE(is_worth_keeping({3000000, 0, costly}, 31 * 31 * 31 * 7));
  EXPECT_EQ(flops(31, automatic_level, Ordering::Automatic), costly);
  EXPECT_EQ(flops(31, complete_level, Ordering::Automatic), flops(31, complete_level, Ordering::ND));
}

/// The pairs of a quasi-definite matrix are apart in a complete factor by supernodes, in an order that is chosen for
/// it.
TEST(Analysis, PairsOfNetworksAreApart)
{
  const Matrix matrix = network(20);
  const auto analyze_with = [&](const auto &change) {
    AnalysisOptions options;
    options.pairs_apart = true;
    change(options);
    return analyze_matrix(matrix, store_reversed(matrix).source, options);
  };
  const Analysis apart = analyze_with([](AnalysisOptions &) {}),
                 paired = analyze_with([](AnalysisOptions &o) { o.pairs_apart = false; });
  EXPECT_EQ(apart.pairs, 399);
  EXPECT_EQ(apart.apart, 399);
  EXPECT_EQ(paired.pairs, 399);
  EXPECT_EQ(paired.apart, 0);
  EXPECT_LE(apart.complete.flops, 0.7 * paired.complete.flops);
  EXPECT_EQ(analyze_with([](AnalysisOptions &o) { o.fill_level = complete_level; }).apart, 399);
  EXPECT_EQ(analyze_with([](AnalysisOptions &o) { o.fill_level = 1; }).apart, 0);
  EXPECT_EQ(analyze_with([](AnalysisOptions &o) { o.blocking.strategy = BlockStrategy::Grid; }).apart, 0);
  EXPECT_EQ(analyze_with([](AnalysisOptions &o) { o.blocking.ordering = Ordering::Natural; }).apart, 0);
  EXPECT_EQ(analyze_with([](AnalysisOptions &o) { o.preprocessing = Preprocessing::Equilibrate; }).apart, 0);
}

/// A factor that is not going to be complete keeps its pairs.
TEST(Analysis, PairsStayWhereTheAutomaticLevelDrops)
{
  const Matrix matrix = network(tessera_test::grid_graph(44, 44, 44));
  AnalysisOptions options;
  options.pairs_apart = true;
  const Analysis paired = analyze_matrix(matrix, store_reversed(matrix).source, options);
  EXPECT_EQ(paired.apart, 0);
  EXPECT_EQ(paired.pairs, 44 * 44 * 44 - 1);
  options.fill_level = complete_level;
  const Analysis apart = analyze_matrix(matrix, store_reversed(matrix).source, options);
  EXPECT_EQ(apart.apart, apart.pairs);
  EXPECT_FALSE(is_worth_keeping(apart.complete, matrix.pattern.entries()));
}

TEST(Analysis, SaysWhichRowIsNotFinite)
{
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const Matrix matrix = assemble(3, 3, {{0, 0, 1}, {1, 1, 1}, {1, 2, bad}, {2, 1, bad}, {2, 2, 1}});
    for (const Preprocessing preprocessing : {Preprocessing::Matching, Preprocessing::Equilibrate}) {
      AnalysisOptions options;
      options.preprocessing = preprocessing;
      const Analysis analysis = analyze_matrix(matrix, store_reversed(matrix).source, options);
      EXPECT_EQ(analysis.status, AnalysisStatus::NonFinite);
      EXPECT_EQ(analysis.faulty_row, 1);
    }
  }
}

TEST(Analysis, TooManyTiles)
{
  const Matrix matrix = laplacian(tessera_test::grid_graph(20, 20, 1), 1);
  const Stored stored = store_reversed(matrix);
  AnalysisOptions options;
  options.blocking.max_rows = 4;
  options.fill_level = complete_level;
  const Offset complete = analyze_matrix(matrix, stored.source, options).structure.tiles.upper.entries();
  options.max_tiles = complete;
  EXPECT_EQ(analyze_matrix(matrix, stored.source, options).status, AnalysisStatus::Ok);
  options.max_tiles = complete - 1;
  EXPECT_EQ(analyze_matrix(matrix, stored.source, options).status, AnalysisStatus::OverBudget);
  options.fill_level = automatic_level; // as many levels as fit
  const Analysis fits = analyze_matrix(matrix, stored.source, options);
  EXPECT_EQ(fits.status, AnalysisStatus::Ok);
  EXPECT_GE(fits.fill_level, 0);
  EXPECT_LT(fits.structure.tiles.upper.entries(), complete);
  options.max_tiles = 1;
  EXPECT_EQ(analyze_matrix(matrix, stored.source, options).status, AnalysisStatus::OverBudget);
}

} // namespace
