#include "factor/indexed_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// Sorts the blocks by level, those of a level by number.
void sort_blocks(IndexedBlocks &b)
{
  std::vector<Index> place(1 + (b.level.empty() ? 0 : *std::max_element(b.level.begin(), b.level.end())) + 1, 0);
  for (Index level : b.level)
    ++place[level + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  for (Index i = 0; i < b.blocks(); ++i)
    b.order[place[b.level[i]]++] = i;
}

/// Sorts the pairs of block row i by the positions of their indices.
void sort_pairs(IndexedBlocks &b, const IndexView &view, Index i, std::vector<std::pair<std::uint64_t, Offset>> &keys)
{
  const Offset begin = b.start[i], count = b.start[i + 1] - begin;
  keys.resize(count);
  for (Offset p = 0; p < count; ++p)
    keys[p] = {pair_key(view, i, b.index[begin + p]), Offset(b.index[begin + p]) << 32 | b.tile[begin + p]};
  std::sort(keys.begin(), keys.end());
  for (Offset p = 0; p < count; ++p) {
    b.index[begin + p] = static_cast<Index>(keys[p].second >> 32);
    b.tile[begin + p] = static_cast<Index>(keys[p].second & 0xffffffff);
  }
}

} // namespace

IndexView IndexedBlocks::view()
{
  return {blocks(),     start.data(), index.data(), tile.data(), diagonal.data(), level.data(), order.data(),
          position.data()};
}

IndexedBlocks index_blocks(const BlockPattern &tiles)
{
  IndexedBlocks b;
  const Index n = tiles.upper.rows;
  b.start.resize(n + 1);
  b.diagonal.resize(n);
  b.level.assign(n, 0);
  b.order.resize(n);
  std::iota(b.order.begin(), b.order.end(), 0);
  b.position = b.order;
  b.start[0] = 0;
  for (Index i = 0; i < n; ++i) {
    b.diagonal[i] = b.start[i] + tiles.columns.start[i + 1] - tiles.columns.start[i];
    b.start[i + 1] = b.diagonal[i] + tiles.upper.start[i + 1] - tiles.upper.start[i];
  }
  b.index.resize(b.start[n]);
  b.tile.resize(b.start[n]);
#pragma omp parallel for schedule(static) if (n > 10000)
  for (Index i = 0; i < n; ++i) {
    Offset p = b.start[i];
    for (Offset q = tiles.columns.start[i]; q < tiles.columns.start[i + 1]; ++q, ++p) {
      b.index[p] = tiles.columns.column[q];
      b.tile[p] = static_cast<Index>(tiles.position[q]);
    }
    for (Offset t = tiles.upper.start[i]; t < tiles.upper.start[i + 1]; ++t, ++p) {
      b.index[p] = tiles.upper.column[t];
      b.tile[p] = static_cast<Index>(t);
    }
  }
  return b;
}

void push_back(IndexedBlocks &blocks, const std::vector<Index> &failed)
{
  const IndexView view = blocks.view();
  const Index n = blocks.blocks();
  for (Index i = 0; i < n; ++i)
    raise_level(view, failed.data(), i);
  sort_blocks(blocks);
  for (Index p = 0; p < n; ++p)
    invert_order(view, p);
#pragma omp parallel if (n > 10000)
  {
    std::vector<std::pair<std::uint64_t, Offset>> keys;
#pragma omp for schedule(dynamic, 256)
    for (Index i = 0; i < n; ++i) {
      sort_pairs(blocks, view, i, keys);
      find_diagonal(view, i);
    }
  }
}

} // namespace tessera
