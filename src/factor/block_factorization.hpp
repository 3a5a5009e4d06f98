#ifndef TESSERA_FACTOR_BLOCK_FACTORIZATION_HPP
#define TESSERA_FACTOR_BLOCK_FACTORIZATION_HPP

#include "analysis/analysis.hpp"
#include "factor/factor_copy.hpp"
#include "factor/options.hpp"

#include <memory>

namespace tessera {

enum class Place { Host, Device };

/// Bytes copied between host and device.
struct Copies {
  Offset to_device = 0, to_host = 0;
  Offset reports = 0; ///< to the host: the few counts that a factorization ends with
};

/// A factor on one backend: what a preconditioner knows of a backend.
class FactoredOperator {
public:
  virtual ~FactoredOperator() = default;

  /// z = M⁻¹ r [rows], in the caller's order and scale. With `definite`, the factor's D is replaced by its spectral
  /// absolute value. r and z must not overlap.
  virtual void apply(const double *r, Place r_in, double *z, Place z_in, bool definite) = 0;

  /// The same for `columns` vectors, r_leading and z_leading values apart.
  virtual void apply_to_columns(Index columns, const double *r, Offset r_leading, Place r_in, double *z,
                                Offset z_leading, Place z_in, bool definite)
  {
    for (Index j = 0; j < columns; ++j)
      apply(r + j * r_leading, r_in, z + j * z_leading, z_in, definite);
  }

  /// Where values and vectors are wanted; the host backend takes no others, a device copies those of the host.
  virtual Place place() const = 0;

  /// Memory held, in bytes.
  virtual Offset bytes() const = 0;

  /// Memory of the machine or device that it runs on, in bytes.
  virtual double machine_bytes() const = 0;

  /// All numbers of the last factor, which has to be complete.
  virtual FactorCopy copy() = 0;

  /// What was copied since the last call, or since the factorization was made.
  virtual Copies take_copies() { return {}; }
};

/// A block incomplete LDLᵀ factor on one backend.
class BlockFactorization : public FactoredOperator {
public:
  /// Factors the matrix with these values, in the order that the analysis was told of. May be called again.
  virtual FactorReport factor(const double *values, Place values_in, const FactorOptions &options) = 0;
};

enum class Precision { Double, Single };

/// A factorization on the host, with the tiles above the diagonal stored in the given precision. `analysis` must
/// outlive it.
std::unique_ptr<BlockFactorization> make_host_factorization(const Analysis &analysis, Precision precision);

/// Operations that a CUDA device does in the time of a level of block rows that has little work, some 30 us.
constexpr double device_level_flops = 3e7;

/// A factorization on the current CUDA device, on PETSc's current stream: apply returns when its work is queued, factor
/// when its report is known. Errors of the CUDA runtime throw BackendError. `analysis` must outlive it. Null in a
/// library built without CUDA.
std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &analysis, Precision precision);

} // namespace tessera
#endif
