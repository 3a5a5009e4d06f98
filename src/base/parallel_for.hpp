#ifndef TESSERA_BASE_PARALLEL_FOR_HPP
#define TESSERA_BASE_PARALLEL_FOR_HPP

#include "base/first_error.hpp"
#include "base/types.hpp"

#include <optional>

namespace tessera {

/// work(space, i) for i = 0 .. n - 1 on the threads of a team, or on one, `chunk` items handed out at a time.
/// make_space() gives each thread the working space of its own that it passes to all its items. Throws the first
/// exception of either; items that had not begun by then are left out.
template <class MakeSpace, class Work>
void parallel_for_with(Index n, Index chunk, bool parallel, const MakeSpace &make_space, const Work &work)
{
  FirstError error;
#pragma omp parallel if (parallel)
  {
    std::optional<decltype(make_space())> space;
    error.guard([&] { space.emplace(make_space()); });
#pragma omp for schedule(dynamic, chunk)
    for (Index i = 0; i < n; ++i)
      error.guard([&] { work(*space, i); }); // left out where the space could not be made
  }
  error.rethrow();
}

} // namespace tessera
#endif
