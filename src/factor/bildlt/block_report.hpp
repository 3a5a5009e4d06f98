#ifndef TESSERA_FACTOR_BILDLT_BLOCK_REPORT_HPP
#define TESSERA_FACTOR_BILDLT_BLOCK_REPORT_HPP

#include "factor/report.hpp"

namespace tessera {

/// What a block incomplete LDLᵀ did.
struct BlockFactorReport : FactorReport {
  Offset searched = 0; ///< diagonal tiles whose pivots were searched, because the given order gave none that are good
};

/// As that of two FactorReports.
std::string difference(const BlockFactorReport &one, const BlockFactorReport &other);

} // namespace tessera
#endif
