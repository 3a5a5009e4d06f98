#ifndef TESSERA_CUDA_BILDLT_BLOCK_FACTOR_CUH
#define TESSERA_CUDA_BILDLT_BLOCK_FACTOR_CUH

#include "cuda/runtime/device_array.cuh"
#include "cuda/runtime/side_streams.cuh"
#include "factor/bildlt/device_schedule.hpp"
#include "factor/bildlt/options.hpp"
#include "factor/bildlt/views.hpp"

#include <functional>

namespace tessera {

/// Sums and maxima that the kernels of a factorization keep, as 64-bit words.
enum Counter {
  one_by_one_count,
  two_by_two_count,
  perturbed_count,
  zero_count,
  negative_count,
  positive_count,
  nonfinite_count,
  searched_count, ///< diagonal tiles
  values_used,    ///< of the pool of values
  columns_used,   ///< of the pool of column numbers
  largest_bits,   ///< bits of the largest magnitude of A, scaled
  growth_bits,    ///< bits of the largest magnitude of a diagonal tile before its factorization
  counters
};

/// What the kernels of a factorization share. panels, squares, inverse_norm, score, parts: of a batch.
template <class T>
struct FactorRun {
  StructureView s;
  FactorView<T> f;
  ValuesView values;
  const Index *rows;
  const Offset *row_pieces; ///< [blocks + 1] pieces of each of the rows
  const PieceItem *pieces;
  const PullItem *pulls;
  const SplitPiece *splits;
  const Offset *panel_offset, *squares_offset, *norm_offset;
  const std::uint32_t *pairs; ///< [blocks]
  double *panels, *squares, *inverse_norm;
  float *score;       ///< at a quarter of the panel's offset
  double *parts;      ///< of updates
  std::int32_t *perm; ///< [rows of the matrix]
  float tolerance;
  double perturbation;
  Pivoting pivoting;
  unsigned long long *counter; ///< [counters], and the marks behind them
  Offset marks;                ///< ints from `done` on, all 0 when a factorization begins
  int *done;                   ///< [blocks] 1 when the block row is stored
  int *diagonal_done;          ///< [blocks] pull by pull: 1 when the diagonal tile is factored
  int *pieces_done;            ///< [blocks] pull by pull: solved pieces of the block row, with the diagonal one
  int *parts_done;             ///< [splits] pull by pull: parts that are pulled
  int *tickets;                ///< [runs] rows or pulls that thread blocks have taken
  double *row_scratch;         ///< as queue_rows wants it
  T *value_pool;
  std::uint8_t *column_pool;
  unsigned long long value_capacity, column_capacity;
};

/// What is kept of a batch, after it was stored.
enum class Room {
  Enough,
  Added, ///< there was too little room: the run has got other pools, and the batch is to be stored again
  None   ///< there is none: stop
};

/// What a caller does between the batches of a factorization.
template <class T>
struct BatchActions {
  std::function<void(const FactorRun<T> &, const DeviceBatch &)> scored; ///< columns have their scores; or empty
  std::function<Room(FactorRun<T> &)> stored; ///< what is kept of a batch is queued to be stored; or empty
};

/// Queues the factorization on the stream. Counters are set when it is done; more used than the capacities means that
/// the factor is not complete. Runs of levels are one launch each, unless the caller has something to do between the
/// batches, or the device's tensor cores round otherwise than the host, for which there are slower kernels.
/// side: streams beside it, for what can run at the same time.
template <class T>
void queue_factorization(FactorRun<T> run, const DeviceSchedule &schedule, Offset items, const BatchActions<T> &actions,
                         SideStreams &side, cudaStream_t stream);

} // namespace tessera
#endif
