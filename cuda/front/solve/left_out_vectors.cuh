#ifndef TESSERA_CUDA_FRONT_SOLVE_LEFT_OUT_VECTORS_CUH
#define TESSERA_CUDA_FRONT_SOLVE_LEFT_OUT_VECTORS_CUH

#include "cuda/front/solve/dot_products.cuh"
#include "cuda/front/solve/residual.cuh"
#include "host/front/solve/schur_of_zeros.hpp"

#include <functional>

namespace tessera {

/// Queues X = G B, with the solve G of a factor that some rows and columns are left out of, see SchurOfZeros, for
/// vectors that lie one behind the other in device memory, b apart from x.
using SolveWithout = std::function<void(Index columns, const double *b, double *x)>;

/// Vectors that are orthogonal by A to all that such a factor has, in the order and scale of the caller's matrix: V of
/// SchurOfZeros, and U where A is the transpose of the matrix.
class LeftOutVectors {
public:
  /// line: [m] the caller's columns that are left out. matrix: A. beside: [rows] a right-hand side in device memory
  /// that is solved for beside the others, or null. Begins with unit vectors. Takes 2 vectors for each, and one of
  /// both.
  LeftOutVectors(const std::vector<Index> &line, const DeviceRefinement &matrix, const double *beside,
                 const DeviceQueue &queue);

  /// Queues V = Q - G A Q, and G b for the right-hand side beside.
  void find(const SolveWithout &solve);
  /// Queues a step of refinement for V, and their product then.
  void refine(const SolveWithout &solve);
  /// Queues product().
  void multiply();

  Index size() const { return m_; }
  const double *vectors() const { return v_.data(); } ///< [m, rows]
  const double *product() const { return r_.data(); } ///< [m, rows] -A V, as of multiply()
  const double *solution_beside() const { return v_.data() + Offset(m_) * n_; }

  /// Queues a copy of the entries of vectors x: [m, rows] in the columns left out: [m, m], in column k those of the
  /// k-th.
  void queue_entries(const double *x, double *entry) const;

private:
  void add_unit_vectors();

  const DeviceRefinement &matrix_;
  const DeviceQueue &queue_;
  const Index n_, m_;
  const bool has_beside_;
  const DeviceArray<Index> line_;
  const DeviceArray<double> nothing_, v_, r_;
};

/// The measurement of their Schur complement, which is queued, and fetched at its end.
class SchurMeasurement {
public:
  /// right, left: V and U; of a symmetric matrix the same. matrix: A. The product of V has to be up to date where it is
  /// taken, that of U becomes so where it is needed.
  SchurMeasurement(const LeftOutVectors &right, LeftOutVectors &left, const DeviceRefinement &matrix,
                   const DeviceQueue &queue);

  /// Of a symmetric matrix: queues the masses of the pivots, while the vectors are found. half: [m, rows] what the
  /// forward half of G makes of their products by A as they begin, R⁻¹ of what is R J Rᵀ.
  void queue_masses(const double *half);
  /// Queues all else that decides whether something is zero, when the vectors are found. by: [rows] what the solution
  /// beside V is multiplied by.
  void queue_schur(const double *by);

  /// Waits for the device.
  void fetch();

  /// Without errors, and of a symmetric matrix with squares of the diagonal only. Masses are 0 unless they were
  /// measured.
  SchurOfZeros schur() const;
  /// Adds what tells whether rounding and errors explain zeros, which takes another solve. Waits for the device.
  void complete(SchurOfZeros &schur, const SolveWithout &solve);
  Offset bytes_to_host() const { return bytes_to_host_; } ///< of all that was fetched
  double growth() const { return numbers(Growth)[0]; }    ///< the product of the solution beside
  /// Whether those of V are unit vectors in the columns left out. They are not where a search has rotated rows, so that
  /// what is left out is no row of the matrix.
  bool has_unit_vectors() const;

private:
  enum Number { Product, Squares, Entries, UnitEntries, Masses, Growth, end }; ///< [m, m], [m], [1]

  bool is_symmetric() const { return &right_ == &left_; }
  Offset size(Number which) const;
  Offset begin(Number which) const;
  double *on_device(Number which) const { return measured_.data() + begin(which); }
  std::vector<double> numbers(Number which) const;

  void queue_squares(const VectorPairs &pairs, double *squares) const;

  const LeftOutVectors &right_;
  LeftOutVectors &left_;
  const DeviceRefinement &matrix_;
  const DeviceQueue &queue_;
  const Index m_, n_;
  const VectorPairs pairs_;
  const DeviceArray<double> root_; ///< [m, rows] of terms, and work space
  const DeviceArray<double2> space_;
  const DeviceArray<double> measured_; ///< numbers one behind the other
  std::vector<double> on_host_;
  Offset bytes_to_host_ = 0;
};

} // namespace tessera
#endif
