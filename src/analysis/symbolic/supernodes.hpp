#ifndef TESSERA_ANALYSIS_SYMBOLIC_SUPERNODES_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_SUPERNODES_HPP

#include "analysis/symbolic/symbolic.hpp"

namespace tessera {

/// When a child supernode is merged into its parent although their columns differ (Ashcraft & Grimes 1989).
struct Relaxation {
  Index nemin = 8;           ///< merge when both have fewer columns than this
  double zeros = 0.1;        ///< merge when at most this fraction of the merged supernode's entries are explicit zeros
  bool only_cheaper = false; ///< and, of a front, when it costs no more than the two of them: see front_cost()
  Index small_rows = 0;      ///< two of at most so many rows are not merged into one of more
};

/// That of fronts, which hand on what they contribute: merging is a matter of what costs less.
inline Relaxation front_relaxation()
{
  return {8, 1, true};
}

/// Sets of columns of the complete factor treated as one dense trapezoid, and their assembly tree.
struct Supernodes {
  std::vector<Index> perm;  ///< [n] the order of the Symbolic rearranged so that supernodes are contiguous: same fill
  std::vector<Index> start; ///< [supernodes + 1] supernode s holds the vertices perm[start[s]] ..
  // For the fronts of a direct solver; blocks need neither.
  std::vector<Index> parent;  ///< [supernodes] assembly tree in postorder, -1 at a root
  std::vector<Offset> height; ///< [supernodes] rows of the trapezoid, its own columns included

  Index count() const { return static_cast<Index>(start.size()) - 1; }

  /// Rows of the columns of supernode s. weight[i]: rows of vertex i.
  Index columns(Index s, const std::vector<Index> &weight) const
  {
    Index sum = 0;
    for (Index k = start[s]; k < start[s + 1]; ++k)
      sum += weight[perm[k]];
    return sum;
  }
};

/// Supernodes of a complete factor: chains of columns with one structure, then children merged into parents bottom up
/// as `relaxation` allows. weight[i]: rows of vertex i of the graph.
Supernodes supernodes(const Symbolic &symbolic, const std::vector<Index> &weight, const Relaxation &relaxation);

/// Additions and multiplications that eliminate the columns of a front of so many rows take, LDLᵀ.
double front_flops(double columns, double rows);

/// Operations that take a multifrontal factorization as long as a front of so many columns and rows: its own, its
/// entries, its contribution to the parent, and what there is to do for each front.
double front_cost(double columns, double rows);

/// What the fronts of a multifrontal factorization come to, LDLᵀ without delayed pivots.
struct FrontCounts {
  Index fronts = 0;
  double columns = 0;       ///< entries of the own columns of all fronts, with all their rows
  double contributions = 0; ///< entries of all that fronts hand to their parents, as squares
  double flops = 0;         ///< front_flops() of all
};

/// Counts the fronts that supernodes of a graph are. weight[i]: rows of vertex i.
FrontCounts count_fronts(const Supernodes &supernodes, const std::vector<Index> &weight);

} // namespace tessera
#endif
