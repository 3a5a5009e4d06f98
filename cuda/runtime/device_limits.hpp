#ifndef TESSERA_CUDA_RUNTIME_DEVICE_LIMITS_HPP
#define TESSERA_CUDA_RUNTIME_DEVICE_LIMITS_HPP

#include "base/types.hpp"

#include <string>

namespace tessera {

/// What the kernels have to know of a device. The shapes of launches come from it.
struct DeviceLimits {
  std::string name;         ///< such as NVIDIA H200
  int capability = 0;       ///< compute capability: 90 is 9.0
  int multiprocessors = 0;  ///< SMs
  int block_shared = 0;     ///< shared memory that a thread block may ask for, in bytes
  int processor_shared = 0; ///< shared memory of an SM for its thread blocks, in bytes
  int reserved_shared = 0;  ///< of which the system takes so much for each of them
  bool tensor_cores = true; ///< whether products of its tensor cores have the bits of a chain of fused multiply-adds

  /// A number of thread blocks that was measured on an H200, which has 132 SMs, for this device.
  Offset scaled(Offset blocks) const { return blocks * multiprocessors / 132; }
};

/// The kernels use asynchronous copies and barriers of shared memory, which devices have from then on.
constexpr int least_capability = 80;

/// The least that a device of least_capability or newer allows a thread block.
constexpr int least_block_shared = 101376;

/// Those of the current device, found out once. Throws UnsupportedDevice if the kernels cannot run on it.
///
/// For tests, the environment variable TESSERA_DEVICE_LIMITS lowers them to those of another device, as cap_limits
/// reads it: what does not fit those is not launched.
const DeviceLimits &device_limits();

/// Lowers limits to those that a text names: "NAME=NUMBER ..." separated by spaces, with the names capability,
/// multiprocessors, block_shared, processor_shared, and tensor_cores=0, which says that its tensor cores round
/// otherwise. Limits are never raised. Throws std::invalid_argument for anything else.
void cap_limits(DeviceLimits &limits, const std::string &text);

/// In one line, for a log.
std::string in_words(const DeviceLimits &limits);

/// What a user is to know of how the kernels compute on this device; empty if there is nothing.
std::string remark_on(const DeviceLimits &limits);

} // namespace tessera
#endif
