#include "analysis/scaling/limit_scale.hpp"

#include "analysis/scaling/equilibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

using Logarithms = std::vector<double>;

struct Range {
  double least = INFINITY, largest = -INFINITY;

  void add(double x)
  {
    least = std::min(least, x);
    largest = std::max(largest, x);
  }
  double length() const { return largest - least; } ///< -infinity without numbers
  double middle() const { return (least + largest) / 2; }
};

/// Whether factors may be farther than that from those of an equilibration. One that is that far above has neighbours
/// that are as far below, or entries would be larger than 1. Empty rows do not count.
bool may_be_apart(const Matrix &a, const Logarithms &log2_row, const Logarithms &log2_col, double most)
{
  if (log2_row.empty())
    return false; // a matrix that cannot be matched
  Range rows, columns;
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset e = a.pattern.start[i]; e < a.pattern.start[i + 1]; ++e)
      if (a.value[e] != 0) {
        rows.add(log2_row[i]);
        columns.add(log2_col[a.pattern.column[e]]);
      }
  return std::max(rows.length(), columns.length()) > 2 * most;
}

/// Scale factors with which the logarithms of the entries of each row are about 0 in the mean (Curtis & Reid 1972, by
/// Gauss-Seidel). The scaled matrix is hardly another one where rows and columns have been multiplied by any numbers.
/// Those on the diagonal are left out: they may be tiny, as those of a linear program near its solution.
Logarithms mean_scale(const Matrix &symmetric)
{
  constexpr int sweeps = 4;
  const Pattern &p = symmetric.pattern;
  Logarithms entry(p.entries()), scale(p.rows, 0.0);
  std::transform(symmetric.value.begin(), symmetric.value.end(), entry.begin(),
                 [](double x) { return std::log2(std::abs(x)); });
  const auto update = [&](Index i) {
    double sum = 0;
    Offset count = 0;
    for (Offset e = p.start[i]; e < p.start[i + 1]; ++e)
      if (symmetric.value[e] != 0 && p.column[e] != i) {
        sum += entry[e] + scale[p.column[e]];
        ++count;
      }
    scale[i] = count > 0 ? -sum / static_cast<double>(count) : 0;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index k = 0; k < p.rows; ++k)
      update(sweep % 2 == 0 ? k : p.rows - 1 - k);
  return scale;
}

/// Scale factors with which the largest entry of each row is about 1. Equilibrations of a badly scaled matrix differ a
/// lot, and some leave most entries far below 1.
Logarithms equal_scale(const Matrix &symmetric)
{
  return equilibrate(symmetric, {}, mean_scale(symmetric)).log2_scale;
}

/// The symmetric matrix [0 A; Aᵀ 0].
Matrix both_sides(const Matrix &a)
{
  const Index n = a.pattern.rows;
  Matrix sides;
  Pattern &p = sides.pattern;
  p.rows = p.cols = 2 * n;
  p.start.assign(a.pattern.start.begin(), a.pattern.start.end());
  p.start.resize(2 * std::size_t(n) + 1, 0);
  for (Index j : a.pattern.column)
    ++p.start[n + j + 1];
  for (Index j = n; j < p.rows; ++j)
    p.start[j + 1] += p.start[j];
  p.column.resize(p.start[p.rows]);
  sides.value.resize(p.column.size());
  std::vector<Offset> next(p.start.begin() + n, p.start.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Offset e = a.pattern.start[i]; e < a.pattern.start[i + 1]; ++e) {
      const Index j = a.pattern.column[e];
      const Offset mirrored = next[j]++;
      p.column[e] = n + j;
      p.column[mirrored] = i;
      sides.value[e] = sides.value[mirrored] = a.value[e];
    }
  return sides;
}

} // namespace

void limit_scale(const Matrix &symmetric, std::vector<double> &log2_scale)
{
  constexpr double most = most_apart_symmetric;
  if (!may_be_apart(symmetric, log2_scale, log2_scale, most))
    return;
  const Logarithms equal = equal_scale(symmetric);
  for (std::size_t i = 0; i < equal.size(); ++i)
    log2_scale[i] = std::clamp(log2_scale[i], equal[i] - most, equal[i] + most);
}

void limit_scales(const Matrix &matrix, std::vector<double> &log2_row, std::vector<double> &log2_col)
{
  constexpr double most = most_apart_general;
  if (!may_be_apart(matrix, log2_row, log2_col, most))
    return;
  if (matrix.pattern.rows > std::numeric_limits<Index>::max() / 2)
    return; // more rows than [0 A; Aᵀ 0] may have
  const Logarithms equal = equal_scale(both_sides(matrix));
  const std::size_t n = log2_row.size();
  Logarithms apart(2 * n);
  Range rows, columns;
  for (std::size_t i = 0; i < n; ++i) {
    rows.add(apart[i] = log2_row[i] - equal[i]);
    columns.add(apart[n + i] = log2_col[i] - equal[n + i]);
  }
  // A number that all rows are multiplied by and all columns are divided by changes nothing.
  const double shift = (columns.middle() - rows.middle()) / 2;
  for (std::size_t i = 0; i < n; ++i) {
    log2_row[i] = equal[i] + std::clamp(apart[i] + shift, -most, most);
    log2_col[i] = equal[n + i] + std::clamp(apart[n + i] - shift, -most, most);
  }
}

} // namespace tessera
