#include "factor/front/device/front_kinds.hpp"

#include <algorithm>

namespace tessera {

FrontKind kind_by_rows(Index columns, Index below, Index block_rows)
{
  if (columns + below <= DeviceFront::warp_width)
    return FrontKind::Warp;
  return round_up(columns, 8) + round_up(below, 8) <= block_rows ? FrontKind::Block : FrontKind::Tiles;
}

std::vector<FrontKind> front_kinds(const AssemblyTree &tree, Index block_rows)
{
  std::vector<FrontKind> kind(tree.fronts());
  for (Index s = 0; s < tree.fronts(); ++s) {
    kind[s] = kind_by_rows(tree.columns(s), tree.below_rows(s), block_rows);
    for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c)
      kind[s] = std::max(kind[s], kind[tree.child[c]]);
  }
  return kind;
}

} // namespace tessera
