#include "analysis/analysis.hpp"

#include "analysis/compress.hpp"
#include "analysis/equilibrate.hpp"
#include "analysis/matching.hpp"
#include "analysis/permute.hpp"
#include "analysis/scaling.hpp"
#include "analysis/symbolic.hpp"
#include "analysis/symmetric_pairs.hpp"

#include <chrono>
#include <numeric>

namespace tessera {
namespace {

/// Times the steps of an analysis one after the other.
class StepClock {
public:
  explicit StepClock(std::vector<AnalysisStep> &steps) : steps_(steps) {}

  void finish(const char *name)
  {
    const Time now = Clock::now();
    steps_.push_back({name, std::chrono::duration<double>(now - begin_).count()});
    begin_ = now;
  }

private:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  std::vector<AnalysisStep> &steps_;
  Time begin_ = Clock::now();
};

/// Scale factors and partners of the rows. Sets the status if an entry is not finite.
std::vector<Index> preprocess(const Matrix &matrix, const AnalysisOptions &options, Analysis &result, StepClock &clock)
{
  const Index n = matrix.pattern.rows;
  std::vector<Index> partner(n);
  std::iota(partner.begin(), partner.end(), 0);
  result.scale.assign(n, 1.0);
  const auto usable = [&result](MatrixStatus status, Index faulty_row) {
    if (status == MatrixStatus::usable)
      return true;
    result.status = AnalysisStatus::NonFinite;
    result.faulty_row = faulty_row;
    return false;
  };
  if (options.preprocessing == Preprocessing::Matching) {
    const Matching matching = match_symmetric(matrix);
    clock.finish("matching");
    if (!usable(matching.status, matching.faulty_row))
      return partner;
    result.structural_rank = matching.cardinality;
    result.matching_excess = matching.excess;
    result.scale = scale_factors(matching.row_dual, Rounding::power_of_two);
    if (options.blocking.max_rows > 1) { // else blocks have no room for them
      partner = pairs(matrix, matching);
      for (Index i = 0; i < n; ++i)
        result.pairs += partner[i] > i;
      clock.finish("pairs");
    }
  } else if (options.preprocessing == Preprocessing::Equilibrate) {
    const Equilibration equilibration = equilibrate(matrix);
    clock.finish("equilibration");
    if (!usable(equilibration.status, equilibration.faulty_row))
      return partner;
    result.scale = scale_factors(equilibration.log2_scale, Rounding::power_of_two);
  }
  return partner;
}

/// Sets perm, block_start and pairs of the rows from a blocking of the vertices of the compressed graph.
void expand_blocking(const CompressedGraph &graph, const Blocking &blocking, BlockStructure &structure)
{
  structure.rows = static_cast<Index>(graph.row.size());
  structure.perm = expand(graph, blocking.perm);
  structure.block_start.assign(1, 0);
  structure.pairs.assign(blocking.blocks(), 0);
  Index rows = 0;
  for (Index b = 0; b < blocking.blocks(); ++b) {
    for (Index v = blocking.start[b]; v < blocking.start[b + 1]; ++v) {
      if (graph.weight[blocking.perm[v]] == 2)
        structure.pairs[b] |= std::uint32_t(1) << (rows - structure.block_start[b]);
      rows += graph.weight[blocking.perm[v]];
    }
    structure.block_start.push_back(rows);
  }
}

constexpr Index most_levels = 4; ///< tried where complete fill has too many tiles

/// Tiles of the factor with the fill asked for, or, if that is the automatic one, with the most levels up to the
/// worthwhile one that have no more than max_tiles tiles.
bool make_tiles(const Pattern &graph, Index worthwhile, const AnalysisOptions &options, Analysis &result)
{
  const bool automatic = options.fill_level == automatic_level;
  result.low_fill = automatic && worthwhile != complete_level;
  Index &level = result.fill_level = automatic ? worthwhile : options.fill_level;
  BlockPattern &tiles = result.structure.tiles;
  while ((level == complete_level ? complete_fill(graph, options.max_tiles, tiles)
                                  : level_fill(graph, level, options.max_tiles, tiles)) != FillStatus::Ok) {
    if (!automatic || level == 0)
      return false;
    level = level == complete_level ? most_levels : level - 1;
  }
  return true;
}

} // namespace

Analysis analyze_matrix(const Matrix &matrix, const std::vector<Offset> &source, const AnalysisOptions &options)
{
  Analysis result;
  StepClock clock(result.steps);
  const std::vector<Index> partner = preprocess(matrix, options, result, clock);
  if (result.status != AnalysisStatus::Ok)
    return result;
  const CompressedGraph graph = compress(matrix.pattern, partner);
  clock.finish("compression");

  Blocking blocking = make_blocking(graph.pattern, graph.weight, options.blocking);
  clock.finish("ordering and blocking");
  if (blocking.perm.size() != graph.weight.size()) {
    result.status = AnalysisStatus::OrderingFailed;
    return result;
  }
  expand_blocking(graph, blocking, result.structure);
  if (blocking.complete_entries < 0) {
    note_complete_factor(analyze(graph.pattern, graph.weight, blocking.perm), graph.weight, blocking);
    clock.finish("counts");
  }
  result.complete_entries = blocking.complete_entries;
  result.dense_entries = blocking.dense_entries;
  result.complete_flops = blocking.complete_flops;

  const Index level = worthwhile_level(blocking, options.blocking);
  if (!make_tiles(block_graph(graph.pattern, blocking), level, options, result)) {
    result.status = AnalysisStatus::OverBudget;
    return result;
  }
  clock.finish("tiles");
  complete_structure(matrix.pattern, source, result.scale, result.structure);
  clock.finish("levels and value map");
  return result;
}

} // namespace tessera
