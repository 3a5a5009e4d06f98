#include "factor/strengthen.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr double cheap_flops = 2e9;            ///< some tenths of a second on one core
constexpr double cheap_flops_per_entry = 5000; ///< of A: less than the analysis and some tens of iterations take
constexpr double default_tolerance = 1e-3;
constexpr double least_tolerance = 1e-6; ///< below it, dropping saves next to nothing
constexpr double most_tolerance = 0.1;
constexpr Index most_levels = 4; ///< beyond, nearly all tiles of the complete factor are there

} // namespace

double automatic_drop_tolerance(const Analysis &analysis, Offset matrix_entries)
{
  const double cheap = std::max(cheap_flops, cheap_flops_per_entry * double(matrix_entries));
  return analysis.complete_flops <= cheap ? 0 : default_tolerance;
}

Change strengthen(AnalysisOptions &analysis, FactorOptions &factor)
{
  if (factor.fill_ratio > 0) {
    factor.fill_ratio = 0;
    return Change::Factorization;
  }
  if (factor.drop_tolerance > 0) {
    factor.drop_tolerance = factor.drop_tolerance / 10 < least_tolerance ? 0 : factor.drop_tolerance / 10;
    return Change::Factorization;
  }
  if (analysis.fill_level >= 0) {
    analysis.fill_level = analysis.fill_level < most_levels ? analysis.fill_level + 1 : complete_level;
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
