#ifndef TESSERA_FACTOR_BILDLT_FACTORIZATION_HPP
#define TESSERA_FACTOR_BILDLT_FACTORIZATION_HPP

#include "analysis/analysis.hpp"
#include "factor/bildlt/block_report.hpp"
#include "factor/bildlt/factor_copy.hpp"
#include "factor/bildlt/options.hpp"
#include "factor/operator.hpp"

#include <memory>

namespace tessera {

/// A block incomplete LDLᵀ factor on one backend.
class BlockFactorization : public FactoredOperator {
public:
  /// Factors the matrix with these values, in the order that the analysis was told of. May be called again.
  virtual BlockFactorReport factor(const double *values, Place values_in, const FactorOptions &options) = 0;

  /// All numbers of the last factor, which has to be complete.
  virtual FactorCopy copy() = 0;

  /// Whether so many bytes can be allocated where the factor is now, besides what is held.
  virtual bool has_room(Offset bytes) const = 0;
};

enum class Precision { Double, Single };

/// A factorization on the host, with the tiles above the diagonal stored in the given precision. `analysis` must
/// outlive it.
std::unique_ptr<BlockFactorization> make_host_factorization(const Analysis &analysis, Precision precision);

/// Operations that a CUDA device does in the time of a level of block rows that has little work, some 30 us.
constexpr double device_level_flops = 3e7;

/// Levels of fill up to which blocks are small on a CUDA device. What larger ones save in iterations they cost in tiles
/// with few entries.
constexpr Index device_low_fill_level = 1;

/// Blocks of a level that leave most of a CUDA device idle: fewer than it has multiprocessors, about.
constexpr Index device_short_level = 100;

/// A factorization on the current CUDA device, on PETSc's current stream: apply returns when its work is queued, factor
/// when its report is known. Errors of the CUDA runtime throw BackendError, a device that the kernels cannot run on
/// UnsupportedDevice. `analysis` must outlive it. Null in a library built without CUDA.
std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &analysis, Precision precision);

} // namespace tessera
#endif
