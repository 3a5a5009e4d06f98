#ifndef TESSERA_ANALYSIS_MATCHING_NEAREST_QUEUE_HPP
#define TESSERA_ANALYSIS_MATCHING_NEAREST_QUEUE_HPP

#include "analysis/matching/costs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tessera {

/// Which of several vertices at one distance is taken first.
enum class Ties { oldest_first, newest_first };

/// The queue of Dijkstra's algorithm with reduced costs, many of which are 0: vertices just as far as the last one
/// taken wait in a list, those farther away in a radix heap (Ahuja, Mehlhorn, Orlin & Tarjan 1990), ties by vertex. One
/// that is reached anew on a shorter path is pushed again; the outdated item stays until it is met.
template <Ties ties>
class NearestQueue {
public:
  /// distance: at least that of the last vertex taken, or 0.
  void push(Index vertex, Cost distance)
  {
    if (distance == reached_)
      nearest_.push_back(vertex);
    else
      put({distance, vertex});
  }

  /// The nearest vertex, and its distance in `reached`. False if there is none nearer than `bound`, which does not grow
  /// until clear(). is_current(vertex, distance): false for an item that does not count any more.
  template <class IsCurrent>
  bool pop(Cost bound, Cost &reached, Index &vertex, const IsCurrent &is_current)
  {
    while (begin_ < nearest_.size()) {
      if constexpr (ties == Ties::oldest_first) {
        vertex = nearest_[begin_++];
      } else {
        vertex = nearest_.back();
        nearest_.pop_back();
      }
      if (is_current(vertex, reached_)) {
        reached = reached_;
        return true;
      }
    }
    nearest_.clear();
    begin_ = 0;
    do {
      while (!next_.empty()) {
        vertex = next_.back();
        next_.pop_back();
        if (is_current(vertex, reached_)) {
          reached = reached_;
          return true;
        }
      }
    } while (advance(bound, is_current));
    return false;
  }

  void clear()
  {
    nearest_.clear();
    begin_ = 0;
    next_.clear();
    for (; filled_ != 0; filled_ &= filled_ - 1)
      bucket_[first_filled()].clear();
    reached_ = 0;
  }

private:
  struct Item {
    Cost distance;
    Index vertex;
  };

  int first_filled() const { return __builtin_ctzll(filled_); }

  /// Bucket k is of distances that differ from reached_ in bit k, and in none above.
  void put(const Item &item)
  {
    const int k = 63 - __builtin_clzll(static_cast<std::uint64_t>(item.distance ^ reached_));
    bucket_[k].push_back(item);
    filled_ |= std::uint64_t(1) << k;
  }

  /// Goes on to the least distance of a current item, if that is less than bound: vertices at that distance become
  /// next_, the other items of its bucket move to buckets before it.
  template <class IsCurrent>
  bool advance(Cost bound, const IsCurrent &is_current)
  {
    for (; filled_ != 0; filled_ &= filled_ - 1) {
      std::vector<Item> &items = bucket_[first_filled()];
      items.erase(
          std::remove_if(items.begin(), items.end(), [&](const Item &x) { return !is_current(x.vertex, x.distance); }),
          items.end());
      if (!items.empty())
        break;
    }
    if (filled_ == 0)
      return false;
    std::vector<Item> &items = bucket_[first_filled()];
    const auto nearer = [](const Item &a, const Item &b) { return a.distance < b.distance; };
    const Cost least = std::min_element(items.begin(), items.end(), nearer)->distance;
    if (least >= bound)
      return false;
    filled_ &= filled_ - 1;
    reached_ = least;
    for (const Item &item : items) {
      if (item.distance == least)
        next_.push_back(item.vertex);
      else
        put(item);
    }
    items.clear();
    std::sort(next_.begin(), next_.end(), std::greater<Index>());
    return true;
  }

  Cost reached_ = 0;           ///< of the last vertex taken
  std::vector<Index> nearest_; ///< reached at that distance since it was
  std::size_t begin_ = 0;      ///< those before it are taken
  std::vector<Index> next_;    ///< at that distance, too, the least vertex last
  std::vector<Item> bucket_[64];
  std::uint64_t filled_ = 0; ///< bit k: bucket k is not empty
};

} // namespace tessera
#endif
