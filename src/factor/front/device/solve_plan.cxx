#include "factor/front/device/solve_plan.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace tessera {
namespace {

// A model of the time that fronts take, in microseconds, which orders the tickets: long chains first.
constexpr double front_time = 1.5; ///< a front that need not wait
constexpr double panel_time = 0.8; ///< a panel of 32 columns
constexpr double tiles_time = 1.1; ///< from one panel of 64 columns to the next
constexpr double tile_time = 0.3;  ///< a tile that is only read

constexpr Index part_tiles = 16; ///< rows of tiles that a part adds up

/// An item and the time from its beginning to the end of the sweep.
struct Timed {
  double time;
  SolveItem item;
};

/// Fills the tickets from items in descending order of time. Those of warps share tickets, which come when the first of
/// theirs is due (forward, where each waits for what is due before it), or the last one (backward: for what is due
/// before that).
std::vector<SolveItem> tickets_of(std::vector<Timed> items, bool at_first)
{
  std::stable_sort(items.begin(), items.end(), [](const Timed &a, const Timed &b) { return a.time > b.time; });
  std::vector<SolveItem> of_warps, tickets;
  for (const Timed &t : items)
    if (t.item.work == SolveWork::Warp)
      of_warps.push_back(t.item);
  const std::size_t warps = of_warps.size();
  of_warps.resize((warps + front_solve_places - 1) / front_solve_places * front_solve_places);
  std::size_t taken = 0;
  for (const Timed &t : items) {
    if (t.item.work != SolveWork::Warp) {
      tickets.insert(tickets.end(), front_solve_places, t.item);
      continue;
    }
    const std::size_t place = taken++ % front_solve_places, group = (taken - 1) / front_solve_places;
    if (at_first ? place == 0 : place == front_solve_places - 1 || taken == warps) {
      const auto from = of_warps.begin() + std::ptrdiff_t(group * front_solve_places);
      tickets.insert(tickets.end(), from, from + front_solve_places);
    }
  }
  return tickets;
}

double time_of(const DeviceFront &f)
{
  const double each = f.kind == FrontKind::Tiles ? tiles_time : panel_time;
  return front_time + f.panels() * each;
}

SolveItem item_of(const DeviceFront &f)
{
  SolveItem item;
  item.factor = f.factor_begin;
  item.below_begin = f.below_begin;
  item.first = f.first;
  item.columns = f.columns;
  item.below = f.below;
  item.sign_begin = f.sign_begin;
  item.work = f.kind == FrontKind::Warp ? SolveWork::Warp : SolveWork::Block;
  return item;
}

/// Items by the level of their front.
class ItemsByLevel {
public:
  explicit ItemsByLevel(const std::vector<Index> &level)
      : level_(level), items_(level.empty() ? 1 : *std::max_element(level.begin(), level.end()) + 1)
  {
  }

  void add(std::size_t front, const Timed &item) { items_[level_.empty() ? 0 : level_[front]].push_back(item); }

  /// Their tickets, and where those of each level begin.
  std::vector<SolveItem> tickets(bool at_first, std::vector<Offset> &begin)
  {
    std::vector<SolveItem> all;
    begin.assign(1, 0);
    for (std::vector<Timed> &items : items_) {
      const std::vector<SolveItem> tickets = tickets_of(std::move(items), at_first);
      all.insert(all.end(), tickets.begin(), tickets.end());
      begin.push_back(Offset(all.size()));
    }
    return all;
  }

private:
  const std::vector<Index> &level_;
  std::vector<std::vector<Timed>> items_;
};

void add_forward(const std::vector<DeviceFront> &front, ItemsByLevel &items)
{
  std::vector<Offset> place(front.size() + 1, 0);
  for (std::size_t s = 0; s < front.size(); ++s)
    place[s + 1] = place[s] + front[s].rows();
  std::vector<double> time(front.size());
  for (std::size_t s = front.size(); s-- > 0;) {
    const DeviceFront &f = front[s];
    const double after = f.parent >= 0 ? time[f.parent] : 0;
    time[s] = after + time_of(f);
    SolveItem item = item_of(f);
    item.place_begin = place[s];
    if (f.kind != FrontKind::Tiles) {
      items.add(s, {time[s], item});
      continue;
    }
    item.work = SolveWork::Tile;
    const Index panels = f.panels(), tiles = f.rows() / DeviceFront::tile_width;
    for (Index i = 0; i < tiles; ++i) {
      item.tile = i;
      const double own = i < panels ? (panels - i) * tiles_time + i * tile_time : (panels - 1) * tile_time;
      items.add(s, {after + front_time / 2 + own, item});
    }
  }
}

void add_backward(const std::vector<DeviceFront> &front, ItemsByLevel &items, Index &sums)
{
  std::vector<double> after(front.size(), 0.0); // the longest time of a child
  for (std::size_t s = 0; s < front.size(); ++s) {
    const DeviceFront &f = front[s];
    const double time = f.columns > 0 ? after[s] + time_of(f) : after[s];
    if (f.parent >= 0)
      after[f.parent] = std::max(after[f.parent], time);
    if (f.columns == 0)
      continue;
    SolveItem item = item_of(f);
    if (f.kind != FrontKind::Tiles) {
      items.add(s, {time, item});
      continue;
    }
    const Index panels = f.panels(), tiles = f.rows() / DeviceFront::tile_width;
    const Index parts = std::max(0, (tiles - panels - 1) / part_tiles);
    for (Index p = panels - 1; p >= 0; --p) {
      const double due = after[s] + (p + 1) * tiles_time;
      item.tile = p;
      item.work = SolveWork::Part;
      for (Index part = 0; part < parts; ++part) {
        item.tile_begin = panels + part * part_tiles;
        item.tile_end = item.tile_begin + part_tiles;
        item.sums = sums + part * DeviceFront::tile_width;
        items.add(s, {due + front_time / 2, item});
      }
      item.work = SolveWork::Tile;
      item.tile_begin = panels + parts * part_tiles;
      item.tile_end = tiles;
      item.sums = sums;
      item.parts = parts;
      items.add(s, {due, item});
      sums += parts * DeviceFront::tile_width;
    }
  }
}

/// What children hand to each place of their parents.
void list_sources(const DevicePlan &plan, SolvePlan &solve)
{
  const std::vector<DeviceFront> &front = plan.front;
  Offset places = 0, sources = 0;
  std::vector<Offset> place(front.size());
  for (std::size_t s = 0; s < front.size(); ++s) {
    place[s] = places;
    places += front[s].rows();
    sources += front[s].below;
  }
  if (std::max({places, sources, Offset(plan.words) * 32}) > Offset(std::numeric_limits<std::int32_t>::max()))
    throw std::bad_alloc();
  solve.source_begin.assign(places + 1, 0);
  const auto each = [&](const auto &visit) {
    for (std::size_t s = 0; s < front.size(); ++s)
      for (Index c = front[s].child_begin; c < front[s].child_end; ++c) {
        const DeviceFront &child = front[plan.child[c]];
        for (Offset i = child.below_begin; i < child.below_begin + child.below; ++i)
          visit(place[s] + plan.to_parent[i], i);
      }
  };
  each([&](Offset to, Offset) { ++solve.source_begin[to + 1]; });
  for (Offset i = 0; i < places; ++i)
    solve.source_begin[i + 1] += solve.source_begin[i];
  solve.source.resize(solve.source_begin[places]);
  std::vector<std::uint32_t> next(solve.source_begin.begin(), solve.source_begin.end() - 1);
  each([&](Offset to, Offset from) { solve.source[next[to]++] = std::uint32_t(from); });
}

std::vector<std::uint32_t> list_signs(const std::vector<DeviceFront> &front)
{
  std::vector<std::uint32_t> sign;
  for (const DeviceFront &f : front)
    for (Index c = 0; c < f.columns; ++c)
      sign.push_back(32 * std::uint32_t(f.sign_begin) + std::uint32_t(c));
  return sign;
}

} // namespace

SolvePlan make_solve_plan(const DevicePlan &plan, const std::vector<Index> &level)
{
  SolvePlan solve;
  list_sources(plan, solve);
  solve.sign = list_signs(plan.front);
  ItemsByLevel forward(level), backward(level);
  add_forward(plan.front, forward);
  add_backward(plan.front, backward, solve.sums);
  solve.forward = forward.tickets(true, solve.forward_begin);
  solve.backward = backward.tickets(false, solve.backward_begin);
  for (const DeviceFront &f : plan.front)
    if (f.kind == FrontKind::Block)
      solve.most_block_rows = std::max(solve.most_block_rows, f.rows());
  return solve;
}

} // namespace tessera
