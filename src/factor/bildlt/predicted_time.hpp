#ifndef TESSERA_FACTOR_BILDLT_PREDICTED_TIME_HPP
#define TESSERA_FACTOR_BILDLT_PREDICTED_TIME_HPP

#include "analysis/analysis.hpp"

namespace tessera {

/// Seconds that a complete factorization by block rows takes on one core of the host, predicted from counts alone: each
/// block row, each update of a tile by two others, each entry of the panels, and each operation, in times that were
/// measured (benchmarks/complete_times). Another core takes a multiple of it; see predicted_share().
double predicted_block_time(const BlockStructure &structure, const FactorSize &complete);

/// What the direct solver's factorization takes over what that by block rows takes, both complete, in the order of
/// `analysis`, and on the host: a ratio in which the speed of the core cancels, to a large part. analysis: complete
/// fill. NaN where fronts were not counted, and where the factor is but for a tenth one dense block, which both take
/// the same time for.
double predicted_share(const Analysis &analysis);

/// Where a share below it was predicted, the measured one was less than 1, on every system.
constexpr double certain_share = 0.8;

/// The same on a CUDA device, whatever the matrix: the geometric mean of 27, of which it was 0.12 to 0.53
/// (docs/notes/complete-factors.md).
constexpr double device_share = 0.2;

} // namespace tessera
#endif
