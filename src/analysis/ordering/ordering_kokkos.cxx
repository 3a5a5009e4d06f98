#include "analysis/ordering/ordering_kokkos.hpp"

#include "analysis/ordering/kokkos_runtime.hpp"
#include "base/permute.hpp"

#include <KokkosGraph_Distance1Color.hpp>
#include <KokkosGraph_RCM.hpp>
#include <KokkosKernels_Handle.hpp>

#include <cstring>
#include <new>
#include <stdexcept>

namespace tessera {
namespace {

using Space = Kokkos::Serial;
using Device = Kokkos::Device<Space, Space::memory_space>;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using RowMap = Kokkos::View<const Offset *, Kokkos::LayoutLeft, Device, Unmanaged>;
using Entries = Kokkos::View<const Index *, Kokkos::LayoutLeft, Device, Unmanaged>;
using Labels = Kokkos::View<Index *, Kokkos::LayoutLeft, Device>;

/// action(); lack of memory, of which Kokkos says so by words alone, throws std::bad_alloc.
template <class Action>
std::vector<Index> with_memory(const Action &action)
{
  try {
    return action();
  } catch (const std::runtime_error &error) {
    if (std::strstr(error.what(), "failed to allocate memory"))
      throw std::bad_alloc();
    throw;
  }
}

} // namespace

std::vector<Index> rcm(const Pattern &graph)
{
  if (!ensure_kokkos())
    return {};
  return with_memory([&] {
    const RowMap start(graph.start.data(), graph.start.size());
    const Entries column(graph.column.data(), graph.column.size());
    // The labels are the new places of the old vertices, whatever the comment of graph_rcm says.
    const Labels place = KokkosGraph::Experimental::graph_rcm<Device, RowMap, Entries, Labels>(start, column);
    return inverse_permutation(std::vector<Index>(place.data(), place.data() + place.extent(0)));
  });
}

std::vector<Index> greedy_coloring(const Pattern &graph)
{
  if (!ensure_kokkos())
    return {};
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, Index, double, Space, Space::memory_space,
                                                                  Space::memory_space>;
  return with_memory([&] {
    const RowMap start(graph.start.data(), graph.start.size());
    const Entries column(graph.column.data(), graph.column.size());
    Handle handle; // which destroys what is made for it
    handle.create_graph_coloring_handle(KokkosGraph::COLORING_SERIAL);
    KokkosGraph::Experimental::graph_color(&handle, graph.rows, graph.rows, start, column);
    const auto colors = handle.get_graph_coloring_handle()->get_vertex_colors();
    std::vector<Index> color(graph.rows);
    for (Index i = 0; i < graph.rows; ++i)
      color[i] = static_cast<Index>(colors(i)) - 1;
    return color;
  });
}

} // namespace tessera
