// Orderings of Kokkos Kernels without memory: the library says so by words, the orderings as everything else does.
#include "analysis/ordering/ordering_kokkos.hpp"
#include "support/graphs.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

using namespace tessera;
using namespace tessera_test;

namespace {

/// Bytes of the address space in use.
rlim_t address_space()
{
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

TEST(OrderingMemory, KokkosWithoutItThrowsBadAlloc)
{
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's address space is larger than any limit";
#endif
  const Pattern graph = grid_graph(600, 500, 1);
  const std::vector<Index> perm = rcm(graph), color = greedy_coloring(graph);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  int thrown = 0;
  for (rlim_t megabytes = 0; megabytes < 24; ++megabytes)
    for (const auto &ordering : {rcm, greedy_coloring}) {
      rlimit limited = before;
      limited.rlim_cur = address_space() + (megabytes << 20);
      ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
      try {
        ordering(graph);
      } catch (const std::bad_alloc &) {
        ++thrown;
      }
      ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    }
  EXPECT_GT(thrown, 4);
  EXPECT_EQ(rcm(graph), perm);
  EXPECT_EQ(greedy_coloring(graph), color);
}

} // namespace
