#ifndef TESSERA_ANALYSIS_ANALYSIS_HPP
#define TESSERA_ANALYSIS_ANALYSIS_HPP

#include "analysis/block_structure.hpp"
#include "analysis/blocking.hpp"

#include <string>

namespace tessera {

/// What is done to a matrix before it is ordered.
enum class Preprocessing {
  Matching,    ///< maximum-product matching: scaling, and 2x2 pivots kept together
  Equilibrate, ///< Ruiz equilibration only
  None
};

/// The worthwhile_level of the blocking, or as many levels as max_tiles allows
constexpr Index automatic_level = -2;

struct AnalysisOptions {
  Preprocessing preprocessing = Preprocessing::Matching;
  BlockingOptions blocking;
  Index fill_level = automatic_level;
  Offset max_tiles = Offset(1) << 27; ///< tiles that a pattern may have before the analysis gives up
};

/// Time of one step, in the order in which steps were done.
struct AnalysisStep {
  std::string name;
  double seconds;
};

enum class AnalysisStatus {
  Ok,
  NonFinite,      ///< an entry of A is an infinity or a NaN: faulty_row
  OrderingFailed, ///< the ordering library failed (out of memory)
  OverBudget      ///< more than max_tiles tiles
};

/// Everything that is computed once per pattern.
struct Analysis {
  AnalysisStatus status = AnalysisStatus::Ok;
  Index faulty_row = -1;
  Index structural_rank = -1;  ///< known with Preprocessing::Matching only
  double matching_excess = 0;  ///< of that matching: see Matching::excess
  Index pairs = 0;             ///< 2x2 pivots that the matching proposes
  std::vector<double> scale;   ///< [rows] symmetric scale factors, in the caller's order
  Index fill_level = 0;        ///< what automatic_level came to
  bool low_fill = false;       ///< automatic_level took few levels, because complete fill is costly
  Offset complete_entries = 0; ///< of the triangular factor with complete fill in this order, diagonal included
  Offset dense_entries = 0;    ///< those of the dense triangle at its end
  double complete_flops = 0;   ///< to compute it
  BlockStructure structure;
  std::vector<AnalysisStep> steps;
};

/// Analyses a symmetric matrix: matching and scaling, compression of pairs, ordering, blocking, tiles with fill, level
/// sets, map of values (design of the thesis, 5.3.1).
///
/// matrix: both triangles, rows in the caller's order; source[p]: where the caller stores the value of entry p.
/// The result is the same for every number of threads.
Analysis analyze_matrix(const Matrix &matrix, const std::vector<Offset> &source, const AnalysisOptions &options);

} // namespace tessera
#endif
