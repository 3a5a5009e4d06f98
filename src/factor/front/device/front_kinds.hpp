#ifndef TESSERA_FACTOR_FRONT_DEVICE_FRONT_KINDS_HPP
#define TESSERA_FACTOR_FRONT_DEVICE_FRONT_KINDS_HPP

#include "base/integers.hpp"
#include "factor/front/device/device_plan.hpp"

namespace tessera {

/// Rows of the largest front of a thread block on an H100 or H200, both parts padded to multiples of 8.
constexpr Index usual_block_rows = 144;

/// The kind that a front has for its rows. block_rows: rows that a front of kind Block may have, padded.
FrontKind kind_by_rows(Index columns, Index below, Index block_rows);

/// The kinds of the fronts of a tree: by their rows, but none before those of their children.
std::vector<FrontKind> front_kinds(const AssemblyTree &tree, Index block_rows);

} // namespace tessera
#endif
