#include "cuda/front/solve/border.cuh"

#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>

namespace tessera {
namespace {

constexpr int threads = 256, parts = 64; ///< parts: of a product, one for each thread block
constexpr Index most_together = 32768;   ///< vectors of a launch

/// The sum of what the threads of a block have, in the order of a tree, in all of them.
__device__ double sum_of_block(double x)
{
  __shared__ double all[threads];
  all[threadIdx.x] = x;
  for (int n = threads / 2; n > 0; n /= 2) {
    __syncthreads();
    if (int(threadIdx.x) < n)
      all[threadIdx.x] += all[threadIdx.x + n];
  }
  __syncthreads();
  return all[0];
}

/// Parts of v_qᵀ b: a thread block for each part of each q; a right-hand side for each blockIdx.y. part: [right-hand
/// sides, vectors, parts].
__global__ void __launch_bounds__(threads)
    multiply_parts(Index rows, const double *vector, const double *b, Offset b_leading, double *part)
{
  const unsigned q = blockIdx.x / parts, own_part = blockIdx.x % parts;
  const double *const v = vector + q * Offset(rows), *const own = b + blockIdx.y * b_leading;
  double sum = 0;
  for (Offset i = Offset(own_part) * threads + threadIdx.x; i < rows; i += parts * threads)
    sum = fma(v[i], own[i], sum);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0)
    part[Offset(blockIdx.y) * gridDim.x + blockIdx.x] = sum;
}

/// v_qᵀ b / λ_q from its parts.
__device__ double coefficient(const double *part, Index q, const double *eigenvalue)
{
  double sum = 0;
  for (int k = 0; k < parts; ++k)
    sum += part[q * parts + k];
  return sum / eigenvalue[q];
}

/// x += Σ v_q c_q with the coefficients c: [vectors] of a right-hand side, blockIdx.y, from their parts.
__global__ void __launch_bounds__(threads)
    add_vectors(Index rows, Index vectors, const double *vector, const double *part, const double *eigenvalue,
                double *x, Offset x_leading)
{
  auto *const c = launch_shared<double>();
  for (Index q = threadIdx.x; q < vectors; q += threads)
    c[q] = coefficient(part + blockIdx.y * Offset(vectors) * parts, q, eigenvalue);
  __syncthreads();
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i >= rows)
    return;
  double sum = x[blockIdx.y * x_leading + i];
  for (Index q = 0; q < vectors; ++q)
    sum = fma(vector[q * Offset(rows) + i], c[q], sum);
  x[blockIdx.y * x_leading + i] = sum;
}

/// x += Σ v_q y_q.
__global__ void __launch_bounds__(threads)
    add_from_rows(Index rows, Index vectors, const double *vector, const Index *row, const double *y, double *x)
{
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i >= rows)
    return;
  double sum = x[i];
  for (Index q = 0; q < vectors; ++q)
    sum = fma(vector[q * Offset(rows) + i], y[row[q]], sum);
  x[i] = sum;
}

/// The coefficients to the rows left out, 0 to those that have none.
__global__ void __launch_bounds__(threads) write_to_rows(Index left_out, Index vectors, const double *part,
                                                         const double *eigenvalue, const Index *row, double *y)
{
  for (Index q = threadIdx.x; q < left_out; q += threads)
    y[row[q]] = q < vectors ? coefficient(part, q, eigenvalue) : 0;
}

} // namespace

Border::Border(const std::vector<Index> &row, const std::vector<double> &vector, const std::vector<double> &eigenvalue,
               const ScaledProduct &determinant, Index rows, const DeviceQueue &queue)
    : queue_(queue), rows_(rows), row_(row, queue), vector_(vector, queue), eigenvalue_(eigenvalue, queue),
      determinant_(determinant)
{
  check(cudaStreamSynchronize(queue), "copying rows left out to the device"); // the caller's arrays may end
}

void Border::make_room(Index columns)
{
  const Offset needed = Offset(columns) * vectors() * parts;
  if (part_.size() < needed)
    part_ = DeviceArray<double>(needed, queue_);
}

void Border::queue(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading)
{
  const unsigned blocks = thread_blocks(rows_, threads);
  for (Index j = 0; j < columns; j += most_together) {
    const auto together = unsigned(std::min(most_together, columns - j));
    make_room(Index(together));
    check(launch_kernel(multiply_parts, {dim3(parts * unsigned(vectors()), together), threads, 0, queue_}, rows_,
                        vector_.data(), b + j * b_leading, b_leading, part_.data()),
          "multiplying by rows left out");
    check(launch_kernel(add_vectors, {dim3(blocks, together), threads, vectors() * sizeof(double), queue_}, rows_,
                        vectors(), vector_.data(), part_.data(), eigenvalue_.data(), x + j * x_leading, x_leading),
          "adding rows left out");
  }
}

void Border::queue_forward(const double *b, double *y)
{
  make_room(1);
  check(launch_kernel(multiply_parts, {parts * unsigned(vectors()), threads, 0, queue_}, rows_, vector_.data(), b,
                      Offset(rows_), part_.data()),
        "multiplying by rows left out");
  check(launch_kernel(write_to_rows, {1, threads, 0, queue_}, Index(row_.size()), vectors(), part_.data(),
                      eigenvalue_.data(), row_.data(), y),
        "writing to rows left out");
}

const double *Border::queue_without_rows(const double *y)
{
  if (without_.size() == 0)
    without_ = DeviceArray<double>(rows_, queue_);
  check(cudaMemcpyAsync(without_.data(), y, without_.bytes(), cudaMemcpyDeviceToDevice, queue_), "copying a vector");
  check(launch_kernel(write_to_rows, {1, threads, 0, queue_}, Index(row_.size()), Index(0), part_.data(),
                      eigenvalue_.data(), row_.data(), without_.data()),
        "clearing rows left out");
  return without_.data();
}

void Border::queue_backward(const double *y, double *x)
{
  check(launch_kernel(add_from_rows, {thread_blocks(rows_, threads), threads, 0, queue_}, rows_, vectors(),
                      vector_.data(), row_.data(), y, x),
        "adding rows left out");
}

std::int64_t Border::bytes() const
{
  return row_.bytes() + vector_.bytes() + eigenvalue_.bytes() + part_.bytes() + without_.bytes();
}

} // namespace tessera
