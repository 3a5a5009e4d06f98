#include "analysis/scaling/balance_scales.hpp"

#include "analysis/scaling/limit_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

/// Whether all lines that have an entry are scaled to a largest entry of at least 1/2. Given are logarithms.
bool are_scaled(const std::vector<double> &log2_largest)
{
  return std::all_of(log2_largest.begin(), log2_largest.end(),
                     [](double x) { return x >= -1 || x == -std::numeric_limits<double>::infinity(); });
}

/// Whether the quotients of the factors of row and column i are all about as large.
bool are_together(const std::vector<double> &log2_row, const std::vector<double> &log2_col)
{
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (std::size_t i = 0; i < log2_row.size(); ++i) {
    least = std::min(least, log2_row[i] - log2_col[i]);
    largest = std::max(largest, log2_row[i] - log2_col[i]);
  }
  return largest - least <= most_apart_symmetric;
}

} // namespace

void balance_scales(const Matrix &matrix, std::vector<double> &log2_row, std::vector<double> &log2_col)
{
  constexpr double most = 0.02; // for entries that differ by 3 %, and the tolerance of the matching
  const Pattern &a = matrix.pattern;
  if (are_together(log2_row, log2_col))
    return;
  std::vector<double> mean(a.rows);
  for (Index i = 0; i < a.rows; ++i)
    mean[i] = (log2_row[i] + log2_col[i]) / 2;
  std::vector<double> largest_of_row(a.rows, -std::numeric_limits<double>::infinity());
  std::vector<double> largest_of_column = largest_of_row;
  for (Index i = 0; i < a.rows; ++i)
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p) {
      const Index j = a.column[p];
      const double size = std::log2(std::fabs(matrix.value[p])) + mean[i] + mean[j];
      if (size > most)
        return;
      largest_of_row[i] = std::max(largest_of_row[i], size);
      largest_of_column[j] = std::max(largest_of_column[j], size);
    }
  if (!are_scaled(largest_of_row) || !are_scaled(largest_of_column))
    return;
  log2_col = mean;
  log2_row = std::move(mean);
}

} // namespace tessera
