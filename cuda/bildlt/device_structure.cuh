#ifndef TESSERA_CUDA_BILDLT_DEVICE_STRUCTURE_CUH
#define TESSERA_CUDA_BILDLT_DEVICE_STRUCTURE_CUH

#include "analysis/tiles/block_structure.hpp"
#include "base/permute.hpp"
#include "cuda/runtime/device_array.cuh"
#include "factor/bildlt/views.hpp"

namespace tessera {

/// The block structure in device memory, uploaded once per pattern. Shapes as in BlockStructure.
struct DeviceStructure {
  DeviceStructure(const BlockStructure &s, const DeviceQueue &q)
      : rows(s.rows), blocks(s.blocks()), tiles(s.tiles.upper.entries()), items(s.values.start.back()),
        sources(count_sources(s.values.source)), block_start(s.block_start, q), tile_column(s.tiles.upper.column, q),
        column_block(s.tiles.columns.column, q), panel_column(s.panel_column, q), panel_width(s.panel_width, q),
        tile_start(s.tiles.upper.start, q), column_start(s.tiles.columns.start, q), column_tile(s.tiles.position, q),
        pairs(s.pairs, q), map_start(s.values.start, q), map_source(s.values.source, q), map_column(s.values.column, q),
        map_row(s.values.row, q), map_scale(s.values.scale, q)
  {
  }

  StructureView view() const
  {
    return {block_start.data(),  tile_start.data(),  tile_column.data(),  column_start.data(),
            column_block.data(), column_tile.data(), panel_column.data(), panel_width.data()};
  }
  ValuesView values(const double *a) const
  {
    return {a, map_start.data(), map_source.data(), map_column.data(), map_row.data(), map_scale.data()};
  }
  Offset bytes() const
  {
    return block_start.bytes() + tile_column.bytes() + column_block.bytes() + panel_column.bytes() +
           panel_width.bytes() + tile_start.bytes() + column_start.bytes() + column_tile.bytes() + pairs.bytes() +
           map_start.bytes() + map_source.bytes() + map_column.bytes() + map_row.bytes() + map_scale.bytes();
  }

  Index rows, blocks;
  Offset tiles, items;
  Offset sources; ///< values of the caller that are read, counted to the last one
  DeviceArray<Index> block_start, tile_column, column_block, panel_column, panel_width;
  DeviceArray<Offset> tile_start, column_start, column_tile;
  DeviceArray<std::uint32_t> pairs;
  DeviceArray<Offset> map_start, map_source;
  DeviceArray<Index> map_column;
  DeviceArray<std::uint8_t> map_row;
  DeviceArray<double> map_scale;
};

} // namespace tessera
#endif
