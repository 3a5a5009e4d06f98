#ifndef TESSERA_FACTOR_JLDLT_KERNELS_HPP
#define TESSERA_FACTOR_JLDLT_KERNELS_HPP

#include "factor/jldlt/jacobi_ldlt.hpp"
#include "factor/jldlt/layout.hpp"
#include "factor/jldlt/products.hpp"
#include "factor/report.hpp"

namespace tessera {

// The kernels of Jacobi-LDLᵀ as function objects over items. Those for a group take (group, item).

template <Pivoting P>
struct FactorTile {
  JacobiView v;
  const Index *items; ///< blocks

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    factor_diagonal<P>(g, v, items[i]);
  }
};

// Products with U and Uᵀ, over terms of block rows or columns (factor/jldlt/view.hpp). N: vectors.

/// Sums of parts of U x, x [rows x N].
template <int N>
struct SumRowPart {
  JacobiView v;
  const JacobiTerms *items;
  const double *x;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    const JacobiTerms terms = items[i];
    typename G::template lane<double> sum[N];
    clear(sum);
    add_row_terms(g, v, terms, x, sum);
    store_terms(g, v, terms, sum);
  }
};

/// Spreads products of U_b:ᵀ with block b of x [rows x N].
template <int N>
struct SpreadColumns {
  JacobiView v;
  const JacobiTerms *items;
  const double *x;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    spread_columns<N>(g, v, items[i], x);
  }
};

/// Sums of parts of Uᵀ x, of which products have been spread.
template <int N>
struct SumColumnPart {
  JacobiView v;
  const JacobiTerms *items;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    const JacobiTerms terms = items[i];
    typename G::template lane<double> sum[N];
    clear(sum);
    add_column_terms(g, v, terms, sum);
    store_terms(g, v, terms, sum);
  }
};

struct MultiplyRows {
  JacobiView v;
  const JacobiTerms *items;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    multiply_rows(g, v, items[i]);
  }
};

struct MultiplyColumns {
  JacobiView v;
  const JacobiTerms *items;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    multiply_columns(g, v, items[i]);
  }
};

/// The kept columns of a tile of U as a solve wants them: columns of `rows` entries, block rows one after the other.
struct PublishTile {
  JacobiView v;
  const Offset *place; ///< [tiles] where each goes
  double *value;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t t) const
  {
    const Index b = v.first(t), rows = v.block_rows(b), stride = padded(rows);
    const Index size = rows * count_columns(v.mask[t]);
    const double *u = v.now(b).u + v.tile_u[t];
    for (Index i = g.first_item(); i < size; i += g.item_step())
      value[place[t] + i] = u[Offset(i / rows) * stride + i % rows];
  }
};

/// A diagonal tile as a solve wants it, at its current place: U_bb⁻ᵀ for L⁻¹ P and J for D.
struct PublishDiagonal {
  JacobiView v;
  const Index *block_start;    ///< [blocks + 1] in the current order
  const Offset *inverse_start; ///< likewise
  double *inverse, *d, *e;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t place) const
  {
    const Index b = v.index.order[place], rows = v.block_rows(b);
    const JacobiIterate now = v.now(b);
    for (Index r = g.first_item(); r < rows; r += g.item_step()) {
      d[block_start[place] + r] = now.negative[b] >> r & 1 ? -1 : 1;
      e[block_start[place] + r] = 0;
    }
    for (Index i = g.first_item(); i < rows * rows; i += g.item_step())
      inverse[inverse_start[place] + i] =
          (now.negative[b] >> i % rows & 1 ? -1 : 1) * now.inverse[v.inverse_start[b] + i];
  }
};

/// Carries U of a tile from the layout of one order of the blocks to that of another: what both keep of a tile whose
/// blocks have not changed places. All else of `to` must be zero.
struct MoveTile {
  JacobiView from, to;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t t) const
  {
    if (from.flipped(t) != to.flipped(t))
      return;
    const Index b = to.first(t), rows = to.block_rows(b);
    const JacobiIterate source = from.old(b), target = to.old(b);
    const std::uint32_t both = from.mask[t] & to.mask[t];
    for (Index i = g.first_item(); i < rows * max_block_rows; i += g.item_step()) {
      const Index r = i % rows, c = i / rows;
      if (!(both >> c & 1))
        continue;
      const Index p = place_of_column(from.mask[t], c), q = place_of_column(to.mask[t], c);
      const Offset at = from.tile_u[t] + Offset(p) * padded(rows) + r,
                   goes = to.tile_u[t] + Offset(q) * padded(rows) + r;
      target.u[goes] = source.u[at];
    }
  }
};

// Those below take an item alone.

/// Entry e of the scaled matrix.
struct GatherEntry {
  ValuesView values;
  double *a;

  TESSERA_BOTH void operator()(Offset e) const { a[e] = values.scale[e] * values.a[values.source[e]]; }
};

/// Sums over entries of a row of A: of magnitudes, and of products with the probes.
constexpr int row_sums = 1 + jacobi_probes;
struct SumPieceOfRow {
  const JacobiRow *rows;
  const Index *entry, *column;
  const double *a, *probe;
  double *sums; ///< [pieces x row_sums]

  TESSERA_BOTH void operator()(Offset i) const
  {
    constexpr Index at_once = 4; // reads under way
    const JacobiRow piece = rows[i];
    double sum[row_sums] = {};
    for (Index p = 0; p < piece.entries; p += at_once) {
      double x[at_once];
      VectorRow<jacobi_probes> y[at_once];
      TESSERA_UNROLL
      for (Index k = 0; k < at_once; ++k) {
        const bool inside = p + k < piece.entries;
        const Offset at = piece.begin + Offset(inside ? p + k : p) * piece_step;
        x[k] = inside ? a[entry[at]] : 0;
        y[k] = reinterpret_cast<const VectorRow<jacobi_probes> *>(probe)[column[at]];
      }
      TESSERA_UNROLL
      for (Index k = 0; k < at_once; ++k) {
        sum[0] += x[k] < 0 ? -x[k] : x[k];
        TESSERA_UNROLL
        for (int q = 0; q < jacobi_probes; ++q)
          sum[1 + q] += x[k] * y[k].x[q]; // exact products
      }
    }
    for (int q = 0; q < row_sums; ++q)
      sums[i * row_sums + q] = sum[q];
  }
};

/// The larger of two numbers; not a number, if one is not.
TESSERA_BOTH inline double larger(double x, double y)
{
  return x > y || x != x ? x : y;
}

/// Row sums of |A| and rows of A probe; then, for each block, the largest of the ones and the sum of squares of the
/// others.
struct SumRowsOfBlock {
  const Index *items; ///< blocks
  const Index *block_start;
  const Offset *row_pieces;
  const double *sums; ///< of SumPieceOfRow
  double *magnitude;  ///< [rows] work
  double *row_sum, *reference, *squares;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    using Lane = typename G::template lane<double>;
    using Number = typename G::template index<double>;
    const Index b = items[i], first = block_start[b], end = block_start[b + 1];
    for (Index row = first + g.first_item(); row < end; row += g.item_step())
      sum_row(row);
    g.sync();
    const auto inside = g.template id<double>() < Number(end - first);
    Lane square = Lane(0.0);
    TESSERA_UNROLL
    for (int q = 0; q < jacobi_probes; ++q) {
      const Lane x = g.load(inside, reference + Offset(first) * jacobi_probes + q, jacobi_probes);
      square = fma(x, x, square);
    }
    const double largest = g.max_of(g.load(inside, magnitude + first)), sum = g.sum(square);
    if (g.leads()) {
      row_sum[b] = largest;
      squares[b] = sum;
    }
  }

  TESSERA_BOTH void sum_row(Index row) const
  {
    constexpr int at_once = 4;
    const Offset end = row_pieces[row + 1];
    double sum[row_sums] = {};
    for (Offset p = row_pieces[row]; p < end; p += at_once) {
      double x[at_once][row_sums];
      TESSERA_UNROLL
      for (int k = 0; k < at_once; ++k) {
        TESSERA_UNROLL
        for (int q = 0; q < row_sums; ++q)
          x[k][q] = p + k < end ? sums[(p + k) * row_sums + q] : 0;
      }
      TESSERA_UNROLL
      for (int k = 0; k < at_once; ++k) {
        TESSERA_UNROLL
        for (int q = 0; q < row_sums; ++q)
          sum[q] += x[k][q];
      }
    }
    magnitude[row] = sum[0];
    for (int q = 0; q < jacobi_probes; ++q)
      reference[Offset(row) * jacobi_probes + q] = sum[1 + q];
  }
};

/// Blocks whose pivots fail, after a factorization with v.delta the least pivot allowed.
struct MarkFailed {
  JacobiView v;
  Index *failed;

  TESSERA_BOTH void operator()(Offset b) const
  {
    failed[b] = v.now(b).counts[b].perturbed + v.now(b).counts[b].zero > 0;
  }
};

/// Ends a stage and begins the next: finds the blocks that it computes. A block all of whose updates are as they were
/// when it was computed last, and which had no pivot that was perturbed, would come out as it is. For items that have
/// the updates of the blocks' diagonal tiles, or the first of them.
struct BeginStage {
  JacobiView v;
  const JacobiTerms *items;
  Index stages;
  std::uint8_t *base; ///< where each block was before the sweep; null but for its first stage
  bool all;           ///< every block is computed

  TESSERA_BOTH void operator()(Offset i) const
  {
    const Index b = items[i].block;
    v.held_in[b] ^= v.active[b];
    if (base)
      base[b] = v.held_in[b];
    v.active[b] = v.in_stage(b) && (all || v.old(b).counts[b].perturbed > 0 || any_changed(items[i]));
  }

  TESSERA_BOTH bool any_changed(const JacobiTerms &terms) const
  {
    for (Offset p = terms.begin; p < terms.end; ++p)
      if (v.changed[v.updates[p].block] >= v.step - stages)
        return true;
    return false;
  }
};

/// Activates blocks for further tiles of theirs. After BeginStage.
struct ActivateBlock {
  BeginStage begin;
  const JacobiTerms *items;

  TESSERA_BOTH void operator()(Offset i) const
  {
    const Index b = items[i].block;
    if (begin.v.in_stage(b) && begin.any_changed(items[i]))
      begin.v.active[b] = 1; // by all who come here
  }
};

/// Ends a stage and activates block b.
struct ActivateAll {
  JacobiView v;

  TESSERA_BOTH void operator()(Offset b) const
  {
    v.held_in[b] ^= v.active[b];
    v.active[b] = 1;
  }
};

/// What is summed over blocks, by a fixed number of items in a fixed order.
struct JacobiSums {
  double row_sum, error, reference, largest;
  PivotSums pivots;
  Offset nonfinite;

  TESSERA_BOTH void add(const JacobiSums &s)
  {
    row_sum = larger(s.row_sum, row_sum);
    error += s.error;
    reference += s.reference;
    largest = larger(s.largest, largest);
    pivots.add_pivots(s.pivots);
    nonfinite += s.nonfinite;
  }
};
/// Sums at first, at most; then one for every 16 of them, until there are few enough for the host.
constexpr Offset jacobi_sums = 1 << 14, jacobi_sums_together = 16, jacobi_sums_on_host = 64;

/// Sums blocks i, i + count, ..
struct SumBlocks {
  JacobiView v;
  const double *row_sum, *reference; ///< of SumRowsOfBlock
  JacobiSums *sums;
  Offset count;

  TESSERA_BOTH void operator()(Offset i) const
  {
    JacobiSums s = {};
    for (Offset b = i; b < v.blocks; b += count) {
      const JacobiIterate now = v.now(b);
      const PivotCounts c = now.counts[b];
      JacobiSums own = {row_sum[b], v.error[b], reference[b], now.largest[b], {}, c.nonfinite};
      own.pivots.add_pivots(c);
      s.add(own);
    }
    sums[i] = s;
  }
};

/// Sums sums i, i + count, .. of 16 count, in place.
struct SumSums {
  JacobiSums *sums;
  Offset count;

  TESSERA_BOTH void operator()(Offset i) const
  {
    JacobiSums s = sums[i];
    for (Offset j = 1; j < jacobi_sums_together; ++j)
      s.add(sums[i + j * count]);
    sums[i] = s;
  }
};

} // namespace tessera
#endif
