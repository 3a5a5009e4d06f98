#include "cuda/front/solve/residual.cuh"

#include "base/compensated_sum.hpp"
#include "base/integers.hpp"
#include "cuda/lanes/instructions.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera {
namespace {

constexpr int threads = 256;
constexpr Index most_together = 32768; ///< right-hand sides of a launch
constexpr Offset many_entries = 512;   ///< of a row from which on a thread block has it alone

constexpr int lanes = 8; ///< that share a row

/// Raises norms to the magnitudes of numbers, infinite for a NaN. Magnitudes compare as their bits do. alike: so many
/// lanes beside each other have the same numbers, a power of two. In the end each norm has a lane of its own.
template <int N>
__device__ void raise(unsigned long long *norm, const double (&x)[N], int alike)
{
  unsigned long long bits[N];
  for (int k = 0; k < N; ++k)
    bits[k] = static_cast<unsigned long long>(__double_as_longlong(isfinite(x[k]) ? fabs(x[k]) : INFINITY));
  for (int step = 16; step >= alike; step /= 2)
    for (int k = 0; k < N; ++k) {
      const unsigned long long other = __shfl_xor_sync(~0u, bits[k], step);
      bits[k] = other > bits[k] ? other : bits[k];
    }
  const int lane = int(threadIdx.x) % 32;
  unsigned long long own = bits[0];
  for (int k = 1; k < N; ++k)
    own = lane == k ? bits[k] : own;
  if (lane < N && own > norm[lane])
    atomicMax(norm + lane, own);
}

/// What a thread has of a row: one of eight lanes that share a row which is not long, or a thread of the block that has
/// a long one. The first blocks of a launch have long rows.
class ShareOfRow {
public:
  __device__ explicit ShareOfRow(const DeviceMatrix &a) : long_(Index(blockIdx.x) < a.long_rows)
  {
    const Index i = Index(((Offset(blockIdx.x) - a.long_rows) * threads + threadIdx.x) / lanes);
    row_ = long_ ? a.long_row[blockIdx.x] : i;
    if (!long_ && (i >= a.rows || a.start[i + 1] - a.start[i] >= many_entries))
      row_ = -1;
  }

  static unsigned blocks(const DeviceMatrix &a) { return a.long_rows + thread_blocks(Offset(a.rows) * lanes, threads); }

  /// -1: none.
  __device__ Index row() const { return row_; }
  /// Whether this thread is the first one of those that share the row.
  __device__ bool is_first() const { return row_ >= 0 && lane() == 0; }

  /// use(entry, load(entry)) for this thread's entries of the row, in their order.
  template <class Load, class Use>
  __device__ void for_each(const DeviceMatrix &a, const Load &load, const Use &use) const
  {
    if (long_)
      visit<16>(a, load, use);
    else
      visit<4>(a, load, use);
    __syncwarp();
  }

  /// Sum over the threads that share the row, in all of them. All threads of the block take part.
  __device__ double sum(double x) const
  {
    for (int step = long_ ? 16 : lanes / 2; step > 0; step /= 2)
      x += __shfl_xor_sync(~0u, x, step);
    if (!long_)
      return x;
    __shared__ double part[threads / 32];
    if (threadIdx.x % 32 == 0)
      part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0;
    for (double y : part)
      x += y;
    return x;
  }

  /// The same in twice the digits.
  __device__ double sum(CompensatedSum x) const
  {
    for (int step = long_ ? 16 : lanes / 2; step > 0; step /= 2)
      x.add(__shfl_xor_sync(~0u, x.sum(), step), __shfl_xor_sync(~0u, x.lost(), step));
    if (!long_)
      return x.value();
    __shared__ double2 part[threads / 32];
    if (threadIdx.x % 32 == 0)
      part[threadIdx.x / 32] = {x.sum(), x.lost()};
    __syncthreads();
    x = CompensatedSum();
    for (const double2 &y : part)
      x.add(y.x, y.y);
    return x.value();
  }

private:
  /// Together: entries that are loaded before one is used. Of a long row a thread would wait hundreds of times.
  template <int Together, class Load, class Use>
  __device__ __forceinline__ void visit(const DeviceMatrix &a, const Load &load, const Use &use) const
  {
    const Offset step = long_ ? threads : lanes, end = row_ >= 0 ? a.start[row_ + 1] : 0;
    for (Offset p = row_ >= 0 ? a.start[row_] + lane() : 0; p < end; p += Together * step) {
      decltype(load(p)) loaded[Together];
#pragma unroll
      for (int k = 0; k < Together; ++k)
        if (p + k * step < end)
          loaded[k] = load(p + k * step);
#pragma unroll
      for (int k = 0; k < Together; ++k)
        if (p + k * step < end)
          use(p + k * step, loaded[k]);
    }
  }

  __device__ int lane() const
  {
    return long_ ? int(threadIdx.x) : int(threadIdx.x) % lanes;
  }

  const bool long_;
  Index row_;
};

/// An entry, and its mirror image where one is looked at.
struct MirroredEntry {
  double x, image;
};

/// The matrix' values from the caller's, and what is found in them, added to what was. IsMirrored: whether mirror says
/// where mirror images are.
template <bool IsMirrored>
__global__ void __launch_bounds__(threads)
    copy_values(DeviceMatrix a, const std::uint32_t *source, const std::uint32_t *mirror, const double *values,
                ValueFindings *findings)
{
  let_next_launch_begin();
  const ShareOfRow share(a);
  double sum = 0;
  bool finite = true, symmetric = true;
  share.for_each(
      a,
      [&](Offset p) {
        const double x = values[source[p]];
        return MirroredEntry{x, IsMirrored ? values[mirror[p]] : x};
      },
      [&](Offset p, const MirroredEntry &entry) {
        a.value[p] = entry.x;
        finite = finite && isfinite(entry.x);
        symmetric = symmetric && (!IsMirrored || entry.x == entry.image);
        sum += fabs(entry.x);
      });
  raise(&findings->norm, {share.sum(sum)}, lanes);
  if (!finite)
    findings->not_finite.add(share.row());
  if (!symmetric)
    findings->not_symmetric.add(share.row());
}

/// The largest magnitude in the matrix with its scale factors.
__global__ void __launch_bounds__(threads)
    find_largest(DeviceMatrix a, const double *row_scale, const double *column_scale, unsigned long long *largest)
{
  const ShareOfRow share(a);
  const double row = share.row() >= 0 ? row_scale[share.row()] : 0;
  double most = 0;
  share.for_each(
      a, [&](Offset p) { return fabs(scaled(a.value[p], row, column_scale[a.column[p]])); },
      [&](Offset, double x) { most = fmax(most, x); });
  raise(largest, {most}, 1);
}

/// Of a right-hand side: see subtract_product().
enum Norm { OfResidual, OfSolution, OfRight, SingularWithin, norms_of_each };

/// r = b - A x, and the norms of r, x and b and what x tells of A, see SingularDistance, unless `norms` is null; a
/// right-hand side for each blockIdx.y.
__global__ void __launch_bounds__(threads)
    subtract_product(DeviceMatrix a, const double *b, Offset b_leading, const double *x, Offset x_leading, double *r,
                     unsigned long long *norms)
{
  const ShareOfRow share(a);
  const Index i = share.row();
  b += blockIdx.y * b_leading;
  x += blockIdx.y * x_leading;
  r += blockIdx.y * Offset(a.rows);
  CompensatedSum products;
  double magnitudes = 0;
  share.for_each(
      a,
      [&](Offset p) {
        return double2{a.value[p], x[a.column[p]]};
      },
      [&](Offset, const double2 &factors) {
        products.add_product(factors.x, factors.y);
        magnitudes += fabs(factors.x) * fabs(factors.y);
      });
  const double sum = share.sum(products);
  const double right = i >= 0 ? b[i] : 0, left = i >= 0 ? right - sum : 0;
  if (share.is_first())
    r[i] = left;
  if (!norms)
    return;
  magnitudes = share.sum(magnitudes);
  double of_row[norms_of_each];
  of_row[OfResidual] = left;
  of_row[OfSolution] = i >= 0 ? x[i] : 0;
  of_row[OfRight] = right;
  of_row[SingularWithin] = i >= 0 ? part_of_magnitudes(fabs(sum), magnitudes) : 0;
  raise(norms + norms_of_each * blockIdx.y, of_row, lanes);
}

/// root(i)² = Σ (a_ij v_j)² over j; a vector for each blockIdx.y.
__global__ void __launch_bounds__(threads) add_terms(DeviceMatrix a, const double *v, double *root)
{
  const ShareOfRow share(a);
  v += blockIdx.y * Offset(a.rows);
  double sum = 0;
  share.for_each(
      a, [&](Offset p) { return a.value[p] * v[a.column[p]]; }, [&](Offset, double x) { sum = fma(x, x, sum); });
  sum = share.sum(sum);
  if (share.is_first())
    root[blockIdx.y * Offset(a.rows) + share.row()] = sqrt(sum);
}

/// better = x + correction; a vector for each blockIdx.y.
__global__ void add_vectors(Index rows, const double *x, Offset x_leading, const double *correction, double *better)
{
  const Index i = Index(blockIdx.x) * threads + Index(threadIdx.x);
  const Offset at = blockIdx.y * Offset(rows) + i;
  if (i < rows)
    better[at] = x[blockIdx.y * x_leading + i] + correction[at];
}

double from_bits(unsigned long long bits)
{
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

std::vector<Index> long_rows(const Pattern &a)
{
  std::vector<Index> rows;
  for (Index i = 0; i < a.rows; ++i)
    if (a.start[i + 1] - a.start[i] >= many_entries)
      rows.push_back(i);
  return rows;
}

} // namespace

DeviceRefinement::DeviceRefinement(const Pattern &matrix, const std::vector<Offset> &source, const DeviceQueue &queue,
                                   const std::vector<Offset> &mirror)
    : queue_(queue), rows_(matrix.rows), start_(matrix.start, queue), source_(in_32_bits(source), queue),
      mirror_(in_32_bits(mirror), queue), column_(matrix.column, queue), long_row_(long_rows(matrix), queue),
      value_(matrix.entries(), queue), findings_(1, queue)
{
  make_room(1);
}

void DeviceRefinement::make_room(Index columns)
{
  if (largest_.size() >= norms_of_each * Offset(columns))
    return;
  residual_ = DeviceArray<double>(Offset(rows_) * columns, queue_);
  largest_ = DeviceArray<unsigned long long>(norms_of_each * Offset(columns), queue_);
}

void DeviceRefinement::make_room_for_steps(Index columns)
{
  if (better_.size() >= Offset(rows_) * columns)
    return;
  correction_ = DeviceArray<double>(Offset(rows_) * columns, queue_);
  better_ = DeviceArray<double>(Offset(rows_) * columns, queue_);
}

DeviceMatrix DeviceRefinement::matrix() const
{
  return {rows_, Index(long_row_.size()), start_.data(), column_.data(), long_row_.data(), value_.data()};
}

void DeviceRefinement::clear_findings()
{
  check(cudaMemsetAsync(findings_.data(), 0, findings_.bytes(), queue_), "clearing a norm");
}

void DeviceRefinement::queue_values(const double *values, cudaStream_t stream) const
{
  if (rows_ == 0)
    return;
  const DeviceMatrix a = matrix();
  const auto kernel = mirror_.size() > 0 ? copy_values<true> : copy_values<false>;
  check(launch_kernel(kernel, {ShareOfRow::blocks(a), threads, 0, stream}, a, source_.data(), mirror_.data(), values,
                      findings_.data()),
        "copying values");
}

void DeviceRefinement::take_scale(const std::vector<double> &row, const std::vector<double> &column)
{
  row_scale_ = DeviceArray<double>(row, queue_);
  column_scale_ = DeviceArray<double>(column, queue_);
  check(cudaStreamSynchronize(queue_), "copying scale factors to the device"); // the caller's arrays may end
}

void DeviceRefinement::queue_largest(unsigned long long *largest, cudaStream_t stream) const
{
  if (rows_ == 0)
    return;
  const DeviceMatrix a = matrix();
  check(launch_kernel(find_largest, {ShareOfRow::blocks(a), threads, 0, stream}, a, row_scale_.data(),
                      column_scale_.data(), largest),
        "finding the largest entry");
}

Index DeviceRefinement::accept(const ValueFindings &findings)
{
  norm_ = from_bits(findings.norm);
  return findings.not_finite.any() ? findings.not_finite.row() : -1;
}

void DeviceRefinement::fetch_norm()
{
  ValueFindings found{};
  check(cudaMemcpyAsync(&found, findings_.data(), sizeof found, cudaMemcpyDeviceToHost, queue_), "copying a norm");
  check(cudaStreamSynchronize(queue_), "computing a norm");
  copied_ += Offset(sizeof found);
  accept(found);
}

void DeviceRefinement::queue_residual(Index columns, const double *b, Offset b_leading, const double *x,
                                      Offset x_leading, double *r) const
{
  queue_residual(columns, b, b_leading, x, x_leading, r, nullptr);
}

void DeviceRefinement::queue_residual(Index columns, const double *b, Offset b_leading, const double *x,
                                      Offset x_leading, double *r, unsigned long long *norms) const
{
  const DeviceMatrix a = matrix();
  for (Index j = 0; j < columns; j += most_together) {
    const dim3 grid(ShareOfRow::blocks(a), std::min(most_together, columns - j));
    check(launch_kernel(subtract_product, {grid, threads, 0, queue_}, a, b + j * b_leading, b_leading,
                        x + j * x_leading, x_leading, r + Offset(j) * rows_,
                        norms ? norms + norms_of_each * j : nullptr),
          "computing a residual");
  }
}

const std::vector<MeasuredSolution> &DeviceRefinement::residual(Index columns, const double *b, Offset b_leading,
                                                                const double *x, Offset x_leading)
{
  make_room(columns);
  measured_.assign(columns, {0, -1});
  if (rows_ == 0 || columns == 0)
    return measured_;
  largest_on_host_.resize(norms_of_each * std::size_t(columns));
  const std::size_t bytes = largest_on_host_.size() * sizeof largest_on_host_[0];
  check(cudaMemsetAsync(largest_.data(), 0, bytes, queue_), "clearing norms");
  queue_residual(columns, b, b_leading, x, x_leading, residual_.data(), largest_.data());
  check(cudaMemcpyAsync(largest_on_host_.data(), largest_.data(), bytes, cudaMemcpyDeviceToHost, queue_),
        "copying norms");
  check(cudaStreamSynchronize(queue_), "computing a residual");
  copied_ += Offset(bytes);
  for (Index j = 0; j < columns; ++j) {
    const unsigned long long *norms = largest_on_host_.data() + norms_of_each * std::size_t(j);
    const double r = from_bits(norms[OfResidual]), x = from_bits(norms[OfSolution]),
                 size = norm_ * x + from_bits(norms[OfRight]);
    measured_[j].error = r == 0 ? 0 : std::isfinite(size) ? r / size : INFINITY;
    measured_[j].singular_within = x > 0 ? from_bits(norms[SingularWithin]) : -1;
  }
  return measured_;
}

void DeviceRefinement::queue_terms(Index columns, const double *v, double *root) const
{
  const DeviceMatrix a = matrix();
  for (Index j = 0; j < columns; j += most_together) {
    const dim3 grid(ShareOfRow::blocks(a), std::min(most_together, columns - j));
    check(launch_kernel(add_terms, {grid, threads, 0, queue_}, a, v + Offset(j) * rows_, root + Offset(j) * rows_),
          "adding terms");
  }
}

void DeviceRefinement::queue_sums(Index columns, const double *x, Offset x_leading)
{
  for (Index j = 0; j < columns; j += most_together) {
    const dim3 grid(thread_blocks(rows_, threads), std::min(most_together, columns - j));
    check(launch_kernel(add_vectors, {grid, threads, 0, queue_}, rows_, x + j * x_leading, x_leading,
                        correction_.data() + Offset(j) * rows_, better_.data() + Offset(j) * rows_),
          "correcting solutions");
  }
}

void DeviceRefinement::queue_copy(double *to, const double *from)
{
  check(cudaMemcpyAsync(to, from, rows_ * sizeof *to, cudaMemcpyDeviceToDevice, queue_), "keeping a solution");
}

std::int64_t DeviceRefinement::bytes() const
{
  return start_.bytes() + source_.bytes() + mirror_.bytes() + column_.bytes() + long_row_.bytes() + value_.bytes() +
         findings_.bytes() + row_scale_.bytes() + column_scale_.bytes() + largest_.bytes() + residual_.bytes() +
         correction_.bytes() + better_.bytes();
}

} // namespace tessera
