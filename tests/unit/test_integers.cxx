#include "base/integers.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

constexpr std::int64_t largest = (std::int64_t(1) << 31) - 1;

TEST(Integers, RowsThatIndexNumbers)
{
  EXPECT_TRUE(fits_index(0));
  EXPECT_TRUE(fits_index(largest));
  EXPECT_FALSE(fits_index(largest + 1));
  EXPECT_FALSE(fits_index(2 * (largest + 1))); // whose lower 32 bits are 0
  EXPECT_FALSE(fits_index(-1));
}

TEST(Integers, CountsAreClamped)
{
  EXPECT_EQ(clamped_index(5), 5);
  EXPECT_EQ(clamped_index(largest), largest);
  EXPECT_EQ(clamped_index(largest + 1), largest);
  EXPECT_EQ(clamped_index((std::int64_t(1) << 32) + 1), largest);
}

TEST(Integers, ArraysOfOtherIntegersAreCopied)
{
  std::vector<std::int64_t> wide(10 * parallel_rows);
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide[i] = largest - static_cast<std::int64_t>(i);
  std::vector<Index> narrow;
  const Index *columns = as_integers(wide.data(), static_cast<Offset>(wide.size()), narrow);
  ASSERT_EQ(columns, narrow.data());
  ASSERT_EQ(narrow.size(), wide.size());
  EXPECT_TRUE(std::equal(wide.begin(), wide.end(), columns));
  std::vector<Offset> wide_again;
  const Offset *starts = as_integers(columns, static_cast<Offset>(narrow.size()), wide_again);
  EXPECT_TRUE(std::equal(wide.begin(), wide.end(), starts));
}

TEST(Integers, ArraysOfTheSameAreNot)
{
  const std::vector<Index> column = {1, 0};
  std::vector<Index> copy;
  EXPECT_EQ(as_integers(column.data(), 2, copy), column.data());
  EXPECT_TRUE(copy.empty());
}

TEST(Integers, PlacesAreNarrowedWhere32BitsHoldThem)
{
  const Offset most = Offset(1) << 32;
  EXPECT_EQ(in_32_bits({0, 7, most - 1}), (std::vector<std::uint32_t>{0, 7, 4294967295u}));
  EXPECT_THROW(in_32_bits({0, most, 7}), std::bad_alloc);
  EXPECT_THROW(in_32_bits({-1}), std::bad_alloc);
  EXPECT_TRUE(in_32_bits({}).empty());
}

} // namespace
