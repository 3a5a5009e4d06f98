#ifndef TESSERA_FACTOR_JLDLT_TILE_ROWS_HPP
#define TESSERA_FACTOR_JLDLT_TILE_ROWS_HPP

namespace tessera {

/// A tile to be read by rows: entry (r, c) is at p[r + c stride].
struct TileRows {
  const double *p;
  int stride;
};

} // namespace tessera
#endif
