#ifndef TESSERA_TESTS_SUPPORT_ANY_THREADS_HPP
#define TESSERA_TESTS_SUPPORT_ANY_THREADS_HPP

#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

namespace tessera::test {

/// What make() returns on one thread. A failure if that is something else on so many others.
template <class Make>
auto on_any_threads(const Make &make, std::initializer_list<int> others = {4})
{
  const auto on = [&](int threads) {
    const Threads scope(threads);
    return make();
  };
  const auto result = on(1);
  for (int threads : others)
    EXPECT_TRUE(on(threads) == result) << "differs on " << threads << " threads";
  return result;
}

} // namespace tessera::test
#endif
