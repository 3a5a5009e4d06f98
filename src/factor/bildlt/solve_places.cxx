#include "factor/bildlt/solve_places.hpp"

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

/// Tiles that a block waits for, in the sweep that has more of them.
Offset most_tiles(const BlockStructure &s, Index b)
{
  return std::max(forward_load(s, b).tiles, backward_load(s, b).tiles);
}

/// Rows of the largest block.
Index largest_block(const BlockStructure &s)
{
  Index largest = 0;
  for (Index b = 0; b < s.blocks(); ++b)
    largest = std::max(largest, s.block_rows(b));
  return largest;
}

/// Tiles that blocks in bundles wait for at most: as many as make 64 entries of a row, which its lane goes through. 0:
/// no bundles. They are for blocks so small and with so few tiles that most lanes of a warp would idle on one of them.
Index most_tiles_in_bundles(const BlockStructure &s)
{
  const Index width = group_width(largest_block(s));
  return width <= 8 && s.tiles.upper.entries() <= 6 * Offset(s.blocks()) ? 64 / width : 0;
}

/// Tiles that a warp takes at most of a block whose group has this width. Where that is narrow the warp reads four or
/// eight tiles at a time, and what four warps cost before they read anything is as long as some more such steps.
Offset light_tiles(Index width)
{
  return (width <= 8 ? 12 : 6) * 32 / width;
}

/// Light blocks that make a level wide: as many as keep a GPU busy though several of them share a warp.
constexpr std::size_t wide_level = 2048;

/// Tiles of blocks that share a warp at most, in a sweep. A group of lanes takes them one after the other.
constexpr Offset tiles_in_shared_warp = 12;

/// Who computes a block, in both sweeps.
Work choose_work(const BlockStructure &s, Index b, Index most_in_bundles)
{
  const Index rows = s.block_rows(b);
  const Offset tiles = most_tiles(s, b);
  if (most_in_bundles > 0 && tiles <= most_in_bundles)
    return Work::bundle;
  return rows <= 16 && tiles <= light_tiles(group_width(rows)) ? Work::light : Work::whole;
}

/// What there is to do in a level.
struct LevelWork {
  std::vector<Index> heavy, light, bundled; ///< blocks for thread blocks, warps, lanes
  Index first_bundle = 0, end_bundle = 0;
};

/// Cuts a level's small blocks into bundles.
void add_bundles(const BlockStructure &s, SolveOrder &order, LevelWork &work)
{
  work.first_bundle = work.end_bundle = Index(order.bundles.size());
  for (const Index b : work.bundled) {
    const Index rows = s.block_rows(b);
    if (work.end_bundle == work.first_bundle || order.bundles.back().rows + rows > 32) {
      order.bundles.push_back({order.row[b], 0, order.inverse_entries});
      ++work.end_bundle;
    }
    order.bundles.back().rows += rows;
    order.inverse_entries += rows * rows;
  }
}

/// Gives the blocks of a level their rows of the solution: those that thread blocks compute first.
LevelWork lay_out_level(const BlockStructure &s, Index level, Index most_in_bundles, SolveOrder &order)
{
  LevelWork work;
  for (Index i = s.levels.start[level]; i < s.levels.start[level + 1]; ++i) {
    const Index b = s.levels.order[i];
    const Work kind = choose_work(s, b, most_in_bundles);
    (kind == Work::bundle ? work.bundled : kind == Work::light ? work.light : work.heavy).push_back(b);
  }
  // The rows of a bundle take as long as the longest of them: those alike go together, else neighbours do
  std::stable_sort(work.bundled.begin(), work.bundled.end(),
                   [&](Index a, Index b) { return (most_tiles(s, a) + 3) / 4 < (most_tiles(s, b) + 3) / 4; });
  for (const std::vector<Index> *blocks : {&work.heavy, &work.light, &work.bundled})
    for (const Index b : *blocks) {
      order.row[b] = Index(order.perm.size());
      order.perm.insert(order.perm.end(), s.perm.begin() + s.block_start[b], s.perm.begin() + s.block_start[b + 1]);
    }
  add_bundles(s, order, work);
  return work;
}

/// Adds the blocks begin .. end - 1 so that four share a warp: with as many tiles, as they take as long as the longest.
template <class Blocks, class F>
void add_shared_warps(Blocks begin, Blocks end, const F &load, SolvePlaces &all)
{
  std::stable_sort(begin, end, [&](Index a, Index b) { return load(a).tiles < load(b).tiles; });
  while (begin != end) {
    const auto next = begin + std::min<std::ptrdiff_t>(blocks_in_warp, end - begin);
    all.place.push_back({Index(all.shared.size()), no_part, 0, Work::shared});
    std::copy(begin, next, all.shared.emplace_back().block);
    begin = next;
  }
}

/// Adds the places of light blocks. may_share: they are small, and not in bundles.
template <class F>
void add_light(std::vector<Index> blocks, bool may_share, const F &load, SolvePlaces &all)
{
  auto alone = blocks.begin();
  if (may_share && blocks.size() >= wide_level)
    alone = std::stable_partition(blocks.begin(), blocks.end(),
                                  [&](Index b) { return load(b).tiles <= tiles_in_shared_warp; });
  add_shared_warps(blocks.begin(), alone, load, all);
  for (; alone != blocks.end(); ++alone)
    all.place.push_back({*alone, no_part, 0, Work::light});
}

/// Adds the places of a level. load(b): what block b takes.
template <class F>
void add_level(const BlockStructure &s, const LevelWork &work, bool may_share, const F &load, SolvePlaces &all)
{
  std::vector<SolvePlace> &place = all.place;
  const auto add_ticket = [&](const SolvePlace &x) { place.insert(place.end(), ticket_places, x); };
  for (const Index b : work.heavy) {
    const Index first = all.sums;
    for (Index part = 0; part < load(b).parts; ++part, all.sums += s.block_rows(b))
      add_ticket({b, part, all.sums, Work::part});
    add_ticket({b, no_part, first, Work::whole});
  }
  add_light(work.light, may_share, load, all);
  for (Index bundle = work.first_bundle; bundle < work.end_bundle; ++bundle)
    place.push_back({bundle, no_part, 0, Work::bundle});
  place.resize((place.size() + ticket_places - 1) / ticket_places * ticket_places, {no_item, no_part, 0, Work::light});
}

} // namespace

SolveOrder make_solve_order(const BlockStructure &s)
{
  SolveOrder order;
  const Index most_in_bundles = most_tiles_in_bundles(s);
  order.in_bundles = most_in_bundles > 0;
  const bool may_share = !order.in_bundles && largest_block(s) <= small_rows;
  order.row.resize(s.blocks());
  std::vector<LevelWork> levels;
  levels.reserve(s.levels.levels());
  for (Index level = 0; level < s.levels.levels(); ++level)
    levels.push_back(lay_out_level(s, level, most_in_bundles, order));
  for (auto work = levels.begin(); work != levels.end(); ++work)
    add_level(
        s, *work, may_share, [&](Index b) { return forward_load(s, b); }, order.forward);
  for (auto work = levels.rbegin(); work != levels.rend(); ++work)
    add_level(
        s, *work, may_share, [&](Index b) { return backward_load(s, b); }, order.backward);
  return order;
}

} // namespace tessera
