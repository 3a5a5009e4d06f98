#include "analysis/input/symmetric_input.hpp"

#include "base/allocate.hpp"
#include "base/permute.hpp"
#include "base/row_starts.hpp"

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

/// Allocates a matrix with these row starts.
void allocate(const std::vector<Offset> &start, SymmetricInput &result)
{
  Pattern &pattern = result.matrix.pattern;
  pattern.rows = pattern.cols = static_cast<Index>(start.size()) - 1;
  pattern.start = start;
  allocate_in_parallel(pattern.column, start.back());
  allocate_in_parallel(result.matrix.value, start.back());
  allocate_in_parallel(result.source, start.back());
}

/// Says where `row`, which is below the number of rows if there is one, has an entry twice.
void report_repetition(Index row, SymmetricInput &result)
{
  const Pattern &pattern = result.matrix.pattern;
  if (row == pattern.rows)
    return;
  result.status = SymmetricInput::Repeated;
  result.row = row;
  for (Offset p = pattern.start[row] + 1; p < pattern.start[row + 1]; ++p)
    if (pattern.column[p] == pattern.column[p - 1])
      result.column = pattern.column[p];
}

/// Sorts the rows of `items` by column and moves them into the result. The rows begin at `start`.
void sort_rows(const std::vector<Offset> &start, std::vector<Item> &items, const double *value, SymmetricInput &result)
{
  const Index n = static_cast<Index>(start.size()) - 1;
  allocate(start, result);
  Pattern &pattern = result.matrix.pattern;
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
  report_repetition(repeated, result);
}

/// Copies rows that are sorted already. False, and a result to be made anew, if they are not.
bool copy_sorted_rows(const std::vector<Offset> &start, const Index *column, const double *value,
                      SymmetricInput &result)
{
  const Index n = static_cast<Index>(start.size()) - 1;
  allocate(start, result);
  Pattern &pattern = result.matrix.pattern;
  Index repeated = n, unsorted = n;
#pragma omp parallel for schedule(static) reduction(min : repeated, unsorted) if (n > parallel_rows)
  for (Index i = 0; i < n; ++i) {
    for (Offset p = start[i]; p < start[i + 1]; ++p) {
      pattern.column[p] = column[p];
      result.source[p] = p;
      result.matrix.value[p] = value[p];
      if (p > start[i] && column[p] < column[p - 1])
        unsorted = std::min(unsorted, i);
      if (p > start[i] && column[p] == column[p - 1])
        repeated = std::min(repeated, i);
    }
  }
  if (unsorted < n)
    return false;
  report_repetition(repeated, result);
  return true;
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

/// What comparing the entries of a matrix with their mirror images shows.
struct Symmetry {
  bool complete = true;                  ///< all mirror images are stored
  bool exact = true;                     ///< those stored are equal, none of them a NaN
  std::uint64_t difference = UINT64_MAX; ///< row and column, 32 bits each, of the first that differ, row < column
};

/// Compares the entries with their mirror images, and gives both of a pair one source: that of the entry above the
/// diagonal, or of the one below if its value is not finite, for the analysis to find.
Symmetry join_mirror_images(SymmetricInput &input)
{
  const Matrix &a = input.matrix;
  const std::vector<double> largest = row_maxima(a);
  const Pattern &pattern = a.pattern;
  std::uint64_t difference = UINT64_MAX;
  int missing = 0, unequal = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(min                                                         \
                                                           : difference)                                               \
    reduction(|                                                                                                        \
              : missing, unequal) if (pattern.rows > parallel_rows)
  for (Index i = 0; i < pattern.rows; ++i) {
    for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p) {
      const Index j = pattern.column[p];
      const auto end = pattern.column.begin() + pattern.start[j + 1];
      const auto found = std::lower_bound(pattern.column.begin() + pattern.start[j], end, i);
      const bool stored = found != end && *found == i;
      const Offset mirror = found - pattern.column.begin();
      missing |= !stored;
      if (stored && j < i) { // has been compared from the other side
        const bool below = !std::isfinite(a.value[p]);
        input.source[below ? mirror : p] = input.source[below ? p : mirror];
        continue;
      }
      const double image = stored ? a.value[mirror] : 0;
      unequal |= stored && !(a.value[p] == image);
      // written so that a NaN, which the analysis reports by itself, does not count as a difference
      if (std::fabs(a.value[p] - image) > symmetry_tolerance * std::max(largest[i], largest[j]))
        difference = std::min(difference, static_cast<std::uint64_t>(std::min(i, j)) << 32 | std::max(i, j));
    }
  }
  return {missing == 0, unequal == 0, difference};
}

/// Takes the values from their sources anew.
void read_values(const double *value, SymmetricInput &input)
{
  const Offset entries = input.matrix.pattern.entries();
#pragma omp parallel for schedule(static) if (entries > parallel_rows)
  for (Offset p = 0; p < entries; ++p)
    input.matrix.value[p] = value[input.source[p]];
}

/// Adds to each row the entries whose mirror image alone is stored, with the value and the source of that.
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

SymmetricInput read_full(Index n, const Offset *start, const Index *column, const double *value, bool check_symmetry)
{
  SymmetricInput result;
  const std::vector<Offset> row_start(start, start + n + 1);
  if (!copy_sorted_rows(row_start, column, value, result)) {
    result = SymmetricInput();
    std::vector<Item> items(row_start[n]);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
    for (Offset p = 0; p < row_start[n]; ++p)
      items[p] = {column[p], p};
    sort_rows(row_start, items, value, result);
  }
  if (result.status != SymmetricInput::Ok)
    return result;

  const Symmetry symmetry = join_mirror_images(result);
  if (check_symmetry && symmetry.difference != UINT64_MAX) {
    result.status = SymmetricInput::Nonsymmetric;
    result.row = static_cast<Index>(symmetry.difference >> 32);
    result.column = static_cast<Index>(symmetry.difference & 0xffffffffu);
    return result;
  }
  if (!symmetry.exact)
    read_values(value, result);
  if (!symmetry.complete) {
    std::vector<Offset> position;
    const Pattern transposed = transpose(result.matrix.pattern, &position);
    add_missing_entries(transposed, position, result);
  }
  return result;
}

SymmetricInput read_upper_blocks(Index n, Index block_size, const Offset *start, const Index *column,
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
  sum_counts(row_start);
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
