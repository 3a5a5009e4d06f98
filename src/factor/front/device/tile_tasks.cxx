#include "factor/front/device/tile_tasks.hpp"

#include "factor/front/device/device_memory.hpp"

#include <algorithm>
#include <numeric>
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

class TileTasks {
public:
  TileTasks(DevicePlan &plan, const Buffer<Offset> &entry_tile)
      : plan_(plan), entry_tile_(entry_tile), after_(plan.front.size(), 0)
  {
  }

  void run()
  {
    for (std::size_t s = plan_.front.size(); s-- > 0;) {
      const DeviceFront &f = plan_.front[s];
      if (f.parent >= 0)
        after_[s] = after_[f.parent] + gather_time + panels(plan_.front[f.parent]) * panel_time + hand_on_time;
    }
    for (std::size_t s = 0; s < plan_.front.size(); ++s)
      if (plan_.front[s].kind == FrontKind::Tiles)
        add_front(static_cast<Index>(s));
    std::vector<std::size_t> order(ticket_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time_[a] > time_[b]; });
    plan_.tile_order.reserve(task_.size());
    plan_.tile_ticket.reserve(ticket_.size() + 1);
    plan_.tile_ticket.push_back(0);
    ticket_.push_back(Index(task_.size()));
    for (std::size_t t : order) {
      plan_.tile_order.insert(plan_.tile_order.end(), task_.begin() + ticket_[t], task_.begin() + ticket_[t + 1]);
      plan_.tile_ticket.push_back(Index(plan_.tile_order.size()));
    }
    place_in_memory(plan_);
    for (std::size_t p = 0; p < giver_.size(); ++p)
      plan_.piece[p].contribution = plan_.front[giver_[p]].contribution;
  }

private:
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

  static Index panels(const DeviceFront &f) { return f.columns_padded / width; }

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
    ticket_.push_back(Index(task_.size()));
    time_.push_back(time_from(s, i, j));
    for (Index k = 0; k < together; ++k)
      add_tile(s, i + k, j, side, entry, task_.size() - together);
  }

  /// Adds a task with its entries, which begin at `entry`, and its pieces. Those of side 1 are the ones of side 0,
  /// which is task `other`.
  void add_tile(Index s, Index i, Index j, Index side, Offset &entry, std::size_t other)
  {
    const DeviceFront &f = plan_.front[s];
    TileTask t{s, i, j, side, entry, entry, static_cast<Offset>(plan_.piece.size()), 0};
    while (t.entry_end < f.entry_end && entry_tile_[t.entry_end] == f.tile(i, j, side))
      ++t.entry_end;
    entry = t.entry_end;
    if (side == 1) {
      t.piece_begin = task_[other].piece_begin;
      t.piece_end = task_[other].piece_end;
    } else {
      for (const auto &[child, piece] : pieces_[f.tile(i, j) - f.tile_begin]) {
        giver_.push_back(child);
        plan_.piece.push_back(piece);
      }
      t.piece_end = static_cast<Offset>(plan_.piece.size());
    }
    task_.push_back(t);
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

  DevicePlan &plan_;
  const Buffer<Offset> &entry_tile_;
  std::vector<std::vector<std::pair<Index, TilePiece>>> pieces_; ///< of each tile of the front at hand, with the child
  std::vector<Index> giver_;                                     ///< [pieces] the child
  std::vector<TileTask> task_;
  std::vector<Index> ticket_; ///< first of its tasks
  std::vector<double> time_;  ///< [tickets] time_from()
  std::vector<double> after_; ///< [fronts] from the end of the front to the end of all
};

} // namespace

void order_tiles(DevicePlan &plan, const Buffer<Offset> &entry_tile)
{
  TileTasks(plan, entry_tile).run();
}

} // namespace tessera
