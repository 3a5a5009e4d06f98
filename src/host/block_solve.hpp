#ifndef TESSERA_HOST_BLOCK_SOLVE_HPP
#define TESSERA_HOST_BLOCK_SOLVE_HPP

#include "host/block_factor.hpp"

namespace tessera {

/// Block rows in the order of their levels, cut where all threads have to meet.
struct SolveSchedule {
  struct Stage {
    Index begin, end; ///< positions in the order of the level sets
    bool parallel;    ///< one level with enough work to share; otherwise several small levels in turn
  };
  std::vector<Stage> stages;
  bool parallel = false; ///< any stage is
};

/// Cuts the level sets by the entries that a factor kept.
template <class T>
SolveSchedule make_solve_schedule(const BlockStructure &structure, HostBlockFactor<T> &factor);

/// Overwrites x [rows], in the order of the factor, by (UᵀDU)⁻¹ x. d_inverse, e_inverse: [rows] diagonal and
/// subdiagonal of the inverse of D, or of another symmetric matrix with its 1x1 and 2x2 blocks in its place.
/// Every entry is a sum in a fixed order: the same bits for every number of threads.
template <class T>
void solve_on_host(const BlockStructure &structure, const SolveSchedule &schedule, HostBlockFactor<T> &factor,
                   const std::vector<double> &d_inverse, const std::vector<double> &e_inverse, double *x);

/// Inverse of D, or of |D|, its spectral absolute value, as diagonal and subdiagonal [rows] each, overwritten.
template <class T>
void invert_pivots(const BlockStructure &structure, const HostBlockFactor<T> &factor, bool absolute,
                   std::vector<double> &d_inverse, std::vector<double> &e_inverse);

} // namespace tessera
#endif
