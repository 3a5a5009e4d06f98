#include "analysis/analysis.hpp"

#include "analysis/ordering/compress.hpp"

namespace tessera {
namespace {

/// Orders and blocks the graph, and counts its complete factor into `result`, and its fronts where blocks are
/// supernodes. No blocks where the ordering failed.
Blocking order_and_block(const CompressedGraph &graph, const BlockingOptions &options, Analysis &result,
                         StepClock &clock)
{
  const Pattern &pattern = graph.pattern;
  const std::vector<Index> &weight = graph.weight;
  if (options.strategy == BlockStrategy::SN)
    return clock.run(AnalysisStep::Ordering, [&] {
      const Symbolic symbolic = order_and_count(pattern, weight, options.ordering, ordering_choice(options));
      result.complete = symbolic.size;
      result.fronts = count_fronts(supernodes(symbolic, weight, front_relaxation()), weight);
      return block_supernodes(symbolic, pattern, weight, options);
    });
  Blocking blocking = clock.run(AnalysisStep::Ordering, [&] { return make_blocking(pattern, weight, options); });
  if (blocking.perm.size() == weight.size())
    result.complete = clock.run(AnalysisStep::Counts, [&] { return analyze(pattern, weight, blocking.perm).size; });
  return blocking;
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
  result.scale = std::move(input.scale);

  const CompressedGraph graph =
      clock.run(AnalysisStep::Compression, [&] { return compress(matrix.pattern, input.partner); });
  BlockingOptions blocking_options = options.blocking;
  blocking_options.few_are_done = [&](const FactorSize &complete) {
    const bool automatic = options.fill_level == automatic_level;
    return automatic ? !is_worth_keeping(complete, matrix.pattern.entries()) : options.fill_level != complete_level;
  };
  const Blocking blocking = order_and_block(graph, blocking_options, result, clock);
  if (blocking.perm.size() != graph.weight.size())
    return failed(AnalysisStatus::OrderingFailed);

  const Index worthwhile = worthwhile_level(result.complete, options.blocking);
  TiledMatrix tiled = clock.run(AnalysisStep::Tiles, [&] { return make_tiles(graph, blocking, worthwhile, options); });
  result.fill_level = tiled.fill_level;
  result.low_fill = tiled.low_fill;
  result.structure = std::move(tiled.structure);
  if (tiled.status != FillStatus::Ok)
    return failed(AnalysisStatus::OverBudget);
  clock.run(AnalysisStep::Levels, [&] { complete_structure(matrix.pattern, source, result.scale, result.structure); });
  return result;
}

} // namespace tessera
