// iBCSR: push-backs against explicit permutations of the dense matrix.
#include "host/jldlt/backend.hpp"
#include "support/dense.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>
#include <numeric>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// A pattern of tiles on a graph of blocks, with a symmetric block matrix of blocks of different sizes on it.
struct Case {
  BlockPattern tiles;
  std::vector<Index> rows;  ///< of each block
  std::vector<Index> start; ///< first row of each block
  std::vector<Dense> tile;  ///< in the larger of its two sizes; entry (r, c) of rows[row] x rows[column]
  std::vector<Dense> diagonal;
  Dense whole;

  Case(const Pattern &graph, unsigned seed) : start(1, 0), whole(0)
  {
    Random random(seed);
    EXPECT_EQ(level_fill(graph, 0, 1 << 20, tiles), FillStatus::Ok);
    for (Index b = 0; b < graph.rows; ++b) {
      rows.push_back(1 + random.below(3));
      start.push_back(start.back() + rows.back());
      diagonal.push_back(random_block(random, 3));
    }
    for (Offset t = 0; t < tiles.upper.entries(); ++t)
      tile.push_back(random_block(random, 3));
    whole = Dense(start.back());
    for (Index b = 0; b < graph.rows; ++b) {
      for (Index r = 0; r < rows[b]; ++r)
        for (Index c = 0; c < rows[b]; ++c)
          whole(start[b] + r, start[b] + c) = diagonal[b](std::max(r, c), std::min(r, c));
      for (Offset t = tiles.upper.start[b]; t < tiles.upper.start[b + 1]; ++t) {
        const Index j = tiles.upper.column[t];
        for (Index r = 0; r < rows[b]; ++r)
          for (Index c = 0; c < rows[j]; ++c)
            whole(start[b] + r, start[j] + c) = whole(start[j] + c, start[b] + r) = tile[t](r, c);
      }
    }
  }

  static Dense random_block(Random &random, Index n)
  {
    Dense x(n);
    for (long double &v : x.a)
      v = random.between(-1, 1);
    return x;
  }

  /// The block that was first in tile t.
  Index row_of(Offset t) const
  {
    Index b = 0;
    while (tiles.upper.start[b + 1] <= t)
      ++b;
    return b;
  }

  /// The dense matrix that an iBCSR means: tiles of a block row from left to right, transposed where the block that was
  /// first comes second now.
  Dense assemble(const IndexView &v) const
  {
    Dense x(whole.n);
    std::vector<Index> first(1, 0); // row of each place
    for (Index p = 0; p < v.blocks; ++p)
      first.push_back(first.back() + rows[v.order[p]]);
    for (Index b = 0; b < v.blocks; ++b) {
      const Index row = first[v.place[b]];
      for (Index r = 0; r < rows[b]; ++r)
        for (Index c = 0; c < rows[b]; ++c)
          x(row + r, row + c) = diagonal[b](std::max(r, c), std::min(r, c));
      for (Offset i = v.start[b]; i < v.start[b + 1]; ++i) {
        const Index j = v.index[i], t = v.tile[i];
        for (Index r = 0; r < rows[b]; ++r)
          for (Index c = 0; c < rows[j]; ++c)
            x(row + r, first[v.place[j]] + c) = row_of(t) == b ? tile[t](r, c) : tile[t](c, r);
      }
    }
    return x;
  }
};

/// The whole matrix with its blocks in an order.
Dense permuted(const Case &c, const std::vector<Index> &order)
{
  std::vector<Index> row;
  for (Index b : order)
    for (Index r = 0; r < c.rows[b]; ++r)
      row.push_back(c.start[b] + r);
  Dense x(c.whole.n);
  for (Index i = 0; i < x.n; ++i)
    for (Index j = 0; j < x.n; ++j)
      x(i, j) = c.whole(row[i], row[j]);
  return x;
}

void expect_sorted(const IndexView &v)
{
  for (Index b = 0; b < v.blocks; ++b) {
    EXPECT_EQ(v.order[v.place[b]], b);
    for (Offset i = v.start[b]; i < v.start[b + 1]; ++i) {
      EXPECT_EQ(v.before(v.index[i], b), i < v.diagonal[b]);
      if (i > v.start[b]) {
        EXPECT_LT(v.place[v.index[i - 1]], v.place[v.index[i]]);
      }
    }
  }
}

class PushBack : public testing::TestWithParam<int> {};

TEST_P(PushBack, IsAPermutation)
{
  const int seed = GetParam();
  Random random(seed);
  const Case c(random_graph(5 + 4 * seed, 12 * seed, seed), seed);
  HostBackend backend;
  IndexArrays<HostBackend> arrays(backend, index_blocks(c.tiles));
  const Index n = arrays.blocks;
  std::vector<Index> level(n, 0);
  EXPECT_EQ(largest_difference(c.assemble(arrays.view()), c.whole), 0);
  expect_sorted(arrays.view());
  for (int round = 0; round < 4; ++round) {
    std::vector<Index> failed(n);
    for (Index b = 0; b < n; ++b)
      level[b] += failed[b] = random.below(3) == 0;
    push_back(backend, arrays, backend.upload(failed));
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return level[a] < level[b]; });
    const IndexView v = arrays.view();
    EXPECT_EQ(std::vector<Index>(v.order, v.order + n), order);
    EXPECT_EQ(std::vector<Index>(v.level, v.level + n), level);
    expect_sorted(v);
    EXPECT_EQ(largest_difference(c.assemble(v), permuted(c, order)), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, PushBack, testing::Range(1, 9));

TEST(IndexedBlocks, ThesisExample)
{
  // Figure 6.3: blocks 2 and 3 of 5 go to the rear
  Case c(random_graph(5, 1000, 1), 3);
  HostBackend backend;
  IndexArrays<HostBackend> arrays(backend, index_blocks(c.tiles));
  push_back(backend, arrays, backend.upload(std::vector<Index>{0, 0, 1, 1, 0}));
  const IndexView v = arrays.view();
  EXPECT_EQ(std::vector<Index>(v.order, v.order + 5), (std::vector<Index>{0, 1, 4, 2, 3}));
  EXPECT_EQ(std::vector<Index>(v.place, v.place + 5), (std::vector<Index>{0, 1, 3, 4, 2}));
}

TEST(IndexedBlocks, CommonBlocksOfTwoRows)
{
  const Case c(random_graph(30, 120, 5), 5);
  HostBackend backend;
  IndexArrays<HostBackend> arrays(backend, index_blocks(c.tiles));
  std::vector<Index> failed(30, 0);
  for (Index b = 0; b < 30; b += 4)
    failed[b] = 1;
  push_back(backend, arrays, backend.upload(failed));
  const IndexView v = arrays.view();
  std::vector<Offset> tile(30 * 30, -1);
  for (Index b = 0; b < 30; ++b)
    for (Offset i = v.start[b]; i < v.start[b + 1]; ++i)
      tile[b * 30 + v.index[i]] = v.tile[i];
  for (Index b = 0; b < 30; ++b)
    for (Index j = 0; j < 30; ++j) {
      if (b == j || !v.before(b, j))
        continue;
      std::vector<std::pair<Offset, Offset>> expected, found;
      for (Index p = 0; p < v.place[b]; ++p) {
        const Index k = v.order[p];
        if (tile[k * 30 + b] >= 0 && tile[k * 30 + j] >= 0)
          expected.push_back({tile[k * 30 + b], tile[k * 30 + j]});
      }
      visit_common(v, b, j, [&](Index kb, Index kj) { found.push_back({kb, kj}); });
      EXPECT_EQ(found, expected);
    }
}

TEST(IndexedBlocks, NoBlocks)
{
  BlockPattern none;
  HostBackend backend;
  IndexArrays<HostBackend> arrays(backend, index_blocks(none));
  push_back(backend, arrays, backend.zeros<Index>(0));
  EXPECT_EQ(arrays.view().blocks, 0);
}

} // namespace
