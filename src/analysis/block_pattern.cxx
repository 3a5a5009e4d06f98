#include "analysis/block_pattern.hpp"

#include "analysis/allocate.hpp"
#include "analysis/permute.hpp"
#include "analysis/symbolic.hpp"

#include <algorithm>
#include <atomic>

namespace tessera {
namespace {

/// Rows of a pattern and their levels as they are found: one buffer for every `chunk_rows` rows, so that threads
/// never share one and the joined result does not depend on who made which.
constexpr Index chunk_rows = 256;
struct Chunk {
  std::vector<Index> column;
  std::vector<std::uint8_t> level;
};

/// Fills `pattern`, and `level` where wanted, with rows found in parallel. make_search() gives each thread a search;
/// search(i, chunk) appends row i, and its levels where wanted, to the chunk. False beyond max_entries.
template <class MakeSearch>
bool collect_rows(Index n, Offset max_entries, const MakeSearch &make_search, Pattern &pattern,
                  std::vector<std::uint8_t> *level)
{
  const Index chunks = (n + chunk_rows - 1) / chunk_rows;
  std::vector<Chunk> chunk(chunks);
  std::vector<Offset> first(chunks + 1, 0);
  pattern.rows = pattern.cols = n;
  pattern.start.assign(n + 1, 0);
  std::atomic<Offset> total{0};
#pragma omp parallel if (n > parallel_rows)
  {
    auto search = make_search();
#pragma omp for schedule(dynamic, 1)
    for (Index c = 0; c < chunks; ++c) {
      const Index end = std::min(n, (c + 1) * chunk_rows);
      for (Index i = c * chunk_rows; i < end && total.load(std::memory_order_relaxed) <= max_entries; ++i) {
        const std::size_t before = chunk[c].column.size();
        search(i, chunk[c]);
        pattern.start[i + 1] = static_cast<Offset>(chunk[c].column.size());
        total += static_cast<Offset>(chunk[c].column.size() - before);
      }
      first[c + 1] = static_cast<Offset>(chunk[c].column.size());
    }
  }
  if (total > max_entries)
    return false;

  for (Index c = 0; c < chunks; ++c)
    first[c + 1] += first[c];
  allocate_in_parallel(pattern.column, first[chunks]);
  if (level)
    allocate_in_parallel(*level, first[chunks]);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
  for (Index c = 0; c < chunks; ++c) {
    std::copy(chunk[c].column.begin(), chunk[c].column.end(), pattern.column.begin() + first[c]);
    if (level)
      std::copy(chunk[c].level.begin(), chunk[c].level.end(), level->begin() + first[c]);
    chunk[c] = Chunk();
    for (Index i = c * chunk_rows; i < std::min(n, (c + 1) * chunk_rows); ++i)
      pattern.start[i + 1] += first[c];
  }
  return true;
}

/// Breadth-first search from block i through blocks before i, one thread's working space (Hysom & Pothen 2002).
struct FillSearch {
  const Pattern &graph;
  Index fill_level;
  std::vector<Index> seen_by;      ///< [n] the last search that reached a block
  std::vector<std::uint8_t> depth; ///< [n] its level of fill in that search
  std::vector<Index> front, next;

  FillSearch(const Pattern &graph, Index fill_level)
      : graph(graph), fill_level(fill_level), seen_by(graph.rows, -1), depth(graph.rows)
  {
  }

  void operator()(Index i, Chunk &chunk)
  {
    const std::size_t begin = chunk.column.size();
    seen_by[i] = i;
    front.assign(1, i);
    for (Index level = 0; level <= fill_level && !front.empty(); ++level) {
      next.clear();
      for (Index v : front) {
        for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
          const Index j = graph.column[p];
          if (seen_by[j] == i)
            continue;
          seen_by[j] = i;
          depth[j] = static_cast<std::uint8_t>(level);
          (j < i ? next : chunk.column).push_back(j);
        }
      }
      front.swap(next);
    }
    std::sort(chunk.column.begin() + begin, chunk.column.end());
    for (std::size_t p = begin; p < chunk.column.size(); ++p)
      chunk.level.push_back(depth[chunk.column[p]]);
  }
};

/// Paths in the elimination tree from the neighbours before j up to j: column j of U, in no particular order.
struct TreePaths {
  const Pattern &graph;
  const std::vector<Index> &parent;
  std::vector<Index> seen_by; ///< [n] the last column that reached a block

  TreePaths(const Pattern &graph, const std::vector<Index> &parent)
      : graph(graph), parent(parent), seen_by(graph.rows, -1)
  {
  }

  void operator()(Index j, Chunk &chunk)
  {
    seen_by[j] = j;
    for (Offset p = graph.start[j]; p < graph.start[j + 1] && graph.column[p] < j; ++p) {
      for (Index i = graph.column[p]; seen_by[i] != j; i = parent[i]) {
        seen_by[i] = j;
        chunk.column.push_back(i);
      }
    }
  }
};

/// Blocks next to block i, ascending.
struct BlockNeighbours {
  const Pattern &graph;
  const Blocking &blocking;
  const std::vector<Index> &block_of;
  std::vector<Index> seen_by;

  BlockNeighbours(const Pattern &graph, const Blocking &blocking, const std::vector<Index> &block_of)
      : graph(graph), blocking(blocking), block_of(block_of), seen_by(blocking.blocks(), -1)
  {
  }

  void operator()(Index i, Chunk &chunk)
  {
    const std::size_t begin = chunk.column.size();
    seen_by[i] = i;
    for (Index k = blocking.start[i]; k < blocking.start[i + 1]; ++k) {
      const Index v = blocking.perm[k];
      for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
        const Index j = block_of[graph.column[p]];
        if (seen_by[j] != i) {
          seen_by[j] = i;
          chunk.column.push_back(j);
        }
      }
    }
    std::sort(chunk.column.begin() + begin, chunk.column.end());
  }
};

/// Level 0 for tiles of the matrix itself, 1 for the others.
std::vector<std::uint8_t> mark_fill(const Pattern &graph, const Pattern &upper)
{
  std::vector<std::uint8_t> level(upper.column.size(), 1);
#pragma omp parallel for schedule(dynamic, chunk_rows) if (upper.rows > parallel_rows)
  for (Index i = 0; i < upper.rows; ++i) {
    Offset p = graph.start[i];
    for (Offset q = upper.start[i]; q < upper.start[i + 1]; ++q) {
      while (p < graph.start[i + 1] && graph.column[p] < upper.column[q])
        ++p;
      if (p < graph.start[i + 1] && graph.column[p] == upper.column[q])
        level[q] = 0;
    }
  }
  return level;
}

} // namespace

Pattern block_graph(const Pattern &graph, const Blocking &blocking)
{
  std::vector<Index> block_of(graph.rows);
  for (Index b = 0; b < blocking.blocks(); ++b) {
    for (Index k = blocking.start[b]; k < blocking.start[b + 1]; ++k)
      block_of[blocking.perm[k]] = b;
  }
  Pattern blocks;
  const auto make_search = [&] { return BlockNeighbours(graph, blocking, block_of); };
  collect_rows(blocking.blocks(), graph.entries(), make_search, blocks, nullptr);
  return blocks;
}

FillStatus level_fill(const Pattern &graph, Index fill_level, Offset max_tiles, BlockPattern &result)
{
  result = BlockPattern();
  const auto make_search = [&] { return FillSearch(graph, fill_level); };
  if (!collect_rows(graph.rows, max_tiles, make_search, result.upper, &result.level)) {
    result = BlockPattern();
    return FillStatus::OverBudget;
  }
  result.columns = transpose(result.upper, &result.position);
  return FillStatus::Ok;
}

FillStatus complete_fill(const Pattern &graph, Offset max_tiles, BlockPattern &result)
{
  result = BlockPattern();
  const std::vector<Index> parent = elimination_tree(graph);
  Pattern unsorted;
  const auto make_search = [&] { return TreePaths(graph, parent); };
  if (!collect_rows(graph.rows, max_tiles, make_search, unsorted, nullptr))
    return FillStatus::OverBudget;
  result.upper = transpose(unsorted);
  unsorted = Pattern();
  result.level = mark_fill(graph, result.upper);
  result.columns = transpose(result.upper, &result.position);
  return FillStatus::Ok;
}

} // namespace tessera
