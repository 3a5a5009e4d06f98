#ifndef TESSERA_CUDA_FRONT_SOLVE_SCHUR_OF_ZEROS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_SCHUR_OF_ZEROS_CUH

#include "cuda/front/solve/dot_products.cuh"
#include "cuda/front/solve/residual.cuh"
#include "host/front/solve/schur_of_zeros.hpp"

#include <cmath>
#include <utility>

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
    for (Index k = 0; k < m_; ++k)
      forward(w_.data() + Offset(k) * n_, z_.data() + Offset(k) * n_);
    add_masses();
    SolveReport report;
    matrix_.run(m_, nothing_.data(), 0, v_.data(), n_, {0, 3}, report, solve);
    multiply();
    solve(m_, w_.data(), z_.data());
    add_products();
    add_squares();
    return std::move(schur_);
  }

  /// [m, rows] V, after run(). It is that of unit vectors where these are orthogonal to all that the factor has: where
  /// a search has rotated rows, they are not.
  const std::vector<double> &vectors() const { return v_on_host_; }
  bool has_unit_vectors() const
  {
    for (Index j = 0; j < m_; ++j)
      for (Index i = 0; i < m_; ++i)
        if (v_on_host_[Offset(j) * n_ + zeros_[i]] != (i == j))
          return false;
    return true;
  }

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

  /// W has the columns of -A, Z what the forward half makes of them: R⁻¹ of what is R J Rᵀ.
  void add_masses()
  {
    schur_.mass = squared_norms(m_, n_, z_.data(), queue_);
    std::vector<double> diagonal(m_);
    for (Index k = 0; k < m_; ++k)
      check(cudaMemcpyAsync(&diagonal[k], w_.data() + Offset(k) * n_ + zeros_[k], sizeof(double),
                            cudaMemcpyDeviceToHost, queue_),
            "copying an entry");
    check(cudaStreamSynchronize(queue_), "copying the diagonal");
    for (Index k = 0; k < m_; ++k)
      schur_.mass[k] += std::abs(diagonal[k]);
  }

  /// W = -A V, Z = G W.
  void add_products()
  {
    v_on_host_ = copy_to_host(v_, queue_);
    schur_.product = dot_products(m_, n_, v_.data(), w_.data(), queue_);
    schur_.error = dot_products(m_, n_, w_.data(), z_.data(), queue_);
    for (double &x : schur_.product)
      x = -x;
  }

  void add_squares()
  {
    matrix_.queue_terms(m_, v_.data(), z_.data());
    schur_.squares = squared_norms(m_, n_, z_.data(), queue_);
  }

  const std::vector<Index> &zeros_;
  DeviceRefinement &matrix_;
  const DeviceQueue &queue_;
  const Index n_, m_;
  const DeviceArray<double> nothing_, v_, w_, z_;
  std::vector<double> v_on_host_;
  SchurOfZeros schur_;
};

} // namespace tessera
#endif
