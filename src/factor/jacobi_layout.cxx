#include "factor/jacobi_layout.hpp"

#include "analysis/permute.hpp"

#include <algorithm>

namespace tessera {
namespace {

int width_class(Index rows)
{
  return rows <= 4 ? 0 : rows <= 8 ? 1 : rows <= 16 ? 2 : 3;
}

/// Sorts items by class; for_each(add) calls add(class, item) for every item, twice in the same order.
template <class T, class ForEach>
void sort_by_width(ByWidth<T> &list, const ForEach &for_each)
{
  Offset next[width_classes_of_jacobi + 1] = {};
  for_each([&](int w, const T &) { ++next[w + 1]; });
  for (int w = 0; w < width_classes_of_jacobi; ++w)
    next[w + 1] += next[w];
  std::copy(next, next + width_classes_of_jacobi + 1, list.begin);
  list.item.resize(next[width_classes_of_jacobi]);
  for_each([&](int w, const T &item) { list.item[next[w]++] = item; });
}

/// Entries +-1 from splitmix64: the same on every machine.
std::vector<double> probes(Index rows)
{
  std::vector<double> probe(std::size_t(rows) * jacobi_probes);
  for (std::size_t i = 0; i < probe.size(); ++i) {
    std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    probe[i] = (z >> 33) & 1 ? 1 : -1;
  }
  return probe;
}

} // namespace

JacobiLayout::JacobiLayout(const BlockStructure &s, Index columns_per_item) : probe(probes(s.rows))
{
  const Pattern &upper = s.tiles.upper;
  const Offset count = upper.entries();
  tile_row.resize(count);
  tile_start.assign(1, 0);
  tile_start.reserve(count + 1);
  inverse_start.assign(1, 0);
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index rows = s.block_rows(b);
    panel_start.push_back(panels);
    lower_start.push_back(lowers);
    panels += Offset(s.panel_width[b]) * group_width(rows);
    lowers += Offset(rows) * group_width(rows);
    inverse_start.push_back(inverse_start.back() + Offset(rows) * rows);
    for (Offset t = upper.start[b]; t < upper.start[b + 1]; ++t) {
      const Index columns = s.block_rows(upper.column[t]);
      tile_row[t] = b;
      tile_start.push_back(tile_start.back() +
                           std::max(Offset(rows) * tile_stride(columns), Offset(columns) * tile_stride(rows)));
    }
  }
  sort_by_width(blocks, [&](auto add) {
    for (Index b = 0; b < s.blocks(); ++b)
      add(width_class(s.block_rows(b)), b);
  });
  const auto columns = [&](auto add, int w, Offset t, Index most) {
    for (Index c = 0; c < most; c += columns_per_item)
      add(w, JacobiItem{t, c, std::min(c + columns_per_item, most)});
  };
  sort_by_width(diagonals, [&](auto add) {
    for (Index b = 0; b < s.blocks(); ++b)
      columns(add, width_class(s.block_rows(b)), b, s.block_rows(b));
  });
  sort_by_width(tiles, [&](auto add) {
    for (Offset t = 0; t < count; ++t) {
      const Index most = std::max(s.block_rows(tile_row[t]), s.block_rows(upper.column[t]));
      columns(add, width_class(most), t, most);
    }
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
      upper.column.push_back(b.position[b.index[i]]);
    }
    upper.start.push_back(static_cast<Offset>(upper.column.size()));
  }
  r.tiles.level.assign(place.size(), 0);
  r.values.start.assign(s.blocks() + 1, 0);
  r.tiles.columns = transpose(upper, &r.tiles.position);
  lay_out(r);
  return r;
}

PublishedLayout::PublishedLayout(const BlockStructure &s, const std::vector<Offset> &moved)
    : place(moved.size()), inverse_start(1, 0), first(s.tiles.upper.entries() + s.blocks())
{
  std::vector<Offset> tile_place(moved.size());
  Offset values = 0;
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index rows = s.block_rows(b);
    row_place.push_back(values);
    column_place.push_back(static_cast<Offset>(column.size()));
    inverse_start.push_back(inverse_start.back() + Offset(rows) * rows);
    Index columns = 0;
    for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1]; ++t) {
      const Index width = s.block_rows(s.tiles.upper.column[t]);
      first[t + b] = columns;
      tile_place[t] = values;
      columns += width;
      values += Offset(width) * rows;
      for (Index c = 0; c < width; ++c)
        column.push_back(static_cast<std::uint8_t>(c));
    }
    first[s.tiles.upper.start[b + 1] + b] = columns;
  }
  for (std::size_t t = 0; t < moved.size(); ++t)
    place[t] = tile_place[moved[t]];
}

} // namespace tessera
