#ifndef TESSERA_CUDA_SOLVE_BLOCK_SOLVE_CUH
#define TESSERA_CUDA_SOLVE_BLOCK_SOLVE_CUH

#include "cuda/runtime/device_array.cuh"
#include "cuda/solve/row_list.cuh"
#include "factor/bildlt/views.hpp"

namespace tessera {

/// A tile that kept columns, as seen from its block column.
template <class T>
struct alignas(16) KeptTile {
  std::uint64_t values; ///< address of its kept columns, one after the other, times 64 (addresses have 57 bits at
                        ///< most); plus its height less 1
  Index row;            ///< of the solution, that its first row meets
  std::uint32_t mask;   ///< bit c: column c of the tile is kept

  __device__ static KeptTile of(const T *value, Index height, Index row, std::uint32_t mask)
  {
    return {reinterpret_cast<std::uint64_t>(value) << 6 | std::uint64_t(height - 1), row, mask};
  }
  __device__ const T *value() const { return reinterpret_cast<const T *>(values >> 6); }
  __device__ Index height() const { return mask ? Index(values & 63) + 1 : 0; }
};

/// A kept column, as seen from its block row.
struct alignas(8) KeptColumn {
  Index target; ///< row of the solution that it meets
  Index place;  ///< among the kept columns of the block row
};

/// A place in the order of the forward sweep: all that it takes to begin with it.
struct alignas(16) ForwardWork {
  const double *inverse; ///< L⁻¹ P, [rows x rows]; of a bundle: in the list of its rows
  Offset first;          ///< in the list of kept tiles: of the block column, or of the part; or in the list of rows;
                         ///< or among the blocks that share a warp
  Index count;           ///< kept tiles of the block column, or of the part
  Index row;             ///< of the solution, the first of the block
  Index sums;            ///< where the sums of the parts of the block begin, or where that of the part does
  std::uint8_t rows;     ///< of the block or bundle; 0 in a place that is there to fill up a ticket
  Work work;
};

/// A place in the order of the backward sweep.
template <class T>
struct alignas(16) BackwardWork {
  const double *inverse; ///< L⁻¹ P, [rows x rows]; of a bundle: in the list of its rows
  Offset first;          ///< in the list of kept columns: of the block row, or of the part; or in the list of rows
  const T *value;        ///< kept columns of the block row, one after the other
  Index count;           ///< kept columns of the block row, or of the part
  Index row;             ///< of the solution, the first of the block
  Index sums;            ///< as in ForwardWork
  std::uint8_t rows;     ///< likewise
  Work work;
};

/// What a solve reads and writes. Its rows are in the order of the levels: those that are computed at the same time lie
/// together.
template <class T>
struct SolveView {
  Index forward_most, backward_most;               ///< tickets that thread blocks can take in a sweep
  const Index *forward_tickets, *backward_tickets; ///< those that are there
  const ForwardWork *forward;                      ///< [forward tickets][ticket_places] in the order of the levels
  const BackwardWork<T> *backward;                 ///< [backward tickets][ticket_places] in the opposite order
  const ForwardWork *forward_shared;               ///< of blocks that share a warp
  const BackwardWork<T> *backward_shared;
  RowListView<T> forward_rows, backward_rows; ///< of bundles
  const std::uint8_t *shape;                  ///< [rows] place in its block, and 16 times the rows of the block
  const KeptTile<T> *tiles;            ///< of each block column, in the order in which the block rows are computed
  const KeptColumn *columns;           ///< of each block row, in the opposite order
  const double *d_inverse, *e_inverse; ///< [rows] inverse of D: diagonal and subdiagonal
  const Index *perm;                   ///< [rows] caller's row of each
  const double *scale;                 ///< [rows]
  double *v, *x, *sums;                ///< [rows], [rows], of parts: all bits set before the first solve and after each
  unsigned *ticket;                    ///< [2] zero before the first solve
};

/// Queues the inverse of D, or of |D|, as diagonal and subdiagonal [rows] each. block_start: [blocks + 1] rows of each
/// block in d and e; solve_row: [blocks] the first of each in the inverses.
void queue_pivot_inverses(const Index *block_start, const Index *solve_row, Index blocks, const double *d,
                          const double *e, bool absolute, double *d_inverse, double *e_inverse, cudaStream_t stream);

/// z = S Pᵀ (UᵀDU)⁻¹ P S r, in device memory: r, z [rows] in the caller's order. largest: rows of the largest block.
/// in_bundles: light blocks are (largest at most 8 then).
///
/// Two launches, without flags and without atomic sums (synchronization-free solve, Liu et al. 2016): an entry of the
/// solution that is not known yet has all bits set, which no computed value has, and who needs it reads until it is
/// there. Sums have a fixed order, so that results repeat bit by bit.
template <class T>
void queue_solve(const SolveView<T> &s, bool in_bundles, Index largest, const double *r, double *z,
                 cudaStream_t stream);

} // namespace tessera
#endif
