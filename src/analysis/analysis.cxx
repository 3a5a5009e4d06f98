#include "analysis/analysis.hpp"

#include "analysis/pairs/compress_and_order.hpp"

namespace tessera {
namespace {

/// A compressed graph in blocks; none where the ordering failed.
struct BlockedGraph {
  CompressedGraph graph;
  Blocking blocking;
};

/// Compresses and orders the graph, with the rows of pairs apart where the complete factor is worth it.
OrderedGraph order_supernodes(const Matrix &matrix, SymmetricPreprocessing &input, const BlockingOptions &options,
                              bool apart, StepClock &clock)
{
  const auto order = [&options](const CompressedGraph &graph) {
    return order_and_count(graph.pattern, graph.weight, options.ordering, ordering_choice(options));
  };
  if (apart) {
    SymmetricPreprocessing left = input;
    OrderedGraph ordered = compress_and_order(matrix, left, PairsApart::QuasiDefinite, clock, order);
    if (left.pairs == input.pairs || !options.few_are_done(ordered.symbolic.size)) {
      input = std::move(left);
      return ordered;
    }
  }
  return compress_and_order(matrix, input, PairsApart::None, clock, order);
}

/// Blocks by supernodes, with counts of the complete factor and of its fronts into `result`.
BlockedGraph block_by_supernodes(const Matrix &matrix, SymmetricPreprocessing &input, const BlockingOptions &options,
                                 bool apart, Analysis &result, StepClock &clock)
{
  OrderedGraph ordered = order_supernodes(matrix, input, options, apart, clock);
  const Symbolic &symbolic = ordered.symbolic;
  const std::vector<Index> &weight = ordered.graph.weight;
  if (symbolic.perm.size() != weight.size())
    return {std::move(ordered.graph), {}};
  Blocking blocking = clock.run(AnalysisStep::Counts, [&] {
    result.complete = symbolic.size;
    result.fronts = count_fronts(supernodes(symbolic, weight, front_relaxation()), weight);
    return block_supernodes(symbolic, ordered.graph.pattern, weight, options);
  });
  return {std::move(ordered.graph), std::move(blocking)};
}

/// Blocks of other kinds, with counts of the complete factor into `result`.
BlockedGraph block_by_graph(const Matrix &matrix, const SymmetricPreprocessing &input, const BlockingOptions &options,
                            Analysis &result, StepClock &clock)
{
  BlockedGraph blocked;
  blocked.graph = clock.run(AnalysisStep::Compression, [&] { return compress(matrix.pattern, input.partner); });
  const Pattern &pattern = blocked.graph.pattern;
  const std::vector<Index> &weight = blocked.graph.weight;
  blocked.blocking = clock.run(AnalysisStep::Ordering, [&] { return make_blocking(pattern, weight, options); });
  if (blocked.blocking.perm.size() == weight.size())
    result.complete =
        clock.run(AnalysisStep::Counts, [&] { return analyze(pattern, weight, blocked.blocking.perm).size; });
  return blocked;
}

} // namespace

Analysis analyze_matrix(const Matrix &matrix, const std::vector<Offset> &source, const AnalysisOptions &options,
                        StepObserver *observer)
{
  Analysis result;
  const auto failed = [&result](AnalysisStatus status) {
    result.status = status;
    return std::move(result);
  };
  StepClock clock(result.times, observer);
  const bool pair_rows = options.blocking.max_rows > 1; // else blocks have no room for them
  SymmetricPreprocessing input = preprocess_symmetric(matrix, options.preprocessing, pair_rows, clock);
  result.faulty_row = input.faulty_row;
  if (input.status != MatrixStatus::usable)
    return failed(AnalysisStatus::NonFinite);
  result.structural_rank = input.structural_rank;
  result.matching_excess = input.matching_excess;
  result.pairs = input.pairs;

  BlockingOptions blocking_options = options.blocking;
  const bool automatic = options.fill_level == automatic_level, complete = options.fill_level == complete_level;
  blocking_options.few_are_done = [&matrix, automatic, complete](const FactorSize &size) {
    return automatic ? !is_worth_keeping(size, matrix.pattern.entries()) : !complete;
  };
  const bool apart = options.pairs_apart && (automatic || complete) && reduces_fill(blocking_options.ordering);
  const BlockedGraph blocked = options.blocking.strategy == BlockStrategy::SN
                                   ? block_by_supernodes(matrix, input, blocking_options, apart, result, clock)
                                   : block_by_graph(matrix, input, blocking_options, result, clock);
  if (blocked.blocking.perm.size() != blocked.graph.weight.size())
    return failed(AnalysisStatus::OrderingFailed);
  result.apart = result.pairs - input.pairs;
  result.scale = std::move(input.scale);

  const Index worthwhile = worthwhile_level(result.complete, options.blocking);
  TiledMatrix tiled =
      clock.run(AnalysisStep::Tiles, [&] { return make_tiles(blocked.graph, blocked.blocking, worthwhile, options); });
  result.fill_level = tiled.fill_level;
  result.low_fill = tiled.low_fill;
  result.structure = std::move(tiled.structure);
  if (tiled.status != FillStatus::Ok)
    return failed(AnalysisStatus::OverBudget);
  clock.run(AnalysisStep::Levels, [&] { complete_structure(matrix.pattern, source, result.scale, result.structure); });
  return result;
}

} // namespace tessera
