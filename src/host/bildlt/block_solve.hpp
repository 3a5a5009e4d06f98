#ifndef TESSERA_HOST_BILDLT_BLOCK_SOLVE_HPP
#define TESSERA_HOST_BILDLT_BLOCK_SOLVE_HPP

#include "base/bytes.hpp"
#include "host/bildlt/block_factor.hpp"

#include <atomic>

namespace tessera {

/// The work of a solve on one pattern, and how far the current one is: for one solve at a time.
///
/// Rows in subtrees push what they know to the rows of their own subtree; the rows above gather from the subtrees once
/// all are done, each on its own, and from each other segment by segment. The way back needs no more than the rows
/// above.
class SolveSchedule {
public:
  SolveSchedule(const BlockStructure &structure, const Schedule &schedule);

  Offset bytes() const
  {
    return bytes_of_all(first_above_, above_start_, above_item_, task_done_, pending_, forward_done_, back_done_);
  }

private:
  template <class T>
  friend class Solve;

  const ForestCut &forest_;
  std::vector<Offset> first_above_; ///< [blocks] first tile of each row in a subtree whose column is above
  std::vector<Offset> above_start_; ///< [rows above + 1] tiles of their block columns that are in rows above
  std::vector<Offset> above_item_;  ///< which items of the block column they are
  std::atomic<Index> tasks_done_;
  std::vector<std::atomic<Index>> task_done_;    ///< [tasks] forward
  std::vector<std::atomic<Index>> pending_;      ///< [segments] rows to gather and segments below, forward
  std::vector<std::atomic<Index>> forward_done_; ///< [segments]
  std::vector<std::atomic<Index>> back_done_;    ///< [segments]
};

/// Solves with the block factors of one structure, which must outlive it; for one solve at a time.
template <class T>
class HostSolver {
public:
  HostSolver(const BlockStructure &structure, const Schedule &schedule);

  /// z = S Pᵀ (UᵀDU)⁻¹ P S r for `columns` vectors [rows] in the caller's order, r_leading and z_leading values apart:
  /// scale [rows] is S. With `definite` |D|, the spectral absolute value, is taken for D. entries: of the factor. Every
  /// entry is a sum in a fixed order: the same bits for every number of threads.
  void apply(const FactorView<T> &factor, Offset entries, const std::vector<double> &scale, bool definite,
             Index columns, const double *r, Offset r_leading, double *z, Offset z_leading);

  /// To be called when the factor has changed.
  void forget_pivots() { pivots_known_ = false; }

  Offset bytes() const { return schedule_.bytes() + bytes_of_all(x_, d_inverse_, e_inverse_); }

private:
  const BlockStructure &structure_;
  SolveSchedule schedule_;
  std::vector<double> d_inverse_, e_inverse_; ///< of D, or of |D| if pivots_definite_
  bool pivots_known_ = false, pivots_definite_ = false;
  std::vector<double> x_; ///< the vectors being solved for, in the order of the factor

  void invert_pivots(const FactorView<T> &factor, bool absolute);
  void solve(const FactorView<T> &factor, Offset entries, const std::vector<double> &scale, Index vectors,
             const double *r, Offset r_leading, double *z, Offset z_leading);
};

} // namespace tessera
#endif
