#include "cuda/bildlt/factor_steps.cuh"
#include "cuda/bildlt/pull_factor.cuh"
#include "cuda/bildlt/pull_pieces.cuh"
#include "cuda/bildlt/row_factor.cuh"
#include "cuda/bildlt/solve_piece.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"

namespace tessera {
namespace {

constexpr int step_threads = 128; ///< of a thread block whose warps take a piece or a row each

/// A launch over more pieces has enough of them to hide latency; for an H200.
constexpr Offset few_pieces = 1024;

/// Largest magnitude of the scaled values, as bits; those of a NaN exceed all others.
__global__ void find_largest(ValuesView values, Offset items, unsigned long long *counter)
{
  double largest = 0;
  for (Offset i = Offset(blockIdx.x) * blockDim.x + threadIdx.x; i < items; i += Offset(gridDim.x) * blockDim.x) {
    const double x = fabs(values.scale[i] * values.a[values.source[i]]);
    largest = x > largest || x != x ? x : largest;
    if (x != x)
      break;
  }
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(~0u, largest, step);
    largest = other > largest || other != other ? other : largest;
  }
  if (threadIdx.x % 32 == 0)
    raise_to(counter + largest_bits, largest);
}

/// Index of this warp in the launch.
__device__ Offset warp_index()
{
  return (Offset(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
}

/// Computes pieces before their solve, entries of A less the updates, or parts of their updates: pulls from `begin` on.
/// A thread block each. ld: of the columns in its ring.
template <int W, class Warps, class T>
__global__ void __launch_bounds__(Warps::threads, 768 / Warps::threads)
    pull_pieces(FactorRun<T> run, Offset begin, int ld)
{
  auto &ring = *launch_shared<UpdateRing<W, Warps, T>>();
  ring.start();
  const PullItem pull = run.pulls[begin + blockIdx.x];
  const PieceItem &item = run.pieces[pull.piece];
  const PanelPiece piece = piece_of(item, panel_of(run, item.block).panel);
  const AllDone done;
  unsigned n = 0;
  const PiecePuller<W, Warps, T, AllDone> puller{run.s, run.f, run.values, ring, ld, done, n};
  const bool whole = pull.position < 0;
  const Offset parts = count_parts(run.s.column_start[item.block + 1] - run.s.column_start[item.block]);
  puller.pull(piece, whole ? 0 : pull.part, whole ? parts : pull.part + 1, whole ? nullptr : run.parts + pull.position);
}

constexpr int adding_threads = 512; ///< of a thread block that adds the parts of a piece

/// Adds the parts of the updates of pieces to the entries of A: splits from `begin` on. A thread block each.
template <int W, class T>
__global__ void __launch_bounds__(adding_threads) add_update_parts(FactorRun<T> run, Offset begin)
{
  const SplitPiece split = run.splits[begin + blockIdx.x];
  const PieceItem &item = run.pieces[split.piece];
  add_parts<W, adding_threads>(item, panel_of(run, item.block).panel, run.parts + split.position, split.parts);
}

/// Factors the diagonal tiles of rows begin .. end - 1.
template <int W, class T>
struct FactorDiagonals {
  FactorRun<T> run;
  Offset begin;

  __device__ void operator()(const CudaGroup<W> &, std::int64_t item) const
  {
    __shared__ double tiles[launch_threads / W][W * W];
    const Index b = run.rows[begin + item];
    factor_diagonal<W>(run, b, panel_of(run, b).panel, tiles[threadIdx.x / W], true);
  }
};

/// U = D⁻¹ L⁻¹ P C for pieces begin .. end - 1.
template <int W, class Products, class T>
__global__ void __launch_bounds__(step_threads) solve_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + warp_index();
  if (p >= end)
    return;
  const RowPanel row = panel_of(run, run.pieces[p].block);
  solve_piece<W, Products>(run.s, piece_of(run.pieces[p], row.panel), row.panel, row.squares);
}

/// Norms of the rows of a block row.
template <int W, class T>
struct RowNorms {
  FactorRun<T> run;
  Offset begin;

  __device__ void operator()(const CudaGroup<W> &, std::int64_t item) const
  {
    const Index b = run.rows[begin + item];
    find_norms<W>(run, b, panel_of(run, b), true);
  }
};

/// Scores the columns of pieces begin .. end - 1.
template <int W, class T>
__global__ void __launch_bounds__(step_threads) score_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + warp_index();
  if (p >= end)
    return;
  const RowPanel row = panel_of(run, run.pieces[p].block);
  score_columns(CudaTeam<W>(), run.s, piece_of(run.pieces[p], row.panel), row.inverse_norm, row.score);
}

/// Counts what rows begin .. end - 1 keep. A warp a row.
template <class T>
__global__ void __launch_bounds__(step_threads) count_rows(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset i = begin + warp_index();
  if (i >= end)
    return;
  count_row(run, run.rows[i], panel_of(run, run.rows[i]).score);
  if ((threadIdx.x & 31) == 0)
    run.done[run.rows[i]] = 1; // for rows of later launches
}

/// Stores the kept columns of pieces begin .. end - 1.
template <int W, class T>
__global__ void __launch_bounds__(step_threads) store_pieces(FactorRun<T> run, Offset begin, Offset end)
{
  const Offset p = begin + warp_index();
  if (p >= end)
    return;
  const RowPanel row = panel_of(run, run.pieces[p].block);
  store_piece<W>(run, piece_of(run.pieces[p], row.panel), row.score);
}

/// Pulls begin .. end - 1, by thread blocks of the first shape that the device has shared memory for.
template <int W, class Warps, class... Smaller, class T>
void queue_pull(const FactorRun<T> &run, Offset begin, Offset end, Index largest_block, cudaStream_t stream)
{
  using Ring = UpdateRing<W, Warps, T>;
  if constexpr (sizeof...(Smaller) > 0) {
    if (Ring::bytes(largest_block) > std::size_t(device_limits().block_shared))
      return queue_pull<W, Smaller...>(run, begin, end, largest_block, stream);
  } else {
    static_assert(Ring::bytes(max_block_rows) <= least_block_shared, "there is a shape for every device");
  }
  static PerDevice<bool> allowed;
  allowed.get([] {
    allow_shared_memory(pull_pieces<W, Warps, T>, Ring::bytes(max_block_rows));
    return true;
  });
  check(launch_kernel(pull_pieces<W, Warps, T>,
                      {unsigned(end - begin), Warps::threads, Ring::bytes(largest_block), stream}, run, begin,
                      Ring::ld(largest_block)),
        "pulling updates");
}

/// Pulls begin .. end - 1. Where blocks are narrow a thread block has few products to do. A launch over few pieces has
/// more warps for each, and one over no more pieces than there are SMs about as many as the shared memory of an SM has
/// room for: the shapes were measured on an H200, and each is followed by what other devices have room for.
template <int W, class Products, class T>
void queue_pulls(const FactorRun<T> &run, Offset begin, Offset end, Index largest_block, cudaStream_t stream)
{
  const DeviceLimits &limits = device_limits();
  const Offset pieces = end - begin;
  if constexpr (!std::is_same_v<Products, TensorProducts>) {
    queue_pull<W, PullWarps<W >= 16 ? 4 : 1, W >= 16 ? 4 : 3, Products>>(run, begin, end, largest_block, stream);
  } else if constexpr (W == 32) {
    if (pieces > limits.multiprocessors)
      queue_pull<W, PullWarps<4, 8>, PullWarps<4, 7>>(run, begin, end, largest_block, stream);
    else
      queue_pull<W, PullWarps<4, 16>, PullWarps<4, 14>, PullWarps<4, 8>, PullWarps<4, 7>>(run, begin, end,
                                                                                          largest_block, stream);
  } else if constexpr (W == 16) {
    queue_pull<W, PullWarps<4, 8>>(run, begin, end, largest_block, stream);
  } else if (pieces > limits.scaled(few_pieces)) {
    queue_pull<W, PullWarps<1, 3>>(run, begin, end, largest_block, stream);
  } else {
    queue_pull<W, PullWarps<1, 7>>(run, begin, end, largest_block, stream);
  }
}

/// Pieces of a width class before their solve: pulls pull .. pull_end - 1, of which splits split .. split_end - 1.
template <int W, class Products, class T>
void queue_updates(const FactorRun<T> &run, Offset pull, Offset pull_end, Offset split, Offset split_end,
                   Index largest_block, cudaStream_t stream)
{
  if (pull == pull_end)
    return;
  queue_pulls<W, Products>(run, pull, pull_end, largest_block, stream);
  if (split == split_end)
    return;
  check(launch_kernel(add_update_parts<W, T>, {unsigned(split_end - split), adding_threads, 0, stream}, run, split),
        "adding parts of updates");
}

/// The rows of width class w of a batch, up to their scores. Their diagonal tiles are factored while the updates of the
/// other pieces are pulled.
template <int W, class Products, class T>
void queue_class(const FactorRun<T> &run, const DeviceBatch &batch, int w, Index largest_block, SideStreams &side,
                 cudaStream_t stream)
{
  const Offset row0 = batch.row_begin[w], row1 = batch.row_begin[w + 1];
  const Offset piece0 = batch.piece_begin[w], piece1 = batch.piece_begin[w + 1];
  const Offset pull = batch.diagonal_pull_end[w], split = batch.diagonal_split_end[w];
  const cudaStream_t diagonal = side.fork(w, stream);
  queue_updates<W, Products>(run, batch.pull_begin[w], pull, batch.split_begin[w], split, largest_block, diagonal);
  check(launch<W, 2>(diagonal, row1 - row0, FactorDiagonals<W, T>{run, row0}), "factoring tiles");
  queue_updates<W, Products>(run, pull, batch.pull_begin[w + 1], split, batch.split_begin[w + 1], largest_block,
                             stream);
  side.join(w, stream);
  constexpr int warps = step_threads / 32;
  check(launch_kernel(solve_pieces<W, Products, T>, {thread_blocks(piece1 - piece0, warps), step_threads, 0, stream},
                      run, piece0, piece1),
        "solving panels");
  check(launch<W>(stream, row1 - row0, RowNorms<W, T>{run, row0}), "norms of rows");
  check(launch_kernel(score_pieces<W, T>, {thread_blocks(piece1 - piece0, warps), step_threads, 0, stream}, run, piece0,
                      piece1),
        "scoring columns");
}

template <class T>
void queue_store(const FactorRun<T> &run, const DeviceBatch &batch, cudaStream_t stream)
{
  constexpr int warps = step_threads / 32;
  const Offset row0 = batch.row_begin[0], row1 = batch.row_begin[width_classes];
  check(launch_kernel(count_rows<T>, {thread_blocks(row1 - row0, warps), step_threads, 0, stream}, run, row0, row1),
        "counting kept columns");
  each_width_class([&](auto w) {
    constexpr int W = 4 << w();
    const Offset begin = batch.piece_begin[w()], end = batch.piece_begin[w() + 1];
    if (begin == end)
      return;
    check(launch_kernel(store_pieces<W, T>, {thread_blocks(end - begin, warps), step_threads, 0, stream}, run, begin,
                        end),
          "storing kept columns");
  });
}

/// A batch up to where its columns have their scores; its width classes at the same time.
template <class Products, class T>
void queue_scores(const FactorRun<T> &run, const DeviceBatch &batch, Index largest_block, SideStreams &side,
                  cudaStream_t stream)
{
  cudaStream_t of_class[width_classes] = {};
  bool first = true;
  for (int w = width_classes - 1; w >= 0; --w)
    if (batch.row_begin[w] < batch.row_begin[w + 1]) {
      of_class[w] = first ? stream : side.fork(width_classes + w, stream);
      first = false;
    }
  const auto queue = [&](auto w) {
    if (batch.row_begin[w()] == batch.row_begin[w() + 1])
      return;
    queue_class<4 << w(), Products>(run, batch, w(), largest_block, side, of_class[w()]);
  };
  queue(std::integral_constant<int, 3>());
  queue(std::integral_constant<int, 2>());
  queue(std::integral_constant<int, 1>());
  queue(std::integral_constant<int, 0>());
  for (int w = 0; w < width_classes; ++w)
    if (of_class[w] && of_class[w] != stream)
      side.join(width_classes + w, stream);
}

} // namespace

template <class T>
void queue_factorization(FactorRun<T> run, const DeviceSchedule &schedule, Offset items, const BatchActions<T> &actions,
                         SideStreams &side, cudaStream_t stream)
{
  check(cudaMemsetAsync(run.counter, 0, counters * sizeof *run.counter + run.marks * sizeof *run.done, stream),
        "clearing counters and marks");
  if (items > 0) {
    check(launch_kernel(find_largest, {items < 1 << 20 ? thread_blocks(items, 256) : 4096, 256, 0, stream}, run.values,
                        items, run.counter),
          "finding the largest entry");
  }
  const bool tensor_cores = device_limits().tensor_cores;
  const bool by_runs = tensor_cores && !actions.scored && !actions.stored;
  std::size_t next_run = 0;
  for (std::size_t i = 0; i < schedule.batches.size(); ++i) {
    const DeviceBatch &batch = schedule.batches[i];
    if (by_runs && next_run < schedule.runs.size() && schedule.runs[next_run].first_batch == i) {
      const LevelRun &levels = schedule.runs[next_run];
      const auto queue = levels.by_rows ? queue_rows<T> : queue_pulls_of_rows<T>;
      queue(run, levels, schedule.largest_block, run.tickets + next_run, stream);
      i = levels.last_batch;
      ++next_run;
      continue;
    }
    if (tensor_cores)
      queue_scores<TensorProducts>(run, batch, schedule.largest_block, side, stream);
    else
      queue_scores<FmaProducts>(run, batch, schedule.largest_block, side, stream);
    if (actions.scored)
      actions.scored(run, batch);
    Room room = Room::Added;
    while (room == Room::Added) {
      queue_store(run, batch, stream);
      room = actions.stored ? actions.stored(run) : Room::Enough;
    }
    if (room == Room::None)
      return;
  }
}

template void queue_factorization(FactorRun<double>, const DeviceSchedule &, Offset, const BatchActions<double> &,
                                  SideStreams &, cudaStream_t);
template void queue_factorization(FactorRun<float>, const DeviceSchedule &, Offset, const BatchActions<float> &,
                                  SideStreams &, cudaStream_t);

} // namespace tessera
