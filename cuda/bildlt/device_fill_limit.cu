#include "cuda/bildlt/device_fill_limit.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include "factor/bildlt/fill_limit.hpp"

#include <cub/block/block_scan.cuh>
#include <limits>

namespace tessera {
namespace {

constexpr int row_threads = 128; ///< of a thread block whose warps take a block row each
constexpr int scan_threads = 512;

__device__ Offset clamp(Offset x, Offset low, Offset high)
{
  return x < low ? low : x > high ? high : x;
}

/// What a sequence of block rows makes of the entries x that earlier rows leave, 0 <= x <= FillLimit::most: x + sum,
/// between low and high. Such functions follow each other as another one of the kind.
struct Leftover {
  Offset sum, low, high;

  __device__ Offset operator()(Offset x) const { return clamp(x + sum, low, high); }
};

struct Follow {
  __device__ Leftover operator()(const Leftover &first, const Leftover &second) const
  {
    // A sum beyond the largest leftover gives `high` whatever it is: it need not be exact, so it cannot overflow
    const Offset sum = first.sum + second.sum;
    return {sum < FillLimit::most ? sum : FillLimit::most, clamp(first.low + second.sum, second.low, second.high),
            clamp(first.high + second.sum, second.low, second.high)};
  }
};

/// A batch in the order in which its rows are granted entries.
struct LimitBatch {
  const Index *order;
  Offset rows;
  const Offset *share;
  Offset *wanted, *granted;
};

template <class T>
__device__ float *scores(const FactorRun<T> &run, Index b)
{
  return run.score + run.panel_offset[b] / 4;
}

/// Scores of block row b above x, counted by a warp. Every lane gets the sum.
template <class T>
__device__ Offset count_above(const FactorRun<T> &run, Index b, float x)
{
  const float *score = scores(run, b);
  Index n = 0;
  for (Index c = run.s.block_rows(b) + (threadIdx.x & 31); c < run.s.panel_width[b]; c += 32)
    n += score[c] > x;
  return __reduce_add_sync(~0u, n);
}

/// wanted[i]: columns of row order[i] above the drop tolerance. A warp a row.
template <class T>
__global__ void __launch_bounds__(row_threads) count_wanted(FactorRun<T> run, LimitBatch batch)
{
  const Offset i = (Offset(blockIdx.x) * row_threads + threadIdx.x) / 32;
  if (i >= batch.rows)
    return;
  const Offset wanted = count_above(run, batch.order[i], run.tolerance);
  if ((threadIdx.x & 31) == 0)
    batch.wanted[i] = wanted;
}

/// granted[i]: columns that row order[i] may keep, by FillLimit::grant. One thread block: a scan over the rows.
__global__ void __launch_bounds__(scan_threads) grant_rows(StructureView s, LimitBatch batch, Offset *left)
{
  using Scan = cub::BlockScan<Leftover, scan_threads>;
  __shared__ typename Scan::TempStorage memory;
  __shared__ Offset begin; // what the rows before this part leave
  if (threadIdx.x == 0)
    begin = *left;
  for (Offset part = 0; part < batch.rows; part += scan_threads) {
    __syncthreads();
    const Offset i = part + threadIdx.x;
    const bool there = i < batch.rows;
    const Index b = there ? batch.order[i] : 0;
    const Index rows = there ? s.block_rows(b) : 1;
    const Offset wanted = there ? batch.wanted[i] : 0, share = there ? batch.share[b] : 0;
    const Leftover own = {share - wanted * rows, 0, FillLimit::most};
    const Leftover nothing = {0, 0, FillLimit::most};
    Leftover before, all;
    Scan(memory).ExclusiveScan(there ? own : nothing, before, nothing, Follow(), all);
    const Offset available = share + before(begin);
    if (there)
      batch.granted[i] = wanted < available / rows ? wanted : available / rows;
    __syncthreads();
    if (threadIdx.x == 0)
      begin = all(begin);
  }
  if (threadIdx.x == 0)
    *left = begin;
}

/// The cut of cut_scores, found by a warp: lanes get the score and the number of columns kept with just that score.
template <class T>
__device__ ScoreCut find_cut(const FactorRun<T> &run, Index b, Offset most)
{
  std::uint32_t low = run.tolerance > 0 ? __float_as_uint(run.tolerance) : 0;
  std::uint32_t high = __float_as_uint(INFINITY);
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (count_above(run, b, __uint_as_float(middle)) <= most ? high : low) = middle;
  }
  const float score = __uint_as_float(high);
  return {score, most - count_above(run, b, score)};
}

/// Lowers the scores of what row order[i] may not keep. A warp a row.
template <class T>
__global__ void __launch_bounds__(row_threads) lower_scores(FactorRun<T> run, LimitBatch batch)
{
  const Offset i = (Offset(blockIdx.x) * row_threads + threadIdx.x) / 32;
  if (i >= batch.rows || batch.wanted[i] <= batch.granted[i])
    return;
  const int lane = threadIdx.x & 31;
  const Index b = batch.order[i], width = run.s.panel_width[b];
  ScoreCut cut = find_cut(run, b, batch.granted[i]);
  float *score = scores(run, b);
  for (Index c0 = run.s.block_rows(b); c0 < width; c0 += 32) {
    const Index c = c0 + lane;
    const float x = c < width ? score[c] : 0;
    const unsigned equal = __ballot_sync(~0u, c < width && x == cut.score);
    const bool keep = x > cut.score || (x == cut.score && __popc(equal & ((1u << lane) - 1)) < cut.ties);
    if (c < width && !keep)
      score[c] = -1;
    cut.ties -= __popc(equal);
  }
}

std::vector<Offset> shares(const BlockStructure &structure, double fill_ratio)
{
  const FillLimit limit(structure, fill_ratio);
  std::vector<Offset> share(structure.blocks());
  for (Index b = 0; b < structure.blocks(); ++b)
    share[b] = limit.share(b);
  return share;
}

} // namespace

DeviceFillLimit::DeviceFillLimit(const BlockStructure &structure, double fill_ratio, const DeviceQueue &queue)
    : ratio_(fill_ratio), share_(shares(structure, fill_ratio), queue), order_(structure.levels.order, queue),
      wanted_(structure.blocks(), queue), granted_(structure.blocks(), queue), left_(1, queue)
{
}

void DeviceFillLimit::queue_start(cudaStream_t stream)
{
  check(cudaMemsetAsync(left_.data(), 0, left_.bytes(), stream), "clearing what is left over");
}

template <class T>
void DeviceFillLimit::queue(const FactorRun<T> &run, const DeviceBatch &batch, cudaStream_t stream)
{
  const Offset begin = batch.row_begin[0], rows = batch.row_begin[width_classes] - begin;
  const LimitBatch limited = {order_.data() + begin, rows, share_.data(), wanted_.data() + begin,
                              granted_.data() + begin};
  const unsigned grid = unsigned((rows * 32 + row_threads - 1) / row_threads);
  check(launch_kernel(count_wanted<T>, {grid, row_threads, 0, stream}, run, limited), "counting columns to keep");
  check(launch_kernel(grant_rows, {1, scan_threads, 0, stream}, run.s, limited, left_.data()), "granting entries");
  check(launch_kernel(lower_scores<T>, {grid, row_threads, 0, stream}, run, limited), "limiting rows");
}

template void DeviceFillLimit::queue(const FactorRun<double> &, const DeviceBatch &, cudaStream_t);
template void DeviceFillLimit::queue(const FactorRun<float> &, const DeviceBatch &, cudaStream_t);

} // namespace tessera
