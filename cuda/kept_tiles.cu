#include "kept_tiles.cuh"

#include <cub/device/device_scan.cuh>

namespace tessera {
namespace {

constexpr int threads = 256;

unsigned blocks_for(Offset items)
{
  return unsigned((items + threads - 1) / threads);
}

/// place[i] = 1 where tile i, in the order of rows or of columns, kept a column; place[tiles] = 0.
template <bool ByColumn, class T>
__global__ void flag_tiles(StructureView s, FactorView<T> f, Index blocks, Offset tiles, Offset *place)
{
  const Index b = blockIdx.x * (threads / 32) + threadIdx.x / 32;
  if (b == 0 && threadIdx.x == 0)
    place[tiles] = 0;
  if (b >= blocks)
    return;
  const Offset *start = ByColumn ? s.column_start : s.tile_start;
  for (Offset i = start[b] + (threadIdx.x & 31); i < start[b + 1]; i += 32) {
    const Offset slot = ByColumn ? s.column_tile[i] + s.column_block[i] : i + b;
    place[i] = f.first[slot + 1] > f.first[slot];
  }
}

/// Writes the kept tiles to their places: place is the exclusive sum of what flag_tiles wrote.
template <bool ByColumn, class T>
__global__ void list_tiles(StructureView s, FactorView<T> f, Index blocks, Offset tiles, const Offset *place,
                           Offset *list_start, KeptTile<T> *list)
{
  const Index b = blockIdx.x * (threads / 32) + threadIdx.x / 32;
  if (b > blocks || (b == blocks && (threadIdx.x & 31)))
    return;
  if (b == blocks) {
    list_start[b] = place[tiles];
    return;
  }
  const Offset *start = ByColumn ? s.column_start : s.tile_start;
  list_start[b] = place[start[b]];
  for (Offset i = start[b] + (threadIdx.x & 31); i < start[b + 1]; i += 32) {
    const Index row = ByColumn ? s.column_block[i] : b, column = ByColumn ? b : s.tile_column[i];
    const Offset slot = (ByColumn ? s.column_tile[i] : i) + row;
    const Index first = f.first[slot], end = f.first[slot + 1];
    if (first == end)
      continue;
    std::uint32_t mask = 0;
    for (Index c = first; c < end; ++c)
      mask |= 1u << f.column[row][c];
    const Index other = ByColumn ? row : column, height = s.block_rows(row);
    list[place[i]] = {f.value[row] + Offset(first) * height, other, s.block_start[other], height, mask};
  }
}

std::size_t scan_bytes(Offset tiles)
{
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, static_cast<Offset *>(nullptr), static_cast<Offset *>(nullptr),
                                      tiles + 1),
        "sizing a scan");
  return bytes;
}

} // namespace

template <class T>
KeptTiles<T>::KeptTiles(Index blocks, Offset tiles, cudaStream_t stream)
    : blocks(blocks), tiles(tiles), column_start(blocks + 1, stream), row_start(blocks + 1, stream),
      by_column(tiles, stream), by_row(tiles, stream), place_(tiles + 1, stream),
      scan_memory_(std::int64_t(scan_bytes(tiles)), stream)
{
}

template <class T>
void KeptTiles<T>::queue_listing(const StructureView &s, const FactorView<T> &f, cudaStream_t stream)
{
  const unsigned grid = blocks_for(Offset(blocks + 1) * 32);
  std::size_t bytes = scan_memory_.size();
  auto scan = [&] {
    check(cub::DeviceScan::ExclusiveSum(scan_memory_.data(), bytes, place_.data(), place_.data(), tiles + 1, stream),
          "placing kept tiles");
  };
  flag_tiles<true><<<grid, threads, 0, stream>>>(s, f, blocks, tiles, place_.data());
  check(cudaGetLastError(), "flagging kept tiles");
  scan();
  list_tiles<true>
      <<<grid, threads, 0, stream>>>(s, f, blocks, tiles, place_.data(), column_start.data(), by_column.data());
  check(cudaGetLastError(), "listing kept tiles");
  flag_tiles<false><<<grid, threads, 0, stream>>>(s, f, blocks, tiles, place_.data());
  check(cudaGetLastError(), "flagging kept tiles");
  scan();
  list_tiles<false><<<grid, threads, 0, stream>>>(s, f, blocks, tiles, place_.data(), row_start.data(), by_row.data());
  check(cudaGetLastError(), "listing kept tiles");
}

template class KeptTiles<double>;
template class KeptTiles<float>;

} // namespace tessera
