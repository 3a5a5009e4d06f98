#include "analysis/tiles/block_structure.hpp"

#include "base/allocate.hpp"
#include "base/parallel_for.hpp"
#include "base/permute.hpp"
#include "base/row_starts.hpp"

namespace tessera {
namespace {

/// Block of each row of the permuted matrix.
std::vector<Index> blocks_of_rows(const BlockStructure &s)
{
  std::vector<Index> block(s.rows);
  for (Index b = 0; b < s.blocks(); ++b)
    for (Index i = s.block_start[b]; i < s.block_start[b + 1]; ++i)
      block[i] = b;
  return block;
}

/// Calls visit(entry, panel column, row in block) for each entry of block row b on or above the block diagonal.
/// first_column[j] is set to the panel column of tile (b, j) meanwhile.
template <class Visit>
void visit_block_row(const Pattern &pattern, const BlockStructure &s, const std::vector<Index> &place,
                     const std::vector<Index> &block, Index b, std::vector<Index> &first_column, Visit visit)
{
  const Pattern &upper = s.tiles.upper;
  first_column[b] = 0;
  for (Offset t = upper.start[b]; t < upper.start[b + 1]; ++t)
    first_column[upper.column[t]] = s.panel_column[t];
  for (Index i = s.block_start[b]; i < s.block_start[b + 1]; ++i) {
    const Index row = s.perm[i];
    for (Offset p = pattern.start[row]; p < pattern.start[row + 1]; ++p) {
      const Index j = place[pattern.column[p]];
      if (block[j] >= b)
        visit(p, first_column[block[j]] + j - s.block_start[block[j]], i - s.block_start[b]);
    }
  }
}

/// Where the entries of each block row on or above the block diagonal begin.
std::vector<Offset> entry_starts(const Pattern &pattern, const BlockStructure &s, const std::vector<Index> &place,
                                 const std::vector<Index> &block)
{
  return row_starts(s.blocks(), s.rows > parallel_rows, [&](Index b) {
    Offset count = 0;
    for (Index i = s.block_start[b]; i < s.block_start[b + 1]; ++i)
      for (Offset p = pattern.start[s.perm[i]]; p < pattern.start[s.perm[i] + 1]; ++p)
        count += block[place[pattern.column[p]]] >= b;
    return count;
  });
}

} // namespace

void lay_out(BlockStructure &s)
{
  s.levels = level_sets(s.tiles.upper);
  const Pattern &upper = s.tiles.upper;
  s.panel_column.resize(upper.entries());
  s.panel_width.resize(s.blocks());
#pragma omp parallel for schedule(static) if (s.rows > parallel_rows)
  for (Index b = 0; b < s.blocks(); ++b) {
    Index width = s.block_rows(b);
    for (Offset t = upper.start[b]; t < upper.start[b + 1]; ++t) {
      s.panel_column[t] = width;
      width += s.block_rows(upper.column[t]);
    }
    s.panel_width[b] = width;
  }
}

void complete_structure(const Pattern &pattern, const std::vector<Offset> &source, const std::vector<double> &scale,
                        BlockStructure &structure)
{
  BlockStructure &s = structure;
  lay_out(s);

  const std::vector<Index> place = inverse_permutation(s.perm);
  const std::vector<Index> block = blocks_of_rows(s);
  ValueMap &map = s.values;
  map.start = entry_starts(pattern, s, place, block);
  allocate_in_parallel(map.source, map.start.back());
  allocate_in_parallel(map.column, map.start.back());
  allocate_in_parallel(map.row, map.start.back());
  allocate_in_parallel(map.scale, map.start.back());
  const auto make_first_column = [&] { return std::vector<Index>(s.blocks()); };
  const auto list_entries = [&](std::vector<Index> &first_column, Index b) {
    Offset item = map.start[b];
    visit_block_row(pattern, s, place, block, b, first_column, [&](Offset p, Index column, Index row) {
      map.source[item] = source[p];
      map.column[item] = column;
      map.row[item] = static_cast<uint8_t>(row);
      map.scale[item] = scale[s.perm[s.block_start[b] + row]] * scale[pattern.column[p]];
      ++item;
    });
  };
  parallel_for_with(s.blocks(), 256, s.rows > parallel_rows, make_first_column, list_entries);
}

} // namespace tessera
