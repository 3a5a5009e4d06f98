#include "factor/lu/block_levels.hpp"

#include "analysis/symbolic/block_triangular.hpp"
#include "base/permute.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// [rows] by elimination order, the level of its block.
std::vector<Index> levels_of_rows(const LuPlan &plan)
{
  const AssemblyTree &tree = plan.fronts.tree;
  const Coupling &c = plan.coupling;
  const auto begin = [&](Index b) { return tree.first[plan.block[b].begin]; };
  const auto end = [&](Index b) { return tree.first[plan.block[b].end]; };
  const Index blocks = static_cast<Index>(plan.block.size());
  std::vector<Index> block(tree.rows(), 0);
  for (Index b = 0; b < blocks; ++b)
    std::fill(block.begin() + begin(b), block.begin() + end(b), b);
  const std::vector<Index> level = levels_of_blocks(blocks, [&](Index b, const auto &f) {
    for (Offset p = c.start[begin(b)]; p < c.start[end(b)]; ++p)
      f(block[c.column[p]]);
  });
  for (Index &of_row : block)
    of_row = level[of_row];
  return block;
}

/// The entries of a matrix between levels, by its rows.
LevelCoupling coupling_of(const Pattern &a, const std::vector<Index> &row_level, const std::vector<Index> &column_level,
                          Index levels)
{
  LevelCoupling c;
  c.line_begin.assign(1, 0);
  c.start.assign(1, 0);
  for (Index l = 0; l < levels; ++l) {
    const std::size_t entries = c.entry.size(), lines = c.line.size();
    for (Index i = 0; i < a.rows; ++i) {
      if (row_level[i] != l)
        continue;
      c.line.push_back(i);
      for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
        if (column_level[a.column[p]] != l) {
          c.unknown.push_back(a.column[p]);
          c.entry.push_back(p);
        }
      c.start.push_back(Offset(c.entry.size()));
    }
    if (c.entry.size() == entries) {
      c.line.resize(lines);
      c.start.resize(lines + 1);
    }
    c.line_begin.push_back(Index(c.line.size()));
  }
  return c;
}

} // namespace

Index count_block_levels(const LuPlan &plan)
{
  const std::vector<Index> level = levels_of_rows(plan);
  return level.empty() ? 1 : *std::max_element(level.begin(), level.end()) + 1;
}

BlockLevels block_levels(const LuPlan &plan, const DevicePlan &device)
{
  const AssemblyTree &tree = plan.fronts.tree;
  const std::vector<Index> level = levels_of_rows(plan);
  BlockLevels levels;
  levels.count = count_block_levels(plan);
  levels.front.resize(device.front.size());
  for (std::size_t s = device.front.size(); s-- > 0;) {
    const DeviceFront &f = device.front[s]; // the root of a tree has columns of its own
    levels.front[s] = f.parent >= 0 ? levels.front[f.parent] : level[f.first];
  }
  if (levels.count == 1)
    return levels;
  std::vector<Index> row_level(tree.rows()), column_level(tree.rows());
  for (Index i = 0; i < tree.rows(); ++i) {
    row_level[tree.perm[i]] = level[i];
    column_level[plan.column[i]] = level[i];
  }
  const Pattern &a = plan.fronts.matrix;
  levels.side[0] = coupling_of(a, row_level, column_level, levels.count);
  std::vector<Offset> entry;
  const Pattern transposed = transpose(a, &entry);
  levels.side[1] = coupling_of(transposed, column_level, row_level, levels.count);
  for (Offset &p : levels.side[1].entry)
    p = entry[p];
  return levels;
}

} // namespace tessera
