#ifndef TESSERA_HOST_JLDLT_SWEEP_HPP
#define TESSERA_HOST_JLDLT_SWEEP_HPP

#include "factor/bildlt/block_ildlt.hpp"
#include "factor/jldlt/steps.hpp"
#include "host/lanes/team_host.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

/// A core as a worker (factor/jldlt/contract.hpp); the panel is [W x columns].
template <int W>
struct SweepCore {
  using Team = HostTeam<W>;
  using Strip = typename Team::template strip<double>;
  const JacobiView &v;
  alignas(64) double panel[W * jacobi_piece_columns];
  alignas(64) double weight[W * max_block_rows];

  explicit SweepCore(const JacobiView &view) : v(view) {}

  void clear(Index columns) { std::fill_n(panel, W * columns, 0.0); }

  /// Begins with the entries of A that belong to the piece.
  void load_entries(const JacobiPiece &piece)
  {
    clear(piece.columns);
    for (Offset e = piece.entry_begin; e < piece.entry_end; ++e)
      panel[v.entry_column[e] * W + v.entry_row[e]] = v.a[v.entry[e]];
  }

  /// weight: -(J_k U_kb)ᵀ of an update, zero in rows that tile (k, b) does not keep as columns.
  void load_weights(const JacobiUpdate &x)
  {
    std::fill_n(weight, W * x.rows, 0.0);
    const JacobiIterate k = v.old(x.block);
    const std::uint32_t negative = k.negative[x.block];
    const double *from = k.u + x.own_u;
    for (std::uint32_t m = x.own; m; m &= m - 1, from += padded(x.rows))
      for (Index r = 0; r < x.rows; ++r)
        weight[r * W + __builtin_ctz(m)] = negative >> r & 1 ? from[r] : -from[r];
  }

  void add_updates(Offset begin, Offset end)
  {
    Offset loaded = -1;
    for (Offset i = begin; i < end; ++i) {
      const JacobiUpdate &x = v.updates[i];
      if (!v.known(x.block))
        continue;
      if (x.own_u != loaded)
        load_weights(x);
      loaded = x.own_u;
      double *column[Team::columns_at_once];
      const double *u[Team::columns_at_once], *from = v.old(x.block).u + x.u;
      int count = 0;
      for (std::uint32_t m = x.columns; m; m &= m - 1, from += padded(x.rows)) {
        column[count] = panel + __builtin_ctz(m) * W;
        u[count] = from;
        if (++count == Team::columns_at_once) {
          update_columns<Team::columns_at_once>(Team(), weight, x.rows, column, u);
          count = 0;
        }
      }
      for (int c = 0; c < count; ++c)
        update_columns<1>(Team(), weight, x.rows, column + c, u + c);
    }
  }

  void add_sums(const JacobiPiece &piece)
  {
    const Index size = piece.columns * W;
    for (Offset p = 0; p < piece.parts; ++p)
      for (Index i = 0; i < size; ++i)
        panel[i] += v.parts[piece.part + p * size + i];
  }

  /// Zeros without a sign: products with zeros may have been left out elsewhere.
  void store(Index columns, double *to)
  {
    for (Index i = 0; i < columns * W; ++i)
      to[i] = panel[i] + 0.0;
  }

  void store_largest(Index rows, double *to) const
  {
    double x = 0;
    for (Index c = 0; c < rows; ++c)
      for (Index r = c; r < rows; ++r)
        x = std::max(x, std::fabs(panel[c * W + r]));
    *to = x;
  }

  /// U = J_b U_bb⁻ᵀ panel, stored.
  void solve(const JacobiPiece &piece)
  {
    const Index rows = v.block_rows(piece.block);
    const JacobiIterate now = v.now(piece.block);
    const double *inverse = now.inverse + v.inverse_start[piece.block];
    std::fill_n(weight, W * rows, 0.0);
    for (Index i = 0; i < rows; ++i)
      std::copy_n(inverse + Offset(i) * rows, rows, weight + i * W);
    for (Index c = 0; c < piece.columns; ++c) {
      double x[W] = {};
      double *const to = x;
      const double *const from = panel + c * W;
      update_columns<1>(Team(), weight, rows, &to, &from);
      std::copy_n(x, rows, now.u + piece.u + Offset(c) * padded(rows));
    }
  }
};

} // namespace tessera
#endif
