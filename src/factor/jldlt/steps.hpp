#ifndef TESSERA_FACTOR_JLDLT_STEPS_HPP
#define TESSERA_FACTOR_JLDLT_STEPS_HPP

#include "factor/jldlt/view.hpp"
#include "tile/group.hpp"

namespace tessera {

// The steps of a sweep that pull updates (factor/jldlt/jacobi_ldlt.hpp), in terms of a worker that computes a piece of
// a block row in a panel: see factor/jldlt/contract.hpp. Of a step that says lower_only, only the lower triangle of the
// panel is read.

/// A piece before its solve: entries of A less the updates.
template <class Worker>
TESSERA_COLLECTIVE void pull_piece(Worker &worker, const JacobiPiece &piece)
{
  worker.load_entries(piece);
  if (worker.v.known_stages == 0)
    return;
  worker.add_updates(piece.update_begin, piece.update_end);
  worker.add_sums(piece);
}

/// A part of the updates of a piece.
struct PullPart {
  using Item = JacobiPart;
  static constexpr bool lower_only = false;

  template <class Worker>
  static TESSERA_COLLECTIVE void run(Worker &worker, const JacobiPart &part)
  {
    worker.clear(part.columns);
    worker.add_updates(part.update_begin, part.update_end);
    worker.store(part.columns, worker.v.parts + part.position);
  }
};

/// The diagonal tile of a block less its updates, to now.lower, and its largest entry.
struct PullDiagonal {
  using Item = JacobiPiece;
  static constexpr bool lower_only = true;

  template <class Worker>
  static TESSERA_COLLECTIVE void run(Worker &worker, const JacobiPiece &piece)
  {
    pull_piece(worker, piece);
    const JacobiIterate now = worker.v.now(piece.block);
    worker.store(piece.columns, now.lower + piece.u);
    worker.store_largest(piece.columns, now.largest + piece.block);
  }
};

/// A piece of the next iterate. Its diagonal tile is factored.
struct SweepTiles {
  using Item = JacobiPiece;
  static constexpr bool lower_only = false;

  template <class Worker>
  static TESSERA_COLLECTIVE void run(Worker &worker, const JacobiPiece &piece)
  {
    pull_piece(worker, piece);
    worker.solve(piece);
  }
};

} // namespace tessera
#endif
