#include "factor/front/device/device_memory.hpp"

#include "base/integers.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace tessera {
namespace {

/// Tasks that may run at the same time on a large GPU: one that begins so much later need not wait.
constexpr Offset at_once = 512;

/// Who was the last to read free memory.
class LastReaders {
public:
  void add(Offset begin, Offset size, Index front)
  {
    if (size > 0)
      piece_[begin] = {begin + size, front};
  }

  /// Takes begin .. end - 1 from it, and adds who has read there to `readers`.
  void take(Offset begin, Offset end, std::vector<Index> &readers)
  {
    auto p = piece_.upper_bound(begin);
    if (p != piece_.begin() && std::prev(p)->second.end > begin)
      --p;
    while (p != piece_.end() && p->first < end) {
      const Offset first = p->first;
      const Piece piece = p->second;
      p = piece_.erase(p);
      readers.push_back(piece.front);
      if (first < begin)
        piece_[first] = {begin, piece.front};
      if (piece.end > end)
        piece_[end] = {piece.end, piece.front};
    }
  }

private:
  struct Piece {
    Offset end;
    Index front;
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

/// A contribution of a front of tiles, or those of all others that are next below one: while they are there, which is
/// from task `first` on until tasks after `last` need not mind them.
struct Block {
  Index front;  ///< whose it is, or -1
  Index reader; ///< a front of tiles; when that has been gathered, nobody reads it any longer
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
  explicit DeviceMemory(DevicePlan &plan)
      : plan_(plan), first_(plan.front.size(), -1), last_(plan.front.size(), -1), above_(plan.front.size(), -1)
  {
    for (std::size_t s = plan.front.size(); s-- > 0;) // parents come after their children
      if (const Index parent = plan.front[s].parent; parent >= 0)
        above_[s] = is_tiled(parent) ? parent : above_[parent];
    for (std::size_t t = 0; t < plan.tile_order.size(); ++t) {
      const Index s = plan.tile_order[t].front;
      if (first_[s] < 0) {
        first_[s] = Offset(t);
        begun_.push_back(s);
      }
      last_[s] = Offset(t);
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
  static Offset size_of(const DeviceFront &f) { return round_up(f.contribution.numbers(), Offset(line_numbers)); }
  bool is_tiled(Index s) const { return plan_.front[s].kind == FrontKind::Tiles; }

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
      f.contribution.begin = std::exchange(end, end + size_of(f));
    }
    for (Index s : begun_)
      if (size[s] > 0)
        block_.push_back({-1, s, size[s], -1, last_[s] + at_once});
  }

  /// After their blocks have been placed.
  void move_others()
  {
    std::vector<Offset> begin(plan_.front.size(), 0);
    for (const Block &b : block_)
      if (b.front < 0)
        begin[b.reader] = b.begin;
    for (std::size_t s = 0; s < plan_.front.size(); ++s)
      if (!is_tiled(Index(s)) && above_[s] >= 0)
        plan_.front[s].contribution.begin += begin[above_[s]];
  }

  void place_factors()
  {
    plan_.factor_numbers = round_up(plan_.factor_numbers, Offset(line_numbers));
    factor_end_.push_back(plan_.factor_numbers);
    for (Index s : begun_) {
      plan_.front[s].factor_begin = plan_.factor_numbers;
      plan_.factor_numbers += plan_.front[s].factor_numbers();
      factor_end_.push_back(plan_.factor_numbers);
    }
    plan_.memory_numbers = plan_.factor_place + plan_.sides * plan_.factor_numbers;
  }

  void list_blocks()
  {
    std::vector<bool> listed(plan_.front.size(), false);
    for (std::size_t t = 0; t < plan_.tile_order.size(); ++t) {
      const Index s = plan_.tile_order[t].front;
      const DeviceFront &f = plan_.front[s];
      if (f.parent < 0 || plan_.tile_order[t].column < f.panels() || listed[s])
        continue;
      block_.push_back({s, f.parent, size_of(f), Offset(t), last_[f.parent] + at_once});
      listed[s] = true;
    }
  }

  /// Numbers of a side of the factor that are begun by task t, or are not of tiles.
  Offset factor_begun(Offset t) const
  {
    const auto after =
        std::upper_bound(begun_.begin(), begun_.end(), t, [&](Offset task, Index s) { return task < first_[s]; });
    return factor_end_[after - begun_.begin()];
  }

  /// Those that are there last first, of equal ones the largest, each in the first place that there is: what stays long
  /// has the fewest places in the factor.
  void place_blocks()
  {
    std::vector<std::size_t> order(block_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const Block &x = block_[a], &y = block_[b];
      return x.last != y.last ? x.last > y.last : x.size > y.size;
    });
    Places places;
    for (std::size_t k : order) {
      Block &b = block_[k];
      b.begin = place_of(places, b);
      places.add(b);
      if (b.front >= 0)
        plan_.front[b.front].contribution.begin = b.begin;
      plan_.memory_numbers = std::max(plan_.memory_numbers, b.begin + b.size);
    }
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

  /// Goes through what is begun in the order of the tasks.
  void list_waits()
  {
    const Descent descent(plan_.front);
    std::multimap<Offset, const Block *> free_after;
    std::size_t next_block = 0;
    const auto give_back = [&](Offset t) {
      for (; !free_after.empty() && free_after.begin()->first < t; free_after.erase(free_after.begin())) {
        const Block &b = *free_after.begin()->second;
        readers_.add(b.begin, b.size, b.reader);
      }
    };
    const auto hand_on_before = [&](Offset t) {
      for (; next_block < block_.size() && block_[next_block].first < t; ++next_block) {
        const Block &b = block_[next_block];
        give_back(b.first);
        if (b.front >= 0)
          plan_.front[b.front].before_handing_on = waits(b.front, descent, {{b.begin, b.begin + b.size}});
        free_after.insert({b.last, &b});
      }
    };
    for (Index s : begun_) {
      hand_on_before(first_[s]);
      give_back(first_[s]);
      std::vector<std::pair<Offset, Offset>> places;
      for (Index side = 0; side < plan_.sides; ++side) {
        const Offset begin = plan_.factor_place + side * plan_.factor_numbers + plan_.front[s].factor_begin;
        places.push_back({begin, begin + plan_.front[s].factor_numbers()});
      }
      plan_.front[s].before_factor = waits(s, descent, places);
    }
    hand_on_before(std::numeric_limits<Offset>::max());
  }

  /// For whom front s has to wait in order to write to these places: who has read there, but for those that it waits
  /// for anyhow, which are below it, and those below others. All tiles of such fronts have been gathered.
  GatheredRange waits(Index s, const Descent &descent, const std::vector<std::pair<Offset, Offset>> &places)
  {
    std::vector<Index> readers;
    for (const auto &[begin, end] : places)
      readers_.take(begin, end, readers);
    descent.keep_highest(readers, s);
    GatheredRange range{Index(plan_.gathered_first.size()), 0};
    for (Index front : readers)
      plan_.gathered_first.push_back({front, Index(plan_.front[front].tasks())});
    range.end = Index(plan_.gathered_first.size());
    return range;
  }

  DevicePlan &plan_;
  std::vector<Offset> first_, last_; ///< [fronts] number of the first and the last task
  std::vector<Index> above_;         ///< [fronts] the next front of tiles above it, or -1
  std::vector<Index> begun_;         ///< fronts in the order in which they are begun
  std::vector<Offset> factor_end_;   ///< of so many of them
  std::vector<Block> block_;         ///< in the order in which they are begun
  LastReaders readers_;
};

} // namespace

void place_in_memory(DevicePlan &plan)
{
  DeviceMemory(plan).run();
}

} // namespace tessera
