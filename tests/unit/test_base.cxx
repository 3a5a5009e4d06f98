#include "base/allocate.hpp"
#include "base/collect_rows.hpp"
#include "base/compensated_sum.hpp"
#include "base/key_sort.hpp"
#include "base/random.hpp"
#include "base/row_starts.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

using namespace tessera;
using tessera::test::Threads;

namespace {

TEST(SplitMix64, GivesThePublishedNumbers)
{
  SplitMix64 random(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(random.bits(), expected);
}

TEST(FourCompensatedSums, KeepWhatRoundingLoses)
{
  FourCompensatedSums sums;
  const double x[] = {1e20, 3, 1, 2}, y[] = {1e20, 5, 0x1p-60, -1}, minus_y[] = {-1e20, -5, 1, 1},
               ones[] = {1, 1, 1, 1};
  sums.add_products(x, y);
  sums.add_products(x, minus_y);
  sums.add_products(ones, ones);
  EXPECT_EQ(sums.value(0), 1);
  EXPECT_EQ(sums.value(1), 1);
  EXPECT_EQ(sums.value(2), 2 + 0x1p-60);
  EXPECT_EQ(sums.value(3), 1);
  const double last[] = {0, 0, -2, 0};
  sums.add_products(ones, last);
  EXPECT_EQ(sums.value(2), 0x1p-60); // twice the digits
  EXPECT_EQ(sums.value(), 3);
}

TEST(CompensatedSum, KeepsWhatRoundingLoses)
{
  CompensatedSum sum(1);
  for (int k = 0; k < 1000; ++k)
    sum.add(0x1p-60);
  sum.add(-1);
  EXPECT_EQ(sum.value(), 1000 * 0x1p-60);
  CompensatedSum products;
  products.add_product(1 + 0x1p-30, 1 + 0x1p-30);
  products.add_product(-1, 1 + 0x1p-29);
  EXPECT_EQ(products.value(), 0x1p-60);
  products.add(INFINITY);
  EXPECT_FALSE(std::isfinite(products.value()));
}

/// Row i has the columns i, i + 1, .. of which it has i % 7, labelled by their distance.
struct Staircase {
  void operator()(Index i, FoundRows &found) const
  {
    for (Index k = 0; k < i % 7; ++k) {
      found.column.push_back(i + k);
      found.label.push_back(static_cast<std::uint8_t>(k));
    }
  }
};

TEST(CollectRows, JoinsTheRowsInTheirOrder)
{
  for (const Index n : {0, 1, 6, 255, 256, 257, 10000}) {
    Pattern pattern;
    std::vector<std::uint8_t> label;
    ASSERT_TRUE(collect_rows(
        n, Offset(7) * n, [] { return Staircase(); }, pattern, &label));
    ASSERT_EQ(static_cast<Index>(pattern.start.size()), n + 1);
    ASSERT_EQ(pattern.rows, n);
    ASSERT_EQ(static_cast<Offset>(pattern.column.size()), pattern.entries());
    ASSERT_EQ(label.size(), pattern.column.size());
    for (Index i = 0; i < n; ++i) {
      ASSERT_EQ(pattern.start[i + 1] - pattern.start[i], i % 7);
      for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p) {
        EXPECT_EQ(pattern.column[p], i + p - pattern.start[i]);
        EXPECT_EQ(label[p], p - pattern.start[i]);
      }
    }
  }
}

TEST(CollectRows, BudgetIsExact)
{
  Pattern pattern;
  const auto make_search = [] { return Staircase(); };
  ASSERT_TRUE(collect_rows(5000, 1 << 20, make_search, pattern));
  const Offset entries = pattern.entries();
  EXPECT_TRUE(collect_rows(5000, entries, make_search, pattern));
  EXPECT_FALSE(collect_rows(5000, entries - 1, make_search, pattern));
}

/// Or a matrix that fills up would take all memory before that is known.
TEST(CollectRows, EndsSoonBeyondTheBudget)
{
  std::atomic<Index> searched{0};
  const auto search = [&](Index i, FoundRows &found) {
    found.column.insert(found.column.end(), 100, i);
    ++searched;
  };
  Pattern pattern;
  const Threads scope(4);
  EXPECT_FALSE(collect_rows(
      100000, 1000, [&] { return search; }, pattern));
  EXPECT_LE(searched, 4 * 256);
}

TEST(RowStarts, AreSumsOfTheRowsBefore)
{
  for (const bool parallel : {false, true})
    for (const Index rows : {0, 1, 5, 3000}) {
      const std::vector<Offset> start = row_starts(rows, parallel, [](Index i) { return Offset(i % 5) << 30; });
      ASSERT_EQ(static_cast<Index>(start.size()), rows + 1);
      Offset sum = 0;
      for (Index i = 0; i < rows; ++i) {
        EXPECT_EQ(start[i], sum);
        sum += Offset(i % 5) << 30;
      }
      EXPECT_EQ(start.back(), sum);
    }
}

TEST(SortByKey, KeepsTheOrderOfItemsWithOneKey)
{
  SplitMix64 random(1);
  std::vector<Index> key(1000);
  for (Index &k : key)
    k = random.below(12);
  for (const Index begin : {0, 990, 1000}) {
    std::vector<std::pair<Index, Index>> expected;
    for (Index i = begin; i < 1000; ++i)
      expected.push_back({key[i], i});
    std::sort(expected.begin(), expected.end());
    const ItemsByKey sorted = sort_by_key(begin, 1000, 13, [&](Index i) { return key[i]; });
    ASSERT_EQ(sorted.start.size(), 14u); // no item has the last key
    ASSERT_EQ(sorted.item.size(), expected.size());
    for (Index k = 0; k < 13; ++k)
      for (Index at = sorted.start[k]; at < sorted.start[k + 1]; ++at)
        EXPECT_EQ(expected[at], std::make_pair(k, sorted.item[at]));
    EXPECT_EQ(sorted.start.back(), 1000 - begin);
  }
}

/// Entries of rows with keys, sorted in some parts of the rows where they are many.
TEST(KeySort, KeepsTheOrderOfTheRows)
{
  for (const auto &[rows, keys] : {std::pair<Index, Index>{0, 3}, {7, 5}, {60000, 11}, {60000, 80000}}) {
    SplitMix64 random(1);
    std::vector<Index> row, key;
    for (Index i = 0; i < rows; ++i)
      for (Index k = 0; k < i % 8; ++k) {
        row.push_back(i);
        key.push_back(random.below(keys));
      }
    std::vector<std::pair<Index, std::size_t>> expected;
    for (std::size_t p = 0; p < key.size(); ++p)
      expected.push_back({key[p], p});
    std::sort(expected.begin(), expected.end());
    const auto for_rows = [&](Index begin, Index end, const auto &emit) {
      const auto first = std::lower_bound(row.begin(), row.end(), begin),
                 last = std::lower_bound(row.begin(), row.end(), end);
      for (auto p = std::size_t(first - row.begin()); p < std::size_t(last - row.begin()); ++p)
        emit(key[p], p);
    };
    for (const int threads : {1, 4}) {
      const Threads scope(threads);
      KeySort sort(rows, keys, Offset(key.size()));
      sort.count(for_rows);
      ASSERT_EQ(sort.start().size(), std::size_t(keys) + 1);
      ASSERT_EQ(sort.start().back(), Offset(key.size()));
      std::vector<std::pair<Index, std::size_t>> sorted(key.size(), {-1, 0});
      sort.fill(for_rows, [&](Offset q, std::size_t p) { sorted[q] = {key[p], p}; });
      EXPECT_TRUE(sorted == expected) << rows << " rows, " << keys << " keys";
    }
  }
}

TEST(CopyInParallel, IsTheSame)
{
  const Threads scope(4);
  for (const std::size_t n : {0, 1, 65536, (1 << 21) + 3}) {
    std::vector<Offset> x(n);
    std::iota(x.begin(), x.end(), 5);
    EXPECT_TRUE(copy_in_parallel(x) == x);
  }
}

} // namespace
