#include "factor/front/device/solve_plan.hpp"

#include "base/allocate.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

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

/// What tickets have, from items in descending order of time: the number of an item that a thread block takes, or the
/// complement of the number of the first of some in of_warps.
struct Tickets {
  std::vector<Index> of_warps; ///< [groups * front_solve_places] numbers of items, -1: none
  std::vector<Index> ticket;
};

/// Items of warps share tickets, which come when the first of theirs is due (forward, where each waits for what is due
/// before it), or the last one (backward: for what is due before that).
Tickets share_tickets(const std::vector<Timed> &items, bool at_first)
{
  std::vector<std::pair<double, Index>> order(items.size());
  for (std::size_t k = 0; k < items.size(); ++k)
    order[k] = {-items[k].time, static_cast<Index>(k)};
  std::sort(order.begin(), order.end());
  Tickets tickets;
  for (const auto &[time, k] : order)
    if (items[k].item.work == SolveWork::Warp)
      tickets.of_warps.push_back(k);
  const std::size_t warps = tickets.of_warps.size();
  tickets.of_warps.resize((warps + front_solve_places - 1) / front_solve_places * front_solve_places, -1);
  std::size_t taken = 0;
  for (const auto &[time, k] : order) {
    if (items[k].item.work != SolveWork::Warp) {
      tickets.ticket.push_back(k);
      continue;
    }
    const std::size_t place = taken++ % front_solve_places;
    if (at_first ? place == 0 : place == front_solve_places - 1 || taken == warps)
      tickets.ticket.push_back(~static_cast<Index>(taken - 1 - place));
  }
  return tickets;
}

/// Writes the items of tickets from `to` on.
void write_tickets(const Tickets &tickets, const std::vector<Timed> &items, SolveItem *to)
{
  const Index count = static_cast<Index>(tickets.ticket.size());
#pragma omp parallel for schedule(static) if (count > parallel_rows)
  for (Index t = 0; t < count; ++t)
    for (Index place = 0; place < front_solve_places; ++place) {
      const Index number = tickets.ticket[t];
      const Index item = number >= 0 ? number : tickets.of_warps[~number + place];
      to[Offset(t) * front_solve_places + place] = item >= 0 ? items[item].item : SolveItem();
    }
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

  /// The items of their tickets, and where those of each level begin.
  std::vector<SolveItem> tickets(bool at_first, std::vector<Offset> &begin) const
  {
    std::vector<Tickets> tickets;
    begin.assign(1, 0);
    for (const std::vector<Timed> &items : items_) {
      tickets.push_back(share_tickets(items, at_first));
      begin.push_back(begin.back() + Offset(tickets.back().ticket.size()) * front_solve_places);
    }
    std::vector<SolveItem> all;
    allocate_in_parallel(all, begin.back());
    for (std::size_t level = 0; level < items_.size(); ++level)
      write_tickets(tickets[level], items_[level], all.data() + begin[level]);
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
  const Index fronts = static_cast<Index>(front.size());
  const std::vector<Offset> place = row_starts(fronts, false, [&](Index s) { return front[s].rows(); });
  const std::vector<Offset> sources = row_starts(fronts, false, [&](Index s) {
    Offset count = 0;
    for (Index c = front[s].child_begin; c < front[s].child_end; ++c)
      count += front[plan.child[c]].below;
    return count;
  });
  if (std::max({place.back(), sources.back(), Offset(plan.words) * 32}) >
      Offset(std::numeric_limits<std::int32_t>::max()))
    throw std::bad_alloc();
  allocate_in_parallel(solve.source_begin, place.back() + 1);
  allocate_in_parallel(solve.source, sources.back());
  solve.source_begin[place.back()] = std::uint32_t(sources.back());
#pragma omp parallel for schedule(dynamic, 16) if (fronts > parallel_rows)
  for (Index s = 0; s < fronts; ++s) {
    std::uint32_t *const begin = solve.source_begin.data() + place[s];
    const auto each = [&](const auto &visit) {
      for (Index c = front[s].child_begin; c < front[s].child_end; ++c) {
        const DeviceFront &child = front[plan.child[c]];
        for (Offset i = child.below_begin; i < child.below_begin + child.below; ++i)
          visit(begin[plan.to_parent[i]], i);
      }
    };
    each([](std::uint32_t &count, Offset) { ++count; });
    const Index rows = front[s].rows();
    std::uint32_t end = std::uint32_t(sources[s + 1]);
    for (Index i = rows; i-- > 0;)
      begin[i] = end -= begin[i];
    each([&](std::uint32_t &next, Offset i) { solve.source[next++] = std::uint32_t(i); });
    end = std::uint32_t(sources[s]); // each is where the next one begins now
    for (Index i = 0; i < rows; ++i)
      end = std::exchange(begin[i], end);
  }
}

std::vector<std::uint32_t> list_signs(const std::vector<DeviceFront> &front)
{
  const Index fronts = static_cast<Index>(front.size());
  Index rows = 0;
  for (const DeviceFront &f : front)
    rows += f.columns;
  std::vector<std::uint32_t> sign(rows);
#pragma omp parallel for schedule(static) if (fronts > parallel_rows)
  for (Index s = 0; s < fronts; ++s)
    for (Index c = 0; c < front[s].columns; ++c)
      sign[front[s].first + c] = 32 * std::uint32_t(front[s].sign_begin) + std::uint32_t(c);
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
