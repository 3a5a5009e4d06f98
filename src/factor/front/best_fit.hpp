#ifndef TESSERA_FACTOR_FRONT_BEST_FIT_HPP
#define TESSERA_FACTOR_FRONT_BEST_FIT_HPP

#include "base/types.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera {

/// Memory for blocks that come and go in a known order: each takes the smallest gap that holds it, of equal ones the
/// first.
class BestFit {
public:
  Offset take(Offset size)
  {
    const std::optional<Offset> gap = take_gap(size);
    return gap ? *gap : std::exchange(end_, end_ + size);
  }

  /// The place of a gap that holds a block, if there is one.
  std::optional<Offset> take_gap(Offset size)
  {
    if (size == 0)
      return 0;
    const auto gap = by_size_.lower_bound({size, 0});
    if (gap == by_size_.end())
      return std::nullopt;
    const auto [length, at] = *gap;
    remove(at, length);
    if (length > size)
      insert(at + size, length - size);
    return at;
  }

  void give_back(Offset at, Offset size)
  {
    if (size == 0)
      return;
    auto after = by_place_.lower_bound(at);
    if (after != by_place_.end() && after->first == at + size) {
      const Offset length = after->second;
      remove(at + size, length);
      size += length;
    }
    after = by_place_.lower_bound(at);
    if (after != by_place_.begin()) {
      const auto [begin, length] = *std::prev(after);
      if (begin + length == at) {
        remove(begin, length);
        at = begin;
        size += length;
      }
    }
    insert(at, size);
  }

  /// Takes the gaps of another.
  void take_gaps_of(const BestFit &other)
  {
    for (const auto &[at, size] : other.by_place_)
      give_back(at, size);
  }

  Offset most() const { return end_; }

private:
  void insert(Offset at, Offset size)
  {
    by_place_[at] = size;
    by_size_.insert({size, at});
  }
  void remove(Offset at, Offset size)
  {
    by_place_.erase(at);
    by_size_.erase({size, at});
  }

  std::map<Offset, Offset> by_place_;           ///< gaps: begin, size
  std::set<std::pair<Offset, Offset>> by_size_; ///< size, begin
  Offset end_ = 0;
};

} // namespace tessera
#endif
