#ifndef TESSERA_ANALYSIS_MATCHING_NEAREST_QUEUE_HPP
#define TESSERA_ANALYSIS_MATCHING_NEAREST_QUEUE_HPP

#include "analysis/matching/costs.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {

/// Which of several vertices at one distance is taken first.
enum class Ties { oldest_first, newest_first };

/// The queue of Dijkstra's algorithm with reduced costs, many of which are 0: vertices just as far as the last one
/// taken wait in a list, those farther away in a heap, ties by vertex. One that is reached anew on a shorter path is
/// pushed again; the outdated item stays until it is popped.
template <Ties ties>
class NearestQueue {
public:
  /// reached: the distance of the last vertex taken, at most `distance`.
  void push(Index vertex, Cost distance, Cost reached)
  {
    if (distance == reached) {
      nearest_.push_back(vertex);
    } else {
      heap_.push_back({distance, vertex});
      std::push_heap(heap_.begin(), heap_.end(), farther);
    }
  }

  /// The nearest vertex, and its distance in `reached`. False if there is none nearer than `bound`.
  /// is_current(vertex, distance): false for an item that does not count any more.
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
      if (is_current(vertex, reached))
        return true;
    }
    nearest_.clear();
    begin_ = 0;
    while (!heap_.empty() && heap_.front().distance < bound) {
      const Item item = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), farther);
      heap_.pop_back();
      if (!is_current(item.vertex, item.distance))
        continue;
      reached = item.distance;
      vertex = item.vertex;
      return true;
    }
    return false;
  }

  void clear()
  {
    nearest_.clear();
    begin_ = 0;
    heap_.clear();
  }

private:
  struct Item {
    Cost distance;
    Index vertex;
  };

  /// Orders a heap with the nearest item on top, ties by vertex for determinism.
  static bool farther(const Item &a, const Item &b)
  {
    return a.distance != b.distance ? a.distance > b.distance : a.vertex > b.vertex;
  }

  std::vector<Index> nearest_; ///< just as far as the last one taken
  std::size_t begin_ = 0;      ///< those before it are taken
  std::vector<Item> heap_;
};

} // namespace tessera
#endif
