#ifndef TESSERA_CUDA_BLOCK_SOLVER_CUH
#define TESSERA_CUDA_BLOCK_SOLVER_CUH

#include "analysis/block_structure.hpp"
#include "block_solve.cuh"

namespace tessera {

/// Solves with a block factor in device memory: lists of what it kept, in the order in which the sweeps read it.
/// Allocated once for a structure, filled after each factorization.
template <class T>
class BlockSolver {
public:
  /// scale: [rows] symmetric scale factors, in the caller's order.
  BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, cudaStream_t stream);

  /// Queues the listing of a new factor. column_pool: where the factor's column numbers lie, `columns` of them in
  /// use.
  void queue_listing(const StructureView &s, const FactorView<T> &f, const std::uint8_t *column_pool, Offset columns,
                     cudaStream_t stream);

  /// z = S Pᵀ (UᵀDU)⁻¹ P S r, or with |D|: r, z [rows] in the caller's order, in device memory.
  void queue(const StructureView &s, const FactorView<T> &f, const double *r, double *z, bool definite,
             cudaStream_t stream);

  std::int64_t bytes() const;

private:
  BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, const SolveOrder &order,
              cudaStream_t stream);

  Index rows_, blocks_, largest_ = 0; ///< largest: rows of the largest block
  Index team_;                        ///< lanes that share a block row that is not heavy
  Offset tiles_;
  DeviceArray<SolvePlace> forward_place_, backward_place_;
  DeviceArray<Index> row_order_, column_order_; ///< [tiles] of each block row and column, in the order of the sweeps
  DeviceArray<ForwardWork> forward_;            ///< [forward places]
  DeviceArray<BackwardWork<T>> backward_;       ///< [backward places]
  DeviceArray<KeptTile<T>> tile_;               ///< [tiles] as many as there are kept ones
  DeviceArray<KeptColumn> column_;              ///< [kept columns]
  DeviceArray<Offset> place_;                   ///< [tiles + 1] of tile i of the block columns in the list of kept ones
  DeviceArray<std::uint8_t> scan_memory_;
  DeviceArray<Index> perm_;                           ///< [rows] caller's row of each
  DeviceArray<double> scale_;                         ///< [rows] in the factor's order
  DeviceArray<double> d_inverse_, e_inverse_, v_, x_; ///< [rows]
  DeviceArray<double> sums_;                          ///< of parts
  DeviceArray<unsigned> ticket_;
  bool pivots_known_ = false, pivots_definite_ = false;
};

} // namespace tessera
#endif
