#include "analysis/graph_coarsen.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr Index unmatched = -1;
constexpr Index alone = -2; ///< no neighbour is left to be matched with

/// Locally heaviest edges: each vertex proposes to the neighbour along its heaviest edge, and mutual proposals are
/// matched, round by round. Edges of equal weight are ranked by a hash of their ends, so that no thread's progress
/// matters.
class HeavyEdges {
public:
  HeavyEdges(const WeightedGraph &graph, Offset max_weight, std::uint64_t salt)
      : graph_(graph), max_weight_(max_weight), salt_(salt | 1), match_(graph.n), proposal_(graph.n),
        waiting_(graph.n), waiting_in_(chunks_of(graph.n))
  {
  }

  /// Matches all vertices that can be, but for those that still wait after `most_rounds`.
  Buffer<Index> run()
  {
    for_chunks(graph_.n, [&](Index c, Index begin, Index end) {
      waiting_in_[c] = end - begin;
      for (Index v = begin; v < end; ++v) {
        match_[v] = unmatched;
        proposal_[v] = unmatched;
        waiting_[v] = v;
      }
    });
    for (int round = 0; round < most_rounds; ++round) {
      for_chunks(graph_.n, [&](Index c, Index begin, Index) { propose(begin, waiting_in_[c]); });
      for_chunks(graph_.n, [&](Index c, Index begin, Index) { waiting_in_[c] = accept(begin, waiting_in_[c]); });
      if (std::all_of(waiting_in_.begin(), waiting_in_.end(), [](Index n) { return n == 0; }))
        break;
    }
    return std::move(match_);
  }

private:
  static constexpr int most_rounds = 8;

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

  std::uint32_t rank(Index v, Index u) const
  {
    const std::uint64_t h = (static_cast<std::uint64_t>(v) * 0x9e3779b97f4a7c15u) ^
                            (static_cast<std::uint64_t>(u) * 0x9e3779b97f4a7c15u);
    return static_cast<std::uint32_t>((h * salt_) >> 32);
  }

  Index heaviest(Index v) const
  {
    Index best = alone, weight = 0;
    std::uint32_t best_rank = 0;
    const Offset room = max_weight_ - graph_.weight[v];
    for (Offset p = graph_.start[v]; p < graph_.start[v + 1]; ++p) {
      const Index u = graph_.column[p], edge = graph_.edge_weight(p);
      if (edge < weight || match_[u] != unmatched || graph_.weight[u] > room)
        continue;
      const std::uint32_t r = rank(v, u);
      if (edge > weight || r > best_rank) {
        best = u;
        weight = edge;
        best_rank = r;
      }
    }
    return best;
  }

  const WeightedGraph &graph_;
  const Offset max_weight_;
  const std::uint64_t salt_;
  Buffer<Index> match_, proposal_;
  Buffer<Index> waiting_;         ///< the vertices of each chunk that wait, from the chunk's begin
  std::vector<Index> waiting_in_; ///< [chunks]
};

/// Pairs the unmatched neighbours of each vertex with each other, two by two. Hubs of low degree go first, whose
/// neighbours have more in common.
void match_two_hops(const WeightedGraph &graph, Offset max_weight, Buffer<Index> &match)
{
  const auto degree = [&](Index v) { return graph.start[v + 1] - graph.start[v]; };
  std::vector<Index> hubs(graph.n);
  for (Index v = 0; v < graph.n; ++v)
    hubs[v] = v;
  std::stable_sort(hubs.begin(), hubs.end(), [&](Index a, Index b) { return degree(a) < degree(b); });
  for (Index hub : hubs) {
    Index waiting = unmatched;
    for (Offset p = graph.start[hub]; p < graph.start[hub + 1]; ++p) {
      const Index v = graph.column[p];
      if (match[v] != unmatched)
        continue;
      if (waiting != unmatched && Offset(graph.weight[waiting]) + graph.weight[v] <= max_weight) {
        match[v] = waiting;
        match[waiting] = v;
        waiting = unmatched;
      } else {
        waiting = v;
      }
    }
  }
}

/// Sums parallel edges of one coarse vertex after the other: a hash table of its neighbours, which is in the cache.
class EdgeSums {
public:
  /// Begins a vertex with at most `edges` edges, which go to column and edge.
  void begin(Offset edges, Index *column, Index *edge)
  {
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(edges))
      size *= 2;
    if (slot_.size() < size)
      slot_.assign(size, empty);
    mask_ = slot_.size() - 1;
    column_ = column;
    edge_ = edge;
    count_ = 0;
  }

  void add(Index c, Index weight)
  {
    std::size_t s = hash(c);
    while (slot_[s] != empty && column_[slot_[s]] != c)
      s = (s + 1) & mask_;
    if (slot_[s] == empty) {
      slot_[s] = count_;
      column_[count_] = c;
      edge_[count_++] = weight;
    } else {
      edge_[slot_[s]] += weight;
    }
  }

  /// Number of edges. Empties the table, last one first, as the first ones may have moved them on.
  Index end()
  {
    for (Index k = count_; k-- > 0;) {
      std::size_t s = hash(column_[k]);
      while (slot_[s] != k)
        s = (s + 1) & mask_;
      slot_[s] = empty;
    }
    return count_;
  }

private:
  static constexpr Index empty = -1;

  std::size_t hash(Index c) const { return (static_cast<std::uint32_t>(c) * 0x9e3779b1u >> 7) & mask_; }

  std::vector<Index> slot_; ///< the place of an edge, or empty
  std::size_t mask_ = 0;
  Index *column_ = nullptr, *edge_ = nullptr;
  Index count_ = 0;
};

/// Numbers the coarse vertices by their first fine ones. first[k]: the fine one; returns how many.
Index number_pairs(Index n, const Buffer<Index> &match, Buffer<Index> &map, Buffer<Index> &first)
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

/// The rows of the coarse graph: each chunk writes its own where they have room for certain, then they are moved
/// together.
void contract(const WeightedGraph &graph, const Buffer<Index> &match, const Buffer<Index> &map,
              const Buffer<Index> &first, WeightedGraph &out)
{
  const auto degree = [&](Index v) { return v == unmatched ? 0 : graph.start[v + 1] - graph.start[v]; };
  std::vector<Offset> room(chunks_of(out.n) + 1, 0), used(room);
  for_chunks(out.n, [&](Index chunk, Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      room[chunk + 1] += degree(first[c]) + degree(match[first[c]]);
  });
  sum_counts(room);
  Buffer<Index> column(room.back()), edge(room.back());
  out.weight.resize(out.n);
  out.start.resize(out.n + 1);
  out.start[0] = 0;
  for_chunks(out.n, [&](Index chunk, Index begin, Index end) {
    EdgeSums sums;
    Offset q = room[chunk];
    for (Index c = begin; c < end; ++c) {
      const Index pair[2] = {first[c], match[first[c]]};
      sums.begin(degree(pair[0]) + degree(pair[1]), column.data() + q, edge.data() + q);
      out.weight[c] = graph.weight[pair[0]] + (pair[1] == unmatched ? 0 : graph.weight[pair[1]]);
      for (Index v : pair) {
        for (Offset p = graph.start[v == unmatched ? 0 : v], end_p = p + degree(v); p < end_p; ++p) {
          if (map[graph.column[p]] != c)
            sums.add(map[graph.column[p]], graph.edge_weight(p));
        }
      }
      q += sums.end();
      out.start[c + 1] = q - room[chunk];
    }
    used[chunk + 1] = q - room[chunk];
  });
  sum_counts(used);
  out.column.resize(used.back());
  out.edge.resize(used.back());
  for_chunks(out.n, [&](Index chunk, Index begin, Index end) {
    const Offset count = used[chunk + 1] - used[chunk];
    std::copy_n(column.begin() + room[chunk], count, out.column.begin() + used[chunk]);
    std::copy_n(edge.begin() + room[chunk], count, out.edge.begin() + used[chunk]);
    for (Index c = begin; c < end; ++c)
      out.start[c + 1] += used[chunk];
  });
}

} // namespace

CoarseGraph coarsen(const WeightedGraph &graph, Offset max_weight, Random &random)
{
  const std::uint64_t salt = random.bits();
  Buffer<Index> match = HeavyEdges(graph, max_weight, salt).run();
  if (std::count(match.begin(), match.end(), unmatched) > graph.n / 10)
    match_two_hops(graph, max_weight, match);
  CoarseGraph coarse;
  Buffer<Index> first;
  coarse.graph.n = number_pairs(graph.n, match, coarse.map, first);
  coarse.graph.total = graph.total;
  contract(graph, match, coarse.map, first, coarse.graph);
  return coarse;
}

} // namespace tessera
