#ifndef TESSERA_CUDA_SOLVE_SOLVE_ITEMS_CUH
#define TESSERA_CUDA_SOLVE_SOLVE_ITEMS_CUH

#include "cuda/solve/block_solve.cuh"

namespace tessera {

/// What the forward sweep adds up: the kept tiles of block columns.
template <class T>
struct ColumnItems {
  StructureView s;
  FactorView<T> f;
  const Offset *place; ///< [tiles + 1] of each in the list of kept tiles
  const KeptTile<T> *tiles;

  /// The entries of a column of a block column.
  struct Row {
    const KeptTile<T> *tile, *end;
    std::uint32_t bit;
    Index r = 0;

    __device__ Row(const KeptTile<T> *tile, const KeptTile<T> *end, std::uint32_t bit) : tile(tile), end(end), bit(bit)
    {
      skip();
    }
    __device__ void skip()
    {
      while (tile < end && !(tile->mask & bit))
        ++tile;
    }
    __device__ bool there() const { return tile < end; }
    __device__ T value() const { return tile->value()[__popc(tile->mask & (bit - 1)) * tile->height() + r]; }
    __device__ Index target() const { return tile->row + r; }
    __device__ void next()
    {
      if (++r < tile->height())
        return;
      r = 0;
      ++tile;
      skip();
    }
  };

  __device__ Index size(Index b) const { return s.block_rows(b); }
  __device__ Row row(Index b, Index r) const { return {tiles + first(b), tiles + first(b) + count(b), 1u << r}; }
  __device__ double inverse(Index b, Index r, Index c) const { return f.inverse[f.inverse_start[b] + c * size(b) + r]; }
  __device__ Offset first(Index b) const { return place[s.column_start[b]]; }
  __device__ Index count(Index b) const { return Index(place[s.column_start[b + 1]] - place[s.column_start[b]]); }
  __device__ Parts cut(Index b) const { return Parts::of_tiles(group_width(size(b))); }
  __device__ ForwardWork work(const SolvePlace &at, Offset first, Index count, Index row) const
  {
    const Index b = at.item;
    return {f.inverse + f.inverse_start[b], first, count, row, at.sums, std::uint8_t(size(b)), at.work};
  }
  __device__ ForwardWork work(const Bundle &bundle, Offset first, const double *inverse) const
  {
    return {inverse + bundle.inverse, first, 0, bundle.row, 0, std::uint8_t(bundle.rows), Work::bundle};
  }
};

/// What the backward sweep adds up: the kept columns of block rows.
template <class T>
struct RowItems {
  StructureView s;
  FactorView<T> f;
  const std::uint8_t *column_pool;
  const KeptColumn *columns;

  /// The entries of a row of a block row.
  struct Row {
    const KeptColumn *column, *end;
    const T *values; ///< those of the block row, from the row on
    Index rows;

    __device__ bool there() const { return column < end; }
    __device__ T value() const { return values[Offset(column->place) * rows]; }
    __device__ Index target() const { return column->target; }
    __device__ void next() { ++column; }
  };

  __device__ Index size(Index b) const { return s.block_rows(b); }
  __device__ Row row(Index b, Index r) const
  {
    return {columns + first(b), columns + first(b) + count(b), f.value[b] + r, size(b)};
  }
  __device__ double inverse(Index b, Index r, Index c) const { return f.inverse[f.inverse_start[b] + r * size(b) + c]; }
  __device__ Offset first(Index b) const { return f.column[b] - column_pool; }
  __device__ Index count(Index b) const { return f.kept(s, b); }
  __device__ Parts cut(Index b) const { return Parts::of_columns(group_width(size(b))); }
  __device__ BackwardWork<T> work(const SolvePlace &at, Offset first, Index count, Index row) const
  {
    const Index b = at.item;
    return {f.inverse + f.inverse_start[b], first, f.value[b], count, row, at.sums, std::uint8_t(size(b)), at.work};
  }
  __device__ BackwardWork<T> work(const Bundle &bundle, Offset first, const double *inverse) const
  {
    return {inverse + bundle.inverse, first, nullptr, 0, bundle.row, 0, std::uint8_t(bundle.rows), Work::bundle};
  }
};

} // namespace tessera
#endif
