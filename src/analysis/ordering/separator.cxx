#include "analysis/ordering/separator.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr Index coarsest = 100;      ///< vertices at which contraction stops
constexpr int starts = 4;            ///< separators tried on the coarsest graph
constexpr Index several_from = 5000; ///< graphs of more vertices are separated several times from a sixteenth down
constexpr int several = 4;

/// Calls trial(k) for k = 0 .. count - 1, each of which goes through the graph, in tasks where that is worth it.
template <class Trial>
void for_trials(const WeightedGraph &graph, Index count, const Trial &trial)
{
  if (is_worth_a_task(graph))
    return for_tasks(count, trial);
  for (Index k = 0; k < count; ++k)
    trial(k);
}

Separation best_of(const WeightedGraph &graph, Separation *trial, int count)
{
  Separation *best = trial;
  for (int k = 1; k < count; ++k) {
    if (is_better(trial[k], *best, graph.total))
      best = &trial[k];
  }
  return std::move(*best);
}

/// Side 0 grown breadth first from vertex next_root to half the weight, and on from others where less is connected
/// with it; its boundary in side 1 is the separator.
Separation grow(const WeightedGraph &graph, Index next_root)
{
  Separation result;
  result.side.assign(graph.n, 1);
  result.weight[1] = graph.total;
  std::vector<char> seen(graph.n, 0);
  std::vector<Index> queue;
  std::size_t head = 0;
  while (2 * result.weight[0] < graph.total) {
    if (head == queue.size()) {
      while (seen[next_root])
        next_root = next_root + 1 < graph.n ? next_root + 1 : 0;
      seen[next_root] = 1;
      queue.push_back(next_root);
    }
    const Index v = queue[head++];
    result.side[v] = 0;
    result.weight[0] += graph.weight[v];
    result.weight[1] -= graph.weight[v];
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      const Index u = graph.column[p];
      if (!seen[u]) {
        seen[u] = 1;
        queue.push_back(u);
      }
    }
  }
  for (Index v = 0; v < graph.n; ++v) {
    for (Offset p = graph.start[v]; p < graph.start[v + 1] && result.side[v] == 1; ++p) {
      if (result.side[graph.column[p]] == 0) {
        result.side[v] = 2;
        result.weight[1] -= graph.weight[v];
        result.weight[2] += graph.weight[v];
      }
    }
  }
  return result;
}

Separation best_start(const WeightedGraph &graph, SplitMix64 &random)
{
  Separation trial[starts];
  Index root[starts];
  for (Index &r : root)
    r = random.below(graph.n);
  for_trials(graph, starts, [&](Index k) {
    trial[k] = grow(graph, root[k]);
    refine(graph, trial[k]);
  });
  return best_of(graph, trial, starts);
}

Separation project(const Separation &coarse, const Buffer<Index> &map)
{
  Separation fine;
  fine.side.resize(map.size());
  for_chunks(static_cast<Index>(map.size()), [&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v)
      fine.side[v] = coarse.side[map[v]];
  });
  std::copy(coarse.weight, coarse.weight + 3, fine.weight);
  return fine;
}

Separation multilevel(const WeightedGraph &graph, Index several_at, SplitMix64 &random);

/// The best of several separations of the same graph, which are independent of each other.
Separation best_of_several(const WeightedGraph &graph, SplitMix64 &random)
{
  Separation trial[several];
  std::vector<SplitMix64> own;
  own.reserve(several);
  for (int k = 0; k < several; ++k)
    own.emplace_back(random.bits());
  const auto separate_again = [&](Index k) { trial[k] = multilevel(graph, 0, own[k]); };
  for_trials(graph, several, separate_again);
  return best_of(graph, trial, several);
}

/// several_at: graphs of at most this many vertices are separated `several` times once; 0 for never.
Separation multilevel(const WeightedGraph &graph, Index several_at, SplitMix64 &random)
{
  if (graph.n <= several_at)
    return best_of_several(graph, random);
  if (graph.n <= coarsest)
    return best_start(graph, random);
  const CoarseGraph coarse = coarsen(graph, std::max<Offset>(2, 3 * graph.total / (2 * coarsest)), random);
  if (coarse.graph.n > graph.n * 19 / 20)
    return best_start(graph, random);
  Separation result = project(multilevel(coarse.graph, several_at, random), coarse.map);
  refine(graph, result);
  return result;
}

} // namespace

bool is_better(const Separation &a, const Separation &b, Offset total)
{
  const auto excess = [&](const Separation &s) {
    return std::max<Offset>(0, std::max(s.weight[0], s.weight[1]) - static_cast<Offset>(0.6 * double(total)));
  };
  if (excess(a) != excess(b))
    return excess(a) < excess(b);
  const auto weighed = [&](const Separation &s) {
    const double difference = double(s.weight[0] - s.weight[1]) / double(total);
    return double(s.weight[2]) * (1 + difference * difference);
  };
  if (weighed(a) != weighed(b))
    return weighed(a) < weighed(b);
  return std::abs(a.weight[0] - a.weight[1]) < std::abs(b.weight[0] - b.weight[1]);
}

Separation separate(const WeightedGraph &graph, std::uint64_t seed)
{
  SplitMix64 random(seed);
  return multilevel(graph, graph.n >= several_from ? graph.n / 16 : 0, random);
}

} // namespace tessera
