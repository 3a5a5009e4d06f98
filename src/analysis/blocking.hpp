#ifndef TESSERA_ANALYSIS_BLOCKING_HPP
#define TESSERA_ANALYSIS_BLOCKING_HPP

#include "analysis/ordering.hpp"
#include "analysis/supernodes.hpp"

namespace tessera {

/// How vertices are ordered and grouped into blocks (thesis 5.2.1 and 8.5).
enum class BlockStrategy {
  BR,  ///< similar rows first, then an ordering of the block graph: few blocks and levels, more scalar fill
  RB,  ///< an ordering first, then blocks of similar consecutive rows: least scalar fill, many levels
  RBR, ///< as RB, then another ordering of the block graph
  SN,  ///< blocks are the relaxed supernodes of the complete factor, cut at the block size
  Grid ///< an ordering, then a regular grid: full blocks, but where a pair would be cut (thesis 6.2)
};

struct BlockingOptions {
  BlockStrategy strategy = BlockStrategy::SN;
  Ordering ordering = Ordering::Automatic;
  Index max_rows = 32;   ///< rows of a block at most; 1 leaves no pairs
  double cosine = 0.8;   ///< BR, RB, RBR: least similarity of rows merged on the first level
  double decay = 0.9;    ///< BR, RB, RBR: factor by which it falls from one level to the next
  Relaxation relaxation; ///< SN: how far children are merged into parents
  /// SN: a complete factor of more operations than this is one that nobody wants. Blocks then have at most
  /// low_fill_rows, as with few levels of fill small blocks keep much less.
  double costly_flops = 1e12;
  Index low_fill_rows = 8;
};

/// Vertices in their final order, cut into blocks: block b holds perm[start[b]] .. perm[start[b + 1] - 1].
struct Blocking {
  std::vector<Index> perm;
  std::vector<Index> start = {0};
  Offset complete_entries = -1; ///< of the triangular factor with complete fill in this order; -1: not counted
  double complete_flops = 0;    ///< to compute it

  Index blocks() const { return static_cast<Index>(start.size()) - 1; }
};

/// Orders and blocks a symmetric graph (both triangles stored). weight[i] <= max_rows: rows that vertex i stands for.
/// A vertex is never split, so a pair that the graph was compressed by stays in one block. No blocks for a graph with
/// vertices means that the ordering failed, as order() says.
Blocking make_blocking(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options);

} // namespace tessera
#endif
