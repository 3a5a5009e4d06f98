#ifndef TESSERA_CUDA_BILDLT_PULL_PIECES_CUH
#define TESSERA_CUDA_BILDLT_PULL_PIECES_CUH

#include "cuda/bildlt/multiply_updates.cuh"
#include "cuda/bildlt/stage_updates.cuh"
#include "cuda/bildlt/update_ring.cuh"
#include "factor/bildlt/block_ildlt.hpp"

// The updates of a piece by a thread block. host/bildlt/pull_updates.hpp is the other half, with the same order of
// operations.

namespace tessera {

/// Every block row that updates come from is done: levels are computed one after the other.
struct AllDone {
  __device__ bool operator()(Index) const { return true; }
};

/// Rows that other thread blocks compute are done when their mark is set.
struct MarkedDone {
  const int *done;

  __device__ bool operator()(Index k) const { return load_acquire(done + k) != 0; }
};

/// The updates C_bj -= U_kbᵀ D_k U_kj of pieces (factor/bildlt/updates.hpp), one piece after the other. The time goes
/// into waiting for memory. So most warps of the thread block look up one block row k each and stage its tiles in
/// shared memory (UpdateStager), and the first ones do the products of all of them in ascending k (UpdateProducts), as
/// soon as they arrive. done(k): whether block row k can be read; asked until it can.
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

  /// Parts first .. end - 1 of the updates of a piece, each by itself: to `alone` [W x columns of the piece], or added
  /// to the panel one after the other. With the first part, also the entries of A, to the panel. A piece with one part
  /// is summed at once. Each step is written once, because its code is long.
  __device__ void pull(const PanelPiece &piece, Offset first, Offset end, double *alone) const
  {
    if (!multiplies()) {
      const UpdateStager<W, Warps, T, Done> stager(s, f, piece, ring, ld, done);
      TESSERA_ROLL
      for (Offset part = first; part < end; ++part)
        stager.stage_part(part_begin(piece, part), part_begin(piece, part + 1), n);
      return;
    }
    const bool at_once = count_parts(s.column_start[piece.block + 1] - s.column_start[piece.block]) == 1;
    double *const panel = piece.panel + Offset(piece.column_begin) * W;
    UpdateProducts<W, Warps, T> products(ring, ld);
    if (first == 0)
      gather(piece, panel, products);
    TESSERA_ROLL
    for (Offset part = first; part < end; ++part) {
      if (!at_once)
        products.each_entry([](double &x, int, int) { x = 0; });
      products.add_part(n);
      put(products, piece, alone ? alone : panel, !at_once && !alone);
    }
  }

  /// A piece before its solve: entries of A less the updates, part after part.
  __device__ void pull_piece(const PanelPiece &piece) const
  {
    pull(piece, 0, count_parts(s.column_start[piece.block + 1] - s.column_start[piece.block]), nullptr);
  }

private:
  /// Sets the panel and the sums to the entries of A in the piece.
  __device__ void gather(const PanelPiece &whole, double *panel, UpdateProducts<W, Warps, T> &products) const
  {
    const MultiplyingTeam<W, Warps> g{{}, &ring.multiplying};
    PanelPiece piece = whole;
    piece.panel = ring.panel - Offset(whole.column_begin) * W;
    g.sync(); // the piece before may still be read
    gather_values(g, values, piece);
    const Index columns = whole.column_end - whole.column_begin;
    products.each_entry([&](double &x, int row, int column) {
      const bool inside = row < W && column < columns;
      x = inside ? ring.panel[column * W + row] : 0;
      if (inside)
        panel[column * W + row] = x;
    });
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
