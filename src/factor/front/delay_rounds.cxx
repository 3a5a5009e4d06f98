#include "factor/front/delay_rounds.hpp"
#include "factor/front/searched_order.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

/// The columns of front s that have failed, `many`, with the partners of proposed pairs. Where more than an eighth of
/// all have, the first of them may have spoiled the others: those of one panel only.
std::vector<Index> failed_columns(const AssemblyTree &tree, Index s, const std::vector<std::uint8_t> &failed,
                                  Index many)
{
  std::vector<Index> columns;
  const Index begin = tree.first[s], end = tree.first[s + 1];
  for (Index k = begin; k < end; ++k) {
    const bool with_next = tree.pair[k] && failed[k + 1], with_last = k > begin && tree.pair[k - 1] && failed[k - 1];
    if (failed[k] || with_next || with_last)
      columns.push_back(k);
  }
  if (many > searched_panel + (end - begin) / 8) {
    const Index limit = begin + ((columns[0] - begin) / searched_panel + 1) * searched_panel;
    const auto rest = std::find_if(columns.begin(), columns.end(), [&](Index k) { return k >= limit; });
    columns.erase(rest, columns.end());
  }
  return columns;
}

} // namespace

Index DelayRounds::destination_at_root(const AssemblyTree &tree, Index s, const std::vector<Index> &columns, Index many)
{
  if (columns[0] == tree.first[s + 1] - Index(columns.size()))
    return -1; // they are the last ones
  const Index fewest = tried_[s];
  stalls_ += fewest > 0 && many >= fewest;
  tried_[s] = fewest > 0 ? std::min(many, fewest) : many;
  return stalls_ <= most_stalls_ ? s : -1;
}

std::vector<Index> DelayRounds::destinations(const AssemblyTree &tree, Index s, const std::vector<Index> &columns,
                                             Index many)
{
  if (columns.empty())
    return {};
  if (tree.parent[s] < 0)
    return std::vector<Index>(columns.size(), destination_at_root(tree, s, columns, many));
  std::vector<Index> to(columns.size(), s);
  const bool were_behind = std::exchange(tried_[s], 1) != 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!were_behind && tree.first[s + 1] - columns[k] > searched_panel)
      continue; // it is tried behind the others
    Index up = 1 << std::min<int>(moves_[tree.perm[columns[k]]]++, 20);
    for (; up > 0 && tree.parent[to[k]] >= 0; --up, ++delayed_)
      to[k] = tree.parent[to[k]];
  }
  return to;
}

std::optional<PivotSequence> DelayRounds::next(const FrontPlan &plan, const std::vector<std::uint8_t> &failed)
{
  const AssemblyTree &tree = plan.tree;
  tried_.resize(tree.fronts());
  moves_.resize(tree.rows());
  std::vector<std::vector<Index>> behind(tree.fronts()); // columns that come after those that stay
  std::vector<std::uint8_t> moves(tree.rows()), is_spoiled(tree.fronts());
  for (Index s = 0; s < tree.fronts(); ++s) {
    const auto begin = failed.begin() + tree.first[s], end = failed.begin() + tree.first[s + 1];
    const Index many = is_spoiled[s] ? 0 : Index(end - begin - std::count(begin, end, 0));
    const std::vector<Index> columns = many > 0 ? failed_columns(tree, s, failed, many) : std::vector<Index>(),
                             to = destinations(tree, s, columns, many);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (to[k] < 0)
        return {};
      behind[to[k]].push_back(columns[k]);
      moves[columns[k]] = 1;
    }
    if ((is_spoiled[s] || !columns.empty()) && tree.parent[s] >= 0)
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
  Index fronts = 0; // of the next plan: those that have columns left
  for (Index s = 0; s < tree.fronts(); ++s)
    if (pivots.start[s + 1] > pivots.start[s])
      tried_[fronts++] = tried_[s];
  return pivots;
}

} // namespace tessera
