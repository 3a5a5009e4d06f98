#include "analysis/ordering/reduce_graph.hpp"

#include "base/collect_rows.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

constexpr Index least_share = 8; ///< one of so many vertices has to go for a step to be worth its time

/// Vertices that are neither eliminated nor merged into another one, and their numbers in the smaller graph.
struct Kept {
  std::vector<Index> vertex; ///< [kept] ascending
  std::vector<Index> number; ///< [vertices] in `vertex`, -1 for the others
};

/// stays: [vertices]
Kept number_kept(const std::vector<std::uint8_t> &stays)
{
  Kept kept;
  kept.number.assign(stays.size(), -1);
  for (std::size_t v = 0; v < stays.size(); ++v) {
    if (!stays[v])
      continue;
    kept.number[v] = static_cast<Index>(kept.vertex.size());
    kept.vertex.push_back(static_cast<Index>(v));
  }
  return kept;
}

/// How many neighbours v has.
Offset degree_of(const Pattern &graph, Index v)
{
  const Index *row = graph.column.data() + graph.start[v];
  const Offset stored = graph.start[v + 1] - graph.start[v];
  return stored - std::binary_search(row, row + stored, v);
}

/// Whether v is to be eliminated. It has at most two neighbours; of two neighbours each has more than two like v, by
/// weight. With fewer it has one or less on either side of a separator, which had better have that one in place of the
/// neighbour: v is a link of a chain, or lies in a plane of heavier vertices.
bool is_easy(const Pattern &graph, const std::vector<Index> &weight, const std::vector<Offset> &degree, Index v)
{
  if (degree[v] > 2)
    return false;
  return std::all_of(graph.column.data() + graph.start[v], graph.column.data() + graph.start[v + 1], [&](Index u) {
    return u == v || (degree[u] > 1 && (degree[v] < 2 || degree[u] * weight[v] > 2 * Offset(weight[u])));
  });
}

/// Easy vertices, no two of which are neighbours. Empty if they are few.
std::vector<std::uint8_t> easy_vertices(const Pattern &graph, const std::vector<Index> &weight)
{
  const Index n = graph.rows;
  std::vector<Offset> degree(n);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
  for (Index v = 0; v < n; ++v)
    degree[v] = degree_of(graph, v);
  std::vector<std::uint8_t> easy(n);
  Index count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count) if (n > parallel_rows)
  for (Index v = 0; v < n; ++v) {
    easy[v] = is_easy(graph, weight, degree, v);
    count += easy[v];
  }
  if (count <= n / least_share)
    return {};
  return easy;
}

/// Appends row v of the graph without eliminated vertices: each has left its other neighbour in its place.
void append_row_after_elimination(const Pattern &graph, const std::vector<std::uint8_t> &eliminated, const Kept &kept,
                                  Index v, std::vector<Index> &column)
{
  const auto begin = static_cast<std::ptrdiff_t>(column.size());
  bool changed = false;
  for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
    const Index u = graph.column[p];
    if (!eliminated[u]) {
      if (u != v)
        column.push_back(kept.number[u]);
      continue;
    }
    changed = true;
    for (Offset q = graph.start[u]; q < graph.start[u + 1]; ++q) {
      if (graph.column[q] != u && graph.column[q] != v)
        column.push_back(kept.number[graph.column[q]]);
    }
  }
  if (!changed)
    return;
  std::sort(column.begin() + begin, column.end());
  column.erase(std::unique(column.begin() + begin, column.end()), column.end());
}

/// Whether neighbours u and v have the same other neighbours.
bool are_indistinguishable(const Pattern &graph, Index u, Index v)
{
  Offset p = graph.start[u], q = graph.start[v];
  const auto skip = [&](Offset &at, Index row) {
    while (at < graph.start[row + 1] && (graph.column[at] == u || graph.column[at] == v))
      ++at;
    return at < graph.start[row + 1];
  };
  while (true) {
    const bool more_of_u = skip(p, u), more_of_v = skip(q, v);
    if (!more_of_u || !more_of_v)
      return more_of_u == more_of_v;
    if (graph.column[p++] != graph.column[q++])
      return false;
  }
}

/// The least of the vertices that cannot be told from v, or v. key: [vertices] equal for those.
Index least_twin(const Pattern &graph, const std::vector<std::uint64_t> &key, Index v)
{
  for (Offset p = graph.start[v]; p < graph.start[v + 1] && graph.column[p] < v; ++p) {
    const Index u = graph.column[p];
    if (key[u] == key[v] && are_indistinguishable(graph, u, v))
      return u;
  }
  return v;
}

/// For each vertex the least of those that it cannot be told from. Empty if few have one.
std::vector<Index> find_twins(const Pattern &graph)
{
  const Index n = graph.rows;
  std::vector<std::uint64_t> key(n);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
  for (Index v = 0; v < n; ++v) {
    key[v] = mix64(static_cast<std::uint64_t>(v)); // of itself and its neighbours: the same set for all twins
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p)
      key[v] += graph.column[p] != v ? mix64(static_cast<std::uint64_t>(graph.column[p])) : 0;
  }
  std::vector<Index> twin(n);
  Index count = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : count) if (n > parallel_rows)
  for (Index v = 0; v < n; ++v) {
    twin[v] = least_twin(graph, key, v);
    count += twin[v] != v;
  }
  if (count <= n / least_share)
    return {};
  return twin;
}

/// Reduces a graph step by step.
class Reduction {
public:
  Reduction(const Pattern &graph, const std::vector<Index> &weight, ReducedGraph &reduced)
      : given_(graph), reduced_(reduced), last_(graph.rows)
  {
    reduced_.weight = weight;
    reduced_.first.resize(graph.rows);
    std::iota(reduced_.first.begin(), reduced_.first.end(), 0);
    reduced_.next.assign(graph.rows, -1);
    std::iota(last_.begin(), last_.end(), 0);
  }

  /// Whether that made it smaller.
  bool run()
  {
    do {
      while (eliminate()) {
      }
    } while (merge());
    return !is_given_;
  }

private:
  const Pattern &graph() const { return is_given_ ? given_ : reduced_.graph; }

  /// Eliminates one round of easy vertices. False if it is not worth it.
  bool eliminate()
  {
    const std::vector<std::uint8_t> chosen = easy_vertices(graph(), reduced_.weight);
    if (chosen.empty())
      return false;
    std::vector<std::uint8_t> stays(chosen.size());
    for (std::size_t v = 0; v < chosen.size(); ++v) {
      stays[v] = !chosen[v];
      if (stays[v])
        continue;
      for (Index i = reduced_.first[v]; i >= 0; i = reduced_.next[i])
        reduced_.eliminated.push_back(i);
    }
    const Kept kept = number_kept(stays);
    replace(kept, [&](Index k, FoundRows &found) {
      append_row_after_elimination(graph(), chosen, kept, kept.vertex[k], found.column);
    });
    return true;
  }

  /// Merges vertices that cannot be told from each other. False if it is not worth it.
  bool merge()
  {
    const std::vector<Index> twin = find_twins(graph());
    if (twin.empty())
      return false;
    std::vector<std::uint8_t> stays(twin.size());
    for (std::size_t v = 0; v < twin.size(); ++v) {
      const Index u = twin[v];
      stays[v] = u == static_cast<Index>(v);
      if (stays[v])
        continue;
      reduced_.weight[u] += reduced_.weight[v];
      reduced_.next[last_[u]] = reduced_.first[v];
      last_[u] = last_[v];
    }
    const Kept kept = number_kept(stays);
    replace(kept, [&](Index k, FoundRows &found) {
      const Index v = kept.vertex[k];
      for (Offset p = graph().start[v]; p < graph().start[v + 1]; ++p) {
        const Index u = graph().column[p];
        if (stays[u] && u != v)
          found.column.push_back(kept.number[u]);
      }
    });
    return true;
  }

  /// Goes on with the kept vertices, whose rows row(k, found) finds.
  template <class Row>
  void replace(const Kept &kept, const Row &row)
  {
    Pattern smaller; // with no more entries: a vertex that goes takes four with it and leaves two
    collect_rows(
        static_cast<Index>(kept.vertex.size()), graph().entries(), [&] { return row; }, smaller);
    reduced_.graph = std::move(smaller);
    is_given_ = false;
    for (std::vector<Index> *of_vertex : {&reduced_.weight, &reduced_.first, &last_}) {
      for (std::size_t k = 0; k < kept.vertex.size(); ++k)
        (*of_vertex)[k] = (*of_vertex)[kept.vertex[k]]; // which comes later or is the same
      of_vertex->resize(kept.vertex.size());
    }
  }

  const Pattern &given_;
  bool is_given_ = true; ///< nothing is reduced yet
  ReducedGraph &reduced_;
  std::vector<Index> last_; ///< [vertices] the last of the given vertices that each stands for
};

} // namespace

bool reduce_graph(const Pattern &graph, const std::vector<Index> &weight, ReducedGraph &reduced)
{
  return Reduction(graph, weight, reduced).run();
}

std::vector<Index> expand(const ReducedGraph &reduced, const std::vector<Index> &order)
{
  std::vector<Index> perm = reduced.eliminated;
  for (Index v : order) {
    for (Index i = reduced.first[v]; i >= 0; i = reduced.next[i])
      perm.push_back(i);
  }
  return perm;
}

} // namespace tessera
