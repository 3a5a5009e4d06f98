#ifndef TESSERA_FACTOR_JACOBI_KERNELS_HPP
#define TESSERA_FACTOR_JACOBI_KERNELS_HPP

#include "factor/block_ildlt.hpp"
#include "factor/jacobi_ldlt.hpp"

namespace tessera {

// The kernels of jacobi_ldlt.hpp as function objects over items. Those for a group take (group, item).

struct GatherPanel {
  JacobiView v;
  ValuesView values;
  const Index *block, *panel_width;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    const Index b = block[item];
    gather_values(g, values, PanelPiece{b, 0, 0, 0, panel_width[b], v.a + v.panel_start[b]});
  }
};

struct SumRows {
  JacobiView v;
  const Index *block;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    row_sums(g, v, block[item]);
  }
};

struct PullDiagonal {
  JacobiView v;
  const JacobiItem *items;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    pull_diagonal(g, v, items[item]);
  }
};

template <Pivoting P>
struct FactorTile {
  JacobiView v;
  const Index *block;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    factor_diagonal<P>(g, v, block[item]);
  }
};

struct SweepTile {
  JacobiView v;
  const JacobiItem *items;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    sweep_tile(g, v, items[item]);
  }
};

struct MultiplyRows {
  JacobiView v;
  const Index *block;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    multiply_rows(g, v, block[item]);
  }
};

struct MultiplyColumns {
  JacobiView v;
  const Index *block;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    multiply_columns(g, v, block[item]);
  }
};

// Those below take an item alone.

/// Updates of tile t, counted.
struct CountCommon {
  JacobiView v;
  Offset *count; ///< [tiles + 1]

  TESSERA_BOTH void operator()(Offset t) const
  {
    Offset n = 0;
    visit_common(v.index, v.first(t), v.second(t), [&](Index, Index) { ++n; });
    count[t] = n;
  }
};

/// Updates of tile t, listed.
struct ListCommon {
  JacobiView v;
  Index *first, *second;

  TESSERA_BOTH void operator()(Offset t) const
  {
    Offset at = v.common_start[t];
    visit_common(v.index, v.first(t), v.second(t), [&](Index kb, Index kj) {
      first[at] = kb;
      second[at++] = kj;
    });
  }
};

/// Blocks whose pivots fail, after a factorization with v.delta the least pivot allowed.
struct MarkFailed {
  JacobiView v;
  Index *failed;

  TESSERA_BOTH void operator()(Offset b) const { failed[b] = v.now.counts[b].perturbed + v.now.counts[b].zero > 0; }
};

/// U = 0 for tile t of the old iterate, if a push-back has changed the order of its blocks.
struct ClearFlipped {
  JacobiView v;
  const std::uint8_t *was_flipped;

  TESSERA_BOTH void operator()(Offset t) const
  {
    if (v.flipped(t) == (was_flipped[t] != 0))
      return;
    const Offset size = v.tile_start[t + 1] - v.tile_start[t];
    for (Offset i = 0; i < size; ++i)
      v.old.u[v.tile_start[t] + i] = v.old.weight[v.tile_start[t] + i] = 0;
  }
};

struct NoteFlipped {
  JacobiView v;
  std::uint8_t *flipped;

  TESSERA_BOTH void operator()(Offset t) const { flipped[t] = v.flipped(t); }
};

/// What is summed over blocks, by a fixed number of items in a fixed order.
struct JacobiSums {
  double row_sum, error, reference, largest;
  Offset one_by_one, two_by_two, zero, perturbed, negative, positive, nonfinite;
};
constexpr Offset jacobi_sums = 256;

/// Sums blocks i, i + 256, ..
struct SumBlocks {
  JacobiView v;
  JacobiSums *sums;

  TESSERA_BOTH static double larger(double x, double y) { return x > y || x != x ? x : y; }

  TESSERA_BOTH void operator()(Offset i) const
  {
    JacobiSums s = {};
    for (Offset b = i; b < v.blocks; b += jacobi_sums) {
      const PivotCounts &c = v.now.counts[b];
      s.row_sum = larger(v.row_sum[b], s.row_sum);
      s.error += v.error[b];
      s.reference += v.reference[b];
      s.largest = larger(v.now.largest[b], s.largest);
      s.one_by_one += c.one_by_one;
      s.two_by_two += c.two_by_two;
      s.zero += c.zero;
      s.perturbed += c.perturbed;
      s.negative += c.negative;
      s.positive += c.positive;
      s.nonfinite += c.nonfinite;
    }
    sums[i] = s;
  }
};

/// A tile above the diagonal as a solve wants it: columns of `rows` entries, block rows one after the other.
struct PublishTile {
  JacobiView v;
  const Offset *place; ///< [tiles] where each goes
  double *value;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t t) const
  {
    const Index rows = v.block_rows(v.first(t)), columns = v.block_rows(v.second(t)), stride = tile_stride(columns);
    const double *u = v.now.u + v.tile_start[t];
    for (Index i = g.first_item(); i < rows * columns; i += g.item_step())
      value[place[t] + i] = u[Offset(i % rows) * stride + i / rows];
  }
};

/// A diagonal tile as a solve wants it, at its current position.
struct PublishDiagonal {
  JacobiView v;
  const Index *block_start;    ///< [blocks + 1] in the current order
  const Offset *inverse_start; ///< likewise
  double *inverse, *d, *e;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t position) const
  {
    const Index b = v.index.order[position], rows = v.block_rows(b);
    for (Index r = g.first_item(); r < rows; r += g.item_step()) {
      d[block_start[position] + r] = v.now.d[v.block_start[b] + r];
      e[block_start[position] + r] = v.now.e[v.block_start[b] + r];
    }
    for (Index i = g.first_item(); i < rows * rows; i += g.item_step())
      inverse[inverse_start[position] + i] = v.now.inverse[v.inverse_start[b] + i];
  }
};

} // namespace tessera
#endif
