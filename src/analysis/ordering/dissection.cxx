#include "analysis/ordering/dissection.hpp"

#include "analysis/ordering/minimum_degree.hpp"
#include "analysis/ordering/separator.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

constexpr Offset parallel_entries = 10000; ///< of a graph for which other threads are worth waking,
constexpr Offset with_other_job = 1000;    ///< and where another job is to be done beside it

/// A part of the graph that is still to be ordered.
struct Part {
  WeightedGraph graph;  ///< edges of weight 1
  Buffer<Index> vertex; ///< [n] its vertices as the caller numbered them
};

/// A part with the separator vertices next to it, which follow its own. Rows of the latter are empty, as minimum degree
/// takes the pattern of A + Aᵀ. in_separator: [rows of the graph]
Pattern with_halo(const Pattern &graph, const Part &part, const std::vector<std::uint8_t> &in_separator)
{
  std::vector<Index> halo;
  for (Index v : part.vertex) {
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      if (in_separator[graph.column[p]])
        halo.push_back(graph.column[p]);
    }
  }
  std::sort(halo.begin(), halo.end());
  halo.erase(std::unique(halo.begin(), halo.end()), halo.end());

  const Index n = part.graph.n;
  Pattern result;
  result.rows = result.cols = n + static_cast<Index>(halo.size());
  for (Index i = 0; i < n; ++i) {
    result.column.insert(result.column.end(), part.graph.column.begin() + part.graph.start[i],
                         part.graph.column.begin() + part.graph.start[i + 1]);
    for (Offset p = graph.start[part.vertex[i]]; p < graph.start[part.vertex[i] + 1]; ++p) {
      if (in_separator[graph.column[p]])
        result.column.push_back(
            n + static_cast<Index>(std::lower_bound(halo.begin(), halo.end(), graph.column[p]) - halo.begin()));
    }
    result.start.push_back(static_cast<Offset>(result.column.size()));
  }
  result.start.resize(result.rows + 1, static_cast<Offset>(result.column.size()));
  return result;
}

/// What goes where when a part is split, for each chunk of its vertices and then in all.
struct Split {
  Index vertices[3] = {0, 0, 0};
  Offset entries[2] = {0, 0}, weight[2] = {0, 0};

  Split &operator+=(const Split &other)
  {
    for (int s = 0; s < 3; ++s)
      vertices[s] += other.vertices[s];
    for (int s = 0; s < 2; ++s) {
      entries[s] += other.entries[s];
      weight[s] += other.weight[s];
    }
    return *this;
  }
};

/// The graph as the first part. Diagonal entries are left out.
Part whole_part(const Pattern &graph, const std::vector<Index> &weight)
{
  Part whole;
  WeightedGraph &g = whole.graph;
  const Index n = graph.rows;
  g.n = n;
  g.start.resize(n + 1);
  g.start[0] = 0;
  g.weight.assign(weight.begin(), weight.end());
  g.total = std::accumulate(weight.begin(), weight.end(), Offset(0));
  whole.vertex.resize(n);
  std::vector<Offset> first(chunks_of(n) + 1, 0);
  for_chunks(n, [&](Index chunk, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      whole.vertex[i] = i;
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
        first[chunk + 1] += graph.column[p] != i;
    }
  });
  sum_counts(first);
  g.column.resize(first.back());
  for_chunks(n, [&](Index chunk, Index begin, Index end) {
    Offset q = first[chunk];
    for (Index i = begin; i < end; ++i) {
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
        if (graph.column[p] != i)
          g.column[q++] = graph.column[p];
      }
      g.start[i + 1] = q;
    }
  });
  return whole;
}

/// Nested dissection of one graph.
class Dissection {
public:
  Dissection(const Pattern &graph, Index leaf) : graph_(graph), leaf_(leaf), in_separator_(graph.rows, 0) {}

  /// Orders the whole graph. To be called by one thread of a parallel region, whose others take parts.
  void run(const std::vector<Index> &weight, Index *perm)
  {
    error_.guard([&] { run(whole_part(graph_, weight), perm, 0); });
  }

  /// Throws what run() did not let out of the region. To be called after it.
  void rethrow() const { error_.rethrow(); }

private:
  /// Orders `part` into perm[0 .. n - 1]. place: where that lies in the whole order, which seeds the part's separator.
  void run(Part part, Index *perm, Index place)
  {
    if (part.graph.n <= leaf_ || part.graph.column.empty())
      return order_leaf(part, perm);
    const std::uint64_t seed = (static_cast<std::uint64_t>(place) << 32) + static_cast<std::uint64_t>(part.graph.n);
    const Separation separation = separate(part.graph, seed);
    Part side[2];
    if (!split(part, separation, side, perm))
      return order_leaf(part, perm);
    part = Part();
    const Index first = side[0].graph.n;
#pragma omp task default(none) firstprivate(perm, place) shared(side) if (is_worth_a_task(side[0].graph))
    error_.guard([&] { run(std::move(side[0]), perm, place); });
    error_.guard([&] { run(std::move(side[1]), perm + first, place + first); });
#pragma omp taskwait // the task has part of this function's variables
  }

  /// Orders a part as a whole. Where the library runs out of memory the part stays in its own order, which is valid.
  void order_leaf(const Part &part, Index *perm) const
  {
    const std::vector<Index> local = minimum_degree_with_halo(with_halo(graph_, part, in_separator_), part.graph.n);
    for (Index k = 0; k < part.graph.n; ++k)
      perm[k] = part.vertex[local.empty() ? k : local[k]];
  }

  /// The subgraphs on both sides of a separator, whose own vertices end perm. False if one side is empty.
  bool split(const Part &part, const Separation &separation, Part side[2], Index *perm)
  {
    const WeightedGraph &graph = part.graph;
    std::vector<Split> before(chunks_of(graph.n) + 1);
    Buffer<Index> local(graph.n);
    for_chunks(graph.n, [&](Index chunk, Index begin, Index end) {
      before[chunk + 1] = count(graph, separation, begin, end, local.data());
    });
    sum_counts(before);
    const Split &all = before.back();
    if (all.vertices[0] == 0 || all.vertices[1] == 0)
      return false;
    for (int s = 0; s < 2; ++s) {
      WeightedGraph &g = side[s].graph;
      g.n = all.vertices[s];
      g.total = all.weight[s];
      g.start.resize(g.n + 1);
      g.start[g.n] = all.entries[s];
      g.column.resize(all.entries[s]);
      g.weight.resize(g.n);
      side[s].vertex.resize(g.n);
    }
    Index *separator = perm + all.vertices[0] + all.vertices[1];
    for_chunks(graph.n, [&](Index, Index begin, Index end) {
      distribute(part, separation, begin, end, before.data(), local.data(), side, separator);
    });
    return true;
  }

  /// Counts what of begin .. end - 1 goes where, and numbers it from 0 in its side.
  static Split count(const WeightedGraph &graph, const Separation &separation, Index begin, Index end, Index *local)
  {
    Split sum;
    for (Index v = begin; v < end; ++v) {
      const std::uint8_t s = separation.side[v];
      local[v] = sum.vertices[s]++;
      if (s == 2)
        continue;
      sum.weight[s] += graph.weight[v];
      for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p)
        sum.entries[s] += separation.side[graph.column[p]] == s;
    }
    return sum;
  }

  /// Moves begin .. end - 1 of a part into its sides and the separator. before[c]: what comes before chunk c.
  void distribute(const Part &part, const Separation &separation, Index begin, Index end, const Split *before,
                  const Index *local, Part side[2], Index *separator)
  {
    const WeightedGraph &graph = part.graph;
    const Split &base = before[begin / task_rows];
    Offset next[2] = {base.entries[0], base.entries[1]};
    for (Index v = begin; v < end; ++v) {
      const std::uint8_t s = separation.side[v];
      const Index place = base.vertices[s] + local[v];
      if (s == 2) {
        separator[place] = part.vertex[v];
        in_separator_[part.vertex[v]] = 1;
        continue;
      }
      side[s].vertex[place] = part.vertex[v];
      side[s].graph.weight[place] = graph.weight[v];
      side[s].graph.start[place] = next[s];
      for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
        const Index u = graph.column[p];
        if (separation.side[u] == s)
          side[s].graph.column[next[s]++] = before[u / task_rows].vertices[s] + local[u];
      }
    }
  }

  const Pattern &graph_;
  const Index leaf_;
  std::vector<std::uint8_t> in_separator_; ///< [rows]
  FirstError error_;
};

} // namespace

std::vector<Index> nested_dissection(const Pattern &graph, const std::vector<Index> &weight, Index leaf,
                                     const std::function<void()> &meanwhile)
{
  std::vector<Index> perm(graph.rows);
  Dissection dissection(graph, leaf);
  FirstError error; // of the other job
#pragma omp parallel if (graph.entries() > (meanwhile ? with_other_job : parallel_entries))
#pragma omp single
  {
    if (meanwhile) {
#pragma omp task default(none) shared(error, meanwhile)
      error.guard(meanwhile);
    }
    dissection.run(weight, perm.data());
  }
  error.rethrow();
  dissection.rethrow();
  return perm;
}

} // namespace tessera
