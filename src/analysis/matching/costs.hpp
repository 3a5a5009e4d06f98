#ifndef TESSERA_ANALYSIS_MATCHING_COSTS_HPP
#define TESSERA_ANALYSIS_MATCHING_COSTS_HPP

#include "base/types.hpp"

namespace tessera {

/// A cost or a dual variable in units of 2^-20 of a base-2 logarithm. Whole numbers make every comparison of the
/// matching exact, so "tight" means equal, results do not depend on rounding, and a sum over a path of 2^28 rows of
/// costs below 2^32 still fits.
using Cost = std::int64_t;
constexpr Cost cost_unit = Cost(1) << 20;
constexpr Cost no_cost = INT64_MAX / 4; ///< no such entry; still safe to add to another cost

/// Passes over fewer entries than this run on one thread: starting the others takes longer than the work.
constexpr Offset parallel_entries = Offset(1) << 16;

/// One nonzero of a row. The cost log2(max |a| / |a_ij|) >= 0 is even, so that half of it is a whole number too.
struct Edge {
  Index col;
  std::uint32_t cost; ///< at most 2098 * 2^20 for finite doubles, denormals included
};

/// The nonzeros of a square matrix as a bipartite graph by rows: row i has edge[start[i]] .. edge[start[i + 1] - 1].
struct CostGraph {
  Index n = 0;
  std::vector<Offset> start; ///< [n + 1]
  std::vector<Edge> edge;    ///< [start[n]]
  double log2_max = 0;       ///< log2 of the largest |a_ij|, 0 for a matrix without nonzeros
};

/// Whether a matrix can be matched or equilibrated.
enum class MatrixStatus { usable, not_square, not_finite };

struct MatrixCheck {
  MatrixStatus status = MatrixStatus::usable;
  Index faulty_row = -1; ///< first row with an infinity or a NaN if not_finite
  double largest = 0;    ///< largest |a_ij| if usable
};

MatrixCheck check_matrix(const Matrix &a);

/// The costs of the nonzeros of a usable matrix (stored zeros are left out) with largest magnitude `largest`.
/// Costs are taken relative to the largest entry, so a matrix times any factor has the same costs: exactly for a power
/// of two, and else unless a cost lies within a few units of roundoff of the middle between two whole numbers.
/// Logarithmic transform of Duff & Koster 2001, section 2, with the largest of the matrix instead of the column.
CostGraph cost_graph(const Matrix &a, double largest);

} // namespace tessera
#endif
