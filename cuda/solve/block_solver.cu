#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/warp_sums.cuh"
#include "cuda/solve/block_solver.cuh"
#include "cuda/solve/bundle_listing.cuh"
#include "cuda/solve/solve_items.cuh"

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

constexpr int threads = list_threads;

/// place[i] = 1 where tile i, in the order of the forward sweep, kept a column; place[tiles] = 0. order[i]: its place
/// among the tiles by block columns. A thread a tile: a block column may have most of all tiles.
template <class T>
__global__ void flag_tiles(StructureView s, FactorView<T> f, const Offset *order, Offset tiles, Offset *place)
{
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i > tiles)
    return;
  if (i == tiles) {
    place[i] = 0;
    return;
  }
  const Offset q = order[i], slot = s.column_tile[q] + s.column_block[q];
  place[i] = f.first[slot + 1] > f.first[slot];
}

/// Writes the kept tiles to their places: place is the exclusive sum of what flag_tiles wrote. A thread a tile.
template <class T>
__global__ void list_tiles(StructureView s, FactorView<T> f, const Offset *order, const Index *solve_row, Offset tiles,
                           const Offset *place, KeptTile<T> *list)
{
  const Offset i = Offset(blockIdx.x) * threads + threadIdx.x;
  if (i >= tiles)
    return;
  const Offset q = order[i];
  const Index row = s.column_block[q], height = s.block_rows(row);
  const Offset slot = s.column_tile[q] + row;
  const Index first = f.first[slot], end = f.first[slot + 1];
  if (first == end)
    return;
  std::uint32_t mask = 0;
  for (Index c = first; c < end; ++c)
    mask |= 1u << f.column[row][c];
  list[place[i]] = KeptTile<T>::of(f.value[row] + Offset(first) * height, height, solve_row[row], mask);
}

/// Lists the kept columns of each block row in the order of the backward sweep. A warp a block row, a lane a tile.
template <class T>
__global__ void list_columns(StructureView s, FactorView<T> f, const Index *order, const Index *solve_row, Index blocks,
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
    const Index sum = sum_up_to(last - first);
    const Index row = t < end ? solve_row[s.tile_column[t]] : 0;
    for (Index c = first; c < last; ++c)
      to[sum - last + c] = {row + column[c], c};
    to += __shfl_sync(~0u, sum, 31);
  }
}

/// start[g] = 1 where there is something to do for ticket g, which is not so for parts that nothing is left for;
/// start[tickets] = 0. A thread a ticket.
template <class Items>
__global__ void flag_tickets(Items items, Index tickets, const SolvePlace *place, Index *start)
{
  const Index g = blockIdx.x * threads + threadIdx.x;
  if (g > tickets)
    return;
  if (g == tickets) {
    start[g] = 0;
    return;
  }
  const SolvePlace at = place[Offset(g) * ticket_places];
  start[g] = at.work != Work::part || at.part < items.cut(at.item).count(items.count(at.item));
}

/// What a sweep knows of its places, without the tickets that have nothing to do: start is the exclusive sum of what
/// flag_tickets wrote. bundle_start: where the entries of each bundle begin; inverse: those of bundles. shared_work:
/// gets what is known of the blocks that share a warp, [warps][blocks_in_warp]. A thread a place.
template <class Items, class Place>
__global__ void list_work(Items items, BundleRows rows, Index places, const SolvePlace *place, const Index *start,
                          const Offset *bundle_start, const double *inverse, const SharedWarp *shared,
                          Place *shared_work, Place *work)
{
  const Index i = blockIdx.x * threads + threadIdx.x, g = i / ticket_places;
  if (i >= places || start[g] == start[g + 1])
    return;
  Place &to = work[Offset(start[g]) * ticket_places + i % ticket_places];
  const SolvePlace at = place[i];
  const Index b = at.item;
  if (b == no_item) {
    to = {};
  } else if (at.work == Work::bundle) {
    to = items.work(rows.bundle[b], bundle_start[b], inverse);
  } else if (at.work == Work::shared) {
    for (int g = 0; g < blocks_in_warp; ++g) {
      const Index block = shared[b].block[g];
      Place &one = shared_work[Offset(b) * blocks_in_warp + g];
      one = {};
      if (block != no_item)
        one = items.work({block, no_part, 0, Work::shared}, items.first(block), items.count(block),
                         rows.solve_row[block]);
    }
    to = shared_work[Offset(b) * blocks_in_warp];
    to.first = Offset(b) * blocks_in_warp;
  } else if (at.work == Work::part) {
    const Index size = items.cut(b).size;
    to = items.work(at, items.first(b) + Offset(at.part) * size, size, rows.solve_row[b]);
  } else {
    to = items.work(at, items.first(b), items.count(b), rows.solve_row[b]);
  }
}

/// Sees to it that there is room for the sums of n numbers.
template <class X>
void reserve_scan(DeviceArray<std::uint8_t> &memory, X *x, Offset n, const DeviceQueue &queue)
{
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, x, x, n, queue), "sizing a scan");
  if (memory.size() < std::int64_t(bytes))
    memory = DeviceArray<std::uint8_t>(std::int64_t(bytes), queue);
}

/// Replaces n numbers by the sums of those before each.
template <class X>
void queue_scan(DeviceArray<std::uint8_t> &memory, X *x, Offset n, cudaStream_t stream)
{
  std::size_t bytes = std::size_t(memory.size());
  check(cub::DeviceScan::ExclusiveSum(memory.data(), bytes, x, x, n, stream), "placing items");
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

/// Likewise; order[i]: its place in the whole pattern.
std::vector<Offset> order_all_by_level(const Pattern &pattern, const std::vector<Index> &level)
{
  const std::vector<Index> in_row = order_by_level(pattern, level, false);
  std::vector<Offset> order(in_row.begin(), in_row.end());
#pragma omp parallel for
  for (Index b = 0; b < pattern.rows; ++b)
    for (Offset p = pattern.start[b]; p < pattern.start[b + 1]; ++p)
      order[p] += pattern.start[b];
  return order;
}

std::vector<double> permuted(const std::vector<double> &x, const std::vector<Index> &perm)
{
  std::vector<double> y(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    y[i] = x[perm[i]];
  return y;
}

/// The block of each row of the solution.
std::vector<Index> blocks_of_rows(const BlockStructure &s, const SolveOrder &order)
{
  std::vector<Index> block(s.rows);
  for (Index b = 0; b < s.blocks(); ++b)
    std::fill_n(block.begin() + order.row[b], s.block_rows(b), b);
  return block;
}

/// Place in its block of each row of the solution, and 16 times the rows of the block.
std::vector<std::uint8_t> shapes_of_rows(const BlockStructure &s, const SolveOrder &order)
{
  std::vector<std::uint8_t> shape(s.rows);
  for (Index b = 0; b < s.blocks(); ++b)
    for (Index r = 0; r < s.block_rows(b); ++r)
      shape[order.row[b] + r] = std::uint8_t(16 * s.block_rows(b) + r);
  return shape;
}

/// Sees to it that there is room for what queue_list() lists. most: entries of bundles at most.
template <class Place, class T>
void reserve_list(SweepList<Place> &list, RowList<T> &entries, Index bundles, Offset most, const DeviceQueue &queue)
{
  if (bundles > 0) {
    entries.reserve(most, queue);
    reserve_scan(list.scan_memory, entries.start.data(), Offset(bundles) + 1, queue);
  }
  reserve_scan(list.scan_memory, list.start.data(), Offset(list.tickets) + 1, queue);
}

/// Queues the listing of what a sweep has to do.
template <class Items, class Place, class T>
void queue_list(SweepList<Place> &list, RowList<T> &entries, const Items &items, const BundleRows &rows,
                cudaStream_t stream)
{
  if (rows.bundles > 0) {
    const unsigned warps = thread_blocks(Offset(rows.bundles) * 32, threads);
    check(launch_kernel(measure_bundles<Items>, {warps, threads, 0, stream}, items, rows, entries.length.data(),
                        entries.start.data()),
          "measuring bundles");
    queue_scan(list.scan_memory, entries.start.data(), Offset(rows.bundles) + 1, stream);
    check(launch_kernel(fill_bundles<Items, T>, {warps, threads, 0, stream}, items, rows, entries.length.data(),
                        entries.start.data(), entries.value.data(), entries.target.data(), entries.inverse.data()),
          "listing bundles");
  }
  check(launch_kernel(flag_tickets<Items>, {thread_blocks(list.tickets + 1, threads), threads, 0, stream}, items,
                      list.tickets, list.place.data(), list.start.data()),
        "flagging the work of a sweep");
  queue_scan(list.scan_memory, list.start.data(), Offset(list.tickets) + 1, stream);
  check(launch_kernel(list_work<Items, Place>, {thread_blocks(list.place.size(), threads), threads, 0, stream}, items,
                      rows, Index(list.place.size()), list.place.data(), list.start.data(), entries.start.data(),
                      entries.inverse.data(), list.shared.data(), list.shared_work.data(), list.work.data()),
        "listing the work of a sweep");
}

} // namespace

template <class T>
BlockSolver<T>::BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, const DeviceQueue &queue)
    : BlockSolver(structure, scale, make_solve_order(structure), queue)
{
}

template <class T>
BlockSolver<T>::BlockSolver(const BlockStructure &structure, const std::vector<double> &scale, const SolveOrder &order,
                            const DeviceQueue &queue)
    : rows_(structure.rows), blocks_(structure.blocks()), bundles_(Index(order.bundles.size())),
      in_bundles_(order.in_bundles), tiles_(structure.tiles.upper.entries()), forward_(order.forward, queue),
      backward_(order.backward, queue), forward_rows_(order, queue), backward_rows_(order, queue),
      bundle_(order.bundles, queue), solve_row_(order.row, queue),
      block_(in_bundles_ ? blocks_of_rows(structure, order) : std::vector<Index>(), queue),
      shape_(in_bundles_ ? shapes_of_rows(structure, order) : std::vector<std::uint8_t>(), queue),
      row_order_(order_by_level(structure.tiles.upper, structure.levels.level, true), queue),
      column_order_(order_all_by_level(structure.tiles.columns, structure.levels.level), queue), tile_(tiles_, queue),
      place_(tiles_ + 1, queue), perm_(order.perm, queue), scale_(permuted(scale, order.perm), queue),
      d_inverse_(rows_, queue), e_inverse_(rows_, queue), v_(rows_, queue), x_(rows_, queue),
      sums_(std::max(order.forward.sums, order.backward.sums), queue), ticket_(2, queue)
{
  for (Index b = 0; b < blocks_; ++b)
    largest_ = std::max(largest_, structure.block_rows(b));
  // A place is read 16 bytes at a time, and with them what fills it up
  check(cudaMemsetAsync(forward_.work.data(), 0, forward_.work.bytes(), queue), "clearing places");
  check(cudaMemsetAsync(backward_.work.data(), 0, backward_.work.bytes(), queue), "clearing places");
}

/// What solves expect of the one before: no tickets taken, no entry of the solution known.
template <class T>
void BlockSolver<T>::forget_solution(cudaStream_t stream)
{
  check(cudaMemsetAsync(ticket_.data(), 0, ticket_.bytes(), stream), "clearing tickets");
  for (const DeviceArray<double> *unknown : {&v_, &x_, &sums_})
    check(cudaMemsetAsync(unknown->data(), 0xff, unknown->bytes(), stream), "marking entries as unknown");
}

template <class T>
void BlockSolver<T>::queue_listing(const StructureView &s, const FactorView<T> &f, const std::uint8_t *column_pool,
                                   Offset columns, const DeviceQueue &queue)
{
  if (blocks_ == 0)
    return;
  if (column_.size() < columns)
    column_ = DeviceArray<KeptColumn>(columns, queue);
  reserve_scan(forward_.scan_memory, place_.data(), tiles_ + 1, queue);
  reserve_list(forward_, forward_rows_, bundles_, columns * largest_, queue);
  reserve_list(backward_, backward_rows_, bundles_, columns * largest_, queue);
  const ListKey key = {f.inverse,
                       f.inverse_start,
                       f.first,
                       f.value,
                       f.column,
                       column_pool,
                       column_.data(),
                       forward_rows_.value.data(),
                       forward_rows_.target.data(),
                       backward_rows_.value.data(),
                       backward_rows_.target.data()};
  listing_.queue(key, queue, [&](cudaStream_t stream) { queue_lists(s, f, column_pool, stream); });
  pivots_known_ = false;
}

/// What the two sweeps do is listed side by side.
template <class T>
void BlockSolver<T>::queue_lists(const StructureView &s, const FactorView<T> &f, const std::uint8_t *column_pool,
                                 cudaStream_t stream)
{
  const BundleRows rows = {bundles_, bundle_.data(), block_.data(), solve_row_.data()};
  const cudaStream_t backward = side_.fork(0, stream);
  check(launch_kernel(list_columns<T>, {thread_blocks(Offset(blocks_) * 32, threads), threads, 0, backward}, s, f,
                      row_order_.data(), solve_row_.data(), blocks_, column_pool, column_.data()),
        "listing kept columns");
  queue_list(backward_, backward_rows_, RowItems<T>{s, f, column_pool, column_.data()}, rows, backward);
  check(launch_kernel(flag_tiles<T>, {thread_blocks(tiles_ + 1, threads), threads, 0, stream}, s, f,
                      column_order_.data(), tiles_, place_.data()),
        "flagging kept tiles");
  queue_scan(forward_.scan_memory, place_.data(), tiles_ + 1, stream);
  if (tiles_ > 0)
    check(launch_kernel(list_tiles<T>, {thread_blocks(tiles_, threads), threads, 0, stream}, s, f, column_order_.data(),
                        solve_row_.data(), tiles_, place_.data(), tile_.data()),
          "listing kept tiles");
  queue_list(forward_, forward_rows_, ColumnItems<T>{s, f, place_.data(), tile_.data()}, rows, stream);
  side_.join(0, stream);
}

template <class T>
void BlockSolver<T>::queue(const StructureView &s, const FactorView<T> &f, const double *r, double *z, bool definite,
                           cudaStream_t stream)
{
  if (!pivots_known_ || pivots_definite_ != definite) {
    queue_pivot_inverses(s.block_start, solve_row_.data(), blocks_, f.d, f.e, definite, d_inverse_.data(),
                         e_inverse_.data(), stream);
    pivots_known_ = true;
    pivots_definite_ = definite;
  }
  const SolveView<T> view = {forward_.tickets,
                             backward_.tickets,
                             forward_.live(),
                             backward_.live(),
                             forward_.work.data(),
                             backward_.work.data(),
                             forward_.shared_work.data(),
                             backward_.shared_work.data(),
                             forward_rows_.view(),
                             backward_rows_.view(),
                             shape_.data(),
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
  if (!std::exchange(solved_, false)) // a sweep may be missing
    forget_solution(stream);
  queue_solve(view, in_bundles_, largest_, r, z, stream);
  solved_ = true;
}

template <class T>
std::int64_t BlockSolver<T>::bytes() const
{
  return forward_.bytes() + backward_.bytes() + forward_rows_.bytes() + backward_rows_.bytes() + bundle_.bytes() +
         block_.bytes() + shape_.bytes() + solve_row_.bytes() + row_order_.bytes() + column_order_.bytes() +
         tile_.bytes() + column_.bytes() + place_.bytes() + 5 * x_.bytes() + perm_.bytes() + sums_.bytes() +
         ticket_.bytes();
}

template class BlockSolver<double>;
template class BlockSolver<float>;

} // namespace tessera
