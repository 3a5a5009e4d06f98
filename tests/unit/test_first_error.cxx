// Exceptions in parallel regions: the first one arrives where the region began, nothing else of it is seen.
#include "base/parallel_for.hpp"
#include "base/task_loop.hpp"
#include "support/host_factor.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace tessera::test {
namespace {

const int thread_counts[] = {1, 2, 4};

TEST(FirstError, CarriesWhatWasThrown)
{
  FirstError error;
  error.guard([] { throw std::length_error("too long"); });
  bool called = false;
  error.guard([&] { called = true; });
  error.guard([] { throw std::bad_alloc(); });
  EXPECT_FALSE(called);
  try {
    error.rethrow();
    FAIL() << "nothing thrown";
  } catch (const std::length_error &e) {
    EXPECT_STREQ(e.what(), "too long");
  }
}

TEST(FirstError, NothingThrownNothingRethrown)
{
  FirstError error;
  int calls = 0;
  error.guard([&] { ++calls; });
  error.guard([&] { ++calls; });
  EXPECT_NO_THROW(error.rethrow());
  EXPECT_EQ(calls, 2);
}

TEST(FirstError, OneOfManyThreads)
{
  for (int threads : thread_counts) {
    FirstError error;
#pragma omp parallel num_threads(threads)
    error.guard([] { throw omp_get_thread_num(); });
    int thrown = -1;
    try {
      error.rethrow();
    } catch (int thread) {
      thrown = thread;
    }
    EXPECT_GE(thrown, 0);
    EXPECT_LT(thrown, threads);
  }
}

TEST(ParallelFor, EveryItemOnceWithASpaceOfItsThread)
{
  for (int threads : thread_counts) {
    const Threads set(threads);
    std::vector<int> done(1000, 0);
    std::atomic<int> spaces{0};
    const auto make_space = [&] {
      ++spaces;
      return omp_get_thread_num();
    };
    parallel_for_with(1000, 7, true, make_space, [&](int &space, Index i) {
      EXPECT_EQ(space, omp_get_thread_num());
      ++done[i];
    });
    EXPECT_EQ(done, std::vector<int>(1000, 1));
    EXPECT_EQ(spaces, threads);
  }
}

TEST(ParallelFor, ThrowsWhatAnItemThrew)
{
  for (int threads : thread_counts) {
    const Threads set(threads);
    for (Index bad : {0, 499, 999}) {
      std::atomic<int> done{0};
      const auto work = [&](int &, Index i) {
        if (i == bad)
          throw std::bad_alloc();
        ++done;
      };
      EXPECT_THROW(parallel_for_with(
                       1000, 1, true, [] { return 0; }, work),
                   std::bad_alloc);
      EXPECT_LT(done, 1000);
      if (threads == 1) {
        EXPECT_EQ(done, bad) << "items after it are left out";
      }
    }
  }
}

/// A thread without a space does nothing; the others end what they have begun.
TEST(ParallelFor, ThrowsWhatASpaceThrew)
{
  for (int threads : thread_counts) {
    const Threads set(threads);
    const auto make_space = [&] {
      if (omp_get_thread_num() == threads - 1)
        throw std::bad_alloc();
      return std::vector<int>(10, 1);
    };
    const auto work = [](std::vector<int> &space, Index) { EXPECT_EQ(space.size(), 10u); };
    EXPECT_THROW(parallel_for_with(1000, 1, true, make_space, work), std::bad_alloc);
  }
}

/// Sums 1 .. n by tasks that have tasks, where that of `bad` throws.
Offset sum_by_tasks(Index n, Index bad)
{
  Offset sum = 0;
  FirstError error;
#pragma omp parallel
#pragma omp single
  error.guard([&] {
    std::vector<Offset> of_task(4);
    for_tasks(4, [&](Index k) {
      std::vector<Offset> part(8);
      for_tasks(8, [&](Index j) {
        for (Index i = k * 8 + j; i < n; i += 32) {
          if (i == bad)
            throw std::bad_alloc();
          part[j] += i + 1;
        }
      });
      of_task[k] = std::accumulate(part.begin(), part.end(), Offset(0));
    });
    sum = std::accumulate(of_task.begin(), of_task.end(), Offset(0));
  });
  error.rethrow();
  return sum;
}

TEST(TaskLoop, ThrowsWhatATaskInATaskThrew)
{
  for (int threads : thread_counts) {
    const Threads set(threads);
    EXPECT_EQ(sum_by_tasks(1000, -1), 500500);
    for (Index bad : {0, 31, 500, 999})
      EXPECT_THROW(sum_by_tasks(1000, bad), std::bad_alloc);
    EXPECT_EQ(sum_by_tasks(1000, -1), 500500);
  }
}

} // namespace
} // namespace tessera::test
