#include "analysis/preprocess.hpp"

#include "analysis/matching/matching.hpp"
#include "analysis/matching/symmetric_pairs.hpp"
#include "analysis/scaling/balance_scales.hpp"
#include "analysis/scaling/equilibrate.hpp"
#include "analysis/scaling/limit_scale.hpp"
#include "analysis/scaling/scaling.hpp"

#include <numeric>

namespace tessera {
namespace {

/// Gives unmatched rows (-1) the columns that are left.
void complete_permutation(std::vector<Index> &column)
{
  std::vector<bool> taken(column.size(), false);
  for (Index j : column)
    if (j >= 0)
      taken[j] = true;
  Index next = 0;
  for (Index &j : column) {
    if (j >= 0)
      continue;
    while (taken[next])
      ++next;
    j = next++;
  }
}

} // namespace

SymmetricPreprocessing preprocess_symmetric(const Matrix &matrix, Preprocessing preprocessing, bool pair_rows,
                                            StepClock &clock)
{
  const Index n = matrix.pattern.rows;
  SymmetricPreprocessing result;
  result.partner.resize(n);
  std::iota(result.partner.begin(), result.partner.end(), 0);
  result.scale.assign(n, 1.0);
  if (preprocessing == Preprocessing::Matching) {
    std::vector<double> log2_scale;
    Matching matching = clock.run(AnalysisStep::Matching, [&] {
      Matching found = match_symmetric(matrix);
      log2_scale = found.row_dual;
      limit_scale(matrix, log2_scale);
      return found;
    });
    result.status = matching.status;
    result.faulty_row = matching.faulty_row;
    if (result.status != MatrixStatus::usable)
      return result;
    result.structural_rank = matching.cardinality;
    result.matching_excess = matching.excess;
    result.scale = scale_factors(log2_scale);
    if (pair_rows) {
      result.partner = clock.run(AnalysisStep::Pairs, [&] { return find_pairs(matrix, matching); });
      result.pairs = count_pairs(result.partner);
    }
    result.column = std::move(matching.column);
  } else if (preprocessing == Preprocessing::Equilibrate) {
    const Equilibration equilibration = clock.run(AnalysisStep::Equilibration, [&] { return equilibrate(matrix); });
    result.status = equilibration.status;
    result.faulty_row = equilibration.faulty_row;
    if (result.status == MatrixStatus::usable)
      result.scale = scale_factors(equilibration.log2_scale);
  }
  return result;
}

UnsymmetricPreprocessing preprocess_unsymmetric(const Matrix &matrix, StepClock &clock)
{
  Matching matching = clock.run(AnalysisStep::Matching, [&] {
    Matching found = match(matrix);
    if (found.status == MatrixStatus::usable) {
      limit_scales(matrix, found.row_dual, found.col_dual);
      balance_scales(matrix, found.row_dual, found.col_dual);
    }
    return found;
  });
  UnsymmetricPreprocessing result;
  result.status = matching.status;
  result.faulty_row = matching.faulty_row;
  if (result.status != MatrixStatus::usable)
    return result;
  result.structural_rank = matching.cardinality;
  result.row_scale = scale_factors(matching.row_dual);
  result.col_scale = scale_factors(matching.col_dual);
  result.column = std::move(matching.column);
  complete_permutation(result.column);
  return result;
}

} // namespace tessera
