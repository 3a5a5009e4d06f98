#ifndef TESSERA_CUDA_DEVICE_STRUCTURE_CUH
#define TESSERA_CUDA_DEVICE_STRUCTURE_CUH

#include "analysis/analysis.hpp"
#include "device_array.cuh"
#include "factor/views.hpp"

#include <algorithm>

namespace tessera {

/// The block structure in device memory, uploaded once per pattern. Shapes as in BlockStructure.
struct DeviceStructure {
  DeviceStructure(const Analysis &analysis, cudaStream_t q)
      : rows(analysis.structure.rows), blocks(analysis.structure.blocks()),
        tiles(analysis.structure.tiles.upper.entries()), items(analysis.structure.values.start.back()),
        sources(count_sources(analysis.structure.values.source)), block_start(analysis.structure.block_start, q),
        tile_column(analysis.structure.tiles.upper.column, q), column_block(analysis.structure.tiles.columns.column, q),
        panel_column(analysis.structure.panel_column, q), panel_width(analysis.structure.panel_width, q),
        tile_start(analysis.structure.tiles.upper.start, q), column_start(analysis.structure.tiles.columns.start, q),
        column_tile(analysis.structure.tiles.position, q), pairs(analysis.structure.pairs, q),
        map_start(analysis.structure.values.start, q), map_source(analysis.structure.values.source, q),
        map_column(analysis.structure.values.column, q), map_row(analysis.structure.values.row, q),
        map_scale(analysis.structure.values.scale, q)
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

private:
  static Offset count_sources(const std::vector<Offset> &source)
  {
    return source.empty() ? 0 : *std::max_element(source.begin(), source.end()) + 1;
  }
};

} // namespace tessera
#endif
