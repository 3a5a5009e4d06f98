// The second half of dual dropping: how many entries block rows may keep.
#include "factor/bildlt/fill_limit.hpp"
#include "support/host_factor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::test {
namespace {

/// Entries of A above the diagonal tile of each block row, and their average.
std::vector<Offset> entries_of_matrix(const BlockStructure &s, double *average)
{
  std::vector<Offset> entries(s.blocks(), 0);
  for (Index b = 0; b < s.blocks(); ++b)
    for (Offset i = s.values.start[b]; i < s.values.start[b + 1]; ++i)
      entries[b] += s.values.column[i] >= s.block_rows(b);
  *average = std::accumulate(entries.begin(), entries.end(), 0.0) / s.blocks();
  return entries;
}

TEST(FillRatio, CutKeepsTheLargestAndOfEqualOnesTheFirst)
{
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = random.below(40);
    std::vector<float> score(n);
    for (float &x : score)
      x = trial % 2 ? static_cast<float>(random.below(6)) / 4 : static_cast<float>(random.uniform());
    const float tolerance = trial % 3 ? 0.25F : 0;
    const Offset most = random.below(n + 2);

    std::vector<Index> order;
    for (Index c = 0; c < n; ++c)
      if (score[c] > tolerance)
        order.push_back(c);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return score[a] > score[b]; });
    order.resize(std::min<std::size_t>(order.size(), most));
    std::sort(order.begin(), order.end());

    ScoreCut cut = cut_scores(score.data(), n, tolerance, most);
    std::vector<Index> kept;
    for (Index c = 0; c < n; ++c)
      if (cut.keeps(score[c]))
        kept.push_back(c);
    EXPECT_EQ(kept, order) << "trial " << trial;
  }
}

TEST(FillRatio, SharesAndLeftovers)
{
  // Three block rows of 2, 1 and 1 rows with 4, 0 and 2 entries above their diagonal tiles: 2 on average.
  BlockStructure s;
  s.block_start = {0, 2, 3, 4};
  s.values.start = {0, 5, 6, 8};
  s.values.column = {0, 2, 3, 4, 5, 0, 1, 1};
  FillLimit limit(s, 3);
  EXPECT_EQ(limit.grant(0, 5), 5) << "10 of 12 entries, 2 left";
  EXPECT_EQ(limit.grant(1, 9), 8) << "6 by the average and 2 left over";
  EXPECT_EQ(limit.grant(2, 7), 6) << "nothing left over";
  FillLimit odd(s, 1.25);
  EXPECT_EQ(odd.grant(0, 3), 2) << "whole columns of 2 entries out of 5";
}

class FillRatioFactor : public testing::Test {
protected:
  const Matrix matrix = shifted_laplacian(14);
  const Analysis analysis = analyze(matrix);
  const BlockStructure &s = analysis.structure;
  const Schedule schedule = make_host_schedule(s);

  template <class T = double>
  std::vector<std::uint8_t> bits(double fill_ratio, double drop_tolerance = 0, Offset *entries = nullptr)
  {
    HostBlockFactor<T> factor(s);
    FactorOptions options;
    options.fill_ratio = fill_ratio;
    options.drop_tolerance = drop_tolerance;
    const FactorReport report = factor_on_host(s, schedule, matrix.value.data(), options, factor);
    EXPECT_EQ(report.status, FactorReport::Complete);
    if (entries)
      *entries = factor.entries;
    return bits_of(s, factor);
  }
};

TEST_F(FillRatioFactor, LimitIsRespectedAndLeftoversAreGranted)
{
  double average = 0;
  const std::vector<Offset> own = entries_of_matrix(s, &average);
  for (double ratio : {0.5, 2.0, 5.0}) {
    HostBlockFactor<double> factor(s);
    FactorOptions options;
    options.fill_ratio = ratio;
    factor_on_host(s, schedule, matrix.value.data(), options, factor);
    const StructureView view = view_of(s);
    Offset shares = 0, kept = 0;
    Index above_share = 0;
    for (Index b : s.levels.order) {
      const Offset share = static_cast<Offset>(ratio * (own[b] > 0 ? static_cast<double>(own[b]) : average));
      const Offset entries = Offset(factor.view().kept(view, b)) * s.block_rows(b);
      shares += share;
      kept += entries;
      above_share += entries > share;
      EXPECT_LE(kept, shares);
    }
    EXPECT_EQ(kept, factor.entries);
    if (ratio == 5.0) {
      EXPECT_GT(above_share, 0) << "no row got leftovers";
      EXPECT_GT(kept, shares * 9 / 10);
    }
    Offset unlimited = 0;
    bits(0, 0, &unlimited);
    EXPECT_LT(kept, unlimited) << "nothing was limited at ratio " << ratio;
  }
}

TEST_F(FillRatioFactor, LargeRatioIsNoLimit)
{
  EXPECT_EQ(bits(1e6), bits(0));
  EXPECT_EQ(bits(1e300), bits(0));
  EXPECT_EQ(bits(1e6, 1e-2), bits(0, 1e-2));
  EXPECT_EQ(bits<float>(1e6, 1e-2), bits<float>(0, 1e-2));
}

TEST_F(FillRatioFactor, SameBitsForEveryNumberOfThreads)
{
  for (double ratio : {2.0, 5.0}) {
    std::vector<std::uint8_t> first;
    for (int threads = 1; threads <= 4; ++threads) {
      const Threads scope(threads);
      const std::vector<std::uint8_t> now = bits(ratio, 1e-4);
      if (threads == 1)
        first = now;
      EXPECT_EQ(now, first) << threads << " threads";
    }
  }
}

} // namespace
} // namespace tessera::test
