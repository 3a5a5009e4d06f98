#ifndef TESSERA_CUDA_FRONT_SOLVE_KRYLOV_VECTORS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_KRYLOV_VECTORS_CUH

#include "base/types.hpp"
#include "cuda/runtime/device_array.cuh"

#include <functional>
#include <vector>

namespace tessera {

/// The vectors of flexible_gmres() in device memory, as KrylovVectors on the host. The same bits every time.
class DeviceKrylovVectors {
public:
  /// Queues to = M from, in device memory, apart from each other.
  using Apply = std::function<void(const double *from, double *to)>;

  /// solve: with the factor. subtract: with -A, as b - A x is what there is. steps: at most. solution: [rows] in device
  /// memory. Throws std::bad_alloc where there is no memory for two vectors for each step.
  DeviceKrylovVectors(Index rows, Index steps, Apply solve, Apply subtract, double *solution, const DeviceQueue &queue);

  /// Begins with the residual of the solution: [rows]. Returns its norm. Waits for the device.
  double begin(const double *residual);

  /// See flexible_gmres(). products() and add() wait for the device, the others are queued.
  void apply(Index j);
  void project(Index j);
  std::vector<double> products(Index j);
  void divide(Index j, double norm);
  void add(const std::vector<double> &y);

  Offset bytes_to_host() const { return bytes_to_host_; } ///< copied so far

private:
  double *v(Index j) const { return v_.data() + Offset(j) * rows_; }
  double *z(Index j) const { return z_.data() + Offset(j) * rows_; }
  std::vector<double> fetch(Index numbers);

  const DeviceQueue &queue_;
  const Index rows_;
  const Apply solve_, subtract_;
  DeviceArray<double> v_, z_;   ///< [steps + 1, rows] and [steps, rows]
  DeviceArray<double> product_; ///< [krylov_projections steps + 1], and the square of a norm
  DeviceArray<double2> space_;
  double *const solution_;
  Index projections_ = 0; ///< of the last vector
  Offset bytes_to_host_ = 0;
};

} // namespace tessera
#endif
