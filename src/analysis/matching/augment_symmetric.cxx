#include "analysis/matching/augment_symmetric.hpp"

#include "analysis/matching/initial_assignment.hpp"
#include "analysis/matching/symmetric_search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera {
namespace {

/// Searches from the free rows of a start, which can be interrupted.
class Attempt {
public:
  Attempt(const CostGraph &graph, SymmetricStart start)
      : search_(graph, start.assignment), order_(std::move(start.order))
  {
  }

  /// Goes on until all rows are matched that can be (true), or as many edges scanned since the start.
  bool run(Offset limit)
  {
    for (; next_ < order_.size() && search_.edges_scanned() <= limit; ++next_)
      if (search_.is_free(order_[next_]))
        search_.augment_from(order_[next_]);
    return next_ == order_.size();
  }

  /// Matches the rows that are left by searches that scan about so many edges together, if paths are found as soon.
  void hurry(Offset edges)
  {
    const Offset each = edges / static_cast<Offset>(std::max<std::size_t>(order_.size() - next_, 1));
    for (; next_ < order_.size(); ++next_)
      if (search_.is_free(order_[next_]))
        search_.augment_from(order_[next_], each);
  }

  Offset edges_scanned() const { return search_.edges_scanned(); }

  /// When all rows are matched that can be.
  Index finish(Assignment &assignment)
  {
    search_.settle();
    return search_.result(assignment);
  }

private:
  SymmetricSearch search_;
  std::vector<Index> order_;
  std::size_t next_ = 0;
};

/// The sum of the reduced costs of the matched edges, or no_cost if it is larger.
Cost matched_cost(const CostGraph &graph, const Assignment &assignment)
{
  Cost sum = 0;
  for (Index i = 0; i < graph.n; ++i)
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      if (graph.edge[p].col == assignment.col_of_row[i])
        sum = std::clamp(sum + graph.edge[p].cost - assignment.row_dual[i] - assignment.col_dual[graph.edge[p].col],
                         -no_cost, no_cost);
  return sum;
}

} // namespace

MatchingOutcome augment_symmetric(const CostGraph &graph, Assignment &assignment, const MatchingEffort &effort)
{
  const Offset edges = graph.start[graph.n];
  MatchingOutcome outcome;
  Attempt first(graph, diagonals_first(graph));
  if (first.run(effort.first * edges)) {
    outcome.cardinality = first.finish(assignment);
    outcome.edges_scanned = first.edges_scanned();
    return outcome;
  }
  Attempt second(graph, diagonals_last(graph));
  if (second.run(std::max(effort.second * edges, effort.at_least))) {
    outcome.cardinality = second.finish(assignment);
  } else {
    first.hurry(effort.more * edges);
    outcome.cardinality = first.finish(assignment);
    outcome.excess = matched_cost(graph, assignment);
  }
  outcome.edges_scanned = first.edges_scanned() + second.edges_scanned();
  return outcome;
}

} // namespace tessera
