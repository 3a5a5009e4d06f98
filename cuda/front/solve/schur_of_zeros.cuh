#ifndef TESSERA_CUDA_FRONT_SOLVE_SCHUR_OF_ZEROS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_SCHUR_OF_ZEROS_CUH

#include "cuda/front/solve/dot_products.cuh"
#include "cuda/front/solve/residual.cuh"
#include "host/front/solve/schur_of_zeros.hpp"

#include <numeric>

namespace tessera {

/// Computes the Schur complement of rows with zero pivots, in the order and scale of the caller's matrix. V is refined
/// until that no longer helps, three times at most.
///
/// solve(columns, b, x): queues X = G B for vectors that are matrix.rows() apart, in device memory, b apart from x;
/// forward(b, y): the forward half of that for one, see SolveHalves.
class SchurComplement {
public:
  /// zeros: the caller's rows. Takes 3 vectors for each of them, as `matrix` does.
  SchurComplement(const std::vector<Index> &zeros, DeviceRefinement &matrix, const DeviceQueue &queue)
      : zeros_(zeros), matrix_(matrix), queue_(queue), n_(matrix.rows()), m_(Index(zeros.size())), nothing_(n_, queue),
        v_(Offset(m_) * n_, queue), w_(Offset(m_) * n_, queue), z_(Offset(m_) * n_, queue), schur_(zeros.size())
  {
  }

  template <class Solve, class Forward>
  SchurOfZeros run(const Solve &solve, const Forward &forward)
  {
    make_unit_vectors();
    multiply();
    for (Index k = 0; k < m_; ++k) {
      forward(w_.data() + Offset(k) * n_, z_.data());
      add_mass(k);
    }
    SolveReport report;
    matrix_.run(m_, nothing_.data(), 0, v_.data(), n_, {0, 3}, report, solve);
    multiply();
    solve(m_, w_.data(), z_.data());
    add_products();
    add_squares();
    return std::move(schur_);
  }

  /// [m, rows] V, after run(). It is that of unit vectors where these are orthogonal to all that the factor has: where a
  /// search has rotated rows, they are not.
  const std::vector<double> &vectors() const { return v_on_host_; }
  bool has_unit_vectors() const
  {
    for (Index j = 0; j < m_; ++j)
      for (Index i = 0; i < m_; ++i)
        if (v_on_host_[Offset(j) * n_ + zeros_[i]] != (i == j))
          return false;
    return true;
  }

  /// Bytes that were copied to the host.
  Offset copied() const { return copied_; }

private:
  void make_unit_vectors()
  {
    const double one = 1;
    for (const DeviceArray<double> *zero : {&nothing_, &v_})
      check(cudaMemsetAsync(zero->data(), 0, zero->bytes(), queue_), "clearing vectors");
    for (Index k = 0; k < m_; ++k)
      check(cudaMemcpyAsync(v_.data() + Offset(k) * n_ + zeros_[k], &one, sizeof one, cudaMemcpyHostToDevice, queue_),
            "making unit vectors");
  }

  /// W = -A V.
  void multiply()
  {
    matrix_.residual(m_, nothing_.data(), 0, v_.data(), n_);
    check(cudaMemcpyAsync(w_.data(), matrix_.last_residual(), w_.bytes(), cudaMemcpyDeviceToDevice, queue_),
          "keeping products");
  }

  /// Of the k-th pivot: W has its column of A there, Z what the forward half makes of it, R⁻¹ of what is R J Rᵀ.
  void add_mass(Index k)
  {
    double diagonal = 0;
    check(cudaMemcpyAsync(&diagonal, w_.data() + Offset(k) * n_ + zeros_[k], sizeof diagonal, cudaMemcpyDeviceToHost,
                          queue_),
          "copying an entry");
    const std::vector<double> y = fetch(z_.data(), n_);
    schur_.mass[k] = std::inner_product(y.begin(), y.end(), y.begin(), std::abs(diagonal));
  }

  /// W = -A V, Z = G W.
  void add_products()
  {
    v_on_host_ = fetch(v_.data(), v_.size());
    schur_.product = dot_products(m_, n_, v_.data(), w_.data(), queue_);
    schur_.error = dot_products(m_, n_, w_.data(), z_.data(), queue_);
    for (double &x : schur_.product)
      x = -x;
  }

  void add_squares()
  {
    matrix_.queue_squares(m_, v_.data(), z_.data());
    const std::vector<double> squares = fetch(z_.data(), z_.size());
    for (Index k = 0; k < m_; ++k)
      schur_.squares[k] =
          std::accumulate(squares.begin() + Offset(k) * n_, squares.begin() + Offset(k + 1) * n_, 0.0);
  }

  std::vector<double> fetch(const double *from, Offset n)
  {
    std::vector<double> copy(n);
    check(cudaMemcpyAsync(copy.data(), from, n * sizeof *from, cudaMemcpyDeviceToHost, queue_), "copying to the host");
    check(cudaStreamSynchronize(queue_), "copying to the host");
    copied_ += n * Offset(sizeof *from);
    return copy;
  }

  const std::vector<Index> &zeros_;
  DeviceRefinement &matrix_;
  const DeviceQueue &queue_;
  const Index n_, m_;
  const DeviceArray<double> nothing_, v_, w_, z_;
  std::vector<double> v_on_host_;
  SchurOfZeros schur_;
  Offset copied_ = 0;
};

} // namespace tessera
#endif
