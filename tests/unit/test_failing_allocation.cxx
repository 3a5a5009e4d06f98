// One allocation fails, each of many in turn: whatever runs on several threads throws std::bad_alloc or says that it
// had no memory, and does its work with the same bits when memory is there again.
#include "base/memory.hpp"
#include "factor/bildlt/factorization.hpp"
#include "factor/jldlt/factorization.hpp"
#include "support/host_factor.hpp"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <new>

namespace {

constexpr std::int64_t never = -1;
std::atomic<std::int64_t> allocations{0}, failing{never}; // calls, and which of them fails
std::atomic<std::int64_t> held{0};                        // bytes allocated and not freed

void *allocate(std::size_t bytes) noexcept
{
  if (allocations.fetch_add(1) == failing)
    return nullptr;
  void *memory = std::malloc(bytes > 0 ? bytes : 1);
  held += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void release(void *memory) noexcept
{
  held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

void *allocate_or_throw(std::size_t bytes)
{
  if (void *memory = allocate(bytes))
    return memory;
  throw std::bad_alloc();
}

} // namespace

void *operator new(std::size_t bytes)
{
  return allocate_or_throw(bytes);
}
void *operator new[](std::size_t bytes)
{
  return allocate_or_throw(bytes);
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept
{
  return allocate(bytes);
}
void *operator new[](std::size_t bytes, const std::nothrow_t &) noexcept
{
  return allocate(bytes);
}
void operator delete(void *memory) noexcept
{
  release(memory);
}
void operator delete[](void *memory) noexcept
{
  release(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
  release(memory);
}
void operator delete[](void *memory, std::size_t) noexcept
{
  release(memory);
}
void operator delete(void *memory, const std::nothrow_t &) noexcept
{
  release(memory);
}
void operator delete[](void *memory, const std::nothrow_t &) noexcept
{
  release(memory);
}

namespace tessera::test {
namespace {

/// Runs action() with a failure of the first allocation, of later ones at growing distances, and of the last one.
/// Returns how many of these runs threw std::bad_alloc.
template <class Action>
int fail_in_turn(const Action &action)
{
  allocations = 0;
  action();
  const std::int64_t calls = allocations;
  int thrown = 0;
  const auto fail = [&](std::int64_t k) {
    allocations = 0;
    failing = k;
    try {
      action();
    } catch (const std::bad_alloc &) {
      ++thrown;
    }
    failing = never;
  };
  for (std::int64_t k = 0; k < calls; k += 1 + k / 4)
    fail(k);
  fail(calls - 1);
  return thrown;
}

AnalysisOptions options_with(Ordering ordering, BlockStrategy strategy, Index fill_level, Preprocessing preprocessing)
{
  AnalysisOptions options;
  options.preprocessing = preprocessing;
  options.blocking.ordering = ordering;
  options.blocking.strategy = strategy;
  options.fill_level = fill_level;
  return options;
}

/// Rows enough for several threads, and with Preprocessing::None for several tasks of nested dissection.
const Matrix &matrix()
{
  static const Matrix a = shifted_laplacian(21);
  return a;
}

TEST(FailingAllocation, Analysis)
{
  const AnalysisOptions all_options[] = {
      options_with(Ordering::ND, BlockStrategy::SN, 0, Preprocessing::None),
      options_with(Ordering::ND, BlockStrategy::BR, 1, Preprocessing::Matching),
      options_with(Ordering::AMD, BlockStrategy::RBR, complete_level, Preprocessing::Equilibrate)};
  for (int threads : {1, 4}) {
    const Threads set(threads);
    for (const AnalysisOptions &options : all_options) {
      const Analysis first = analyze(matrix(), options);
      EXPECT_GT(fail_in_turn([&] { analyze(matrix(), options); }), 20);
      const Analysis again = analyze(matrix(), options);
      EXPECT_EQ(again.structure.perm, first.structure.perm);
      EXPECT_EQ(again.structure.tiles.upper.column, first.structure.tiles.upper.column);
      EXPECT_EQ(again.structure.values.source, first.structure.values.source);
    }
  }
}

TEST(FailingAllocation, Factorization)
{
  const Analysis analysis =
      analyze(matrix(), options_with(Ordering::ND, BlockStrategy::SN, 2, Preprocessing::Matching));
  const Schedule schedule = make_host_schedule(analysis.structure);
  FactorOptions options;
  for (int threads : {1, 4}) {
    const Threads set(threads);
    for (double fill_ratio : {0.0, 2.0}) {
      options.fill_ratio = fill_ratio;
      HostBlockFactor<double> factor(analysis.structure);
      const auto run = [&] {
        return factor_on_host(analysis.structure, schedule, matrix().value.data(), options, factor).status;
      };
      ASSERT_EQ(run(), FactorReport::Complete);
      const std::vector<std::uint8_t> first = bits_of(analysis.structure, factor);
      int over_budget = 0;
      const int thrown = fail_in_turn([&] { over_budget += run() == FactorReport::OverBudget; });
      EXPECT_GT(thrown + over_budget, 3);
      ASSERT_EQ(run(), FactorReport::Complete);
      EXPECT_EQ(bits_of(analysis.structure, factor), first);
    }
  }
}

TEST(FailingAllocation, JacobiFactorization)
{
  const Analysis analysis =
      analyze(matrix(), options_with(Ordering::ND, BlockStrategy::BR, 0, Preprocessing::Matching));
  const std::vector<double> r(matrix().pattern.rows, 1.0);
  JacobiOptions options;
  options.sweeps = 2;
  options.epsilon = 0.1;
  options.outer_levels = 1;
  const auto solve = [&] {
    std::vector<double> z(r.size());
    const auto factorization = make_host_jacobi(analysis);
    EXPECT_EQ(factorization->factor(matrix().value.data(), Place::Host, options).factor.status, FactorReport::Complete);
    factorization->apply(r.data(), Place::Host, z.data(), Place::Host, false);
    return z;
  };
  for (int threads : {1, 4}) {
    const Threads set(threads);
    const std::vector<double> first = solve();
    EXPECT_GT(fail_in_turn(solve), 20);
    EXPECT_EQ(solve(), first);
  }
}

/// What is counted is what is held, but for this part of it.
template <class Factorization>
void expect_all_bytes(const Factorization &factorization, std::int64_t before, double part, const char *what)
{
  EXPECT_NEAR(double(factorization.bytes()), double(held - before), part * double(held - before)) << what;
}

TEST(HeldMemory, BlockFactorizationCountsAllOfIt)
{
  const Threads one(1); // more take what they happen to need
  const Analysis analysis =
      analyze(matrix(), options_with(Ordering::ND, BlockStrategy::SN, 2, Preprocessing::Matching));
  std::vector<double> x(matrix().pattern.rows, 1.0), y(x.size());
  const std::int64_t before = held;
  const auto factorization = make_host_factorization(analysis, Precision::Double);
  for (int run = 0; run < 3; ++run) // the last two find the memory of the one before
    factorization->factor(matrix().value.data(), Place::Host, FactorOptions());
  factorization->apply(x.data(), Place::Host, y.data(), Place::Host, false);
  expect_all_bytes(*factorization, before, 0.09, "with a sixteenth in reserve");
}

TEST(HeldMemory, JacobiFactorizationCountsAllOfIt)
{
  const Threads one(1);
  const Analysis analysis =
      analyze(matrix(), options_with(Ordering::ND, BlockStrategy::BR, 0, Preprocessing::Matching));
  JacobiOptions options;
  options.sweeps = 2;
  options.epsilon = 0.1;
  for (Index outer_levels : {0, 1})
    for (Index apply_sweeps : {0, 3}) {
      options.outer_levels = outer_levels;
      options.failure = 0.2; // most blocks have such a pivot
      const std::int64_t before = held;
      const auto factorization = make_host_jacobi(analysis);
      factorization->set_apply_sweeps(apply_sweeps);
      EXPECT_EQ(factorization->factor(matrix().value.data(), Place::Host, options).pushed > 0, outer_levels > 0);
      factorization->prepare_apply();
      expect_all_bytes(*factorization, before, 0.03, apply_sweeps > 0 ? "by sweeps" : "by levels");
    }
}

/// A limit that what is held does not exceed changes nothing; one that it would exceed is kept to.
TEST(HeldMemory, JacobiFactorizationKeepsToItsLimit)
{
  const Analysis analysis =
      analyze(matrix(), options_with(Ordering::ND, BlockStrategy::BR, 0, Preprocessing::Matching));
  JacobiOptions options;
  options.sweeps = 2;
  options.epsilon = 0.1;
  const auto free = make_host_jacobi(analysis);
  const double error = free->factor(matrix().value.data(), Place::Host, options).final_error;
  options.max_bytes = free->bytes();
  EXPECT_EQ(make_host_jacobi(analysis)->factor(matrix().value.data(), Place::Host, options).final_error, error);
  for (double share : {0.9, 0.5, 0.1, 1e-6}) {
    options.max_bytes = static_cast<Offset>(share * double(free->bytes()));
    const auto limited = make_host_jacobi(analysis);
    EXPECT_THROW(limited->factor(matrix().value.data(), Place::Host, options), OverBudget) << share;
  }
}

} // namespace
} // namespace tessera::test
