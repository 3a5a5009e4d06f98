#include "factor/bildlt/predicted_time.hpp"

#include "factor/front/predicted_time.hpp"

#include <limits>

namespace tessera {
namespace {

// Seconds on one core of an AMD EPYC (Zen 5), fitted to complete factorizations by benchmarks/complete_times.
constexpr double block_row = 1.6e-7;
constexpr double tile_update = 1.1e-8;
constexpr double panel_entry = 4.4e-9;
constexpr double block_operation = 3.4e-11;

} // namespace

double predicted_block_time(const BlockStructure &structure, const FactorSize &complete)
{
  double updates = 0, entries = 0;
  for (Index k = 0; k < structure.blocks(); ++k) {
    const double tiles = double(structure.tiles.upper.start[k + 1] - structure.tiles.upper.start[k]);
    updates += tiles * (tiles + 1) / 2; // those by block row k
    entries += double(structure.panel_width[k]) * structure.block_rows(k);
  }
  return block_row * structure.blocks() + tile_update * updates + panel_entry * entries +
         block_operation * complete.flops;
}

double predicted_share(const Analysis &analysis)
{
  if (analysis.fronts.fronts == 0 || ends_dense(analysis.complete))
    return std::numeric_limits<double>::quiet_NaN();
  return predicted_front_time(analysis.fronts) / predicted_block_time(analysis.structure, analysis.complete);
}

} // namespace tessera
