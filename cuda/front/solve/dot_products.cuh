#ifndef TESSERA_CUDA_FRONT_SOLVE_DOT_PRODUCTS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_DOT_PRODUCTS_CUH

#include "base/types.hpp"
#include "cuda/runtime/device_queue.hpp"

#include <vector>

namespace tessera {

/// Products x_iᵀ y_j of vectors in device memory, [m, n] each, as if computed in twice the digits, for matrices of
/// products that are symmetric: [m, m], of which i >= j are computed. Waits for the device. The same bits every time.
std::vector<double> dot_products(Index m, Index n, const double *x, const double *y, const DeviceQueue &queue);

/// The squares x_iᵀ x_i of their norms alone: [m].
std::vector<double> squared_norms(Index m, Index n, const double *x, const DeviceQueue &queue);

} // namespace tessera
#endif
