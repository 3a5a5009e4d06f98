#ifndef TESSERA_CUDA_FRONT_SOLVE_BORDER_CUH
#define TESSERA_CUDA_FRONT_SOLVE_BORDER_CUH

#include "base/types.hpp"
#include "cuda/runtime/device_array.cuh"
#include "factor/front/scaled_product.hpp"

#include <vector>

namespace tessera {

/// What rows that are left out of a factor add to the inverse of a symmetric matrix: with G, the solve with the factor,
/// A⁻¹ = G + Σ v_q v_qᵀ / λ_q, see SchurOfZeros; vectors in the order and scale of the caller. The same bits every
/// time.
class Border {
public:
  /// row: [m >= vectors] the rows left out. vector: [vectors, rows]; eigenvalue: [vectors] the λ_q. determinant: of the
  /// Schur complement of these rows. `queue` must outlive it.
  Border(const std::vector<Index> &row, const std::vector<double> &vector, const std::vector<double> &eigenvalue,
         const ScaledProduct &determinant, Index rows, const DeviceQueue &queue);

  Index vectors() const { return Index(eigenvalue_.size()); }
  const ScaledProduct &determinant() const { return determinant_; }

  /// Queues X += Σ v_q v_qᵀ B / λ_q for `columns` vectors in device memory. b: [columns, b_leading], x likewise, apart
  /// from b.
  void queue(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading);

  /// Queues the halves of that for one vector, see SolveHalves: y, which G's forward half has made, gets v_qᵀ b / λ_q
  /// in the q-th row left out, and 0 in the others; and x += Σ v_q y_q.
  void queue_forward(const double *b, double *y);
  void queue_backward(const double *y, double *x);
  /// Queues a copy of y for G's backward half, which is to find 0 in rows left out; returns where.
  const double *queue_without_rows(const double *y);

  /// Device memory held, in bytes.
  std::int64_t bytes() const;

private:
  void make_room(Index columns);

  const DeviceQueue &queue_;
  const Index rows_;
  DeviceArray<Index> row_;
  DeviceArray<double> vector_, eigenvalue_;
  DeviceArray<double> part_;    ///< [columns, vectors, border_parts] of products
  DeviceArray<double> without_; ///< [rows] y without the rows left out
  const ScaledProduct determinant_;
};

} // namespace tessera
#endif
