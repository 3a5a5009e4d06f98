#ifndef TESSERA_CUDA_BLOCK_SOLVE_CUH
#define TESSERA_CUDA_BLOCK_SOLVE_CUH

#include "device_array.cuh"
#include "factor/views.hpp"

namespace tessera {

/// A tile that kept columns, as seen from its block row or its block column: all that a sweep needs to begin with it.
template <class T>
struct KeptTile {
  const T *value;     ///< its kept columns, one after the other
  Index other;        ///< the block at its other end
  Index row;          ///< that block's first row
  Index height;       ///< rows of the tile
  std::uint32_t mask; ///< bit c: column c of the tile is kept
};

/// What a solve reads besides the factor.
template <class T>
struct SolveView {
  Index rows, blocks;
  const Index *order;       ///< [blocks] sorted by level
  const Index *block_start; ///< [blocks + 1]
  const Offset *column_start, *row_start;
  const KeptTile<T> *by_column, *by_row;
  const double *d_inverse, *e_inverse; ///< [rows]
  const Index *perm;                   ///< [rows] caller's row of each
  const double *scale;                 ///< [rows] in the caller's order
  double *x;                           ///< [rows] work
  int *forward_done, *backward_done;   ///< [blocks] epoch of the last sweep that finished the block
  unsigned *ticket;                    ///< [2] thread blocks begun by each sweep of all solves so far
};

/// Queues the inverse of D, or of |D|, as diagonal and subdiagonal [rows] each. block_start: [blocks + 1].
void queue_pivot_inverses(const Index *block_start, Index blocks, const double *d, const double *e, bool absolute,
                          double *d_inverse, double *e_inverse, cudaStream_t stream);

/// z = S Pᵀ (UᵀDU)⁻¹ P S r, in device memory: r, z [rows] in the caller's order. epoch: 1 for the
/// first solve with the same flags and tickets, all zero then, and one more each time. Two launches without atomic
/// sums: a thread block computes a block row and waits for the blocks it depends on (synchronization-free solve, Liu et
/// al. 2016); sums have a fixed order, so that results repeat bit by bit.
template <class T>
void solve_on_device(const SolveView<T> &s, const FactorView<T> &f, const double *r, double *z, int epoch,
                     cudaStream_t stream);

} // namespace tessera
#endif
