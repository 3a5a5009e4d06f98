#ifndef TESSERA_ANALYSIS_ANALYSIS_HPP
#define TESSERA_ANALYSIS_ANALYSIS_HPP

#include "analysis/preprocess.hpp"
#include "analysis/steps.hpp"
#include "analysis/tiles/make_blocking.hpp"
#include "analysis/tiles/make_tiles.hpp"

namespace tessera {

struct AnalysisOptions : TileOptions {
  Preprocessing preprocessing = Preprocessing::Matching;
  BlockingOptions blocking;
  /// BlockStrategy::SN with an ordering that reduces fill: rows of pairs may be apart, see PairsApart::QuasiDefinite,
  /// where the factor is going to be complete.
  bool pairs_apart = false;
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
  Index structural_rank = -1; ///< known with Preprocessing::Matching only
  double matching_excess = 0; ///< of that matching: see Matching::excess
  Index pairs = 0;            ///< 2x2 pivots that the matching proposes
  Index apart = 0;            ///< of these, whose rows are apart
  std::vector<double> scale;  ///< [rows] symmetric scale factors, in the caller's order
  Index fill_level = 0;       ///< what automatic_level came to
  bool low_fill = false;      ///< automatic_level took few levels, because complete fill is costly
  FactorSize complete;        ///< of the factor with complete fill in this order
  FrontCounts fronts;         ///< that the direct solver would have in this order; BlockStrategy::SN only
  BlockStructure structure;
  std::vector<StepTime> times; ///< of the steps that were done
};

/// Analyses a symmetric matrix for a factorization by tiles (design of the thesis, 5.3.1): preprocess_symmetric,
/// compress, make_blocking (which orders), make_tiles and complete_structure, one after the other.
///
/// matrix: both triangles, rows in the caller's order; source[p]: where the caller stores the value of entry p.
/// The result, but for the times, is the same for every number of threads.
Analysis analyze_matrix(const Matrix &matrix, const std::vector<Offset> &source, const AnalysisOptions &options,
                        StepObserver *observer = nullptr);

} // namespace tessera
#endif
