#ifndef TESSERA_BASE_KEY_SORT_HPP
#define TESSERA_BASE_KEY_SORT_HPP

#include "base/row_starts.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

/// Sorts the entries of rows by keys 0 .. keys - 1, those of one key in the order of the rows (counting sort), on all
/// threads. Each of several parts of the rows has counts of its own, so that the parts do not wait for each other.
///
/// for_rows(begin, end, emit) calls emit(key, ...) for each entry of rows begin .. end - 1, the same in count() and in
/// fill(). Row: what counts the rows, Index or Offset.
template <class Row>
class KeySort {
public:
  /// entries: of all rows, about.
  KeySort(Row rows, Index keys, Offset entries) : rows_(rows), keys_(keys)
  {
    constexpr Offset worth_it = 1 << 17, most_parts = 16;
    if (entries > worth_it)
      parts_ = static_cast<Index>(std::clamp<Offset>(entries / std::max<Offset>(keys, 1), 1, most_parts));
  }

  /// Counts the entries of each key.
  template <class ForRows>
  void count(const ForRows &for_rows)
  {
    before_.assign(static_cast<std::size_t>(parts_) * static_cast<std::size_t>(keys_), 0);
    for_parts([&](Offset *count, Row begin, Row end) {
      for_rows(begin, end, [count](Index key, auto &&...) { ++count[key]; });
    });
    start_ = row_starts(keys_, parts_ > 1, [this](Index key) {
      Offset sum = 0;
      for (Index part = 0; part < parts_; ++part)
        sum += std::exchange(counts_of(part)[key], sum);
      return sum;
    });
  }

  /// [keys + 1] The first place of each key.
  const std::vector<Offset> &start() const { return start_; }

  /// Calls put(place, ...) for each entry, with its place and what emit() was called with besides the key. To be called
  /// once, after count().
  template <class ForRows, class Put>
  void fill(const ForRows &for_rows, const Put &put)
  {
    for_parts([&](Offset *next, Row begin, Row end) {
      for_rows(begin, end, [&](Index key, const auto &...of_entry) { put(start_[key] + next[key]++, of_entry...); });
    });
  }

private:
  Offset *counts_of(Index part) { return before_.data() + static_cast<std::size_t>(part) * keys_; }

  template <class Work>
  void for_parts(const Work &work)
  {
#pragma omp parallel for schedule(dynamic, 1) if (parts_ > 1)
    for (Index part = 0; part < parts_; ++part)
      work(counts_of(part), static_cast<Row>(Offset(rows_) * part / parts_),
           static_cast<Row>(Offset(rows_) * (part + 1) / parts_));
  }

  const Row rows_;
  const Index keys_;
  Index parts_ = 1;
  std::vector<Offset> start_;
  std::vector<Offset> before_; ///< [parts, keys] entries of a key in its part; then those in the parts before it
};

} // namespace tessera
#endif
