#ifndef TESSERA_CUDA_FRONT_SOLVE_DOT_PRODUCTS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_DOT_PRODUCTS_CUH

#include "base/portable.hpp"
#include "base/types.hpp"
#include "cuda/runtime/device_array.cuh"

namespace tessera {

/// Vectors x_0 .. and y_0 .. of which products are computed, in this order.
struct VectorPairs {
  enum Which {
    Equal,     ///< x_k and y_k: [m]
    Symmetric, ///< all, where x_i and y_j give what x_j and y_i give: [m, m]
    All        ///< x_i and y_j: [columns, m]
  } which;
  Index m, columns;

  /// Products that are computed: of symmetric ones those with i >= j.
  TESSERA_BOTH Offset count() const
  {
    return which == Equal ? m : which == Symmetric ? Offset(m) * (m + 1) / 2 : Offset(m) * columns;
  }
  /// Products that there are.
  TESSERA_BOTH Offset size() const { return which == Equal ? m : Offset(m) * columns; }
};

constexpr VectorPairs equal_pairs(Index m)
{
  return {VectorPairs::Equal, m, m};
}
constexpr VectorPairs symmetric_pairs(Index m)
{
  return {VectorPairs::Symmetric, m, m};
}
constexpr VectorPairs all_pairs(Index m, Index columns)
{
  return {VectorPairs::All, m, columns};
}

/// Numbers of work space that products take.
Offset product_space(const VectorPairs &pairs);

/// Queues products x_iᵀ y_j of vectors x: [m, n] and y, of which one is y_leading behind the other, all in device
/// memory, as if computed in twice the digits. space: see product_space(); product: see VectorPairs. The same bits
/// every time.
void queue_dot_products(const VectorPairs &pairs, Index n, const double *x, const double *y, Offset y_leading,
                        double2 *space, double *product, const DeviceQueue &queue);

/// The same of the sums of all (x_ik y_jk)², of which each term is rounded.
void queue_sums_of_squares(const VectorPairs &pairs, Index n, const double *x, const double *y, Offset y_leading,
                           double2 *space, double *sum, const DeviceQueue &queue);

} // namespace tessera
#endif
