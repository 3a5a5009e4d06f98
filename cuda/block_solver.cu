#include "block_solver.cuh"

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <numeric>

namespace tessera {
namespace {

constexpr int threads = 256;

unsigned blocks_for(Offset items)
{
  return unsigned((items + threads - 1) / threads);
}

/// place[i] = 1 where tile i, in the order of the forward sweep, kept a column; place[tiles] = 0. A warp a block
/// column.
template <class T>
__global__ void flag_tiles(StructureView s, FactorView<T> f, const Index *order, Index blocks, Offset tiles,
                           Offset *place)
{
  const Index b = blockIdx.x * (threads / 32) + threadIdx.x / 32;
  if (b == 0 && threadIdx.x == 0)
    place[tiles] = 0;
  if (b >= blocks)
    return;
  for (Offset i = s.column_start[b] + (threadIdx.x & 31); i < s.column_start[b + 1]; i += 32) {
    const Offset q = s.column_start[b] + order[i], slot = s.column_tile[q] + s.column_block[q];
    place[i] = f.first[slot + 1] > f.first[slot];
  }
}

/// Writes the kept tiles to their places: place is the exclusive sum of what flag_tiles wrote. A warp a block column.
template <class T>
__global__ void list_tiles(StructureView s, FactorView<T> f, const Index *order, Index blocks, const Offset *place,
                           KeptTile<T> *list)
{
  const Index b = blockIdx.x * (threads / 32) + threadIdx.x / 32;
  if (b >= blocks)
    return;
  for (Offset i = s.column_start[b] + (threadIdx.x & 31); i < s.column_start[b + 1]; i += 32) {
    const Offset q = s.column_start[b] + order[i];
    const Index row = s.column_block[q], height = s.block_rows(row);
    const Offset slot = s.column_tile[q] + row;
    const Index first = f.first[slot], end = f.first[slot + 1];
    if (first == end)
      continue;
    std::uint32_t mask = 0;
    for (Index c = first; c < end; ++c)
      mask |= 1u << f.column[row][c];
    list[place[i]] = {f.value[row] + Offset(first) * height, s.block_start[row], height, mask};
  }
}

/// Lists the kept columns of each block row in the order of the backward sweep. A warp a block row, a lane a tile.
template <class T>
__global__ void list_columns(StructureView s, FactorView<T> f, const Index *order, Index blocks,
                             const std::uint8_t *column_pool, KeptColumn *list)
{
  const Index b = blockIdx.x * (threads / 32) + threadIdx.x / 32;
  if (b >= blocks)
    return;
  const int lane = threadIdx.x & 31;
  const std::uint8_t *column = f.column[b];
  KeptColumn *to = list + (column - column_pool);
  const Offset end = s.tile_start[b + 1];
  for (Offset i0 = s.tile_start[b]; i0 < end; i0 += 32) {
    const Offset t = i0 + lane < end ? s.tile_start[b] + order[i0 + lane] : end;
    const Index first = f.first[t + b], last = t < end ? f.first[t + b + 1] : first;
    Index sum = last - first;
    for (int step = 1; step < 32; step *= 2) {
      const Index other = __shfl_up_sync(~0u, sum, step);
      sum += lane >= step ? other : 0;
    }
    const Index row = t < end ? s.block_start[s.tile_column[t]] : 0;
    for (Index c = first; c < last; ++c)
      to[sum - last + c] = {row + column[c], c};
    to += __shfl_sync(~0u, sum, 31);
  }
}

/// The items of a place among the n of its block, which begin at `first`: those of a part, as far as there are so many,
/// else all.
struct Share {
  Offset first;
  Index count;

  __device__ Share(Index part, Parts cut, Offset first, Index n) : first(first), count(n)
  {
    if (part == no_part)
      return;
    this->first += Offset(part) * cut.size;
    count = part < cut.count(n) ? cut.size : 0;
  }
};

/// What the forward sweep knows of its places. A thread a place.
template <class T>
__global__ void list_forward(StructureView s, FactorView<T> f, Index places, const SolvePlace *place,
                             const Offset *kept, ForwardWork *work)
{
  const Index i = blockIdx.x * threads + threadIdx.x;
  if (i >= places)
    return;
  const auto [b, part, sums, kind] = place[i];
  if (b == no_block) {
    work[i] = {};
    return;
  }
  const Index rows = s.block_rows(b);
  const Offset first = kept[s.column_start[b]];
  const Share share(part, Parts::of_tiles(group_width(rows)), first, Index(kept[s.column_start[b + 1]] - first));
  work[i] = {f.inverse + f.inverse_start[b], share.first, share.count, s.block_start[b], sums, std::uint8_t(rows), kind};
}

/// What the backward sweep knows of its places. A thread a place.
template <class T>
__global__ void list_backward(StructureView s, FactorView<T> f, Index places, const SolvePlace *place,
                              const std::uint8_t *column_pool, BackwardWork<T> *work)
{
  const Index i = blockIdx.x * threads + threadIdx.x;
  if (i >= places)
    return;
  const auto [b, part, sums, kind] = place[i];
  if (b == no_block) {
    work[i] = {};
    return;
  }
  const Index rows = s.block_rows(b);
  const Share share(part, Parts::of_columns(group_width(rows)), f.column[b] - column_pool, f.kept(s, b));
  work[i] = {f.inverse + f.inverse_start[b], share.first, f.value[b], share.count, s.block_start[b], sums,
             std::uint8_t(rows), kind};
}

std::size_t scan_bytes(Offset tiles)
{
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, static_cast<Offset *>(nullptr), static_cast<Offset *>(nullptr),
                                      tiles + 1),
        "sizing a scan");
  return bytes;
}

/// Entries of each row of the pattern by the level of their columns, ascending or descending, so that the sums of a
/// sweep begin with what is known first. order[i]: place in its row of the entry that comes at place i.
std::vector<Index> order_by_level(const Pattern &pattern, const std::vector<Index> &level, bool descending)
{
  std::vector<Index> order(pattern.column.size());
#pragma omp parallel for schedule(dynamic, 1024)
  for (Index b = 0; b < pattern.rows; ++b) {
    const auto begin = order.begin() + pattern.start[b], end = order.begin() + pattern.start[b + 1];
    const Index *column = pattern.column.data() + pattern.start[b];
    std::iota(begin, end, 0);
    std::sort(begin, end, [&](Index x, Index y) {
      const Index lx = level[column[x]], ly = level[column[y]];
      return lx != ly ? (lx < ly) != descending : x < y;
    });
  }
  return order;
}

std::vector<double> permuted(const std::vector<double> &x, const std::vector<Index> &perm)
{
  std::vector<double> y(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    y[i] = x[perm[i]];
  return y;
}

} // namespace

template <class T>
BlockSolver<T>::BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, cudaStream_t stream)
    : BlockSolver(structure, scale, make_solve_order(structure), stream)
{
}

template <class T>
BlockSolver<T>::BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, const SolveOrder &order,
                            cudaStream_t stream)
    : rows_(structure.rows), blocks_(structure.blocks()), team_(order.team), tiles_(structure.tiles.upper.entries()),
      forward_place_(order.forward.place, stream), backward_place_(order.backward.place, stream),
      row_order_(order_by_level(structure.tiles.upper, structure.levels.level, true), stream),
      column_order_(order_by_level(structure.tiles.columns, structure.levels.level, false), stream),
      forward_(forward_place_.size(), stream), backward_(backward_place_.size(), stream), tile_(tiles_, stream),
      place_(tiles_ + 1, stream), scan_memory_(std::int64_t(scan_bytes(tiles_)), stream), perm_(structure.perm, stream),
      scale_(permuted(scale, structure.perm), stream), d_inverse_(rows_, stream), e_inverse_(rows_, stream),
      v_(rows_, stream), x_(rows_, stream), sums_(std::max(order.forward.sums, order.backward.sums), stream), ticket_(2, stream)
{
  for (Index b = 0; b < blocks_; ++b)
    largest_ = std::max(largest_, structure.block_rows(b));
  check(cudaMemsetAsync(ticket_.data(), 0, ticket_.bytes(), stream), "clearing tickets");
  for (const DeviceArray<double> *unknown : {&v_, &x_, &sums_})
    check(cudaMemsetAsync(unknown->data(), 0xff, unknown->bytes(), stream), "marking entries as unknown");
}

template <class T>
void BlockSolver<T>::queue_listing(const StructureView &s, const FactorView<T> &f, const std::uint8_t *column_pool,
                                   Offset columns, cudaStream_t stream)
{
  if (blocks_ == 0)
    return;
  if (column_.size() < columns)
    column_ = DeviceArray<KeptColumn>(columns, stream);
  const unsigned warps = blocks_for(Offset(blocks_) * 32);
  flag_tiles<<<warps, threads, 0, stream>>>(s, f, column_order_.data(), blocks_, tiles_, place_.data());
  check(cudaGetLastError(), "flagging kept tiles");
  std::size_t bytes = scan_memory_.size();
  check(cub::DeviceScan::ExclusiveSum(scan_memory_.data(), bytes, place_.data(), place_.data(), tiles_ + 1, stream),
        "placing kept tiles");
  list_tiles<<<warps, threads, 0, stream>>>(s, f, column_order_.data(), blocks_, place_.data(), tile_.data());
  check(cudaGetLastError(), "listing kept tiles");
  list_columns<<<warps, threads, 0, stream>>>(s, f, row_order_.data(), blocks_, column_pool, column_.data());
  check(cudaGetLastError(), "listing kept columns");
  list_forward<<<blocks_for(forward_.size()), threads, 0, stream>>>(
      s, f, Index(forward_.size()), forward_place_.data(), place_.data(), forward_.data());
  check(cudaGetLastError(), "listing the forward sweep");
  list_backward<<<blocks_for(backward_.size()), threads, 0, stream>>>(
      s, f, Index(backward_.size()), backward_place_.data(), column_pool, backward_.data());
  check(cudaGetLastError(), "listing the backward sweep");
  pivots_known_ = false;
}

template <class T>
void BlockSolver<T>::queue(const StructureView &s, const FactorView<T> &f, const double *r, double *z, bool definite,
                           cudaStream_t stream)
{
  if (!pivots_known_ || pivots_definite_ != definite) {
    queue_pivot_inverses(s.block_start, blocks_, f.d, f.e, definite, d_inverse_.data(), e_inverse_.data(), stream);
    pivots_known_ = true;
    pivots_definite_ = definite;
  }
  const SolveView<T> view = {Index(forward_.size()),
                             Index(backward_.size()),
                             forward_.data(),
                             backward_.data(),
                             tile_.data(),
                             column_.data(),
                             d_inverse_.data(),
                             e_inverse_.data(),
                             perm_.data(),
                             scale_.data(),
                             v_.data(),
                             x_.data(),
                             sums_.data(),
                             ticket_.data()};
  queue_solve(view, team_, largest_, r, z, stream);
}

template <class T>
std::int64_t BlockSolver<T>::bytes() const
{
  return forward_place_.bytes() + backward_place_.bytes() + row_order_.bytes() + column_order_.bytes() + forward_.bytes() + backward_.bytes() +
         tile_.bytes() + column_.bytes() + place_.bytes() + scan_memory_.bytes() + 5 * x_.bytes() + perm_.bytes() +
         sums_.bytes() + ticket_.bytes();
}

template class BlockSolver<double>;
template class BlockSolver<float>;

} // namespace tessera
