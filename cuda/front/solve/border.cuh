#ifndef TESSERA_CUDA_FRONT_SOLVE_BORDER_CUH
#define TESSERA_CUDA_FRONT_SOLVE_BORDER_CUH

#include "base/types.hpp"
#include "cuda/front/solve/left_out_vectors.cuh"
#include "cuda/runtime/device_array.cuh"

#include <vector>

namespace tessera {

/// What rows and columns that are left out of a factor add to the inverse of a matrix: with G, the solve with the
/// factor, A⁻¹ = G + Σ v_q u_qᵀ / λ_q, see SchurOfZeros; vectors in the order and scale of the caller. Of a symmetric
/// matrix v_q = u_q. The same bits every time.
class Border {
public:
  /// For what is not zero by `measured`. row: [m] the rows left out; right, left: V and U. `queue` must outlive it.
  /// Waits for the device.
  Border(const std::vector<Index> &row, const LeftOutVectors &right, const LeftOutVectors &left,
         const MeasuredZeros &measured, Index rows, const DeviceQueue &queue);

  Index vectors() const { return Index(value_.size()); }
  const ScaledProduct &determinant() const { return determinant_; }
  /// Whether the squares of its vectors can be added up.
  bool is_finite() const { return is_finite_; }

  /// Queues X += Σ v_q u_qᵀ B / λ_q for `columns` vectors in device memory, or transposed X += Σ u_q v_qᵀ B / λ_q. b:
  /// [columns, b_leading], x likewise, apart from b.
  void queue(bool transposed, Index columns, const double *b, Offset b_leading, double *x, Offset x_leading);

  /// Of a symmetric matrix: queues the halves of that for one vector, see SolveHalves: y, which G's forward half has
  /// made, gets v_qᵀ b / λ_q in the q-th row left out, and 0 in the others; and x += Σ v_q y_q.
  void queue_forward(const double *b, double *y);
  void queue_backward(const double *y, double *x);
  /// Queues a copy of y for G's backward half, which is to find 0 in rows left out; returns where.
  const double *queue_without_rows(const double *y);

  /// Device memory held, in bytes.
  std::int64_t bytes() const;

private:
  const double *right() const { return vector_[0].data(); }
  const double *left() const { return vector_[is_symmetric_ ? 0 : 1].data(); }
  /// [sides, vectors] of the vectors, in device memory. Queues it.
  DeviceArray<double> squares() const;
  /// Of `columns` vectors b with the vectors v.
  void queue_products(const double *v, Index columns, const double *b, Offset b_leading);

  const DeviceQueue &queue_;
  const Index rows_;
  const bool is_symmetric_;
  DeviceArray<Index> row_;
  DeviceArray<double> value_;     ///< [vectors] the λ_q
  DeviceArray<double> vector_[2]; ///< [vectors, rows] the v_q and, unless they are the same, the u_q
  DeviceArray<double> product_;   ///< [columns, vectors]
  DeviceArray<double2> space_;    ///< for them
  DeviceArray<double> without_;   ///< [rows] y without the rows left out
  const ScaledProduct determinant_;
  bool is_finite_ = false;
};

} // namespace tessera
#endif
