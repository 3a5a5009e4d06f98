#ifndef TESSERA_CUDA_PULL_PIECES_CUH
#define TESSERA_CUDA_PULL_PIECES_CUH

#include "update_ring.cuh" // before the kernels

#include "factor/block_ildlt.hpp"
#include "multiply_updates.cuh"
#include "stage_updates.cuh"

// The updates of a piece by a thread block. host/pull_updates.hpp is the other half, with the same order of operations.

namespace tessera {

/// Every block row that updates come from is done: levels are computed one after the other.
struct AllDone {
  __device__ bool operator()(Index) const { return true; }
};

/// The updates C_bj -= U_kbᵀ D_k U_kj of pieces (factor/updates.hpp), one piece after the other. The time goes into
/// waiting for memory. So most warps of the thread block look up one block row k each and stage its tiles in shared
/// memory (UpdateStager), and the first ones do the products of all of them in ascending k (UpdateProducts), as soon as
/// they arrive. done(k): whether block row k can be read; asked until it can.
template <int W, class Warps, class T, class Done>
struct PiecePuller {
  const StructureView &s;
  const FactorView<T> &f;
  const ValuesView &values;
  UpdateRing<W, Warps, T> &ring;
  int ld; ///< of the ring
  const Done &done;
  unsigned &n; ///< entries of the ring so far

  static __device__ bool multiplies() { return threadIdx.x < 32 * Warps::multiplying; }

  __device__ Offset part_begin(const PanelPiece &piece, Offset part) const
  {
    return min(s.column_start[piece.block] + part * update_part, s.column_start[piece.block + 1]);
  }

  __device__ void stage(const PanelPiece &piece, Offset first_part, Offset end_part) const
  {
    const UpdateStager<W, Warps, T, Done> stager(s, f, piece, ring, ld, done);
    for (Offset part = first_part; part < end_part; ++part)
      stager.stage_part(part_begin(piece, part), part_begin(piece, part + 1), n);
  }

  /// A part of the updates of a piece by itself, to `sum` [W x columns of the piece]. With the first part, also the
  /// entries of A to the panel.
  __device__ void pull_part(const PanelPiece &piece, Offset part, double *sum) const
  {
    if (!multiplies())
      return stage(piece, part, part + 1);
    UpdateProducts<W, Warps, T> products(ring, ld);
    if (part == 0) {
      gather(piece, products);
      put(products, piece, piece.panel + Offset(piece.column_begin) * W, false);
    }
    products.each_entry([](double &x, int, int) { x = 0; });
    products.add_part(n);
    put(products, piece, sum, false);
  }

  /// A piece before its solve: entries of A less the updates, part after part.
  __device__ void pull_piece(const PanelPiece &piece) const
  {
    const Offset parts = count_parts(s.column_start[piece.block + 1] - s.column_start[piece.block]);
    if (!multiplies())
      return stage(piece, 0, parts);
    double *const panel = piece.panel + Offset(piece.column_begin) * W;
    UpdateProducts<W, Warps, T> products(ring, ld);
    gather(piece, products);
    if (parts == 1)
      products.add_part(n);
    put(products, piece, panel, false);
    for (Offset part = 0; parts > 1 && part < parts; ++part) {
      products.each_entry([](double &x, int, int) { x = 0; });
      products.add_part(n);
      put(products, piece, panel, true);
    }
  }

private:
  /// Sets the sums to the entries of A in the piece.
  __device__ void gather(const PanelPiece &whole, UpdateProducts<W, Warps, T> &products) const
  {
    const MultiplyingTeam<W, Warps> g;
    PanelPiece piece = whole;
    piece.panel = ring.panel - Offset(whole.column_begin) * W;
    g.sync(); // the piece before may still be read
    gather_values(g, values, piece);
    const Index columns = whole.column_end - whole.column_begin;
    products.each_entry(
        [&](double &x, int row, int column) { x = row < W && column < columns ? ring.panel[column * W + row] : 0; });
  }

  /// panel[i] = the sums, or += them, for the columns of a piece; `panel` begins with its first.
  __device__ void put(UpdateProducts<W, Warps, T> &products, const PanelPiece &piece, double *panel, bool add) const
  {
    const Index columns = piece.column_end - piece.column_begin;
    products.each_entry([&](double x, int row, int column) {
      if (row < W && column < columns)
        panel[column * W + row] = add ? panel[column * W + row] + x : x;
    });
  }
};

} // namespace tessera
#endif
