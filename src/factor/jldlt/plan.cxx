#include "base/memory.hpp"
#include "factor/jldlt/sort_by_width.hpp"

#include <numeric>

namespace tessera {
namespace {

/// The updates of all tiles: those of tile t are tiles (k, b) in own, (k, j) in other, from start[t] on.
struct Common {
  std::vector<Offset> start;
  std::vector<Index> own, other;
};

/// A limit of memory; 0: none.
struct Budget {
  Offset most;

  /// Throws OverBudget if that is more.
  void allow(Offset bytes) const
  {
    if (most > 0 && bytes > most)
      throw OverBudget();
  }
};

Common list_common(const IndexView &v, Offset tiles, const Budget &budget)
{
  Common c;
  c.start.assign(tiles + 1, 0);
  const auto for_each_tile = [&](auto action) {
#pragma omp parallel for schedule(dynamic, 256) if (v.blocks > 256)
    for (Index b = 0; b < v.blocks; ++b)
      for (Offset p = v.diagonal[b]; p < v.start[b + 1]; ++p)
        action(b, v.index[p], v.tile[p]);
  };
  for_each_tile([&](Index b, Index j, Index t) {
    Offset n = 0;
    visit_common(v, b, j, [&](Index, Index) { ++n; });
    c.start[t + 1] = n;
  });
  std::partial_sum(c.start.begin(), c.start.end(), c.start.begin());
  budget.allow(c.start.back() * 2 * Offset(sizeof(Index)));
  c.own.resize(c.start.back());
  c.other.resize(c.start.back());
  for_each_tile([&](Index b, Index j, Index t) {
    Offset at = c.start[t];
    visit_common(v, b, j, [&](Index own, Index other) {
      c.own[at] = own;
      c.other[at++] = other;
    });
  });
  return c;
}

/// A block row of A by tiles, for the plan: for every entry its tile, or -1 for the diagonal one, and place.
struct PlacedEntry {
  Index tile;
  std::uint8_t row, column;
};

/// Builds a plan; its members are JacobiPlan's, filled step by step.
class Planner {
public:
  Planner(JacobiPlan &plan, const BlockStructure &s, const JacobiLayout &layout, const IndexView &order, Index stages,
          const Budget &budget)
      : plan_(plan), s_(s), layout_(layout), order_(order), stages_(stages), budget_(budget),
        common_(list_common(order, s.tiles.upper.entries(), budget))
  {
    place_entries();
    find_masks();
    find_stages();
    lay_out_columns();
    list_pieces();
    list_terms();
  }

private:
  JacobiPlan &plan_;
  const BlockStructure &s_;
  const JacobiLayout &layout_;
  const IndexView order_;
  const Index stages_;
  const Budget budget_;
  const Common common_;
  std::vector<PlacedEntry> placed_;  ///< entries of the map of values
  std::vector<Offset> tile_entries_; ///< [tiles + 1] those of each tile in entry_of_tile_
  std::vector<Index> entry_of_tile_;
  std::vector<Offset> diagonal_updates_; ///< [blocks + 1] where the updates of each diagonal tile begin

  Offset tiles() const { return s_.tiles.upper.entries(); }
  bool flipped(Index t) const { return order_.place[s_.tiles.upper.column[t]] < order_.place[layout_.tile_row[t]]; }
  int width_of(Index b) const { return width_class(s_.block_rows(b)); }

  void place_entries()
  {
    const ValueMap &map = s_.values;
    placed_.resize(map.start.back());
    tile_entries_.assign(tiles() + 1, 0);
    std::vector<Index> tile;
    for (Index b = 0; b < s_.blocks(); ++b) {
      tile.assign(s_.panel_width[b], -1);
      for (Offset t = s_.tiles.upper.start[b]; t < s_.tiles.upper.start[b + 1]; ++t)
        std::fill_n(tile.begin() + s_.panel_column[t], s_.block_rows(s_.tiles.upper.column[t]), static_cast<Index>(t));
      for (Offset e = map.start[b]; e < map.start[b + 1]; ++e) {
        const Index t = tile[map.column[e]], column = map.column[e] - (t < 0 ? 0 : s_.panel_column[t]);
        const bool turn = t >= 0 && flipped(t);
        const auto c = static_cast<std::uint8_t>(column);
        placed_[e] = {t, turn ? c : map.row[e], turn ? map.row[e] : c};
        if (t >= 0)
          ++tile_entries_[t + 1];
      }
    }
    std::partial_sum(tile_entries_.begin(), tile_entries_.end(), tile_entries_.begin());
    entry_of_tile_.resize(tile_entries_.back());
    std::vector<Offset> next(tile_entries_.begin(), tile_entries_.end() - 1);
    for (std::size_t e = 0; e < placed_.size(); ++e)
      if (placed_[e].tile >= 0)
        entry_of_tile_[next[placed_[e].tile]++] = static_cast<Index>(e);
  }

  void find_masks()
  {
    plan_.mask.assign(tiles(), 0);
    for (const PlacedEntry &e : placed_)
      if (e.tile >= 0)
        plan_.mask[e.tile] |= 1u << e.column;
    for (Index i = 0; i < s_.blocks(); ++i) {
      const Index b = order_.order[i];
      for (Offset p = order_.diagonal[b]; p < order_.start[b + 1]; ++p) {
        const Index t = order_.tile[p];
        for (Offset u = common_.start[t]; u < common_.start[t + 1]; ++u)
          if (plan_.mask[common_.own[u]])
            plan_.mask[t] |= plan_.mask[common_.other[u]];
      }
    }
  }

  void find_stages()
  {
    std::vector<Index> level(s_.blocks(), 0);
    plan_.stage.resize(s_.blocks());
    for (Index i = 0; i < s_.blocks(); ++i) {
      const Index b = order_.order[i];
      for (Offset p = order_.start[b]; p < order_.diagonal[b]; ++p)
        if (plan_.mask[order_.tile[p]])
          level[b] = std::max(level[b], level[order_.index[p]] + 1);
      plan_.levels = std::max(plan_.levels, level[b] + 1);
      plan_.stage[b] = level[b] % stages_;
    }
    sort_by_width(plan_.blocks, stages_, [&](auto add) {
      for (Index b : layout_.blocks.item)
        add(plan_.stage[b], width_of(b), b);
    });
  }

  /// Ends of the pieces of block row b: places in its list of tiles.
  template <class Visit>
  void visit_pieces(Index b, const Visit &visit) const
  {
    Offset begin = order_.diagonal[b];
    Index columns = 0;
    for (Offset p = begin; p < order_.start[b + 1]; ++p) {
      const Index n = count_columns(plan_.mask[order_.tile[p]]);
      if (columns + n > jacobi_piece_columns) {
        visit(begin, p, columns);
        begin = p;
        columns = 0;
      }
      columns += n;
    }
    if (columns > 0)
      visit(begin, order_.start[b + 1], columns);
  }

  void lay_out_columns()
  {
    plan_.tile_u.resize(tiles());
    for (Index b = 0; b < s_.blocks(); ++b) {
      const Index rows = s_.block_rows(b);
      plan_.u_start.push_back(plan_.u);
      plan_.column_start.push_back(static_cast<Offset>(plan_.column_row.size()));
      visit_pieces(b, [&](Offset begin, Offset end, Index columns) {
        Index before = 0;
        for (Offset p = begin; p < end; ++p) {
          const Index t = order_.tile[p], first = s_.block_start[order_.index[p]];
          plan_.tile_u[t] = plan_.u + Offset(before) * padded(rows);
          for (std::uint32_t m = plan_.mask[t]; m; m &= m - 1)
            plan_.column_row.push_back(first + __builtin_ctz(m));
          before += count_columns(plan_.mask[t]);
        }
        plan_.u += Offset(columns) * padded(rows);
        plan_.kept += Offset(columns) * rows;
      });
    }
    plan_.column_start.push_back(static_cast<Offset>(plan_.column_row.size()));
    budget_.allow(plan_.u * 2 * Offset(sizeof(double))); // of the two iterates
  }

  /// The update of columns `columns` of a piece by tiles (k, b), own, and (k, j), other.
  JacobiUpdate update(Index own, Index other, std::uint32_t columns) const
  {
    const Index k = flipped(own) ? s_.tiles.upper.column[own] : layout_.tile_row[own];
    return {k, plan_.mask[own], plan_.tile_u[own], plan_.tile_u[other], columns, s_.block_rows(k)};
  }

  /// Places of some columns among those of a mask, as bits.
  static std::uint32_t columns_of(std::uint32_t some, std::uint32_t mask)
  {
    std::uint32_t places = 0;
    for (; some; some &= some - 1)
      places |= 1u << place_of_column(mask, __builtin_ctz(some));
    return places;
  }

  /// Cuts the updates begin .. end - 1 of a piece into its own and those of its parts.
  void cut(JacobiPiece &piece, Offset begin, Offset end, std::vector<JacobiPart> &parts)
  {
    piece.update_begin = begin;
    piece.update_end = std::min(end, begin + jacobi_part_terms);
    piece.part = plan_.part;
    piece.parts = 0;
    const Offset size = Offset(piece.columns) * group_width(s_.block_rows(piece.block));
    for (Offset u = piece.update_end; u < end; u += jacobi_part_terms, ++piece.parts) {
      parts.push_back({piece.block, piece.columns, u, std::min(end, u + jacobi_part_terms), plan_.part});
      plan_.part += size;
    }
  }

  void add_entry(Index e, Index first, std::uint32_t mask)
  {
    plan_.entry.push_back(e);
    plan_.entry_column.push_back(static_cast<std::uint8_t>(first + place_of_column(mask, placed_[e].column)));
    plan_.entry_row.push_back(placed_[e].row);
  }

  JacobiPiece diagonal_piece(Index b, std::vector<JacobiPart> &parts)
  {
    JacobiPiece piece = {};
    piece.block = b;
    piece.columns = s_.block_rows(b);
    piece.entry_begin = static_cast<Offset>(plan_.entry.size());
    const std::uint32_t all = ~0u >> (32 - piece.columns);
    for (Offset e = s_.values.start[b]; e < s_.values.start[b + 1]; ++e)
      if (placed_[e].tile < 0)
        add_entry(static_cast<Index>(e), 0, all);
    piece.entry_end = static_cast<Offset>(plan_.entry.size());
    const Offset begin = diagonal_updates_.back();
    for (Offset p = order_.start[b]; p < order_.diagonal[b]; ++p)
      if (plan_.mask[order_.tile[p]])
        plan_.updates.push_back(update(order_.tile[p], order_.tile[p], plan_.mask[order_.tile[p]]));
    diagonal_updates_.push_back(static_cast<Offset>(plan_.updates.size()));
    cut(piece, begin, diagonal_updates_.back(), parts);
    piece.u = layout_.lower_start[b];
    return piece;
  }

  JacobiPiece tile_piece(Index b, Offset begin, Offset end, Index columns, std::vector<JacobiPart> &parts)
  {
    struct Found {
      Index place;
      JacobiUpdate update;
    };
    std::vector<Found> found;
    JacobiPiece piece = {};
    piece.block = b;
    piece.columns = columns;
    piece.u = plan_.tile_u[order_.tile[begin]];
    piece.entry_begin = static_cast<Offset>(plan_.entry.size());
    Index first = 0;
    for (Offset p = begin; p < end; ++p) {
      const Index t = order_.tile[p];
      for (Offset e = tile_entries_[t]; e < tile_entries_[t + 1]; ++e)
        add_entry(entry_of_tile_[e], first, plan_.mask[t]);
      for (Offset i = common_.start[t]; i < common_.start[t + 1]; ++i) {
        const Index own = common_.own[i], other = common_.other[i];
        const Index k = flipped(own) ? s_.tiles.upper.column[own] : layout_.tile_row[own];
        if (plan_.mask[own] && plan_.mask[other])
          found.push_back({order_.place[k], update(own, other, columns_of(plan_.mask[other], plan_.mask[t]) << first)});
      }
      first += count_columns(plan_.mask[t]);
    }
    piece.entry_end = static_cast<Offset>(plan_.entry.size());
    std::stable_sort(found.begin(), found.end(), [](const Found &x, const Found &y) { return x.place < y.place; });
    const Offset at = static_cast<Offset>(plan_.updates.size());
    for (const Found &f : found)
      plan_.updates.push_back(f.update);
    cut(piece, at, static_cast<Offset>(plan_.updates.size()), parts);
    return piece;
  }

  void list_pieces()
  {
    std::vector<JacobiPiece> diagonals, pieces;
    std::vector<JacobiPart> parts;
    diagonal_updates_.assign(1, 0);
    for (Index b = 0; b < s_.blocks(); ++b) {
      diagonals.push_back(diagonal_piece(b, parts));
      budget_.allow(bytes_of(plan_.updates));
    }
    for (Index b = 0; b < s_.blocks(); ++b) {
      visit_pieces(b, [&](Offset begin, Offset end, Index columns) {
        pieces.push_back(tile_piece(b, begin, end, columns, parts));
      });
      budget_.allow(bytes_of(plan_.updates));
    }
    sort_by_work(diagonals);
    sort_by_work(pieces);
    sort_by_stage(plan_.diagonals, diagonals);
    sort_by_stage(plan_.pieces, pieces);
    sort_by_stage(plan_.parts, parts);
  }

  /// Sorts pieces by the updates of their block: those with the most come last, and a GPU begins with the last. Blocks
  /// with about as many stay together, since neighbours read the same tiles.
  void sort_by_work(std::vector<JacobiPiece> &pieces) const
  {
    std::vector<int> work(s_.blocks(), 0); // in binary digits
    for (const JacobiPiece &p : pieces)
      for (Offset n = p.update_end - p.update_begin, digits = 0; n > 0; n /= 2)
        work[p.block] = std::max(work[p.block], static_cast<int>(++digits));
    std::stable_sort(pieces.begin(), pieces.end(),
                     [&](const JacobiPiece &x, const JacobiPiece &y) { return work[x.block] < work[y.block]; });
  }

  template <class T>
  void sort_by_stage(ByWidth<T> &list, const std::vector<T> &items) const
  {
    sort_by_width(list, stages_, [&](auto add) {
      for (const T &item : items)
        add(plan_.stage[item.block], width_of(item.block), item);
    });
  }
  void sort_terms(ByWidth<JacobiTerms> &list, const std::vector<JacobiTerms> &items) const
  {
    sort_by_width(list, 1, [&](auto add) {
      for (const JacobiTerms &item : items)
        add(0, width_of(item.block), item);
    });
  }

  /// Cuts terms begin .. end - 1 of block b into those of its own item and of parts.
  void cut_terms(Index b, Offset begin, Offset end, Offset most, std::vector<JacobiTerms> &sums,
                 std::vector<JacobiTerms> &parts)
  {
    JacobiTerms sum = {b, begin, std::min(end, begin + most), plan_.term, 0};
    for (Offset i = sum.end; i < end; i += most, ++sum.parts) {
      parts.push_back({b, i, std::min(end, i + most), plan_.term, 0});
      plan_.term += Offset(group_width(s_.block_rows(b))) * jacobi_probes;
    }
    sums.push_back(sum);
  }

  void list_terms()
  {
    std::vector<JacobiTerms> row_sums, row_parts, column_sums, column_parts;
    for (Index b = 0; b < s_.blocks(); ++b) {
      cut_terms(b, plan_.column_start[b], plan_.column_start[b + 1], 8 * jacobi_part_terms, row_sums, row_parts);
      cut_terms(b, diagonal_updates_[b], diagonal_updates_[b + 1], jacobi_part_terms, column_sums, column_parts);
    }
    sort_terms(plan_.row_sums, row_sums);
    sort_terms(plan_.row_parts, row_parts);
    sort_terms(plan_.column_sums, column_sums);
    sort_terms(plan_.column_parts, column_parts);
  }
};

} // namespace

JacobiPlan::JacobiPlan(const BlockStructure &structure, const JacobiLayout &layout, IndexedBlocks order, Index stages,
                       Offset max_bytes)
{
  Planner(*this, structure, layout, order.view(), stages, {max_bytes});
}

Offset JacobiPlan::bytes() const
{
  const Offset sums = part + term + Offset(column_row.size()) * jacobi_probes;
  return bytes_of_all(mask, tile_u, u_start, column_start, column_row, updates, entry, entry_column, entry_row, stage) +
         bytes_of_all(blocks.item, diagonals.item, pieces.item, parts.item) +
         bytes_of_all(row_sums.item, row_parts.item, column_sums.item, column_parts.item) +
         sums * Offset(sizeof(double));
}

} // namespace tessera
