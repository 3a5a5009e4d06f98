#ifndef TESSERA_HOST_BLOCK_SOLVE_HPP
#define TESSERA_HOST_BLOCK_SOLVE_HPP

#include "host/block_factor.hpp"

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

/// Overwrites each of the vectors x [rows, vectors], in the order of the factor, by (UᵀDU)⁻¹ x. d_inverse, e_inverse:
/// [rows] diagonal and subdiagonal of the inverse of D, or of another symmetric matrix with its 1x1 and 2x2 blocks in
/// its place. Every entry is a sum in a fixed order: the same bits for every number of threads.
template <class T>
void solve_on_host(const BlockStructure &structure, SolveSchedule &schedule, HostBlockFactor<T> &factor,
                   const std::vector<double> &d_inverse, const std::vector<double> &e_inverse, double *x,
                   Index vectors = 1);

/// Inverse of D, or of |D|, its spectral absolute value, as diagonal and subdiagonal [rows] each, overwritten.
template <class T>
void invert_pivots(const BlockStructure &structure, const HostBlockFactor<T> &factor, bool absolute,
                   std::vector<double> &d_inverse, std::vector<double> &e_inverse);

/// Whether a loop over the entries of a factor, or over so many other things, is worth sharing among threads.
constexpr bool worth_sharing(Offset entries)
{
  return entries > 1000000; // some ms: waking a thread on a busy machine takes as long
}

} // namespace tessera
#endif
