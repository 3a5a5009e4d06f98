#ifndef TESSERA_CUDA_KEPT_TILES_CUH
#define TESSERA_CUDA_KEPT_TILES_CUH

#include "block_solve.cuh"

namespace tessera {

/// Lists the tiles that kept columns, for the solves. Allocated once for a structure, filled after each factorization.
template <class T>
class KeptTiles {
public:
  KeptTiles(Index blocks, Offset tiles, cudaStream_t stream);

  /// Queues the listing.
  void queue_listing(const StructureView &s, const FactorView<T> &f, cudaStream_t stream);

  Index blocks;
  Offset tiles;
  DeviceArray<Offset> column_start, row_start; ///< [blocks + 1]
  DeviceArray<KeptTile<T>> by_column, by_row;  ///< [tiles], as many as the starts say

private:
  DeviceArray<Offset> place_; ///< [tiles + 1]
  DeviceArray<std::uint8_t> scan_memory_;
};

} // namespace tessera
#endif
