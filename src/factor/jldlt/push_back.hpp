#ifndef TESSERA_FACTOR_JLDLT_PUSH_BACK_HPP
#define TESSERA_FACTOR_JLDLT_PUSH_BACK_HPP

#include "base/bytes.hpp"
#include "factor/jldlt/indexed_blocks.hpp"

namespace tessera {

/// An iBCSR in the memory of a backend; shapes as in IndexedBlocks.
template <class Backend>
struct IndexArrays {
  template <class T>
  using Array = typename Backend::template Array<T>;

  Index blocks;
  Array<Offset> start;
  Array<Index> index, tile;
  Array<Offset> diagonal;
  Array<Index> level, order, place;
  Array<Index> row; ///< [ends] block row of each end

  IndexArrays(Backend &backend, const IndexedBlocks &b)
      : blocks(b.blocks()), start(backend.upload(b.start)), index(backend.upload(b.index)),
        tile(backend.upload(b.tile)), diagonal(backend.upload(b.diagonal)), level(backend.upload(b.level)),
        order(backend.upload(b.order)), place(backend.upload(b.place)), row(backend.upload(rows_of_ends(b)))
  {
  }

  IndexView view() const
  {
    return {blocks, start.data(), index.data(), tile.data(), diagonal.data(), level.data(), order.data(), place.data()};
  }

  Offset bytes() const
  {
    return bytes_of(start) + bytes_of(index) + bytes_of(tile) + bytes_of(diagonal) + bytes_of(level) + bytes_of(order) +
           bytes_of(place) + bytes_of(row);
  }

private:
  static std::vector<Index> rows_of_ends(const IndexedBlocks &b)
  {
    std::vector<Index> row(b.index.size());
    for (Index i = 0; i < b.blocks(); ++i)
      for (Offset p = b.start[i]; p < b.start[i + 1]; ++p)
        row[p] = i;
    return row;
  }
};

namespace push_back_steps {

/// Step 1: blocks pushed back rise by a level; the numbers and levels that are to be sorted.
struct RaiseLevel {
  IndexView v;
  const Index *failed;
  std::uint64_t *key;

  TESSERA_BOTH void operator()(Offset i) const
  {
    v.level[i] += failed[i] != 0;
    v.order[i] = static_cast<Index>(i);
    key[i] = std::uint64_t(v.level[i]);
  }
};

/// Step 3: the inverse of the sorted order.
struct Invert {
  IndexView v;

  TESSERA_BOTH void operator()(Offset p) const { v.place[v.order[p]] = static_cast<Index>(p); }
};

/// Step 4: what the ends of all block rows are sorted by: row, then place.
struct KeyOfEnd {
  IndexView v;
  const Index *row;
  std::uint64_t *key, *end;

  TESSERA_BOTH void operator()(Offset p) const
  {
    key[p] = std::uint64_t(row[p]) << 32 | std::uint32_t(v.place[v.index[p]]);
    end[p] = std::uint64_t(v.index[p]) << 32 | std::uint32_t(v.tile[p]);
  }
};

struct TakeEnd {
  IndexView v;
  const std::uint64_t *end;

  TESSERA_BOTH void operator()(Offset p) const
  {
    v.index[p] = static_cast<Index>(end[p] >> 32);
    v.tile[p] = static_cast<Index>(end[p] & 0xffffffffu);
  }
};

/// Step 5: where a block row crosses the diagonal.
struct FindDiagonal {
  IndexView v;

  TESSERA_BOTH void operator()(Offset i) const
  {
    Offset low = v.start[i], high = v.start[i + 1];
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (v.before(v.index[middle], static_cast<Index>(i)))
        low = middle + 1;
      else
        high = middle;
    }
    v.diagonal[i] = low;
  }
};

} // namespace push_back_steps

/// Moves the blocks with failed[i] != 0 [blocks] behind all blocks that were pushed back less often (thesis 6.4.2): by
/// sorts of indices, no tile moves. Blocks are sorted by the number of times they were pushed back, then by their first
/// number.
template <class Backend>
void push_back(Backend &backend, IndexArrays<Backend> &a, const typename Backend::template Array<Index> &failed)
{
  using namespace push_back_steps;
  const IndexView v = a.view();
  const Offset ends = static_cast<Offset>(a.index.size());
  auto level = backend.template zeros<std::uint64_t>(a.blocks);
  backend.each(a.blocks, RaiseLevel{v, failed.data(), level.data()});
  backend.sort(level, a.order);
  const IndexView sorted = a.view(); // sorting may put the values elsewhere
  backend.each(a.blocks, Invert{sorted});
  auto key = backend.template zeros<std::uint64_t>(ends), end = backend.template zeros<std::uint64_t>(ends);
  backend.each(ends, KeyOfEnd{sorted, a.row.data(), key.data(), end.data()});
  backend.sort(key, end);
  backend.each(ends, TakeEnd{sorted, end.data()});
  backend.each(a.blocks, FindDiagonal{sorted});
}

} // namespace tessera
#endif
