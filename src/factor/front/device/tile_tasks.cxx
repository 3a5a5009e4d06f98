#include "factor/front/device/tile_tasks.hpp"

#include "base/allocate.hpp"
#include "base/parallel_for.hpp"
#include "base/row_starts.hpp"
#include "factor/front/device/device_memory.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

constexpr Index width = DeviceFront::tile_width;

/// What a tile takes beside waiting, in µs on an H200, about: to gather it, to subtract a product with a panel before,
/// to factor it, to multiply it by W, to hand it on.
constexpr double gather_time = 6, product_time = 2.6, factor_time = 15, multiply_time = 6, hand_on_time = 2;

/// Rows and columns of so many tiles about as many as run at the same time.
constexpr Index square = 20;

/// Fronts of LU of so many rows of tiles have them taken two at a time.
constexpr Index paired_from = 8;

/// From one panel of a front to the next.
constexpr double panel_time = factor_time + multiply_time + product_time;

Index panels(const DeviceFront &f)
{
  return f.columns_padded / width;
}

/// From the end of each front to the end of all.
std::vector<double> times_after(const std::vector<DeviceFront> &front)
{
  std::vector<double> after(front.size(), 0);
  for (std::size_t s = front.size(); s-- > 0;)
    if (const Index up = front[s].parent; up >= 0)
      after[s] = after[up] + gather_time + panels(front[up]) * panel_time + hand_on_time;
  return after;
}

/// The tasks of some fronts.
struct TaskList {
  std::vector<TilePiece> piece; ///< without their contributions
  std::vector<Index> giver;     ///< [pieces] the child
  std::vector<TileTask> task;   ///< their pieces are numbered from 0
  std::vector<Index> ticket;    ///< first of its tasks
  std::vector<double> time;     ///< [tickets] from its begin to the end of all, see TileTasks::time_from()
};

/// Lists the tasks of fronts.
class TileTasks {
public:
  /// after: [fronts] times_after()
  TileTasks(const DevicePlan &plan, const Buffer<Offset> &entry_tile, const std::vector<double> &after, TaskList &list)
      : plan_(plan), entry_tile_(entry_tile), after_(after), list_(list)
  {
  }

  void add_front(Index s)
  {
    const DeviceFront &f = plan_.front[s];
    const Index tiles = f.rows() / width;
    list_pieces(f);
    Offset entry[] = {f.entry_begin, 0}; // the next of each side; those of side 1 come last
    entry[1] =
        std::lower_bound(entry_tile_.begin() + f.entry_begin, entry_tile_.begin() + f.entry_end, f.tile(0, 0, 1)) -
        entry_tile_.begin();
    // Rows begin .. end - 1 of column j. The next panel waits for the first tile below the diagonal.
    const bool paired = plan_.sides == 2 && tiles >= paired_from;
    const auto add = [&](Index j, Index begin, Index end) {
      for (Index i = begin, together; i < end; i += together) {
        together = paired && i > j + 1 && i + 1 < end ? 2 : 1;
        for (Index side = 0; side < (i > j ? plan_.sides : 1); ++side)
          add_ticket(s, i, together, j, side, entry[side]);
      }
    };
    for (Index j = 0; j < panels(f); ++j)
      add(j, j, tiles);
    // Those that are handed on are ready together. Tiles that run at the same time read the same rows of the panels.
    for (Index j0 = panels(f); j0 < tiles; j0 += square)
      for (Index i0 = j0; i0 < tiles; i0 += square)
        for (Index j = j0; j < std::min(j0 + square, tiles); ++j)
          add(j, std::max(i0, j), std::min(i0 + square, tiles));
  }

private:
  /// From the begin of tile (i, j) of a front to the end of all, on a machine with a processor for every tile.
  double time_from(Index s, Index i, Index j) const
  {
    const Index left = std::max(panels(plan_.front[s]) - j, 0);
    const double own = gather_time + product_time * std::min(j, panels(plan_.front[s]));
    const double chain = left * panel_time - (left > 0 && i > j ? factor_time : 0);
    return own + chain + hand_on_time + after_[s];
  }

  /// Adds tiles i .. i + together - 1 of column j, which a thread block takes at a time.
  void add_ticket(Index s, Index i, Index together, Index j, Index side, Offset &entry)
  {
    list_.ticket.push_back(Index(list_.task.size()));
    list_.time.push_back(time_from(s, i, j));
    for (Index k = 0; k < together; ++k)
      add_tile(s, i + k, j, side, entry, list_.task.size() - together);
  }

  /// Adds a task with its entries, which begin at `entry`, and its pieces. Those of side 1 are the ones of side 0,
  /// which is task `other`.
  void add_tile(Index s, Index i, Index j, Index side, Offset &entry, std::size_t other)
  {
    const DeviceFront &f = plan_.front[s];
    TileTask t{s, i, j, side, entry, entry, static_cast<Offset>(list_.piece.size()), 0};
    while (t.entry_end < f.entry_end && entry_tile_[t.entry_end] == f.tile(i, j, side))
      ++t.entry_end;
    entry = t.entry_end;
    if (side == 1) {
      t.piece_begin = list_.task[other].piece_begin;
      t.piece_end = list_.task[other].piece_end;
    } else {
      for (const auto &[child, piece] : pieces_[f.tile(i, j) - f.tile_begin]) {
        list_.giver.push_back(child);
        list_.piece.push_back(piece);
      }
      t.piece_end = static_cast<Offset>(list_.piece.size());
    }
    list_.task.push_back(t);
  }

  /// Cuts the contributions of the children where their rows cross from one tile of the front to the next.
  void list_pieces(const DeviceFront &f)
  {
    pieces_.assign(f.tiles(), {});
    std::vector<Index> cut, of;
    for (Index c = f.child_begin; c < f.child_end; ++c) {
      const Index number = plan_.child[c];
      const DeviceFront &child = plan_.front[number];
      const Index *to = plan_.to_parent.data() + child.below_begin;
      cut.clear();
      of.clear();
      for (Index i = 0; i < child.below; ++i)
        if (of.empty() || to[i] / width != of.back()) {
          cut.push_back(i);
          of.push_back(to[i] / width);
        }
      cut.push_back(child.below);
      for (std::size_t x = 0; x < of.size(); ++x)
        for (std::size_t y = x; y < of.size(); ++y)
          pieces_[f.tile(of[y], of[x]) - f.tile_begin].push_back(
              {number, {{}, child.below_begin, cut[x], cut[x + 1], cut[y], cut[y + 1]}});
    }
  }

  const DevicePlan &plan_;
  const Buffer<Offset> &entry_tile_;
  const std::vector<double> &after_;
  TaskList &list_;
  std::vector<std::vector<std::pair<Index, TilePiece>>> pieces_; ///< of each tile of the front at hand, with the child
};

/// The fronts of kind Tiles, some next to each other at a time, of about as many tiles.
std::vector<Index> parts_of_fronts(const DevicePlan &plan)
{
  constexpr Offset tiles_of_part = 4096;
  std::vector<Index> begin = {0};
  Offset tiles = 0;
  for (std::size_t s = 0; s < plan.front.size(); ++s) {
    if (plan.front[s].kind != FrontKind::Tiles)
      continue;
    tiles += plan.front[s].tiles();
    if (tiles >= tiles_of_part) {
      begin.push_back(static_cast<Index>(s + 1));
      tiles = 0;
    }
  }
  begin.push_back(static_cast<Index>(plan.front.size()));
  return begin;
}

/// The tasks of all parts, those that take longest to the end of all first.
class TileOrder {
public:
  explicit TileOrder(const std::vector<TaskList> &part) : part_(part)
  {
    Offset pieces = 0;
    for (std::size_t k = 0; k < part.size(); ++k) {
      first_piece_.push_back(pieces);
      pieces += Offset(part[k].piece.size());
      for (std::size_t t = 0; t < part[k].ticket.size(); ++t)
        order_.push_back({part[k].time[t], static_cast<Index>(k), static_cast<Index>(t)});
    }
    std::stable_sort(order_.begin(), order_.end(), [](const Ticket &a, const Ticket &b) { return a.time > b.time; });
    first_piece_.push_back(pieces);
  }

  void write(DevicePlan &plan) const
  {
    const Index tickets = static_cast<Index>(order_.size());
    const std::vector<Offset> start = row_starts(tickets, false, [this](Index t) {
      const auto [begin, end] = tasks_of(order_[t]);
      return Offset(end - begin);
    });
    plan.tile_ticket.assign(start.begin(), start.end());
    allocate_in_parallel(plan.tile_order, start.back());
#pragma omp parallel for schedule(static) if (tickets > parallel_rows)
    for (Index t = 0; t < tickets; ++t) {
      const auto [begin, end] = tasks_of(order_[t]);
      const Offset shift = first_piece_[order_[t].part];
      for (Index k = begin; k < end; ++k) {
        TileTask &task = plan.tile_order[start[t] + k - begin] = part_[order_[t].part].task[k];
        task.piece_begin += shift;
        task.piece_end += shift;
      }
    }
  }

  /// With the contributions of the fronts, which have their places.
  void write_pieces(DevicePlan &plan) const
  {
    allocate_in_parallel(plan.piece, first_piece_.back());
    const Index parts = static_cast<Index>(part_.size());
#pragma omp parallel for schedule(dynamic, 1) if (parts > 1)
    for (Index k = 0; k < parts; ++k)
      for (std::size_t p = 0; p < part_[k].piece.size(); ++p) {
        TilePiece &piece = plan.piece[first_piece_[k] + Offset(p)] = part_[k].piece[p];
        piece.contribution = plan.front[part_[k].giver[p]].contribution;
      }
  }

private:
  struct Ticket {
    double time;
    Index part, number;
  };

  /// Begin and end.
  std::pair<Index, Index> tasks_of(const Ticket &t) const
  {
    const TaskList &part = part_[t.part];
    const std::size_t next = static_cast<std::size_t>(t.number) + 1;
    return {part.ticket[t.number],
            next < part.ticket.size() ? part.ticket[next] : static_cast<Index>(part.task.size())};
  }

  const std::vector<TaskList> &part_;
  std::vector<Offset> first_piece_; ///< [parts + 1]
  std::vector<Ticket> order_;
};

} // namespace

void order_tiles(DevicePlan &plan, const Buffer<Offset> &entry_tile)
{
  const std::vector<double> after = times_after(plan.front);
  const std::vector<Index> begin = parts_of_fronts(plan);
  const Index parts = static_cast<Index>(begin.size()) - 1;
  std::vector<TaskList> list(parts);
  const auto nothing = [] { return 0; };
  parallel_for_with(parts, 1, parts > 1, nothing, [&](int, Index k) {
    TileTasks tasks(plan, entry_tile, after, list[k]);
    for (Index s = begin[k]; s < begin[k + 1]; ++s)
      if (plan.front[s].kind == FrontKind::Tiles)
        tasks.add_front(s);
  });
  const TileOrder order(list);
  order.write(plan);
  place_in_memory(plan);
  order.write_pieces(plan);
}

} // namespace tessera
