#ifndef TESSERA_FACTOR_JLDLT_ARRAYS_HPP
#define TESSERA_FACTOR_JLDLT_ARRAYS_HPP

#include "factor/jldlt/layout.hpp"
#include "factor/jldlt/push_back.hpp"

namespace tessera {

/// Items by width and stage in the memory of a backend.
template <class Backend, class T>
struct ItemArray {
  typename Backend::template Array<T> item;
  StageRanges ranges;

  ItemArray(Backend &backend, const ByWidth<T> &list) : item(backend.upload(list.item)), ranges(list.ranges) {}
};

/// A JacobiPlan in the memory of a backend.
template <class Backend>
class PlanArrays {
public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  PlanArrays(Backend &b, const JacobiPlan &p, Index in_stages)
      : stages(std::min(in_stages, p.levels)), levels(p.levels), blocks(b, p.blocks), diagonals(b, p.diagonals),
        pieces(b, p.pieces), parts(b, p.parts), row_sums(b, p.row_sums), row_parts(b, p.row_parts),
        column_sums(b, p.column_sums), column_parts(b, p.column_parts), stage_(b.upload(p.stage)),
        mask_(b.upload(p.mask)), tile_u_(b.upload(p.tile_u)), u_start_(b.upload(p.u_start)),
        column_start_(b.upload(p.column_start)), column_row_(b.upload(p.column_row)), updates_(b.upload(p.updates)),
        entry_(b.upload(p.entry)), entry_column_(b.upload(p.entry_column)), entry_row_(b.upload(p.entry_row)),
        part_(b.template zeros<double>(p.part)), term_(b.template zeros<double>(p.term)),
        spread_(b.template zeros<double>(Offset(p.column_row.size()) * jacobi_probes)), u_(p.u), kept_(p.kept)
  {
    b.finish(); // the vectors end with the plan
  }

  /// Sets what depends on the order of the blocks.
  void complete(JacobiView &v) const
  {
    v.stage_of = stage_.data();
    v.mask = mask_.data();
    v.tile_u = tile_u_.data();
    v.u_start = u_start_.data();
    v.column_start = column_start_.data();
    v.column_row = column_row_.data();
    v.updates = updates_.data();
    v.entry = entry_.data();
    v.entry_column = entry_column_.data();
    v.entry_row = entry_row_.data();
    v.parts = part_.data();
    v.terms = term_.data();
    v.spread = spread_.data();
    v.columns = column_row_.size();
  }

  Offset u() const { return u_; }       ///< doubles of U above the diagonal tiles, as stored
  Offset kept() const { return kept_; } ///< entries of U above the diagonal tiles
  const Array<std::uint32_t> &mask() const { return mask_; }

  Offset bytes() const
  {
    return bytes_of_all(blocks.item, diagonals.item, pieces.item, parts.item, row_sums.item, row_parts.item,
                        column_sums.item, column_parts.item, stage_, mask_, tile_u_, u_start_, column_start_,
                        column_row_, updates_, entry_, entry_column_, entry_row_, part_, term_, spread_);
  }

  const Index stages, levels; ///< of a sweep; level sets
  const ItemArray<Backend, Index> blocks;
  const ItemArray<Backend, JacobiPiece> diagonals, pieces;
  const ItemArray<Backend, JacobiPart> parts;
  const ItemArray<Backend, JacobiTerms> row_sums, row_parts, column_sums, column_parts;

private:
  Array<Index> stage_;
  Array<std::uint32_t> mask_;
  Array<Offset> tile_u_;
  Array<Offset> u_start_, column_start_;
  Array<Index> column_row_;
  Array<JacobiUpdate> updates_;
  Array<Index> entry_;
  Array<std::uint8_t> entry_column_, entry_row_;
  Array<double> part_, term_, spread_;
  Offset u_, kept_;
};

/// An iterate in the memory of a backend; shapes as in JacobiIterate.
template <class Backend>
struct IterateArrays {
  template <class T>
  using Array = typename Backend::template Array<T>;

  Array<double> u, lower, inverse, d, e, largest;
  Array<std::int32_t> perm;
  Array<PivotCounts> counts;
  Array<std::uint32_t> negative;

  IterateArrays(Backend &b, const BlockStructure &s, const JacobiLayout &layout)
      : lower(b.template zeros<double>(layout.lowers)), inverse(b.template zeros<double>(layout.inverse_start.back())),
        d(b.template zeros<double>(s.rows)), e(b.template zeros<double>(s.rows)),
        largest(b.template zeros<double>(s.blocks())), perm(b.template zeros<std::int32_t>(s.rows)),
        counts(b.template zeros<PivotCounts>(s.blocks())), negative(b.template zeros<std::uint32_t>(s.blocks()))
  {
  }

  void free_tiles() { u = Array<double>(); }
  /// Zeros, which what lies between columns stays.
  void allocate_tiles(Backend &backend, const PlanArrays<Backend> &plan)
  {
    u = backend.template zeros<double>(plan.u());
  }

  JacobiIterate view() const
  {
    return {u.data(),    lower.data(),  inverse.data(),  d.data(),      e.data(),
            perm.data(), counts.data(), negative.data(), largest.data()};
  }

  Offset bytes() const { return bytes_of_all(u, lower, inverse, d, e, largest, perm, counts, negative); }
};

} // namespace tessera
#endif
