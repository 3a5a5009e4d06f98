#include "factor/bildlt/strengthen.hpp"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

constexpr double kept_share = 0.5; ///< of the complete factor: dropping less would hardly save anything
constexpr double storage = 1.2;    ///< entries stored, with columns of tiles whole, over those counted
constexpr double default_tolerance = 1e-3;
constexpr double low_fill_tolerance = 1e-2;
constexpr double least_tolerance = 1e-6; ///< below it, dropping saves next to nothing
constexpr double most_tolerance = 0.1;
constexpr double dropping_perturbation = 1e-6;
constexpr Index least_rows = 64;           ///< in whose factorization many roundings add up
constexpr double harmful_rounding = 1e-10; ///< relative to the matrix, of a complete factor
constexpr Index most_levels = 4;           ///< beyond, nearly all tiles of the complete factor are there

bool complete_fits(const Analysis &analysis, Offset max_entries)
{
  return max_entries == 0 || storage * double(analysis.complete.entries) <= double(max_entries);
}

} // namespace

double automatic_drop_tolerance(const Analysis &analysis, Offset matrix_entries, Offset max_entries)
{
  if (complete_fits(analysis, max_entries) && is_worth_keeping(analysis.complete, matrix_entries))
    return 0;
  return analysis.low_fill ? low_fill_tolerance : default_tolerance;
}

bool keeps_all(const Analysis &analysis, const FactorOptions &options)
{
  return analysis.fill_level == complete_level && options.drop_tolerance == 0 && options.fill_ratio == 0;
}

double automatic_perturbation(bool exact, Index rows)
{
  const double rounding = std::numeric_limits<double>::epsilon() * double(std::max(rows, least_rows));
  return exact ? std::min(rounding, dropping_perturbation) : dropping_perturbation;
}

bool replace_more_pivots(const FactorReport &report, double probe, FactorOptions &factor)
{
  const bool overflow = report.status == FactorReport::NonFinite;
  const double rounding = report.growth * std::numeric_limits<double>::epsilon();
  const bool harmed = overflow || std::min(rounding, probe) > harmful_rounding;
  if (factor.perturbation >= dropping_perturbation || !harmed)
    return false;
  factor.perturbation = dropping_perturbation;
  return true;
}

Change strengthen(const Analysis &made, const FactorReport &report, AnalysisOptions &analysis, FactorOptions &factor)
{
  if (made.low_fill) {
    analysis.blocking.costly_flops = std::numeric_limits<double>::infinity();
    factor.drop_tolerance = std::min(factor.drop_tolerance, default_tolerance);
    return Change::Analysis;
  }
  if (factor.fill_ratio > 0) {
    factor.fill_ratio = 0;
    return Change::Factorization;
  }
  if (factor.drop_tolerance > 0) {
    const bool nearly_complete = made.fill_level == complete_level && complete_fits(made, factor.max_entries) &&
                                 double(report.entries) >= kept_share * double(made.complete.entries);
    factor.drop_tolerance /= 10;
    if (nearly_complete || factor.drop_tolerance < least_tolerance)
      factor.drop_tolerance = 0;
    return Change::Factorization;
  }
  if (analysis.fill_level >= 0) {
    analysis.fill_level = analysis.fill_level < most_levels ? analysis.fill_level + 1 : complete_level;
    return Change::Analysis;
  }
  if (made.apart > 0) {
    analysis.pairs_apart = false;
    return Change::Analysis;
  }
  if (factor.pivoting != Pivoting::rook) {
    factor.pivoting = Pivoting::rook;
    return Change::Factorization;
  }
  return Change::None;
}

Change weaken(FactorOptions &factor)
{
  if (factor.drop_tolerance >= most_tolerance)
    return Change::None;
  factor.drop_tolerance = std::max(default_tolerance, factor.drop_tolerance * 10);
  return Change::Factorization;
}

} // namespace tessera
