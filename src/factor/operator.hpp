#ifndef TESSERA_FACTOR_OPERATOR_HPP
#define TESSERA_FACTOR_OPERATOR_HPP

#include "base/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

enum class Place { Host, Device };

/// Bytes copied between host and device.
struct Copies {
  Offset to_device = 0, to_host = 0;
  Offset reports = 0; ///< to the host: the few counts that a factorization ends with
};

/// A factor on one backend, as those who apply it see it. How it is made, and with what report, is said by the classes
/// of the factorizations.
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

  /// Memory that the factor and its work space take, in bytes: the same in every run.
  virtual Offset bytes() const = 0;

  /// Memory of the machine or device that it runs on that each of so many processes, among them this one, may use, in
  /// bytes.
  virtual double share_of_memory(int processes) const = 0;

  /// What it runs on, in one line; empty on the host.
  virtual std::string machine() const { return {}; }

  /// What a user is to know of how it computes; empty if there is nothing.
  virtual std::string remark() const { return {}; }

  /// What was copied since the last call, or since the factorization was made.
  virtual Copies take_copies() { return {}; }
};

/// The CUDA devices that this process may use, each by a number that is the same in all processes and another one for
/// every device. Empty without a device, or in a library built without CUDA.
std::vector<std::uint64_t> visible_cuda_devices();

/// Frees the pinned memory of the host that factors on devices have given back, which is kept for the next ones. Waits
/// for the device where there is any.
void free_pinned_memory();

} // namespace tessera
#endif
