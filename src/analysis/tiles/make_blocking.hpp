#ifndef TESSERA_ANALYSIS_TILES_MAKE_BLOCKING_HPP
#define TESSERA_ANALYSIS_TILES_MAKE_BLOCKING_HPP

#include "analysis/ordering/ordering.hpp"
#include "analysis/symbolic/merge_leaves.hpp"
#include "analysis/symbolic/supernodes.hpp"
#include "analysis/tiles/block_pattern.hpp"
#include "analysis/tiles/blocking.hpp"

namespace tessera {

/// How vertices are ordered and put into blocks (thesis 5.2.1 and 8.5).
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
  Index max_rows = 32;             ///< rows of a block at most; 1 leaves no pairs
  double cosine = 0.8;             ///< BR, RB, RBR: least similarity of rows merged in the first round
  double decay = 0.9;              ///< BR, RB, RBR: factor by which it falls from one round to the next
  Relaxation relaxation;           ///< SN: how far children are merged into parents
  double costly_flops = 1e11;      ///< a complete factor of more operations costs more than many iterations
  double very_costly_flops = 1e12; ///< even more than with a factor that has no fill
  /// Whether operations of the complete factor are cheap because few of them are done; see OrderingChoice
  std::function<bool(const FactorSize &)> few_are_done;
  double level_flops = 0; ///< operations that take as long as a level by itself: of a device, where they are cheap
  /// SN, with fill: supernodes without children are merged with others of the same parent, see merge_leaves(); 0:
  /// never.
  FrontShape leaves;
  Index low_fill_rows = 8;  ///< SN: of a block at most with few levels of fill: small blocks keep much less then
  Index low_fill_level = 0; ///< the most that are few
};

/// Levels of fill that are worth their cost, of a complete factor of this size: all; one where it is costly and does
/// not end dense; none where it is very costly.
Index worthwhile_level(const FactorSize &complete, const BlockingOptions &options);

/// How Ordering::Automatic chooses for a graph that is then blocked.
OrderingChoice ordering_choice(const BlockingOptions &options);

/// BlockStrategy::SN: the supernodes of an ordered graph, cut into blocks. weight[i] <= max_rows: rows that vertex i
/// stands for.
Blocking block_supernodes(const Symbolic &symbolic, const Pattern &graph, const std::vector<Index> &weight,
                          const BlockingOptions &options);

/// Orders and blocks a symmetric graph (both triangles stored). weight[i] <= max_rows: rows that vertex i stands for.
/// A vertex is never split, so a pair that the graph was compressed by stays in one block. No blocks for a graph with
/// vertices means that the ordering failed, as order() says.
Blocking make_blocking(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options);

} // namespace tessera
#endif
