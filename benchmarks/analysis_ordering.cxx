// Times every step of the ordering and blocking of a symmetric pattern, and the fill each ordering gives.
//
//   analysis_ordering matrix.mtx[.gz] ...     Matrix Market files; A + Aᵀ is taken
//   analysis_ordering N ...                   the 7-point grid of N x N x N points

#include "analysis/symbolic/level_sets.hpp"
#include "analysis/tiles/block_pattern.hpp"
#include "analysis/tiles/make_blocking.hpp"
#include "base/permute.hpp"
#include "support/graphs.hpp"
#include "support/matrix_market.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

using namespace tessera;

namespace {

double seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Pattern of A + Aᵀ of a square Matrix Market file; no rows when it cannot be read.
Pattern read(const std::string &path)
{
  Matrix matrix;
  if (!test::read_matrix_market(path, matrix) || matrix.pattern.rows != matrix.pattern.cols)
    return Pattern();
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < matrix.pattern.rows; ++i)
    for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
      edges.push_back({i, matrix.pattern.column[p]});
  return tessera_test::graph_of(matrix.pattern.rows, edges);
}

void time_ordering(const char *name, const Pattern &graph, const std::vector<Index> &weight, Ordering ordering)
{
  const double begin = seconds();
  const std::vector<Index> perm = order(graph, weight, ordering);
  const double ordered = seconds();
  const Symbolic symbolic = analyze(graph, weight, perm);
  const double analyzed = seconds();
  std::printf("  %-12s %8.3f s   symbolic %8.3f s   factor %12lld entries %10.3e flops\n", name, ordered - begin,
              analyzed - ordered, static_cast<long long>(symbolic.size.entries), symbolic.size.flops);
}

void time_blocking(const char *name, const Pattern &graph, const std::vector<Index> &weight, BlockStrategy strategy)
{
  BlockingOptions options;
  options.strategy = strategy;
  const double begin = seconds();
  const Blocking blocking = make_blocking(graph, weight, options);
  const double blocked = seconds();
  const Pattern blocks = block_graph(graph, blocking);
  const double coarse = seconds();
  std::printf("  %-4s blocking %8.3f s with its orderings, block graph %8.3f s, %d blocks\n", name, blocked - begin,
              coarse - blocked, blocking.blocks());
  for (Index level : {0, 1, 2, -1}) {
    BlockPattern tiles;
    const double start = seconds();
    const FillStatus status =
        level < 0 ? complete_fill(blocks, 200000000, tiles) : level_fill(blocks, level, 200000000, tiles);
    const double filled = seconds();
    const LevelSets sets = level_sets(tiles.upper);
    const double leveled = seconds();
    std::printf("       %-8s %d: fill %8.3f s, levels %8.3f s, %11lld tiles, %7d levels%s\n",
                level < 0 ? "complete" : "level", level, filled - start, leveled - filled,
                static_cast<long long>(tiles.upper.entries()), sets.levels(),
                status == FillStatus::Ok ? "" : " (over budget)");
  }
}

} // namespace

int main(int argc, char **argv)
{
  for (int a = 1; a < argc; ++a) {
    const Index points = std::atoi(argv[a]);
    const Pattern graph = points > 0 ? tessera_test::grid_graph(points, points, points) : read(argv[a]);
    const std::vector<Index> weight(graph.rows, 1);
    if (graph.rows == 0) {
      std::printf("%s: not a square Matrix Market file\n", argv[a]);
      return 1;
    }
    std::printf("%s: %d rows, %lld off-diagonal entries\n", argv[a], graph.rows,
                static_cast<long long>(graph.entries()));
    time_ordering("METIS", graph, weight, Ordering::METIS);
    time_ordering("ND", graph, weight, Ordering::ND);
    time_ordering("AMD", graph, weight, Ordering::AMD);
    time_ordering("RCM", graph, weight, Ordering::RCM);
    time_ordering("Color", graph, weight, Ordering::Color);
    time_blocking("BR", graph, weight, BlockStrategy::BR);
    time_blocking("RB", graph, weight, BlockStrategy::RB);
    time_blocking("RBR", graph, weight, BlockStrategy::RBR);
    time_blocking("SN", graph, weight, BlockStrategy::SN);
    std::fflush(stdout);
  }
  return 0;
}
