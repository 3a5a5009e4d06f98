#ifndef TESSERA_FACTOR_LU_BLOCK_LEVELS_HPP
#define TESSERA_FACTOR_LU_BLOCK_LEVELS_HPP

#include "factor/front/device/device_plan.hpp"
#include "factor/lu/lu_plan.hpp"

namespace tessera {

/// How many levels the diagonal blocks of a plan have: a block is one level above the highest of those that its rows
/// are coupled to.
Index count_block_levels(const LuPlan &plan);

/// Equations of each level as far as they have entries outside of the diagonal blocks, and these, in the caller's
/// order.
struct LevelCoupling {
  std::vector<Index> line_begin; ///< [levels + 1] lines of level l: line[line_begin[l]] ..; all of it, or none
  std::vector<Index> line;       ///< number of the equation
  std::vector<Offset> start;     ///< [lines + 1]
  std::vector<Index> unknown;    ///< [entries]
  std::vector<Offset> entry;     ///< [entries] of the matrix, by rows
};

/// The levels of a plan, for a device.
struct BlockLevels {
  Index count = 1;
  std::vector<Index> front; ///< [fronts of the device] its level
  LevelCoupling side[2];    ///< with the matrix, and with its transpose
};

BlockLevels block_levels(const LuPlan &plan, const DevicePlan &device);

} // namespace tessera
#endif
