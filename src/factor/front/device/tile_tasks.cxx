#include "factor/front/device/tile_tasks.hpp"

#include "base/allocate.hpp"
#include "base/integers.hpp"
#include "base/parallel_for.hpp"
#include "base/row_starts.hpp"
#include "factor/front/device/device_memory.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

constexpr Index width = DeviceFront::tile_width, strip_rows = DeviceFront::strip_columns * width;

/// What a tile takes beside waiting, in µs on an H200, about: to gather it, to subtract a product with a panel before,
/// to factor it, to multiply it by W, to hand it on.
constexpr double gather_time = 6, product_time = 2.6, factor_time = 15, multiply_time = 6, hand_on_time = 2;

/// Rows and columns of so many tiles about as many as run at the same time.
constexpr Index square = 20;

/// Fronts of LU of so many rows of tiles have them taken two at a time.
constexpr Index paired_from = 8;

/// From one panel of a front to the next.
constexpr double panel_time = factor_time + multiply_time + product_time;

/// Whether the tasks of a front of kind Tiles are listed by all threads, not by one of them.
bool is_large(const DeviceFront &f)
{
  constexpr Offset many = 2048;
  return f.tiles() >= many;
}

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
  Buffer<TilePiece> piece;    ///< without their contributions
  Buffer<Index> giver;        ///< [pieces] the child
  std::vector<TileTask> task; ///< their pieces are numbered from 0
  std::vector<Index> ticket;  ///< first of its tasks
  std::vector<double> time;   ///< [tickets] from its begin to the end of all, see TileTasks::time_from()
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
      add_tile(s, i + k, j, side, entry);
  }

  /// Adds a task with its entries, which begin at `entry`, and its pieces. Those of side 1 are the ones of side 0.
  void add_tile(Index s, Index i, Index j, Index side, Offset &entry)
  {
    const DeviceFront &f = plan_.front[s];
    const Offset tile = f.tile(i, j) - f.tile_begin;
    TileTask t{s, i, j, side, f.strip_of(j), entry, entry, piece_start_[tile], piece_start_[tile + 1]};
    while (t.entry_end < f.entry_end && entry_tile_[t.entry_end] == f.tile(i, j, side))
      ++t.entry_end;
    entry = t.entry_end;
    list_.task.push_back(t);
  }

  /// Cuts the contributions of the children where their rows cross from one tile of the front to the next.
  void cut_rows(const DeviceFront &f)
  {
    cut_.clear();
    first_cut_.clear();
    for (Index c = f.child_begin; c < f.child_end; ++c) {
      const DeviceFront &child = plan_.front[plan_.child[c]];
      const Index *to = plan_.to_parent.data() + child.below_begin;
      first_cut_.push_back(cut_.size());
      for (Index i = 0; i < child.below; ++i)
        if (i == 0 || to[i] / width != cut_.back().tile)
          cut_.push_back({i, to[i] / width});
      cut_.push_back({child.below, -1});
    }
    first_cut_.push_back(cut_.size());
  }

  /// use(tile, piece, child) for the pieces of tiles in some columns, numbered in their front; those of a tile in the
  /// order of the children. Columns of a piece are in one strip.
  template <class Use>
  void for_pieces(const DeviceFront &f, Index column_begin, Index column_end, const Use &use) const
  {
    for (Index c = f.child_begin; c < f.child_end; ++c) {
      const Index number = plan_.child[c];
      const auto begin = cut_.begin() + first_cut_[c - f.child_begin],
                 end = cut_.begin() + first_cut_[c - f.child_begin + 1] - 1;
      auto x = std::lower_bound(begin, end, column_begin, [](const Cut &cut, Index j) { return cut.tile < j; });
      for (; x != end && x->tile < column_end; ++x)
        for (Index j = x->row, j_end; j < (x + 1)->row; j = j_end) {
          j_end = std::min((x + 1)->row, round_up(j + 1, strip_rows));
          for (auto y = x; y != end; ++y)
            use(f.tile(y->tile, x->tile) - f.tile_begin,
                TilePiece{{}, plan_.front[number].below_begin, j, j_end, std::max(j, y->row), (y + 1)->row}, number);
        }
    }
  }

  /// The same for all tiles of a front, some columns at a time, which threads share where tiles are many.
  template <class Use>
  void for_all_pieces(const DeviceFront &f, const Use &use) const
  {
    constexpr Index columns = 4;
    const Index tiles = f.rows() / width;
#pragma omp parallel for schedule(dynamic, 1) if (is_large(f))
    for (Index j = 0; j < tiles; j += columns)
      for_pieces(f, j, std::min(j + columns, tiles), use);
  }

  /// Lists the pieces of all tiles of a front, one tile after the other.
  void list_pieces(const DeviceFront &f)
  {
    cut_rows(f);
    piece_start_.assign(f.tiles() + 1, 0);
    for_all_pieces(f, [&](Offset tile, const TilePiece &, Index) { ++piece_start_[tile]; });
    Offset end = Offset(list_.piece.size());
    for (Offset &start : piece_start_)
      start = std::exchange(end, end + start);
    list_.piece.resize(end);
    list_.giver.resize(end);
    next_ = piece_start_;
    for_all_pieces(f, [&](Offset tile, const TilePiece &piece, Index child) {
      const Offset at = next_[tile]++;
      list_.giver[at] = child;
      list_.piece[at] = piece;
    });
  }

  const DevicePlan &plan_;
  const Buffer<Offset> &entry_tile_;
  const std::vector<double> &after_;
  TaskList &list_;
  /// A row of a child's contribution that is the first of those in a row of tiles of the front; or the end.
  struct Cut {
    Index row, tile;
  };
  std::vector<Cut> cut_;               ///< of all children of the front at hand
  std::vector<std::size_t> first_cut_; ///< [children + 1]
  std::vector<Offset> piece_start_;    ///< [tiles + 1] of the pieces of each tile of the front
  std::vector<Offset> next_;           ///< [tiles + 1] its next piece, as they are listed
};

/// The fronts of kind Tiles, some next to each other at a time, of about as many tiles; large ones alone.
std::vector<Index> parts_of_fronts(const DevicePlan &plan)
{
  constexpr Offset tiles_of_part = 4096;
  std::vector<Index> begin = {0};
  Offset tiles = 0;
  for (std::size_t s = 0; s < plan.front.size(); ++s) {
    if (plan.front[s].kind != FrontKind::Tiles)
      continue;
    const bool alone = is_large(plan.front[s]);
    if (alone && tiles > 0)
      begin.push_back(static_cast<Index>(s));
    tiles = alone ? tiles_of_part : tiles + plan.front[s].tiles();
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
        piece.contribution = contribution_of(plan, part_[k].giver[p], piece.j_begin);
      }
  }

private:
  /// What a front hands on of its column j.
  static const Contribution &contribution_of(const DevicePlan &plan, Index s, Index j)
  {
    const DeviceFront &f = plan.front[s];
    return f.kind == FrontKind::Tiles ? plan.strip[f.strip_of(f.panels() + j / width)].contribution : f.contribution;
  }

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
  const auto list_part = [&](Index k) {
    TileTasks tasks(plan, entry_tile, after, list[k]);
    for (Index s = begin[k]; s < begin[k + 1]; ++s)
      if (plan.front[s].kind == FrontKind::Tiles)
        tasks.add_front(s);
  };
  const auto has_large_front = [&](Index k) { // which is the last one
    const DeviceFront *const last = begin[k] < begin[k + 1] ? &plan.front[begin[k + 1] - 1] : nullptr;
    return last && last->kind == FrontKind::Tiles && is_large(*last);
  };
  for (Index k = 0; k < parts; ++k)
    if (has_large_front(k))
      list_part(k);
  const auto nothing = [] { return 0; };
  parallel_for_with(parts, 1, parts > 1, nothing, [&](int, Index k) {
    if (!has_large_front(k))
      list_part(k);
  });
  const TileOrder order(list);
  order.write(plan);
  place_in_memory(plan);
  order.write_pieces(plan);
}

} // namespace tessera
