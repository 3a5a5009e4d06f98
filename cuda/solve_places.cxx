#include "solve_places.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// What the sum of a block takes in a sweep.
struct Load {
  Offset tiles;
  Index parts;
};

Load forward_load(const BlockStructure &s, Index b)
{
  const Offset tiles = s.tiles.columns.start[b + 1] - s.tiles.columns.start[b];
  return {tiles, Parts::of_tiles(group_width(s.block_rows(b))).count(Index(tiles))};
}

Load backward_load(const BlockStructure &s, Index b)
{
  const Index columns = s.panel_width[b] - s.block_rows(b);
  return {s.tiles.upper.start[b + 1] - s.tiles.upper.start[b],
          Parts::of_columns(group_width(s.block_rows(b))).count(columns)};
}

/// Whether a team would take long for so many tiles, or could not hold the rows.
bool is_light(Index rows, Offset tiles, Index team)
{
  const Index groups = team / std::min(group_width(rows), team);
  return rows <= 16 && tiles <= 6 * groups;
}

/// Adds the places of a level. load(b): what block b takes.
template <class F>
void add_level(const BlockStructure &s, Index level, Index team, const F &load, SolvePlaces &all)
{
  std::vector<SolvePlace> &place = all.place;
  const std::size_t slots = solve_threads / team;
  const auto add_group = [&](const SolvePlace &x) { place.insert(place.end(), slots, x); };
  const auto begin = s.levels.order.begin() + s.levels.start[level],
             end = s.levels.order.begin() + s.levels.start[level + 1];
  const auto light = [&](Index b) { return is_light(s.block_rows(b), load(b).tiles, team); };
  for (auto b = begin; b != end; ++b) {
    if (light(*b))
      continue;
    const Index first = all.sums;
    for (Index part = 0; part < load(*b).parts; ++part, all.sums += s.block_rows(*b))
      add_group({*b, part, all.sums, Work::part});
    add_group({*b, no_part, first, Work::whole});
  }
  for (auto b = begin; b != end; ++b)
    if (light(*b))
      place.push_back({*b, no_part, 0, Work::light});
  place.resize((place.size() + slots - 1) / slots * slots, {no_block, no_part, 0, Work::light});
}

/// A part of a warp where block rows are small and have few tiles.
Index choose_team(const BlockStructure &s)
{
  Index largest = 0;
  for (Index b = 0; b < s.blocks(); ++b)
    largest = std::max(largest, s.block_rows(b));
  return largest <= 8 && s.tiles.upper.entries() <= 6 * Offset(s.blocks()) ? 8 : 32;
}

} // namespace

SolveOrder make_solve_order(const BlockStructure &structure)
{
  SolveOrder order{choose_team(structure), {}, {}, std::vector<Index>(structure.blocks()), {}};
  const Index levels = structure.levels.levels();
  for (Index i = 0; i < levels; ++i) {
    add_level(structure, i, order.team, [&](Index b) { return forward_load(structure, b); }, order.forward);
    add_level(structure, levels - 1 - i, order.team, [&](Index b) { return backward_load(structure, b); }, order.backward);
  }
  for (const Index b : structure.levels.order) {
    order.row[b] = Index(order.perm.size());
    order.perm.insert(order.perm.end(), structure.perm.begin() + structure.block_start[b],
                      structure.perm.begin() + structure.block_start[b + 1]);
  }
  return order;
}

} // namespace tessera
