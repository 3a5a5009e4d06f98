#include "factor/front/delay_rounds.hpp"
#include "factor/front/searched_order.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// The columns of front s that have failed, with the partners of proposed pairs. Where they are more than an eighth,
/// the first of them may have spoiled the others: those of one panel only.
std::vector<Index> failed_columns(const AssemblyTree &tree, Index s, const std::vector<std::uint8_t> &failed)
{
  std::vector<Index> columns;
  const Index begin = tree.first[s], end = tree.first[s + 1];
  for (Index k = begin; k < end; ++k) {
    const bool with_next = tree.pair[k] && failed[k + 1], with_last = k > begin && tree.pair[k - 1] && failed[k - 1];
    if (failed[k] || with_next || with_last)
      columns.push_back(k);
  }
  if (Index(columns.size()) > searched_panel + (end - begin) / 8) {
    const Index limit = begin + ((columns[0] - begin) / searched_panel + 1) * searched_panel;
    const auto rest = std::find_if(columns.begin(), columns.end(), [&](Index k) { return k >= limit; });
    columns.erase(rest, columns.end());
  }
  return columns;
}

} // namespace

Index DelayRounds::destination(const AssemblyTree &tree, Index s, Index column)
{
  const Index row = tree.perm[column];
  if (!was_behind_[row] && tree.first[s + 1] - column > searched_panel) {
    was_behind_[row] = 1;
    return s;
  }
  was_behind_[row] = 1;
  Index up = 1 << std::min<int>(moves_[row]++, 20), to = s;
  for (; up > 0 && tree.parent[to] >= 0; --up, ++delayed_)
    to = tree.parent[to];
  return to == s ? -1 : to;
}

std::optional<PivotSequence> DelayRounds::next(const FrontPlan &plan, const std::vector<std::uint8_t> &failed)
{
  const AssemblyTree &tree = plan.tree;
  was_behind_.resize(tree.rows());
  moves_.resize(tree.rows());
  std::vector<std::vector<Index>> behind(tree.fronts()); // columns that come after those that stay
  std::vector<std::uint8_t> moves(tree.rows()), is_spoiled(tree.fronts());
  for (Index s = 0; s < tree.fronts(); ++s) {
    bool spoils = is_spoiled[s];
    if (!is_spoiled[s])
      for (Index column : failed_columns(tree, s, failed)) {
        const Index to = destination(tree, s, column);
        if (to < 0)
          return {};
        behind[to].push_back(column);
        moves[column] = 1;
        spoils = true;
      }
    if (spoils && tree.parent[s] >= 0)
      is_spoiled[tree.parent[s]] = 1;
  }
  PivotSequence pivots;
  pivots.start.push_back(0);
  for (Index s = 0; s < tree.fronts(); ++s) {
    for (Index k = tree.first[s]; k < tree.first[s + 1]; ++k)
      if (!moves[k]) {
        pivots.row.push_back(k);
        pivots.pair.push_back(tree.pair[k]);
      }
    pivots.row.insert(pivots.row.end(), behind[s].begin(), behind[s].end());
    pivots.pair.resize(pivots.row.size()); // partners that failed together are no pair any more
    pivots.start.push_back(Index(pivots.row.size()));
  }
  if (!plan.symmetric)
    pivots.column = pivots.row;
  return pivots;
}

} // namespace tessera
