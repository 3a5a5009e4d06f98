#include "analysis/symmetric_input.hpp"

#include "analysis/permute.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr double symmetry_tolerance = 1e-10;

/// One entry on its way into a row.
struct Item {
  Index column;
  Offset source;
};

/// Sorts the rows of `items` by column and moves them into the result. The rows begin at `start`.
void sort_rows(const std::vector<Offset> &start, std::vector<Item> &items, const double *value, SymmetricInput &result)
{
  const Index n = static_cast<Index>(start.size()) - 1;
  Pattern &pattern = result.matrix.pattern;
  pattern.rows = pattern.cols = n;
  pattern.start = start;
  pattern.column.resize(items.size());
  result.matrix.value.resize(items.size());
  result.source.resize(items.size());
  const auto less = [](const Item &a, const Item &b) { return a.column < b.column; };
  Index repeated = n;
#pragma omp parallel for schedule(static) reduction(min : repeated) if (n > parallel_rows)
  for (Index i = 0; i < n; ++i) {
    if (!std::is_sorted(items.begin() + start[i], items.begin() + start[i + 1], less))
      std::sort(items.begin() + start[i], items.begin() + start[i + 1], less);
    for (Offset p = start[i]; p < start[i + 1]; ++p) {
      pattern.column[p] = items[p].column;
      result.source[p] = items[p].source;
      result.matrix.value[p] = value[items[p].source];
      if (p > start[i] && items[p].column == items[p - 1].column)
        repeated = std::min(repeated, i);
    }
  }
  if (repeated == n)
    return;
  result.status = SymmetricInput::Repeated;
  result.row = repeated;
  for (Offset p = start[repeated] + 1; p < start[repeated + 1]; ++p)
    if (pattern.column[p] == pattern.column[p - 1])
      result.column = pattern.column[p];
}

/// Largest magnitude in each row.
std::vector<double> row_maxima(const Matrix &a)
{
  std::vector<double> largest(a.pattern.rows, 0);
#pragma omp parallel for schedule(static) if (a.pattern.rows > parallel_rows)
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      largest[i] = std::max(largest[i], std::fabs(a.value[p]));
  return largest;
}

/// Compares the matrix with its transpose, whose entry q is entry position[q] of the matrix. Rows of both are merged
/// where their patterns differ. Returns the first row with an entry that differs from its mirror image, or n.
Index first_nonsymmetric_row(const Matrix &a, const Pattern &transposed, const std::vector<Offset> &position,
                             Index &column)
{
  const std::vector<double> largest = row_maxima(a);
  const Index n = a.pattern.rows;
  for (Index i = 0; i < n; ++i) {
    Offset p = a.pattern.start[i], q = transposed.start[i];
    while (p < a.pattern.start[i + 1] || q < transposed.start[i + 1]) {
      const Index j = p < a.pattern.start[i + 1] ? a.pattern.column[p] : n;
      const Index k = q < transposed.start[i + 1] ? transposed.column[q] : n;
      column = std::min(j, k);
      const double upper = j <= k ? a.value[p++] : 0, lower = k <= j ? a.value[position[q++]] : 0;
      // written so that a NaN, which the analysis reports by itself, does not count as a difference
      if (std::fabs(upper - lower) > symmetry_tolerance * std::max(largest[i], largest[column]))
        return i;
    }
  }
  return n;
}

/// Adds to each row the mirror images that are stored nowhere: zeros, whose source is the mirror image itself.
void add_missing_entries(const Pattern &transposed, const std::vector<Offset> &position, SymmetricInput &result)
{
  const Pattern pattern = result.matrix.pattern;
  const std::vector<Offset> source = result.source;
  const std::vector<double> value = result.matrix.value;
  Pattern &merged = result.matrix.pattern;
  merged.column.clear();
  result.source.clear();
  result.matrix.value.clear();
  for (Index i = 0; i < pattern.rows; ++i) {
    Offset p = pattern.start[i], q = transposed.start[i];
    merged.start[i] = static_cast<Offset>(merged.column.size());
    while (p < pattern.start[i + 1] || q < transposed.start[i + 1]) {
      const Index j = p < pattern.start[i + 1] ? pattern.column[p] : pattern.rows;
      const Index k = q < transposed.start[i + 1] ? transposed.column[q] : pattern.rows;
      const Offset entry = j <= k ? p : position[q];
      merged.column.push_back(std::min(j, k));
      result.source.push_back(source[entry]);
      result.matrix.value.push_back(value[entry]);
      p += j <= k;
      q += k <= j;
    }
  }
  merged.start[pattern.rows] = static_cast<Offset>(merged.column.size());
}

} // namespace

SymmetricInput read_full(Index n, const Index *start, const Index *column, const double *value, bool check_symmetry)
{
  SymmetricInput result;
  const std::vector<Offset> row_start(start, start + n + 1);
  std::vector<Item> items(row_start[n]);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
  for (Offset p = 0; p < row_start[n]; ++p)
    items[p] = {column[p], p};
  sort_rows(row_start, items, value, result);
  if (result.status != SymmetricInput::Ok)
    return result;

  std::vector<Offset> position;
  const Pattern transposed = transpose(result.matrix.pattern, &position);
  if (check_symmetry) {
    const Index row = first_nonsymmetric_row(result.matrix, transposed, position, result.column);
    if (row < n) {
      result.status = SymmetricInput::Nonsymmetric;
      result.row = row;
      return result;
    }
  }
  if (transposed.column != result.matrix.pattern.column || transposed.start != result.matrix.pattern.start)
    add_missing_entries(transposed, position, result);
  return result;
}

SymmetricInput read_upper_blocks(Index n, Index block_size, const Index *start, const Index *column,
                                 const double *value)
{
  const Offset bs = block_size;
  std::vector<Offset> row_start(n * bs + 1, 0);
  auto each_entry = [&](auto visit) { // visit(row, column, source) for the upper triangle
    for (Index i = 0; i < n; ++i)
      for (Offset p = start[i]; p < start[i + 1]; ++p)
        for (Offset c = 0; c < bs; ++c)
          for (Offset r = 0; r < bs; ++r)
            if (column[p] > i || c >= r)
              visit(static_cast<Index>(i * bs + r), static_cast<Index>(column[p] * bs + c), (p * bs + c) * bs + r);
  };
  each_entry([&](Index i, Index j, Offset) {
    ++row_start[i + 1];
    if (i != j)
      ++row_start[j + 1];
  });
  for (std::size_t i = 1; i < row_start.size(); ++i)
    row_start[i] += row_start[i - 1];
  std::vector<Offset> next(row_start.begin(), row_start.end() - 1);
  std::vector<Item> items(row_start.back());
  each_entry([&](Index i, Index j, Offset source) {
    items[next[i]++] = {j, source};
    if (i != j)
      items[next[j]++] = {i, source};
  });
  SymmetricInput result;
  sort_rows(row_start, items, value, result);
  return result;
}

} // namespace tessera
