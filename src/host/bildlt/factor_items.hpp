#ifndef TESSERA_HOST_BILDLT_FACTOR_ITEMS_HPP
#define TESSERA_HOST_BILDLT_FACTOR_ITEMS_HPP

#include "factor/bildlt/schedule.hpp"

namespace tessera {

/// A share of the work of a factorization, in the order of which an item waits for earlier ones only.
struct FactorItem {
  enum Kind : std::uint8_t {
    Task,    ///< the subtrees of task `index`
    Segment, ///< the rows of segment `index`
    Pull,    ///< piece `piece` of row `index` of the batches: pull, factor the diagonal tile if it is the first, solve
    Score,   ///< score it
    Store    ///< store it, or the whole row
  } kind;
  Index index, piece;
};

/// Tasks, then segments by level; rows of several pieces go through the batches schedule.split.
std::vector<FactorItem> items_by_subtrees(const Schedule &schedule);

/// All rows through the batches schedule.levels, each stored as a whole.
std::vector<FactorItem> items_by_levels(const Schedule &schedule);

} // namespace tessera
#endif
