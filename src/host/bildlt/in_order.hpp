#ifndef TESSERA_HOST_BILDLT_IN_ORDER_HPP
#define TESSERA_HOST_BILDLT_IN_ORDER_HPP

#include "base/types.hpp"

#include <atomic>
#include <omp.h>
#include <thread>

namespace tessera {

/// Runs work(item, thread) for item = 0 .. count - 1 on the threads of a team, or on one, each item handed to the next
/// thread that is free. Items are handed out in ascending order, so that an item may wait for items before it (with
/// wait_for) and every wait ends, whatever the number of threads: this takes the place of barriers, which idle threads
/// of a busy machine would spin in. work must not throw.
template <class Work>
void run_in_order(Offset count, bool parallel, const Work &work)
{
  std::atomic<Offset> next{0};
#pragma omp parallel if (parallel && count > 1)
  for (Offset item; (item = next.fetch_add(1, std::memory_order_relaxed)) < count;)
    work(item, omp_get_thread_num());
}

/// Returns once `value` is `wanted`, and sees what was written before it became so. Yields the core to other threads.
template <class T>
void wait_for(const std::atomic<T> &value, T wanted)
{
  constexpr int patience = 256; ///< some 100 ns, as a cache line takes from core to core
  for (int i = 0; value.load(std::memory_order_acquire) != wanted; ++i)
    if (i > patience)
      std::this_thread::yield();
}

} // namespace tessera
#endif
