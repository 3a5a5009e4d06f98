#include "factor/front/device/device_memory.hpp"

#include "base/first_error.hpp"
#include "base/integers.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace tessera {
namespace {

/// Tasks that may run at the same time on a large GPU: one that begins so much later need not wait.
constexpr Offset at_once = 512;

/// Which blocks were the last in free memory.
class FreeMemory {
public:
  void add(Offset begin, Offset size, Index block)
  {
    if (size > 0)
      piece_[begin] = {begin + size, block};
  }

  /// Takes begin .. end - 1 from it, and adds the blocks that were there to `blocks`.
  void take(Offset begin, Offset end, std::vector<Index> &blocks)
  {
    auto p = piece_.upper_bound(begin);
    if (p != piece_.begin() && std::prev(p)->second.end > begin)
      --p;
    while (p != piece_.end() && p->first < end) {
      const Offset first = p->first;
      const Piece piece = p->second;
      p = piece_.erase(p);
      blocks.push_back(piece.block);
      if (first < begin)
        piece_[first] = {begin, piece.block};
      if (piece.end > end)
        piece_[end] = {piece.end, piece.block};
    }
  }

private:
  struct Piece {
    Offset end;
    Index block;
  };
  std::map<Offset, Piece> piece_; ///< by their begin
};

/// Which fronts are below others in the tree.
class Descent {
public:
  explicit Descent(const std::vector<DeviceFront> &front) : enter_(front.size(), 0), size_(front.size(), 1)
  {
    for (std::size_t s = 0; s < front.size(); ++s) // children come before their parents
      if (front[s].parent >= 0)
        size_[front[s].parent] += size_[s];
    std::vector<Index> next(front.size(), 0); // number of the next child of each
    Index next_root = 0;
    for (std::size_t s = front.size(); s-- > 0;) {
      Index &number = front[s].parent >= 0 ? next[front[s].parent] : next_root;
      enter_[s] = number;
      number += size_[s];
      next[s] = enter_[s] + 1;
    }
  }

  bool is_below(Index s, Index top) const { return enter_[s] > enter_[top] && enter_[s] < enter_[top] + size_[top]; }

  /// Leaves those of the fronts that are neither below another of them nor below `top`.
  void keep_highest(std::vector<Index> &fronts, Index top) const
  {
    std::sort(fronts.begin(), fronts.end(), [&](Index a, Index b) { return enter_[a] < enter_[b]; });
    std::size_t kept = 0;
    for (Index s : fronts)
      if (!is_below(s, top) && (kept == 0 || (s != fronts[kept - 1] && !is_below(s, fronts[kept - 1]))))
        fronts[kept++] = s;
    fronts.resize(kept);
  }

private:
  std::vector<Index> enter_; ///< number of each in an order in which those below a front follow it
  std::vector<Index> size_;  ///< of its subtree
};

/// A strip that a front of tiles hands on, or the contributions of all other fronts that are next below one: while they
/// are there, which is from task `first` on until tasks after `last` need not mind them.
struct Block {
  Index strip;  ///< or -1
  Index reader; ///< a front of tiles; when these strips of it have been gathered, nobody reads the block any longer
  GatheredRange read_by;
  Offset size, first, last;
  Offset begin = 0;
};

/// Places of blocks beside those that are there at the same time. Blocks are in groups, next to each other in memory,
/// so that most need not be looked at.
class Places {
public:
  /// The first place from `from` on, and before `end`, if there is one.
  std::optional<Offset> find(const Block &b, Offset from, Offset end) const
  {
    Offset at = from;
    for (const Group &group : group_) {
      if (group.block.front().begin >= at + b.size)
        break;
      if (group.end <= at || group.first > b.last || b.first > group.last)
        continue;
      for (const Block &other : group.block) {
        if (other.begin >= at + b.size)
          break;
        if (other.first <= b.last && b.first <= other.last)
          at = std::max(at, other.begin + other.size);
      }
    }
    return at + b.size <= end ? std::optional<Offset>(at) : std::nullopt;
  }

  void add(const Block &b)
  {
    constexpr std::size_t most = 256;
    const auto after = [](Offset begin, const Block &other) { return begin < other.begin; };
    auto group = std::upper_bound(group_.begin(), group_.end(), b.begin,
                                  [](Offset begin, const Group &g) { return begin < g.block.front().begin; });
    if (group != group_.begin())
      --group;
    else if (group_.empty())
      group = group_.insert(group, Group());
    group->block.insert(std::upper_bound(group->block.begin(), group->block.end(), b.begin, after), b);
    group->extend(b);
    if (group->block.size() < most)
      return;
    const std::vector<Block> all = std::exchange(*group, Group()).block;
    group = group_.insert(group, Group()); // for the first half
    for (std::size_t k = 0; k < most; ++k) {
      Group &half = group[k < most / 2 ? 0 : 1];
      half.block.push_back(all[k]);
      half.extend(all[k]);
    }
  }

private:
  struct Group {
    std::vector<Block> block;                                     ///< by their begin
    Offset end = 0;                                               ///< no block ends later
    Offset first = std::numeric_limits<Offset>::max(), last = -1; ///< all are there from then and until then at most

    void extend(const Block &b)
    {
      end = std::max(end, b.begin + b.size);
      first = std::min(first, b.first);
      last = std::max(last, b.last);
    }
  };

  std::vector<Group> group_; ///< by their begin
};

class DeviceMemory {
public:
  explicit DeviceMemory(DevicePlan &plan) : plan_(plan), above_(plan.front.size(), -1), task_(plan.strip.size())
  {
    for (std::size_t s = plan.front.size(); s-- > 0;) // parents come after their children
      if (const Index parent = plan.front[s].parent; parent >= 0)
        above_[s] = is_tiled(parent) ? parent : above_[parent];
    for (std::size_t t = 0; t < plan.tile_order.size(); ++t) {
      const TileTask &task = plan.tile_order[t];
      StripTasks &of = task_[task.strip];
      if (++of.number == 1) {
        of.first = Offset(t);
        begun_.push_back({task.front, task.strip, plan.front[task.front].strip_start(task.column)});
      }
      of.last = Offset(t);
    }
  }

  void run()
  {
    list_blocks_of_others();
    place_factors();
    list_blocks();
    place_blocks();
    move_others();
    list_waits();
  }

private:
  struct StripTasks {
    Index number = 0;
    Offset first = -1, last = -1; ///< in plan_.tile_order
  };
  struct Strip {
    Index front, number, column; ///< column: its first one of tiles
  };
  struct Range {
    Offset begin, end;
  };

  static Offset in_lines(Offset numbers) { return round_up(numbers, Offset(line_numbers)); }
  bool is_tiled(Index s) const { return plan_.front[s].kind == FrontKind::Tiles; }

  /// The number of the last task of some strips.
  Offset last_of(const GatheredRange &strips) const
  {
    Offset last = -1;
    for (Index k = strips.begin; k < strips.end; ++k)
      last = std::max(last, task_[k].last);
    return last;
  }

  /// A block for each front of tiles that others are next below, in which their contributions get places. Those of
  /// fronts that are below none come first in memory.
  void list_blocks_of_others()
  {
    std::vector<Offset> size(plan_.front.size(), 0);
    for (std::size_t s = 0; s < plan_.front.size(); ++s) {
      DeviceFront &f = plan_.front[s];
      if (is_tiled(Index(s)) || f.parent < 0)
        continue;
      Offset &end = above_[s] >= 0 ? size[above_[s]] : plan_.factor_place;
      f.contribution.begin = std::exchange(end, end + in_lines(Contribution::square_numbers(f.below, f.sides)));
    }
    for (std::size_t s = 0; s < plan_.front.size(); ++s)
      if (size[s] > 0) {
        const DeviceFront &f = plan_.front[s];
        const GatheredRange all{f.strip_begin, f.strip_begin + f.strips()};
        block_.push_back({-1, Index(s), all, size[s], -1, last_of(all) + at_once});
      }
  }

  /// After their blocks have been placed.
  void move_others()
  {
    std::vector<Offset> begin(plan_.front.size(), 0);
    for (const Block &b : block_)
      if (b.strip < 0)
        begin[b.reader] = b.begin;
    for (std::size_t s = 0; s < plan_.front.size(); ++s)
      if (!is_tiled(Index(s)) && above_[s] >= 0)
        plan_.front[s].contribution.begin += begin[above_[s]];
  }

  static bool is_own(const Strip &strip, const DeviceFront &f) { return strip.column < f.panels(); }

  /// Where a strip of own columns is in a side of the factor, with W of the panel after it: a tile beside that lends
  /// its numbers to it there.
  Range factor_of(const Strip &strip) const
  {
    const DeviceFront &f = plan_.front[strip.front];
    const Index next = strip.column + DeviceFront::strip_columns;
    return {f.factor_begin + f.tile_offset(strip.column, strip.column),
            f.factor_begin + (next < f.panels() ? f.tile_offset(next, next) + f.stored(next) : f.factor_numbers())};
  }

  void place_factors()
  {
    plan_.factor_numbers = round_up(plan_.factor_numbers, Offset(line_numbers));
    factor_end_.push_back({-1, plan_.factor_numbers});
    std::vector<bool> placed(plan_.front.size(), false);
    for (const Strip &strip : begun_) {
      DeviceFront &f = plan_.front[strip.front];
      if (!placed[strip.front]) {
        f.factor_begin = plan_.factor_numbers;
        plan_.factor_numbers += f.factor_numbers();
        placed[strip.front] = true;
      }
      if (is_own(strip, f))
        factor_end_.push_back({task_[strip.number].first, std::max(factor_end_.back().end, factor_of(strip).end)});
    }
    plan_.memory_numbers = plan_.factor_place + plan_.sides * plan_.factor_numbers;
  }

  void list_blocks()
  {
    for (const Strip &strip : begun_) {
      const DeviceFront &f = plan_.front[strip.front];
      if (f.parent < 0 || is_own(strip, f))
        continue;
      const auto [first, end] = columns_of(strip, f);
      const GatheredRange read_by =
          readers_of(f, first * Contribution::width, std::min(end * Contribution::width, f.below));
      block_.push_back({strip.number, f.parent, read_by,
                        in_lines(Contribution::strip_numbers(f.below_padded, first, end, f.sides)),
                        task_[strip.number].first, last_of(read_by) + at_once});
    }
  }

  /// Of the tiles that a front hands on.
  static std::pair<Index, Index> columns_of(const Strip &strip, const DeviceFront &f)
  {
    const Index first = strip.column - f.panels();
    return {first, std::min(first + DeviceFront::strip_columns, f.below_padded / Contribution::width)};
  }

  /// Strips of a front's parent that rows begin .. end - 1 of what it hands on fall into, as columns.
  GatheredRange readers_of(const DeviceFront &f, Index begin, Index end) const
  {
    const DeviceFront &up = plan_.front[f.parent];
    const auto strip_of = [&](Index row) {
      return up.strip_of(plan_.to_parent[f.below_begin + row] / DeviceFront::tile_width);
    };
    return {strip_of(begin), strip_of(end - 1) + 1};
  }

  /// Numbers of a side of the factor that are begun by task t, or are not of tiles.
  Offset factor_begun(Offset t) const
  {
    const auto after = std::upper_bound(factor_end_.begin(), factor_end_.end(), t,
                                        [](Offset task, const Range &r) { return task < r.begin; });
    return std::prev(after)->end;
  }

  /// Places of all blocks, and one after the last number.
  struct Placement {
    std::vector<Offset> begin;
    Offset end = 0;
  };

  /// Orders in which blocks are placed, each in the first place that there is, are tried side by side, and the one that
  /// takes the least memory is kept, of equal ones the first. Which one that is differs: what stays long has the fewest
  /// places in the factor, so those that are there last come first, and of those that are there until about the same
  /// time the largest; or those that begin last come first, so that what is beside them in time is placed already.
  void place_blocks()
  {
    constexpr Offset same_time[] = {512, 2048, 16384, 0}; // tasks; 0: by their begin
    constexpr int orders = int(std::size(same_time));
    Placement of[orders];
    FirstError error; // of memory
#pragma omp parallel for schedule(dynamic, 1) if (block_.size() > 1000)
    for (int k = 0; k < orders; ++k)
      error.guard([&] { of[k] = place_in_order(ordered_blocks(same_time[k])); });
    error.rethrow();
    const Placement &best = *std::min_element(std::begin(of), std::end(of),
                                              [](const Placement &x, const Placement &y) { return x.end < y.end; });
    for (std::size_t k = 0; k < block_.size(); ++k)
      block_[k].begin = best.begin[k];
    plan_.memory_numbers = std::max(plan_.memory_numbers, best.end);
  }

  std::vector<std::size_t> ordered_blocks(Offset same_time) const
  {
    std::vector<std::size_t> order(block_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto time = [&](const Block &b) { return same_time > 0 ? b.last / same_time : b.first; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const Block &x = block_[a], &y = block_[b];
      return time(x) != time(y) ? time(x) > time(y) : x.size > y.size;
    });
    return order;
  }

  Placement place_in_order(const std::vector<std::size_t> &order) const
  {
    Placement placement{std::vector<Offset>(block_.size())};
    Places places;
    for (std::size_t k : order) {
      Block b = block_[k];
      placement.begin[k] = b.begin = place_of(places, b);
      placement.end = std::max(placement.end, b.begin + b.size);
      places.add(b);
    }
    return placement;
  }

  /// Of each side of the factor the end is free, and what comes after the last side.
  Offset place_of(const Places &places, const Block &b) const
  {
    const Offset begun = factor_begun(b.last);
    for (Index side = 0;; ++side) {
      const Offset begin = plan_.factor_place + side * plan_.factor_numbers;
      const bool is_last = side + 1 == plan_.sides;
      const Offset end = is_last ? std::numeric_limits<Offset>::max() : begin + plan_.factor_numbers;
      if (const auto at = places.find(b, begin + begun, end))
        return *at;
    }
  }

  /// Goes through the strips in the order in which they are begun.
  void list_waits()
  {
    const Descent descent(plan_.front);
    std::multimap<Offset, Index> free_after;
    FreeMemory free;
    Index next = 0;
    for (; next < Index(block_.size()) && block_[next].strip < 0; ++next)
      free_after.insert({block_[next].last, next});
    for (const Strip &strip : begun_) {
      for (; !free_after.empty() && free_after.begin()->first < task_[strip.number].first;
           free_after.erase(free_after.begin())) {
        const Block &b = block_[free_after.begin()->second];
        free.add(b.begin, b.size, free_after.begin()->second);
      }
      std::vector<Index> replaced;
      if (is_own(strip, plan_.front[strip.front])) {
        const Range in_side = factor_of(strip);
        for (Index side = 0; side < plan_.sides; ++side) {
          const Offset begin = plan_.factor_place + side * plan_.factor_numbers;
          free.take(begin + in_side.begin, begin + in_side.end, replaced);
        }
      } else if (next < Index(block_.size()) && block_[next].strip == strip.number) {
        const Block &b = block_[next];
        const DeviceFront &f = plan_.front[strip.front];
        const auto [first, end] = columns_of(strip, f);
        plan_.strip[strip.number].contribution = Contribution::strip(b.begin, f.below_padded, first, end);
        free.take(b.begin, b.begin + b.size, replaced);
        free_after.insert({b.last, next++});
      }
      plan_.strip[strip.number].before = waits(strip.front, descent, replaced);
    }
  }

  /// For whom front s has to wait in order to write where these blocks were: for who has read them, but for those that
  /// it waits for anyhow, which are below it, and those below others. All tiles of such fronts have been gathered.
  GatheredRange waits(Index s, const Descent &descent, const std::vector<Index> &blocks)
  {
    std::vector<Index> fronts;
    fronts.reserve(blocks.size());
    for (Index b : blocks)
      fronts.push_back(block_[b].reader);
    descent.keep_highest(fronts, s);
    const std::set<Index> highest(fronts.begin(), fronts.end());
    std::set<Index> strips;
    for (Index b : blocks)
      if (highest.count(block_[b].reader))
        for (Index k = block_[b].read_by.begin; k < block_[b].read_by.end; ++k)
          strips.insert(k);
    GatheredRange range{Index(plan_.gathered_first.size()), 0};
    for (Index k : strips)
      plan_.gathered_first.push_back({k, task_[k].number});
    range.end = Index(plan_.gathered_first.size());
    return range;
  }

  DevicePlan &plan_;
  std::vector<Index> above_;      ///< [fronts] the next front of tiles above it, or -1
  std::vector<StripTasks> task_;  ///< [strips]
  std::vector<Strip> begun_;      ///< in the order in which they are begun
  std::vector<Range> factor_end_; ///< end of the factor that is begun by task `begin`
  std::vector<Block> block_;      ///< in the order in which they are begun
};

} // namespace

void place_in_memory(DevicePlan &plan)
{
  DeviceMemory(plan).run();
}

} // namespace tessera
