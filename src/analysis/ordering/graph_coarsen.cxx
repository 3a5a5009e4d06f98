#include "analysis/ordering/graph_coarsen.hpp"

#include "base/row_starts.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr Index unmatched = -1;
constexpr Index alone = -2; ///< no neighbour is left to be matched with

/// A matching along heavy edges in two steps, neither of which depends on the number of threads. Each chunk of vertices
/// is matched greedily in itself; a vertex whose heaviest edge leads out of its chunk waits. Those that wait propose to
/// the neighbour along their heaviest edge, and mutual proposals are matched, round by round.
class HeavyEdges {
public:
  HeavyEdges(const WeightedGraph &graph, Offset max_weight, SplitMix64 &random)
      : graph_(graph), max_weight_(max_weight), salt_(random.bits() | 1), match_(graph_.n), proposal_(graph_.n),
        waiting_(graph_.n), waiting_in_(chunks_of(graph_.n))
  {
  }

  /// The match of each vertex, or `unmatched`: those without a neighbour left, and those that still wait at the end.
  Buffer<Index> run()
  {
    constexpr int rounds = 8;
    for_chunks(graph_.n, [&](Index c, Index begin, Index end) { waiting_in_[c] = match_chunk(c, begin, end); });
    const auto some_wait = [&] {
      return std::any_of(waiting_in_.begin(), waiting_in_.end(), [](Index n) { return n; });
    };
    for (int round = 0; round < rounds && some_wait(); ++round) {
      for_chunks(graph_.n, [&](Index c, Index begin, Index) { propose(begin, waiting_in_[c]); });
      for_chunks(graph_.n, [&](Index c, Index begin, Index) { waiting_in_[c] = accept(begin, waiting_in_[c]); });
    }
    return std::move(match_);
  }

private:
  /// Vertices of less than 0.7 of the average degree in ascending degree, then the others; each of these in random
  /// order.
  std::vector<Index> visiting_order(Index chunk, Index begin, Index end) const
  {
    SplitMix64 random(salt_ + static_cast<std::uint64_t>(chunk));
    const Offset cap = 7 * graph_.start[graph_.n] / (10 * std::max<Offset>(1, graph_.n));
    ItemsByKey sorted = sort_by_key(begin, end, static_cast<Index>(cap) + 1,
                                    [&](Index i) { return std::min(cap, graph_.start[i + 1] - graph_.start[i]); });
    for (Offset degree = 0; degree <= cap; ++degree) {
      const Index first = sorted.start[degree];
      for (Index k = sorted.start[degree + 1] - first; k > 1; --k)
        std::swap(sorted.item[first + k - 1], sorted.item[first + random.below(k)]);
    }
    return std::move(sorted.item);
  }

  /// Lists the vertices left that may find a match in another chunk. Returns how many.
  Index match_chunk(Index chunk, Index begin, Index end)
  {
    std::fill(match_.begin() + begin, match_.begin() + end, unmatched);
    const bool only = end - begin == graph_.n;
    for (Index v : visiting_order(chunk, begin, end)) {
      if (match_[v] != unmatched)
        continue;
      Index best = unmatched, heaviest = 0, heaviest_outside = 0;
      const Offset room = max_weight_ - graph_.weight[v];
      for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
        const Index u = graph_.column[p], edge = graph_.edge_weight(p);
        if (u < begin || u >= end) {
          heaviest_outside = std::max(heaviest_outside, edge);
        } else if (match_[u] == unmatched && edge > heaviest && graph_.weight[u] <= room) {
          best = u;
          heaviest = edge;
        }
      }
      if (best != unmatched && heaviest >= heaviest_outside) {
        match_[v] = best;
        match_[best] = v;
      }
    }
    Index count = 0;
    for (Index v = begin; v < end && !only; ++v) {
      if (match_[v] == unmatched) {
        proposal_[v] = unmatched;
        waiting_[begin + count++] = v;
      }
    }
    return count;
  }

  void propose(Index begin, Index count)
  {
    for (Index k = begin; k < begin + count; ++k) {
      const Index v = waiting_[k], last = proposal_[v];
      // Choices only become fewer: one that is still free is still the best.
      if (last == unmatched || match_[last] != unmatched)
        proposal_[v] = heaviest(v);
    }
  }

  /// Matches mutual proposals; keeps those who have one that is not mutual. Returns how many.
  Index accept(Index begin, Index count)
  {
    Index kept = 0;
    for (Index k = begin; k < begin + count; ++k) {
      const Index v = waiting_[k], u = proposal_[v];
      if (u == alone)
        continue;
      if (proposal_[u] == v)
        match_[v] = u;
      else
        waiting_[begin + kept++] = v;
    }
    return kept;
  }

  /// The free neighbour along the heaviest edge; of equal weights the greatest hash of both ends.
  Index heaviest(Index v) const
  {
    const std::uint64_t mine = static_cast<std::uint64_t>(v) * golden_spread;
    const Offset room = max_weight_ - graph_.weight[v];
    Index best = alone;
    std::uint64_t best_key = 0;
    for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
      const Index u = graph_.column[p];
      if (match_[u] != unmatched || graph_.weight[u] > room)
        continue;
      const std::uint64_t hash = (mine ^ (static_cast<std::uint64_t>(u) * golden_spread)) * salt_;
      const std::uint64_t key = (static_cast<std::uint64_t>(graph_.edge_weight(p)) << 32) | (hash >> 32);
      best = key > best_key ? u : best;
      best_key = std::max(key, best_key);
    }
    return best;
  }

  const WeightedGraph &graph_;
  const Offset max_weight_;
  const std::uint64_t salt_;
  Buffer<Index> match_;
  Buffer<Index> proposal_;        ///< of the vertices that wait
  Buffer<Index> waiting_;         ///< the vertices of each chunk that wait, from the chunk's begin
  std::vector<Index> waiting_in_; ///< [chunks]
};

/// Matches unmatched vertices that have a neighbour in common, of low degree if there is a choice: then they have more
/// in common. Each one takes a vertex that waits at a neighbour, or waits at all of them.
void match_two_hops(const WeightedGraph &graph, Offset max_weight, Buffer<Index> &match)
{
  const auto degree = [&](Index v) { return graph.start[v + 1] - graph.start[v]; };
  std::vector<Index> waiting(graph.n, unmatched);
  for (Index v = 0; v < graph.n; ++v) {
    if (match[v] != unmatched)
      continue;
    Index best = unmatched;
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      const Index hub = graph.column[p], u = waiting[hub];
      if (u != unmatched && match[u] == unmatched && Offset(graph.weight[u]) + graph.weight[v] <= max_weight &&
          (best == unmatched || degree(hub) < degree(best)))
        best = hub;
    }
    if (best != unmatched) {
      match[v] = waiting[best];
      match[match[v]] = v;
      continue;
    }
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p)
      waiting[graph.column[p]] = v;
  }
}

/// Numbers the coarse vertices by the first of their vertices. first[c]: that vertex; returns how many there are.
Index number_coarse_vertices(Index n, const Buffer<Index> &match, Buffer<Index> &map, Buffer<Index> &first)
{
  const auto leads = [&](Index v) { return match[v] == unmatched || v < match[v]; };
  std::vector<Index> begin_of(chunks_of(n) + 1, 0);
  for_chunks(n, [&](Index c, Index begin, Index end) {
    Index count = 0;
    for (Index v = begin; v < end; ++v)
      count += leads(v);
    begin_of[c + 1] = count;
  });
  sum_counts(begin_of);
  map.resize(n);
  first.resize(begin_of.back());
  for_chunks(n, [&](Index c, Index begin, Index end) {
    Index next = begin_of[c];
    for (Index v = begin; v < end; ++v) {
      if (!leads(v))
        continue;
      map[v] = next;
      if (match[v] != unmatched)
        map[match[v]] = next;
      first[next++] = v;
    }
  });
  return begin_of.back();
}

/// Sums the edges of matched vertices, whose rows become those of a coarse graph.
class Contraction {
public:
  Contraction(const WeightedGraph &graph, const Buffer<Index> &match, const Buffer<Index> &map,
              const Buffer<Index> &first, WeightedGraph &out)
      : graph_(graph), match_(match), map_(map), first_(first), out_(out)
  {
  }

  /// Each range of rows is written where it has room for certain, then all are moved together.
  void run()
  {
    constexpr Index most_ranges = 32; // as each has an array of all coarse vertices
    const Index n = out_.n, ranges = std::min(most_ranges, chunks_of(n));
    const auto begin_of = [n, ranges](Index r) { return static_cast<Index>(Offset(n) * r / ranges); };
    std::vector<Offset> room(ranges + 1, 0), used(room);
    for_tasks(ranges, [&](Index r) { room[r + 1] = entries(begin_of(r), begin_of(r + 1)); });
    sum_counts(room);
    Buffer<Index> column(room.back()), edge(room.back());
    out_.weight.resize(n);
    out_.start.resize(n + 1);
    out_.start[0] = 0;
    for_tasks(ranges, [&](Index r) {
      used[r + 1] = write(begin_of(r), begin_of(r + 1), column.data() + room[r], edge.data() + room[r]);
    });
    sum_counts(used);
    if (ranges == 1) {
      column.resize(used.back());
      edge.resize(used.back());
      out_.column = std::move(column);
      out_.edge = std::move(edge);
      return;
    }
    out_.column.resize(used.back());
    out_.edge.resize(used.back());
    for_tasks(ranges, [&](Index r) {
      std::copy_n(column.begin() + room[r], used[r + 1] - used[r], out_.column.begin() + used[r]);
      std::copy_n(edge.begin() + room[r], used[r + 1] - used[r], out_.edge.begin() + used[r]);
      for (Index c = begin_of(r); c < begin_of(r + 1); ++c)
        out_.start[c + 1] += used[r];
    });
  }

private:
  Offset degree(Index v) const { return v == unmatched ? 0 : graph_.start[v + 1] - graph_.start[v]; }

  Offset entries(Index begin, Index end) const
  {
    Offset sum = 0;
    for (Index c = begin; c < end; ++c)
      sum += degree(first_[c]) + degree(match_[first_[c]]);
    return sum;
  }

  /// Rows begin .. end - 1 to column and edge; where they end there goes to start. Returns the end of the last one.
  Offset write(Index begin, Index end, Index *column, Index *edge)
  {
    std::vector<Index> position(out_.n, -1); // where the present row has its edge to a vertex, if not before the row
    Index q = 0;
    for (Index c = begin; c < end; ++c) {
      const Index row = q, both[2] = {first_[c], match_[first_[c]]};
      out_.weight[c] = graph_.weight[both[0]];
      if (both[1] != unmatched)
        out_.weight[c] += graph_.weight[both[1]];
      for (Index v : both) {
        if (v == unmatched)
          break;
        for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
          const Index d = map_[graph_.column[p]];
          if (d == c)
            continue;
          if (position[d] < row) {
            position[d] = q;
            column[q] = d;
            edge[q++] = graph_.edge_weight(p);
          } else {
            edge[position[d]] += graph_.edge_weight(p);
          }
        }
      }
      out_.start[c + 1] = q;
    }
    return q;
  }

  const WeightedGraph &graph_;
  const Buffer<Index> &match_, &map_, &first_;
  WeightedGraph &out_;
};

} // namespace

CoarseGraph coarsen(const WeightedGraph &graph, Offset max_weight, SplitMix64 &random)
{
  Buffer<Index> match = HeavyEdges(graph, max_weight, random).run();
  if (std::count(match.begin(), match.end(), unmatched) > graph.n / 10)
    match_two_hops(graph, max_weight, match);
  CoarseGraph coarse;
  Buffer<Index> first;
  coarse.graph.n = number_coarse_vertices(graph.n, match, coarse.map, first);
  coarse.graph.total = graph.total;
  Contraction(graph, match, coarse.map, first, coarse.graph).run();
  return coarse;
}

} // namespace tessera
