#ifndef TESSERA_ANALYSIS_BLOCKING_HPP
#define TESSERA_ANALYSIS_BLOCKING_HPP

#include "analysis/ordering.hpp"
#include "analysis/supernodes.hpp"
#include "analysis/symbolic.hpp"

namespace tessera {

/// How vertices are ordered and grouped into blocks (thesis 5.2.1 and 8.5).
enum class BlockStrategy {
  BR,  ///< similar rows first, then an ordering of the block graph: few blocks and levels, more scalar fill
  RB,  ///< an ordering first, then blocks of similar consecutive rows: least scalar fill, many levels
  RBR, ///< as RB, then another ordering of the block graph
  SN,  ///< blocks are the relaxed supernodes of the complete factor, cut at the block size
  Grid ///< an ordering, then a regular grid: full blocks, but where a pair would be cut (thesis 6.2)
};

/// Levels of fill between blocks: no limit to them.
constexpr Index complete_level = -1;

struct BlockingOptions {
  BlockStrategy strategy = BlockStrategy::SN;
  Ordering ordering = Ordering::Automatic;
  Index max_rows = 32;             ///< rows of a block at most; 1 leaves no pairs
  double cosine = 0.8;             ///< BR, RB, RBR: least similarity of rows merged on the first level
  double decay = 0.9;              ///< BR, RB, RBR: factor by which it falls from one level to the next
  Relaxation relaxation;           ///< SN: how far children are merged into parents
  double costly_flops = 1e11;      ///< a complete factor of more operations costs more than many iterations
  double very_costly_flops = 1e12; ///< even more than with a factor that has no fill
  double level_flops = 0;          ///< operations that take as long as a level by itself; see LevelCost
  Index low_fill_rows = 8;         ///< SN: of a block at most without fill, as small blocks keep much less then
};

/// Vertices in their final order, cut into blocks: block b holds perm[start[b]] .. perm[start[b + 1] - 1].
struct Blocking {
  std::vector<Index> perm;
  std::vector<Index> start = {0};
  Offset complete_entries = -1; ///< of the triangular factor with complete fill in this order; -1: not counted
  Offset dense_entries = 0;     ///< those of the dense triangle at its end
  double complete_flops = 0;    ///< to compute it

  Index blocks() const { return static_cast<Index>(start.size()) - 1; }
};

/// Sets what the blocking says of the complete factor. weight[i]: rows that vertex i stands for.
void note_complete_factor(const Symbolic &symbolic, const std::vector<Index> &weight, Blocking &blocking);

/// Whether the complete factor is a dense triangle at its end but for a tenth. Graphs without small separators, random
/// ones, end like that: nearly every row is close to every other, and levels of fill or dropping leave little out.
bool ends_dense(Offset complete_entries, Offset dense_entries);

/// Levels of fill that are worth their cost: all; one where the complete factor is costly and does not end dense; none
/// where it is very costly.
Index worthwhile_level(const Blocking &blocking, const BlockingOptions &options);

/// Orders and blocks a symmetric graph (both triangles stored). weight[i] <= max_rows: rows that vertex i stands for.
/// A vertex is never split, so a pair that the graph was compressed by stays in one block. No blocks for a graph with
/// vertices means that the ordering failed, as order() says.
Blocking make_blocking(const Pattern &graph, const std::vector<Index> &weight, const BlockingOptions &options);

} // namespace tessera
#endif
