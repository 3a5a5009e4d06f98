#include "factor/jldlt/layout.hpp"

#include "base/permute.hpp"
#include "base/random.hpp"
#include "factor/jldlt/sort_by_width.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tessera {
namespace {

/// Calls visit(entry, row, column, whether it stands for its mirror image too) for all entries that the map of values
/// lists, in its order.
template <class Visit>
void visit_entries(const BlockStructure &s, const Visit &visit)
{
  std::vector<Index> column;
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index rows = s.block_rows(b);
    column.resize(s.panel_width[b]);
    std::iota(column.begin(), column.begin() + rows, s.block_start[b]);
    for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1]; ++t) {
      const Index j = s.tiles.upper.column[t];
      std::iota(column.begin() + s.panel_column[t], column.begin() + s.panel_column[t] + s.block_rows(j),
                s.block_start[j]);
    }
    for (Offset e = s.values.start[b]; e < s.values.start[b + 1]; ++e)
      visit(static_cast<Index>(e), s.block_start[b] + s.values.row[e], column[s.values.column[e]],
            s.values.column[e] >= rows);
  }
}

/// Entries +-1 from splitmix64: the same on every machine.
std::vector<double> probes(Index rows)
{
  std::vector<double> probe(std::size_t(rows) * jacobi_probes);
  for (std::size_t i = 0; i < probe.size(); ++i)
    probe[i] = (mix64((i + 1) * golden_spread) >> 33) & 1 ? 1 : -1;
  return probe;
}

} // namespace

JacobiLayout::JacobiLayout(const BlockStructure &s) : probe(probes(s.rows))
{
  const Pattern &upper = s.tiles.upper;
  tile_row.resize(upper.entries());
  inverse_start.assign(1, 0);
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index n = s.block_rows(b);
    largest_block = std::max(largest_block, n);
    lower_start.push_back(lowers);
    lowers += Offset(n) * group_width(n);
    inverse_start.push_back(inverse_start.back() + Offset(n) * n);
    std::fill(tile_row.begin() + upper.start[b], tile_row.begin() + upper.start[b + 1], b);
  }
  sort_by_width(blocks, 1, [&](auto add) {
    for (Index b = 0; b < s.blocks(); ++b)
      add(0, width_class(s.block_rows(b)), b);
  });
  list_rows(s);
}

void JacobiLayout::forget_rows()
{
  free_all(probe, rows, row_pieces, row_entry, row_column);
}

/// Lists the entries of every row of A. Entries of diagonal tiles are stored for both triangles, the others for one.
void JacobiLayout::list_rows(const BlockStructure &s)
{
  constexpr Offset longest_piece = 256;
  if (s.values.start.back() > std::numeric_limits<Index>::max())
    throw std::length_error("Jacobi-LDLT numbers the entries of a matrix with 32 bits: this one has too many");
  std::vector<Offset> start(s.rows + 1, 0);
  visit_entries(s, [&](Index, Index i, Index j, bool both) {
    ++start[i + 1];
    if (both)
      ++start[j + 1];
  });
  std::partial_sum(start.begin(), start.end(), start.begin());
  row_pieces.assign(1, 0);
  for (Index i = 0; i < s.rows; ++i) {
    for (Offset p = start[i]; p < start[i + 1]; p += longest_piece)
      rows.push_back({0, static_cast<Index>(std::min(longest_piece, start[i + 1] - p))});
    row_pieces.push_back(static_cast<Offset>(rows.size()));
  }
  Offset size = 0;
  for (std::size_t first = 0; first < rows.size(); first += piece_step) {
    Index longest = 0;
    for (std::size_t k = first; k < std::min(rows.size(), first + piece_step); ++k) {
      rows[k].begin = size + static_cast<Offset>(k - first);
      longest = std::max(longest, rows[k].entries);
    }
    size += Offset(longest) * piece_step;
  }
  row_entry.assign(size, 0);
  row_column.assign(size, 0);
  std::vector<Offset> listed(s.rows, 0);
  const auto add = [&](Index e, Index i, Index j) {
    const Offset n = listed[i]++, at = rows[row_pieces[i] + n / longest_piece].begin + n % longest_piece * piece_step;
    row_entry[at] = e;
    row_column[at] = j;
  };
  visit_entries(s, [&](Index e, Index i, Index j, bool both) {
    add(e, i, j);
    if (both)
      add(e, j, i);
  });
}

BlockStructure reorder_structure(const BlockStructure &s, const IndexedBlocks &b, std::vector<Offset> &place)
{
  BlockStructure r;
  r.rows = s.rows;
  r.block_start.assign(1, 0);
  r.perm.reserve(s.rows);
  place.resize(s.tiles.upper.entries());
  Pattern &upper = r.tiles.upper;
  upper.rows = upper.cols = s.blocks();
  upper.column.reserve(place.size());
  for (Index p = 0; p < s.blocks(); ++p) {
    const Index block = b.order[p];
    r.perm.insert(r.perm.end(), s.perm.begin() + s.block_start[block], s.perm.begin() + s.block_start[block + 1]);
    r.block_start.push_back(static_cast<Index>(r.perm.size()));
    r.pairs.push_back(s.pairs[block]);
    for (Offset i = b.diagonal[block]; i < b.start[block + 1]; ++i) {
      place[b.tile[i]] = static_cast<Offset>(upper.column.size());
      upper.column.push_back(b.place[b.index[i]]);
    }
    upper.start.push_back(static_cast<Offset>(upper.column.size()));
  }
  r.tiles.fill_level.assign(place.size(), 0);
  r.values.start.assign(s.blocks() + 1, 0);
  r.tiles.columns = transpose(upper, &r.tiles.position);
  lay_out(r);
  return r;
}

PublishedLayout::PublishedLayout(const BlockStructure &s, const std::vector<Offset> &moved,
                                 const std::vector<std::uint32_t> &mask)
    : position(moved.size()), inverse_start(1, 0), first(s.tiles.upper.entries() + s.blocks())
{
  std::vector<std::uint32_t> kept(moved.size());
  for (std::size_t t = 0; t < moved.size(); ++t)
    kept[moved[t]] = mask[t];
  std::vector<Offset> tile_position(moved.size());
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index rows = s.block_rows(b);
    row_position.push_back(values);
    column_position.push_back(static_cast<Offset>(column.size()));
    inverse_start.push_back(inverse_start.back() + Offset(rows) * rows);
    Index columns = 0;
    for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1]; ++t) {
      first[t + b] = columns;
      tile_position[t] = values;
      for (Index c = 0; c < s.block_rows(s.tiles.upper.column[t]); ++c)
        if (kept[t] >> c & 1) {
          column.push_back(static_cast<std::uint8_t>(c));
          ++columns;
          values += rows;
        }
    }
    first[s.tiles.upper.start[b + 1] + b] = columns;
  }
  for (std::size_t t = 0; t < moved.size(); ++t)
    position[t] = tile_position[moved[t]];
}

} // namespace tessera
