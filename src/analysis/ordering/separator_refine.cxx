#include "analysis/ordering/separator.hpp"

#include <algorithm>
#include <memory>

namespace tessera {
namespace {

constexpr std::uint8_t in_separator = 2;
constexpr std::size_t most_patience = 1000; ///< moves without a better separator before a pass gives up
constexpr double largest_side = 0.6;
constexpr int max_passes = 10;

/// The vertices that may leave the separator, the most profitable on top: a binary heap that knows where each of its
/// vertices is. Of equal gains the latest goes first, which keeps a pass in one place.
class Candidates {
public:
  /// Vertices are below n. Places are set when a vertex comes in, so that no time goes to those that never do.
  explicit Candidates(Index n) : place_(new Index[n]) {}

  bool empty() const { return heap_.empty(); }

  void clear()
  {
    heap_.clear();
    age_ = 0;
  }

  /// Adds v without regard to the order; to be followed by arrange().
  void append(Index v, Index gain)
  {
    place_[v] = static_cast<Index>(heap_.size());
    heap_.push_back({key(gain, age_++), v});
  }

  void arrange()
  {
    for (Index k = static_cast<Index>(heap_.size()) / 2; k-- > 0;)
      sink(k, heap_[k]);
  }

  /// The age of the vertex that comes next.
  std::uint32_t next_age() { return age_++; }

  void push(Index v, Index gain, std::uint32_t age)
  {
    heap_.push_back({});
    rise(static_cast<Index>(heap_.size()) - 1, {key(gain, age), v});
  }

  /// v's gain has grown, or it is to go before those of the same gain. It comes back if it had left.
  void raise(Index v, Index gain)
  {
    if (place_[v] >= 0)
      rise(place_[v], {key(gain, age_++), v});
    else
      push(v, gain, age_++);
  }

  Index pop()
  {
    const Index top = heap_.front().vertex;
    const Item last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty())
      sink(0, last);
    place_[top] = -1;
    return top;
  }

private:
  struct Item {
    std::uint64_t key;
    Index vertex;
  };

  static std::uint64_t key(Index gain, std::uint32_t age)
  {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(gain) ^ 0x80000000u) << 32) | age;
  }

  void put(Index k, const Item &item)
  {
    heap_[k] = item;
    place_[item.vertex] = k;
  }

  void rise(Index k, Item item)
  {
    for (Index up; k > 0 && heap_[up = (k - 1) / 2].key < item.key; k = up)
      put(k, heap_[up]);
    put(k, item);
  }

  void sink(Index k, Item item)
  {
    const Index n = static_cast<Index>(heap_.size());
    for (Index down; (down = 2 * k + 1) < n; k = down) {
      if (down + 1 < n && heap_[down].key < heap_[down + 1].key)
        ++down;
      if (heap_[down].key < item.key)
        break;
      put(k, heap_[down]);
    }
    put(k, item);
  }

  std::vector<Item> heap_;
  std::unique_ptr<Index[]> place_; ///< of a vertex that has been in the heap: its place there, -1 when it has left
  std::uint32_t age_ = 0;
};

/// One run of vertices from the separator into one side after the other, undone back to the best state on its way.
class Pass {
public:
  Pass(const WeightedGraph &graph, Separation &separation)
      : graph_(graph), now_(separation), beyond_(new Index[graph.n]), candidates_(graph.n)
  {
    for (Index v = 0; v < graph.n; ++v) {
      if (now_.side[v] == in_separator)
        separator_.push_back(v);
    }
  }

  /// Moves separator vertices into side `to`. True when the separator got lighter, or as light and better balanced.
  bool run(std::uint8_t to)
  {
    start(to);
    const Offset limit = static_cast<Offset>(largest_side * double(graph_.total));
    const std::size_t patience = std::min(most_patience, 2 * separator_.size() + 10);
    Offset best_weight = now_.weight[2], best_imbalance = imbalance();
    std::size_t best = 0;
    while (!candidates_.empty() && moves_.size() < best + patience) {
      const Index v = candidates_.pop();
      if (now_.weight[to_] + graph_.weight[v] > limit && now_.weight[to_] + graph_.weight[v] > now_.weight[1 - to_])
        continue;
      move(v);
      if (now_.weight[2] < best_weight || (now_.weight[2] == best_weight && imbalance() < best_imbalance)) {
        best_weight = now_.weight[2];
        best_imbalance = imbalance();
        best = moves_.size();
      }
    }
    undo(best);
    return best > 0;
  }

private:
  struct Move {
    Index vertex;
    std::size_t pulled_end; ///< the vertices it pulled into the separator end here in pulled_
  };

  /// Weight by which the separator shrinks when v leaves it and its neighbours in the other side enter.
  Index gain(Index v) const { return graph_.weight[v] - beyond_[v]; }

  Offset imbalance() const { return std::abs(now_.weight[0] - now_.weight[1]); }

  void start(std::uint8_t to)
  {
    to_ = to;
    moves_.clear();
    pulled_.clear();
    candidates_.clear();
    const std::uint8_t other = 1 - to_;
    for (Index v : separator_) {
      Index beyond = 0;
      for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
        if (now_.side[graph_.column[p]] == other)
          beyond += graph_.weight[graph_.column[p]];
      }
      beyond_[v] = beyond;
      candidates_.append(v, gain(v));
    }
    candidates_.arrange();
  }

  void set_side(Index v, std::uint8_t side)
  {
    now_.weight[now_.side[v]] -= graph_.weight[v];
    now_.weight[side] += graph_.weight[v];
    now_.side[v] = side;
  }

  void move(Index v)
  {
    const std::uint8_t other = 1 - to_;
    set_side(v, to_);
    for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
      const Index u = graph_.column[p];
      if (now_.side[u] == other)
        pull(u);
    }
    moves_.push_back({v, pulled_.size()});
  }

  /// Takes u from the other side into the separator.
  void pull(Index u)
  {
    const std::uint8_t other = 1 - to_;
    set_side(u, in_separator);
    pulled_.push_back(u);
    separator_.push_back(u);
    const std::uint32_t age = candidates_.next_age();
    Index beyond = 0;
    for (Offset p = graph_.start[u]; p < graph_.start[u + 1]; ++p) {
      const Index x = graph_.column[p];
      if (now_.side[x] == other) {
        beyond += graph_.weight[x];
      } else if (now_.side[x] == in_separator) {
        beyond_[x] -= graph_.weight[u];
        candidates_.raise(x, gain(x));
      }
    }
    beyond_[u] = beyond;
    candidates_.push(u, gain(u), age);
  }

  void undo(std::size_t best)
  {
    while (moves_.size() > best) {
      const Move last = moves_.back();
      moves_.pop_back();
      for (std::size_t k = moves_.empty() ? 0 : moves_.back().pulled_end; k < last.pulled_end; ++k)
        set_side(pulled_[k], 1 - to_);
      pulled_.resize(moves_.empty() ? 0 : moves_.back().pulled_end);
      set_side(last.vertex, in_separator);
    }
    separator_.erase(
        std::remove_if(separator_.begin(), separator_.end(), [&](Index v) { return now_.side[v] != in_separator; }),
        separator_.end());
    // A vertex that was pulled in, undone and kept from before would be listed twice.
    std::sort(separator_.begin(), separator_.end());
    separator_.erase(std::unique(separator_.begin(), separator_.end()), separator_.end());
  }

  const WeightedGraph &graph_;
  Separation &now_;
  std::unique_ptr<Index[]> beyond_; ///< of a separator vertex: weight of its neighbours on the side not moved to
  Candidates candidates_;
  std::vector<Index> separator_, pulled_;
  std::vector<Move> moves_;
  std::uint8_t to_ = 0;
};

} // namespace

void refine(const WeightedGraph &graph, Separation &separation)
{
  Pass pass(graph, separation);
  // Start with the lighter side; stop when neither direction helps any more.
  std::uint8_t to = separation.weight[0] <= separation.weight[1] ? 0 : 1;
  for (int k = 0, failures = 0; k < max_passes && failures < 2; ++k, to = 1 - to)
    failures = pass.run(to) ? 0 : failures + 1;
}

} // namespace tessera
