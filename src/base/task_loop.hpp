#ifndef TESSERA_BASE_TASK_LOOP_HPP
#define TESSERA_BASE_TASK_LOOP_HPP

#include "base/first_error.hpp"
#include "base/types.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Vertices that one task works on: few enough for load balance, enough to be worth a task.
constexpr Index task_rows = 8192;

inline Index chunks_of(Index n)
{
  return (n + task_rows - 1) / task_rows;
}

/// Calls work(k) for k = 0 .. count - 1, in tasks of the enclosing parallel region if there are several, and waits for
/// them. Throws their first exception; tasks that had not begun by then are left out.
template <class Work>
void for_tasks(Index count, const Work &work)
{
  if (count == 1)
    return work(0);
  FirstError error;
#pragma omp taskloop grainsize(1) default(none) firstprivate(count) shared(work, error)
  for (Index k = 0; k < count; ++k)
    error.guard([&] { work(k); });
  error.rethrow();
}

/// Calls work(chunk, begin, end) for each chunk of task_rows of 0 .. n - 1 as tasks. The chunks do not depend on the
/// number of threads.
template <class Work>
void for_chunks(Index n, const Work &work)
{
  for_tasks(chunks_of(n), [&](Index c) { work(c, c * task_rows, std::min(n, (c + 1) * task_rows)); });
}

/// Leaves new elements as they are: memory that threads fill need not be filled with zeros before, by one of them.
template <class T>
struct NoInitialization : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = NoInitialization<U>;
  };
  NoInitialization() = default;
  template <class U>
  NoInitialization(const NoInitialization<U> &)
  {
  }
  template <class U>
  void construct(U *)
  {
    static_assert(std::is_trivially_copyable_v<U>, "what is not needs more than memory");
  }
  template <class U, class... Args>
  void construct(U *place, Args &&...args)
  {
    ::new (static_cast<void *>(place)) U(std::forward<Args>(args)...);
  }
};

/// An array whose elements are undefined until they are written.
template <class T>
using Buffer = std::vector<T, NoInitialization<T>>;

} // namespace tessera
#endif
