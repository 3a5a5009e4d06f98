#include "analysis/augment_symmetric.hpp"

#include "analysis/initial_assignment.hpp"
#include "analysis/symmetric_search.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace tessera {
namespace {

/// The first turn of the first start ends when it has scanned this many times the graph's edges. Most systems of
/// interior-point methods take fewer.
constexpr Offset first_turn = 4;

/// Searches from the free rows of a start, which can be interrupted.
class Attempt {
public:
  Attempt(const CostGraph &graph, SymmetricStart start)
      : search_(graph, start.assignment), order_(std::move(start.order))
  {
  }

  /// Goes on until all rows are matched that can be (true), or as many edges scanned.
  bool run(Offset limit)
  {
    for (; next_ < order_.size() && search_.edges_scanned() <= limit; ++next_)
      if (search_.is_free(order_[next_]))
        search_.augment_from(order_[next_]);
    return next_ == order_.size();
  }

  /// After a run that returned true.
  Index finish(Assignment &assignment)
  {
    search_.settle();
    return search_.result(assignment);
  }

  Offset edges_scanned() const { return search_.edges_scanned(); }

private:
  SymmetricSearch search_;
  std::vector<Index> order_;
  std::size_t next_ = 0;
};

} // namespace

Index augment_symmetric(const CostGraph &graph, Assignment &assignment, Offset *edges_scanned)
{
  Offset turn = first_turn * graph.start[graph.n];
  Attempt first(graph, diagonals_first(graph));
  Attempt *finished = first.run(turn) ? &first : nullptr;
  std::optional<Attempt> second;
  while (!finished) {
    if (!second)
      second.emplace(graph, diagonals_last(graph));
    if (second->run(turn *= 2))
      finished = &*second;
    else if (first.run(turn *= 2))
      finished = &first;
  }
  if (edges_scanned)
    *edges_scanned = first.edges_scanned() + (second ? second->edges_scanned() : 0);
  return finished->finish(assignment);
}

} // namespace tessera
