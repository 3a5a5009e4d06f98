// The memory of a factor: a run that repeats the last one allocates nothing for it.
#include "support/host_factor.hpp"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

namespace {
std::atomic<std::size_t> bytes_allocated{0};
}

// What the arenas allocate with, counted.
void *operator new[](std::size_t bytes)
{
  bytes_allocated += bytes;
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void *operator new[](std::size_t bytes, const std::nothrow_t &) noexcept
{
  bytes_allocated += bytes;
  return std::malloc(bytes);
}
void operator delete[](void *memory) noexcept
{
  std::free(memory);
}
void operator delete[](void *memory, std::size_t) noexcept
{
  std::free(memory);
}
void operator delete[](void *memory, const std::nothrow_t &) noexcept
{
  std::free(memory);
}

namespace tessera::test {
namespace {

/// Writes all of a piece, which the sanitizer checks.
std::byte *fill(std::byte *piece, Offset bytes, int value)
{
  std::memset(piece, value, static_cast<std::size_t>(bytes));
  return piece;
}

TEST(FactorMemory, PiecesAreAlignedAndDisjoint)
{
  FactorMemory memory;
  for (int run = 0; run < 4; ++run) {
    memory.begin_run(2);
    std::vector<std::pair<std::byte *, Offset>> pieces;
    for (int k = 0; k < 300; ++k) {
      const Offset bytes = k % 10 == 0 ? 70000 + 1000 * run : 1 + 13 * k % 900;
      pieces.push_back({memory.of_thread(k % 2).take(bytes), bytes});
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(pieces.back().first) % 8, 0u);
      fill(pieces.back().first, bytes, k % 128);
    }
    for (int k = 0; k < 300; ++k)
      for (Offset i = 0; i < pieces[k].second; ++i)
        ASSERT_EQ(static_cast<int>(pieces[k].first[i]), k % 128);
  }
}

TEST(FactorMemory, FollowsTheNeed)
{
  FactorMemory memory;
  const auto run = [&](Offset bytes) {
    const std::size_t before = bytes_allocated;
    memory.begin_run(1);
    fill(memory.of_thread(0).take(bytes), bytes, 1);
    return static_cast<Offset>(bytes_allocated - before);
  };
  EXPECT_GE(run(1000000), 1000000);
  EXPECT_GE(run(1000000), 1000000); // the region
  EXPECT_EQ(run(1000000), 0);
  EXPECT_EQ(run(1010000), 0);
  EXPECT_GE(run(2000000), 2000000); // too large for it
  EXPECT_EQ(memory.bytes(), 2000000);
  EXPECT_GE(run(1500000), 2000000);
  EXPECT_EQ(run(1500000), 0);
  EXPECT_EQ(run(100000), 0);
  const Offset smaller = run(100000); // the large region is given back
  EXPECT_GT(smaller, 0);
  EXPECT_LT(smaller, 200000);
}

TEST(FactorMemory, FactoringAgainAllocatesNoEntries)
{
  const Matrix a = shifted_laplacian(14);
  const Analysis analysis = analyze(a);
  const Schedule schedule = make_host_schedule(analysis.structure);
  Offset bytes = 0;
  for (int threads : {1, 2, 3}) {
    const Threads set(threads);
    HostBlockFactor<double> factor(analysis.structure);
    FactorOptions options;
    std::vector<std::uint8_t> first;
    for (int run = 0; run < 4; ++run) {
      const std::size_t before = bytes_allocated;
      const FactorReport report = factor_on_host(analysis.structure, schedule, a.value.data(), options, factor);
      ASSERT_EQ(report.status, FactorReport::Complete);
      if (run >= 2) {
        EXPECT_LT(bytes_allocated - before, static_cast<std::size_t>(report.entries)) << "of 8 bytes";
      }
      if (run == 0)
        first = bits_of(analysis.structure, factor);
      EXPECT_EQ(bits_of(analysis.structure, factor), first);
      EXPECT_GE(factor.bytes(), 8 * report.entries);
      EXPECT_EQ(factor.bytes(), bytes > 0 ? bytes : factor.bytes()) << "by other threads";
      bytes = factor.bytes();
    }
  }
}

} // namespace
} // namespace tessera::test
