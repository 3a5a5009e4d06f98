#include "cuda/front/solve/border.cuh"

#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr int threads = 256;
constexpr Index most_together = 32768; ///< vectors of a launch
constexpr int combined = 16;           ///< vectors that are combined at the same time

/// x += Σ v_q c_q / λ_q with the products c: [vectors] of a right-hand side, blockIdx.y.
__global__ void __launch_bounds__(threads)
    add_vectors(Index rows, Index vectors, const double *vector, const double *product, const double *value, double *x,
                Offset x_leading)
{
  auto *const c = launch_shared<double>();
  for (Index q = threadIdx.x; q < vectors; q += threads)
    c[q] = product[blockIdx.y * Offset(vectors) + q] / value[q];
  __syncthreads();
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i >= rows)
    return;
  double *const own = x + blockIdx.y * x_leading + i;
  double sum = *own;
  for (Index q = 0; q < vectors; ++q)
    sum = fma(vector[q * Offset(rows) + i], c[q], sum);
  *own = sum;
}

/// y_q = Σ v_k c_qk, for m vectors v and coefficients c: [vectors, m]. A thread a row of `combined` vectors, those from
/// blockIdx.y on.
__global__ void __launch_bounds__(threads)
    combine_vectors(Index rows, Index m, Index vectors, const double *vector, const double *c, double *y)
{
  constexpr Index together = 64;
  __shared__ double own[together][combined];
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  const Index first = Index(blockIdx.y) * combined;
  double sum[combined] = {};
  for (Index k0 = 0; k0 < m; k0 += together) {
    __syncthreads();
    for (Index e = threadIdx.x; e < together * combined; e += threads) {
      const Index q = first + e / together, k = k0 + e % together;
      own[e % together][e / together] = q < vectors && k < m ? c[q * Offset(m) + k] : 0;
    }
    __syncthreads();
    if (i < rows)
      for (Index k = 0; k < min(together, m - k0); ++k) {
        const double v = vector[(k0 + k) * Offset(rows) + i];
        for (int q = 0; q < combined; ++q)
          sum[q] = fma(v, own[k][q], sum[q]);
      }
  }
  for (int q = 0; q < combined; ++q)
    if (i < rows && first + q < vectors)
      y[(first + q) * Offset(rows) + i] = sum[q];
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
__global__ void __launch_bounds__(threads) write_to_rows(Index left_out, Index vectors, const double *product,
                                                         const double *value, const Index *row, double *y)
{
  for (Index q = threadIdx.x; q < left_out; q += threads)
    y[row[q]] = q < vectors ? product[q] / value[q] : 0;
}

} // namespace

Border::Border(const std::vector<Index> &row, const LeftOutVectors &right, const LeftOutVectors &left,
               const MeasuredZeros &measured, Index rows, const DeviceQueue &queue)
    : queue_(queue), rows_(rows), is_symmetric_(&right == &left), row_(row, queue), value_(measured.value, queue),
      determinant_(measured.determinant)
{
  const Index m = Index(row.size());
  const auto take = [&](DeviceArray<double> &to, const LeftOutVectors &from, const std::vector<double> &c) {
    const DeviceArray<double> coefficients(c, queue_);
    to = DeviceArray<double>(Offset(vectors()) * rows_, queue_);
    const dim3 grid(thread_blocks(rows_, threads), thread_blocks(vectors(), combined));
    check(launch_kernel(combine_vectors, {grid, threads, 0, queue_}, rows_, m, vectors(), from.vectors(),
                        coefficients.data(), to.data()),
          "combining rows left out");
  };
  take(vector_[0], right, measured.right);
  if (!is_symmetric_)
    take(vector_[1], left, measured.left);
  // This waits for the device, as the caller's arrays may end.
  const std::vector<double> each = copy_to_host(squares(), queue_);
  is_finite_ = std::all_of(each.begin(), each.end(), [](double x) { return std::isfinite(x); });
}

DeviceArray<double> Border::squares() const
{
  const VectorPairs own = equal_pairs(vectors());
  const DeviceArray<double2> space(product_space(own), queue_);
  DeviceArray<double> squares((is_symmetric_ ? 1 : 2) * own.count(), queue_);
  queue_dot_products(own, rows_, right(), right(), rows_, space.data(), squares.data(), queue_);
  if (!is_symmetric_)
    queue_dot_products(own, rows_, left(), left(), rows_, space.data(), squares.data() + own.count(), queue_);
  return squares;
}

void Border::queue_products(const double *v, Index columns, const double *b, Offset b_leading)
{
  const VectorPairs pairs = all_pairs(vectors(), columns);
  if (product_.size() < pairs.size()) {
    product_ = DeviceArray<double>(pairs.size(), queue_);
    space_ = DeviceArray<double2>(product_space(pairs), queue_);
  }
  queue_dot_products(pairs, rows_, v, b, b_leading, space_.data(), product_.data(), queue_);
}

void Border::queue(bool transposed, Index columns, const double *b, Offset b_leading, double *x, Offset x_leading)
{
  const unsigned blocks = thread_blocks(rows_, threads);
  for (Index j = 0; j < columns; j += most_together) {
    const Index together = std::min(most_together, columns - j);
    queue_products(transposed ? right() : left(), together, b + j * b_leading, b_leading);
    check(launch_kernel(add_vectors, {dim3(blocks, unsigned(together)), threads, vectors() * sizeof(double), queue_},
                        rows_, vectors(), transposed ? left() : right(), product_.data(), value_.data(),
                        x + j * x_leading, x_leading),
          "adding rows left out");
  }
}

void Border::queue_forward(const double *b, double *y)
{
  queue_products(right(), 1, b, rows_);
  check(launch_kernel(write_to_rows, {1, threads, 0, queue_}, Index(row_.size()), vectors(), product_.data(),
                      value_.data(), row_.data(), y),
        "writing to rows left out");
}

const double *Border::queue_without_rows(const double *y)
{
  if (without_.size() == 0)
    without_ = DeviceArray<double>(rows_, queue_);
  check(cudaMemcpyAsync(without_.data(), y, without_.bytes(), cudaMemcpyDeviceToDevice, queue_), "copying a vector");
  check(launch_kernel(write_to_rows, {1, threads, 0, queue_}, Index(row_.size()), Index(0), product_.data(),
                      value_.data(), row_.data(), without_.data()),
        "clearing rows left out");
  return without_.data();
}

void Border::queue_backward(const double *y, double *x)
{
  check(launch_kernel(add_from_rows, {thread_blocks(rows_, threads), threads, 0, queue_}, rows_, vectors(), right(),
                      row_.data(), y, x),
        "adding rows left out");
}

std::int64_t Border::bytes() const
{
  return row_.bytes() + value_.bytes() + vector_[0].bytes() + vector_[1].bytes() + product_.bytes() + space_.bytes() +
         without_.bytes();
}

} // namespace tessera
