#include "analysis/separator.hpp"

#include <algorithm>
#include <queue>

namespace tessera {
namespace {

constexpr std::uint8_t in_separator = 2;
constexpr std::size_t most_patience = 1000; ///< moves without a better separator before a pass gives up
constexpr double largest_part = 0.6;
constexpr int max_passes = 10;

/// One run of vertices from the separator into one part after another, undone back to the best state on its way.
class Pass {
public:
  Pass(const WeightedGraph &graph, Separation &separation)
      : graph_(graph), now_(separation), beside_{std::vector<Index>(graph.n), std::vector<Index>(graph.n)},
        moved_(graph.n, 0)
  {
    for (Index v = 0; v < graph.n; ++v) {
      if (now_.part[v] == in_separator)
        separator_.push_back(v);
    }
  }

  /// Moves separator vertices into part `to`. True when the separator got lighter, or as light and better balanced.
  bool run(std::uint8_t to)
  {
    start(to);
    const Offset limit = static_cast<Offset>(largest_part * double(graph_.total));
    const std::size_t patience = std::min(most_patience, 2 * separator_.size() + 10);
    Offset best_weight = now_.weight[2], best_imbalance = imbalance();
    std::size_t best = 0;
    while (!queue_.empty() && moves_.size() < best + patience) {
      const Candidate top = queue_.top();
      queue_.pop();
      const Index v = top.vertex;
      if (now_.part[v] != in_separator || moved_[v] || top.gain() != gain(v))
        continue;
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
  /// Ordered by gain; of equal gains the latest goes first, which keeps a pass in one place.
  struct Candidate {
    std::uint64_t key;
    Index vertex;

    Candidate(Index gain, std::uint32_t age, Index vertex)
        : key((static_cast<std::uint64_t>(static_cast<std::uint32_t>(gain) ^ 0x80000000u) << 32) | age), vertex(vertex)
    {
    }
    Index gain() const { return static_cast<Index>(static_cast<std::uint32_t>(key >> 32) ^ 0x80000000u); }
    bool operator<(const Candidate &other) const { return key < other.key; }
  };
  struct Move {
    Index vertex;
    std::size_t pulled_end; ///< the vertices it pulled into the separator end here in pulled_
  };

  /// Weight by which the separator shrinks when v leaves it and its neighbours in the other part enter.
  Index gain(Index v) const { return graph_.weight[v] - beside_[1 - to_][v]; }

  Offset imbalance() const { return std::abs(now_.weight[0] - now_.weight[1]); }

  void start(std::uint8_t to)
  {
    to_ = to;
    age_ = 0;
    moves_.clear();
    pulled_.clear();
    std::vector<Candidate> candidates;
    candidates.reserve(separator_.size());
    for (Index v : separator_) {
      weigh_neighbours(v);
      candidates.push_back({gain(v), age_++, v});
    }
    queue_ = std::priority_queue<Candidate>(std::less<Candidate>(), std::move(candidates));
  }

  void weigh_neighbours(Index v)
  {
    beside_[0][v] = beside_[1][v] = 0;
    for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
      const Index u = graph_.column[p];
      if (now_.part[u] != in_separator)
        beside_[now_.part[u]][v] += graph_.weight[u];
    }
  }

  void set_part(Index v, std::uint8_t part)
  {
    now_.weight[now_.part[v]] -= graph_.weight[v];
    now_.weight[part] += graph_.weight[v];
    now_.part[v] = part;
  }

  void move(Index v)
  {
    const std::uint8_t other = 1 - to_;
    set_part(v, to_);
    moved_[v] = 1;
    for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
      const Index u = graph_.column[p];
      if (now_.part[u] != other)
        continue;
      set_part(u, in_separator);
      pulled_.push_back(u);
      separator_.push_back(u);
      weigh_neighbours(u);
      queue_.push({gain(u), age_++, u});
      for (Offset q = graph_.start[u]; q < graph_.start[u + 1]; ++q) {
        const Index x = graph_.column[q];
        if (now_.part[x] == in_separator && x != u) {
          beside_[other][x] -= graph_.weight[u];
          if (!moved_[x])
            queue_.push({gain(x), age_++, x});
        }
      }
    }
    moves_.push_back({v, pulled_.size()});
  }

  void undo(std::size_t best)
  {
    while (moves_.size() > best) {
      const Move last = moves_.back();
      moves_.pop_back();
      for (std::size_t k = moves_.empty() ? 0 : moves_.back().pulled_end; k < last.pulled_end; ++k)
        set_part(pulled_[k], 1 - to_);
      pulled_.resize(moves_.empty() ? 0 : moves_.back().pulled_end);
      set_part(last.vertex, in_separator);
      moved_[last.vertex] = 0;
    }
    for (const Move &m : moves_)
      moved_[m.vertex] = 0;
    separator_.erase(
        std::remove_if(separator_.begin(), separator_.end(), [&](Index v) { return now_.part[v] != in_separator; }),
        separator_.end());
    // A vertex that was pulled in, undone and kept from before would be listed twice.
    std::sort(separator_.begin(), separator_.end());
    separator_.erase(std::unique(separator_.begin(), separator_.end()), separator_.end());
  }

  const WeightedGraph &graph_;
  Separation &now_;
  std::vector<Index> beside_[2]; ///< of a separator vertex: weight of its neighbours in part 0 and part 1
  std::vector<char> moved_;
  std::vector<Index> separator_, pulled_;
  std::vector<Move> moves_;
  std::priority_queue<Candidate> queue_;
  std::uint8_t to_ = 0;
  std::uint32_t age_ = 0;
};

} // namespace

void refine(const WeightedGraph &graph, Separation &separation)
{
  Pass pass(graph, separation);
  // Start with the lighter part; stop when neither direction helps any more.
  std::uint8_t to = separation.weight[0] <= separation.weight[1] ? 0 : 1;
  for (int k = 0, failures = 0; k < max_passes && failures < 2; ++k, to = 1 - to)
    failures = pass.run(to) ? 0 : failures + 1;
}

} // namespace tessera
