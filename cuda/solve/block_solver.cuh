#ifndef TESSERA_CUDA_SOLVE_BLOCK_SOLVER_CUH
#define TESSERA_CUDA_SOLVE_BLOCK_SOLVER_CUH

#include "analysis/tiles/block_structure.hpp"
#include "cuda/runtime/recorded_launches.cuh"
#include "cuda/runtime/side_streams.cuh"
#include "cuda/solve/block_solve.cuh"

#include <array>

namespace tessera {

/// What a sweep hands out, in device memory. Place: ForwardWork or BackwardWork.
template <class Place>
struct SweepList {
  Index tickets; ///< if all parts have something to do
  DeviceArray<SolvePlace> place;
  DeviceArray<Index> start; ///< [tickets + 1] of each in `work`, which leaves out those that have nothing to do
  DeviceArray<Place> work;
  DeviceArray<SharedWarp> shared;
  DeviceArray<Place> shared_work; ///< of the blocks that share warps
  DeviceArray<std::uint8_t> scan_memory;

  SweepList(const SolvePlaces &all, const DeviceQueue &queue)
      : tickets(Index(all.place.size()) / ticket_places), place(all.place, queue), start(tickets + 1, queue),
        work(Offset(all.place.size()), queue), shared(all.shared, queue),
        shared_work(Offset(all.shared.size()) * blocks_in_warp, queue)
  {
  }

  /// Tickets that have something to do, in device memory.
  const Index *live() const { return start.data() + tickets; }
  std::int64_t bytes() const
  {
    return place.bytes() + start.bytes() + work.bytes() + shared.bytes() + shared_work.bytes() + scan_memory.bytes();
  }
};

/// Solves with a block factor in device memory: lists of what it kept, in the order in which the sweeps read it.
/// Allocated once for a structure, filled after each factorization.
template <class T>
class BlockSolver {
public:
  /// scale: [rows] symmetric scale factors, in the caller's order.
  BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, const DeviceQueue &queue);

  /// Queues the listing of a new factor. column_pool: where the factor's column numbers lie, `columns` of them in
  /// use.
  void queue_listing(const StructureView &s, const FactorView<T> &f, const std::uint8_t *column_pool, Offset columns,
                     const DeviceQueue &stream);

  /// z = S Pᵀ (UᵀDU)⁻¹ P S r, or with |D|: r, z [rows] in the caller's order, in device memory.
  void queue(const StructureView &s, const FactorView<T> &f, const double *r, double *z, bool definite,
             cudaStream_t stream);

  std::int64_t bytes() const;

private:
  BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, const SolveOrder &order,
              const DeviceQueue &queue);

  /// What is given to the launches of a listing, or goes into the lists, and may be another one the next time.
  using ListKey = std::array<const void *, 11>;

  void queue_lists(const StructureView &s, const FactorView<T> &f, const std::uint8_t *column_pool,
                   cudaStream_t stream);
  void forget_solution(cudaStream_t stream);

  Index rows_, blocks_, bundles_, largest_ = 0; ///< largest: rows of the largest block
  bool in_bundles_;                             ///< as in SolveOrder
  Offset tiles_;
  SweepList<ForwardWork> forward_;
  SweepList<BackwardWork<T>> backward_;
  RowList<T> forward_rows_, backward_rows_; ///< of bundles
  DeviceArray<Bundle> bundle_;              ///< [bundles]
  DeviceArray<Index> solve_row_;            ///< [blocks] first row of each in the order of the levels
  DeviceArray<Index> block_;                ///< [rows] of each row of the solution, if there are bundles
  DeviceArray<std::uint8_t> shape_;         ///< [rows] as in SolveView, likewise
  DeviceArray<Index> row_order_;            ///< [tiles] of each block row, in the order of the sweep
  DeviceArray<Offset> column_order_;        ///< [tiles] those of all block columns likewise
  DeviceArray<KeptTile<T>> tile_;           ///< [tiles] as many as there are kept ones
  DeviceArray<KeptColumn> column_;          ///< [kept columns]
  DeviceArray<Offset> place_;               ///< [tiles + 1] of tile i of the block columns in the list of kept ones
  DeviceArray<Index> perm_;                 ///< [rows] caller's row of each; all in the order of the levels
  DeviceArray<double> scale_;               ///< [rows]
  DeviceArray<double> d_inverse_, e_inverse_, v_, x_; ///< [rows]
  DeviceArray<double> sums_;                          ///< of parts
  DeviceArray<unsigned> ticket_;
  SideStreams side_;
  RecordedLaunches<ListKey> listing_;
  bool pivots_known_ = false, pivots_definite_ = false;
  bool solved_ = false; ///< the last solve was queued to its end
};

} // namespace tessera
#endif
