#include "cuda/front/solve/krylov_vectors.cuh"

#include "cuda/front/solve/dot_products.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "factor/front/flexible_gmres.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {
namespace {

constexpr int threads = 256;

/// x -= Σ v_q c_q, for m vectors v: [m, rows] and coefficients c: [m]. A thread a row.
__global__ void __launch_bounds__(threads)
    subtract_combination(Index rows, Index m, const double *v, const double *c, double *x)
{
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i >= rows)
    return;
  double sum = x[i];
  for (Index q = 0; q < m; ++q)
    sum = fma(-v[q * Offset(rows) + i], c[q], sum);
  x[i] = sum;
}

/// y = x / by. A thread a row.
__global__ void __launch_bounds__(threads) write_quotient(Index rows, const double *x, double by, double *y)
{
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i < rows)
    y[i] = x[i] / by;
}

/// Work space of products with one vector of up to `vectors` others; of fewer each product may have more parts.
Offset space_of_products(Index vectors)
{
  Offset most = 0;
  for (Index m = 1; m <= vectors; ++m)
    most = std::max(most, product_space(all_pairs(m, 1)));
  return most;
}

} // namespace

DeviceKrylovVectors::DeviceKrylovVectors(Index rows, Index steps, Apply solve, Apply subtract, double *solution,
                                         const DeviceQueue &queue)
    : queue_(queue), rows_(rows), solve_(std::move(solve)), subtract_(std::move(subtract)),
      v_(Offset(steps + 1) * rows, queue), z_(Offset(steps) * rows, queue),
      product_(krylov_projections * steps + 1, queue),
      space_(std::max(space_of_products(steps), product_space(equal_pairs(1))), queue), solution_(solution)
{
}

double DeviceKrylovVectors::begin(const double *residual)
{
  queue_dot_products(equal_pairs(1), rows_, residual, residual, rows_, space_.data(), product_.data(), queue_);
  const double norm = std::sqrt(fetch(1)[0]);
  check(launch_kernel(write_quotient, {thread_blocks(rows_, threads), threads, 0, queue_}, rows_, residual, norm, v(0)),
        "normalizing a residual");
  return norm;
}

void DeviceKrylovVectors::apply(Index j)
{
  solve_(v(j), z(j));
  subtract_(z(j), v(j + 1));
  projections_ = 0;
}

void DeviceKrylovVectors::project(Index j)
{
  const Index vectors = j + 1;
  double *const product = product_.data() + projections_ * vectors;
  queue_dot_products(all_pairs(vectors, 1), rows_, v(0), v(j + 1), rows_, space_.data(), product, queue_);
  check(launch_kernel(subtract_combination, {thread_blocks(rows_, threads), threads, 0, queue_}, rows_, vectors, v(0),
                      product, v(j + 1)),
        "projecting a vector");
  ++projections_;
}

std::vector<double> DeviceKrylovVectors::products(Index j)
{
  const Index vectors = j + 1, last = projections_ * vectors;
  queue_dot_products(equal_pairs(1), rows_, v(j + 1), v(j + 1), rows_, space_.data(), product_.data() + last, queue_);
  const std::vector<double> product = fetch(last + 1);
  std::vector<double> h(vectors + 1);
  for (Index k = 0; k < last; ++k)
    h[k % vectors] += product[k];
  h[vectors] = std::sqrt(product[last]);
  return h;
}

void DeviceKrylovVectors::divide(Index j, double norm)
{
  check(launch_kernel(write_quotient, {thread_blocks(rows_, threads), threads, 0, queue_}, rows_, v(j + 1), norm,
                      v(j + 1)),
        "normalizing a vector");
}

/// y is that of -A, so that what it stands for is subtracted.
void DeviceKrylovVectors::add(const std::vector<double> &y)
{
  const DeviceArray<double> c(y, queue_);
  check(launch_kernel(subtract_combination, {thread_blocks(rows_, threads), threads, 0, queue_}, rows_, Index(y.size()),
                      z(0), c.data(), solution_),
        "correcting a solution");
  check(cudaStreamSynchronize(queue_), "correcting a solution"); // the caller's array may end
}

std::vector<double> DeviceKrylovVectors::fetch(Index numbers)
{
  std::vector<double> on_host(numbers);
  const std::size_t bytes = on_host.size() * sizeof on_host[0];
  check(cudaMemcpyAsync(on_host.data(), product_.data(), bytes, cudaMemcpyDeviceToHost, queue_), "copying products");
  check(cudaStreamSynchronize(queue_), "multiplying vectors");
  bytes_to_host_ += Offset(bytes);
  return on_host;
}

} // namespace tessera
