// The host backend: how its work is cut, and that the cut and the threads leave no trace in the results.
#include "factor/bildlt/factorization.hpp"
#include "support/host_factor.hpp"
#include "support/larger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tessera::test {
namespace {

AnalysisOptions options_with(BlockStrategy strategy, Index fill_level)
{
  AnalysisOptions options;
  options.blocking.strategy = strategy;
  options.fill_level = fill_level;
  return options;
}

const AnalysisOptions all_options[] = {options_with(BlockStrategy::SN, complete_level),
                                       options_with(BlockStrategy::SN, 0), options_with(BlockStrategy::BR, 1),
                                       options_with(BlockStrategy::RBR, complete_level)};

/// A chain: one level set for every block.
Matrix tridiagonal(Index n)
{
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, i % 3 ? 2.5 : -0.5});
    if (i > 0) {
      triplets.push_back({i, i - 1, -1});
      triplets.push_back({i - 1, i, -1});
    }
  }
  return assemble(n, n, triplets);
}

TEST(HostThreads, SubtreesAreIndependent)
{
  for (const AnalysisOptions &options : all_options) {
    const Analysis analysis = analyze(shifted_laplacian(16), options);
    const BlockStructure &s = analysis.structure;
    const Schedule schedule = make_host_schedule(s);
    const ForestCut &forest = schedule.forest;
    ASSERT_GT(forest.tasks(), 4);
    std::vector<Index> task(s.blocks(), -1), place(s.blocks(), -1);
    for (Index k = 0; k < s.blocks(); ++k)
      place[forest.order[k]] = k;
    EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0) << "every row once";
    for (Index t = 0; t < forest.tasks(); ++t)
      for (Index i = forest.task_start[t]; i < forest.task_start[t + 1]; ++i)
        task[forest.order[i]] = t;
    std::vector<Index> below(forest.segments(), 0);
    for (Index b = 0; b < s.blocks(); ++b) {
      EXPECT_EQ(forest.segment[b] < 0, task[b] >= 0);
      if (forest.waiting(b) >= 0)
        ++below[forest.waiting(b)];
      for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1]; ++t) {
        const Index j = s.tiles.upper.column[t];
        EXPECT_LT(place[b], place[j]);
        EXPECT_TRUE(task[j] == task[b] || forest.segment[j] >= 0) << "a tile joins two subtrees";
      }
    }
    EXPECT_EQ(below, forest.below);
  }
}

TEST(HostThreads, FactorHasTheSameBits)
{
  const Matrix matrices[] = {shifted_laplacian(16), tridiagonal(4000)};
  for (const Matrix &matrix : matrices) {
    for (const AnalysisOptions &options : all_options) {
      const Analysis analysis = analyze(matrix, options);
      const Schedule schedule = make_host_schedule(analysis.structure);
      FactorOptions factor_options;
      factor_options.drop_tolerance = 1e-3;
      std::vector<std::uint8_t> first;
      for (int threads = 1; threads <= 4; ++threads) {
        const Threads scope(threads);
        HostBlockFactor<double> factor(analysis.structure);
        for (int repeat = 0; repeat < 2; ++repeat) {
          const FactorReport report =
              factor_on_host(analysis.structure, schedule, matrix.value.data(), factor_options, factor);
          EXPECT_EQ(report.status, FactorReport::Complete);
          EXPECT_EQ(report.negative + report.positive, matrix.pattern.rows);
          const std::vector<std::uint8_t> bits = bits_of(analysis.structure, factor);
          if (first.empty())
            first = bits;
          EXPECT_EQ(bits, first) << threads << " threads";
        }
      }
    }
  }
}

TEST(HostThreads, SolveIsRightAndHasTheSameBits)
{
  for (Precision precision : {Precision::Double, Precision::Single}) {
    const Matrix matrix = shifted_laplacian(24);
    const Index n = matrix.pattern.rows;
    const Analysis analysis = analyze(matrix);
    ASSERT_GT(analysis.complete.entries, 1000000) << "too few for the solve to be shared";
    const auto factorization = make_host_factorization(analysis, precision);
    ASSERT_EQ(factorization->factor(matrix.value.data(), Place::Host, {}).status, FactorReport::Complete);
    std::vector<double> b(n), first;
    for (Index i = 0; i < n; ++i)
      b[i] = std::sin(i);
    for (int threads = 1; threads <= 4; ++threads) {
      const Threads scope(threads);
      std::vector<double> x(n);
      for (int repeat = 0; repeat < 3; ++repeat) {
        factorization->apply(b.data(), Place::Host, x.data(), Place::Host, false);
        if (first.empty())
          first = x;
        EXPECT_EQ(x, first) << threads << " threads";
      }
    }
    double residual = 0;
    for (Index i = 0; i < n; ++i) {
      double r = b[i];
      for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
        r -= matrix.value[p] * first[matrix.pattern.column[p]];
      residual = larger(residual, std::fabs(r));
    }
    EXPECT_LT(residual, precision == Precision::Double ? 1e-9 : 1e-2);
  }
}

TEST(HostThreads, StopsAtTheLimitOfEntries)
{
  const Matrix matrix = shifted_laplacian(16);
  const Analysis analysis = analyze(matrix);
  const Schedule schedule = make_host_schedule(analysis.structure);
  HostBlockFactor<double> factor(analysis.structure);
  FactorOptions options;
  const Offset entries = factor_on_host(analysis.structure, schedule, matrix.value.data(), options, factor).entries;
  for (double fill_ratio : {0.0, 1e6})
    for (int threads = 1; threads <= 4; ++threads) {
      const Threads scope(threads);
      options.fill_ratio = fill_ratio;
      options.max_entries = entries;
      EXPECT_EQ(factor_on_host(analysis.structure, schedule, matrix.value.data(), options, factor).status,
                FactorReport::Complete);
      options.max_entries = entries - 1;
      EXPECT_EQ(factor_on_host(analysis.structure, schedule, matrix.value.data(), options, factor).status,
                FactorReport::OverBudget);
      options.max_entries = entries / 3;
      EXPECT_EQ(factor_on_host(analysis.structure, schedule, matrix.value.data(), options, factor).status,
                FactorReport::OverBudget);
    }
}

} // namespace
} // namespace tessera::test
