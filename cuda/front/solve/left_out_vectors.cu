#include "cuda/front/solve/left_out_vectors.cuh"

#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr int threads = 256;

/// Adds the unit vector of line k to vector k, for all m of them.
__global__ void __launch_bounds__(threads) add_entries_of_one(Index m, Index n, const Index *line, double *v)
{
  const Index k = Index(blockIdx.x) * threads + Index(threadIdx.x);
  if (k < m)
    v[Offset(k) * n + line[k]] += 1;
}

/// v += z.
__global__ void __launch_bounds__(threads) add_correction(Offset size, const double *z, double *v)
{
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i < size)
    v[i] += z[i];
}

/// entry: [m, m] those of m vectors in the lines.
__global__ void __launch_bounds__(threads)
    gather_lines(Index m, Index n, const Index *line, const double *x, double *entry)
{
  const Index at = Index(blockIdx.x) * threads + Index(threadIdx.x);
  if (at < m * m)
    entry[at] = x[Offset(at / m) * n + line[at % m]];
}

} // namespace

LeftOutVectors::LeftOutVectors(const std::vector<Index> &line, const DeviceRefinement &matrix, const double *beside,
                               const DeviceQueue &queue)
    : matrix_(matrix), queue_(queue), n_(matrix.rows()), m_(Index(line.size())), has_beside_(beside),
      line_(line, queue), nothing_(n_, queue), v_(Offset(m_ + has_beside_) * n_, queue),
      r_(Offset(m_ + has_beside_) * n_, queue)
{
  for (const DeviceArray<double> *zero : {&nothing_, &v_})
    check(cudaMemsetAsync(zero->data(), 0, zero->bytes(), queue_), "clearing vectors");
  add_unit_vectors();
  multiply();
  if (beside)
    check(cudaMemcpyAsync(r_.data() + Offset(m_) * n_, beside, nothing_.bytes(), cudaMemcpyDeviceToDevice, queue_),
          "copying a right-hand side");
}

void LeftOutVectors::multiply()
{
  matrix_.queue_residual(m_, nothing_.data(), 0, v_.data(), n_, r_.data());
}

void LeftOutVectors::add_unit_vectors()
{
  check(launch_kernel(add_entries_of_one, {thread_blocks(m_, threads), threads, 0, queue_}, m_, n_, line_.data(),
                      v_.data()),
        "adding unit vectors");
}

void LeftOutVectors::find(const SolveWithout &solve)
{
  solve(m_ + has_beside_, r_.data(), v_.data());
  add_unit_vectors();
}

void LeftOutVectors::refine(const SolveWithout &solve)
{
  multiply();
  const DeviceArray<double> z(Offset(m_) * n_, queue_);
  solve(m_, r_.data(), z.data());
  check(launch_kernel(add_correction, {thread_blocks(z.size(), threads), threads, 0, queue_}, z.size(), z.data(),
                      v_.data()),
        "correcting vectors");
  multiply();
}

void LeftOutVectors::queue_entries(const double *x, double *entry) const
{
  check(launch_kernel(gather_lines, {thread_blocks(Offset(m_) * m_, threads), threads, 0, queue_}, m_, n_, line_.data(),
                      x, entry),
        "gathering entries");
}

SchurMeasurement::SchurMeasurement(const LeftOutVectors &right, LeftOutVectors &left, const DeviceRefinement &matrix,
                                   const DeviceQueue &queue)
    : right_(right), left_(left), matrix_(matrix), queue_(queue), m_(right.size()), n_(matrix.rows()),
      pairs_(is_symmetric() ? symmetric_pairs(m_) : all_pairs(m_, m_)), root_(Offset(m_) * n_, queue),
      space_(std::max(product_space(pairs_), product_space(equal_pairs(m_))), queue), measured_(begin(end), queue)
{
  check(cudaMemsetAsync(measured_.data(), 0, measured_.bytes(), queue_), "clearing numbers");
}

Offset SchurMeasurement::size(Number which) const
{
  const bool of_each = which == Masses || (which == Squares && is_symmetric());
  return which == Growth ? 1 : of_each ? m_ : Offset(m_) * m_;
}

Offset SchurMeasurement::begin(Number which) const
{
  Offset sum = 0;
  for (int before = 0; before < which; ++before)
    sum += size(Number(before));
  return sum;
}

std::vector<double> SchurMeasurement::numbers(Number which) const
{
  return {on_host_.begin() + begin(which), on_host_.begin() + begin(which) + size(which)};
}

void SchurMeasurement::queue_masses(const double *half)
{
  right_.queue_entries(right_.product(), on_device(UnitEntries));
  queue_dot_products(equal_pairs(m_), n_, half, half, n_, space_.data(), on_device(Masses), queue_);
}

void SchurMeasurement::queue_schur(const double *by)
{
  queue_dot_products(equal_pairs(1), n_, by, right_.solution_beside(), n_, space_.data(), on_device(Growth), queue_);
  right_.queue_entries(right_.vectors(), on_device(Entries));
  queue_dot_products(pairs_, n_, left_.vectors(), right_.product(), n_, space_.data(), on_device(Product), queue_);
  queue_squares(is_symmetric() ? equal_pairs(m_) : pairs_, on_device(Squares));
}

void SchurMeasurement::queue_squares(const VectorPairs &pairs, double *squares) const
{
  matrix_.queue_terms(m_, right_.vectors(), root_.data());
  queue_sums_of_squares(pairs, n_, left_.vectors(), root_.data(), n_, space_.data(), squares, queue_);
}

void SchurMeasurement::fetch()
{
  on_host_ = copy_to_host(measured_, queue_);
  bytes_to_host_ += measured_.bytes();
}

SchurOfZeros SchurMeasurement::schur() const
{
  SchurOfZeros schur(m_);
  schur.error.clear(); // until complete()
  schur.product = numbers(Product);
  for (double &x : schur.product)
    x = -x;
  const std::vector<double> squares = numbers(Squares), mass = numbers(Masses), entry = numbers(UnitEntries);
  for (Index k = 0; k < m_; ++k) {
    const Offset diagonal = Offset(k) * (m_ + 1);
    if (is_symmetric())
      schur.squares[diagonal] = squares[k];
    schur.row_root[k] = schur.column_root[k] = std::sqrt(mass[k] + std::abs(entry[diagonal]));
  }
  if (!is_symmetric())
    schur.squares = squares;
  return schur;
}

void SchurMeasurement::complete(SchurOfZeros &schur, const SolveWithout &solve)
{
  const Offset all = Offset(m_) * m_;
  const DeviceArray<double> numbers((is_symmetric() ? 2 : 1) * all, queue_);
  if (is_symmetric())
    queue_squares(pairs_, numbers.data() + all);
  else
    left_.multiply();
  solve(m_, right_.product(), root_.data());
  queue_dot_products(pairs_, n_, left_.product(), root_.data(), n_, space_.data(), numbers.data(), queue_);
  const std::vector<double> on_host = copy_to_host(numbers, queue_);
  bytes_to_host_ += numbers.bytes();
  schur.error.assign(on_host.begin(), on_host.begin() + all);
  if (is_symmetric())
    schur.squares.assign(on_host.begin() + all, on_host.end());
}

bool SchurMeasurement::has_unit_vectors() const
{
  const std::vector<double> entry = numbers(Entries);
  for (Offset k = 0; k < Offset(entry.size()); ++k)
    if (entry[k] != (k / m_ == k % m_))
      return false;
  return true;
}

} // namespace tessera
