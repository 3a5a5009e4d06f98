#include "analysis/input/symmetric_input.hpp"

#include "base/allocate.hpp"
#include "base/permute.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera {
namespace {

constexpr double symmetry_tolerance = 1e-10;

/// A matrix on its way: its pattern and sources in `input`, and the values. Those of a real matrix are in `input`.
template <class T>
struct Reading {
  SymmetricInput input;
  std::vector<Complex> complex_value;

  std::vector<T> &values()
  {
    if constexpr (std::is_same_v<T, double>)
      return input.matrix.value;
    else
      return complex_value;
  }

  /// The result: of complex values their magnitudes.
  SymmetricInput finish()
  {
    if constexpr (!std::is_same_v<T, double>) {
      const Offset entries = Offset(complex_value.size());
      allocate_in_parallel(input.matrix.value, entries);
#pragma omp parallel for schedule(static) if (entries > parallel_rows)
      for (Offset p = 0; p < entries; ++p)
        input.matrix.value[p] = magnitude(complex_value[p]);
    }
    return std::move(input);
  }
};

/// One entry on its way into a row.
struct Item {
  Index column;
  Offset source;
};

/// Allocates a matrix with these row starts.
template <class T>
void allocate(const std::vector<Offset> &start, Reading<T> &result)
{
  Pattern &pattern = result.input.matrix.pattern;
  pattern.rows = pattern.cols = static_cast<Index>(start.size()) - 1;
  pattern.start = start;
  allocate_in_parallel(pattern.column, start.back());
  allocate_in_parallel(result.values(), start.back());
  allocate_in_parallel(result.input.source, start.back());
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
template <class T>
void sort_rows(const std::vector<Offset> &start, std::vector<Item> &items, const T *value, Reading<T> &result)
{
  const Index n = static_cast<Index>(start.size()) - 1;
  allocate(start, result);
  Pattern &pattern = result.input.matrix.pattern;
  std::vector<T> &values = result.values();
  const auto less = [](const Item &a, const Item &b) { return a.column < b.column; };
  Index repeated = n;
#pragma omp parallel for schedule(static) reduction(min : repeated) if (n > parallel_rows)
  for (Index i = 0; i < n; ++i) {
    if (!std::is_sorted(items.begin() + start[i], items.begin() + start[i + 1], less))
      std::sort(items.begin() + start[i], items.begin() + start[i + 1], less);
    for (Offset p = start[i]; p < start[i + 1]; ++p) {
      pattern.column[p] = items[p].column;
      result.input.source[p] = items[p].source;
      values[p] = entry_at(value, items[p].source);
      if (p > start[i] && items[p].column == items[p - 1].column)
        repeated = std::min(repeated, i);
    }
  }
  report_repetition(repeated, result.input);
}

/// Copies rows that are sorted already. False, and a result to be made anew, if they are not.
template <class T>
bool copy_sorted_rows(const std::vector<Offset> &start, const Index *column, const T *value, Reading<T> &result)
{
  const Index n = static_cast<Index>(start.size()) - 1;
  allocate(start, result);
  Pattern &pattern = result.input.matrix.pattern;
  std::vector<T> &values = result.values();
  Index repeated = n, unsorted = n;
#pragma omp parallel for schedule(static) reduction(min : repeated, unsorted) if (n > parallel_rows)
  for (Index i = 0; i < n; ++i) {
    for (Offset p = start[i]; p < start[i + 1]; ++p) {
      pattern.column[p] = column[p];
      result.input.source[p] = p;
      values[p] = value[p];
      if (p > start[i] && column[p] < column[p - 1])
        unsorted = std::min(unsorted, i);
      if (p > start[i] && column[p] == column[p - 1])
        repeated = std::min(repeated, i);
    }
  }
  if (unsorted < n)
    return false;
  report_repetition(repeated, result.input);
  return true;
}

/// Largest magnitude in each row.
template <class T>
std::vector<double> row_maxima(const Pattern &pattern, const std::vector<T> &value)
{
  std::vector<double> largest(pattern.rows, 0);
#pragma omp parallel for schedule(static) if (pattern.rows > parallel_rows)
  for (Index i = 0; i < pattern.rows; ++i)
    for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p)
      largest[i] = std::max(largest[i], magnitude(value[p]));
  return largest;
}

/// What comparing the entries of a matrix with their mirror images shows.
struct Comparison {
  bool complete = true;                  ///< all mirror images are stored
  bool exact = true;                     ///< those stored are equal, none of them a NaN
  std::uint64_t difference = UINT64_MAX; ///< row and column, 32 bits each, of the first that differ, row < column
};

/// Compares the entries with their mirror images, and gives both of a pair one source: that of the entry above the
/// diagonal, or of the one below if its value is not finite, for the analysis to find.
template <Symmetry S, class T>
Comparison join_mirror_images(Reading<T> &reading)
{
  SymmetricInput &input = reading.input;
  const std::vector<T> &value = reading.values();
  const Pattern &pattern = input.matrix.pattern;
  const std::vector<double> largest = row_maxima(pattern, value);
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
        const bool below = !is_finite(value[p]);
        const Offset of_both = input.source[below ? p : mirror];
        input.source[below ? mirror : p] = S == Symmetry::Hermitian ? ~of_both : of_both;
        continue;
      }
      const T image = stored ? mirrored<S>(value[mirror]) : T(0);
      unequal |= stored && !(value[p] == image);
      // written so that a NaN, which the analysis reports by itself, does not count as a difference
      if (magnitude(value[p] - image) > symmetry_tolerance * std::max(largest[i], largest[j]))
        difference = std::min(difference, static_cast<std::uint64_t>(std::min(i, j)) << 32 | std::max(i, j));
    }
  }
  return {missing == 0, unequal == 0, difference};
}

/// Takes the values from their sources anew.
template <class T>
void read_values(const T *value, Reading<T> &reading)
{
  const Offset entries = reading.input.matrix.pattern.entries();
  std::vector<T> &values = reading.values();
#pragma omp parallel for schedule(static) if (entries > parallel_rows)
  for (Offset p = 0; p < entries; ++p)
    values[p] = entry_at(value, reading.input.source[p]);
}

/// Adds to each row the entries whose mirror image alone is stored, with the value and the source of that.
template <Symmetry S, class T>
void add_missing_entries(const Pattern &transposed, const std::vector<Offset> &position, Reading<T> &result)
{
  const Pattern pattern = result.input.matrix.pattern;
  const std::vector<Offset> source = result.input.source;
  const std::vector<T> value = result.values();
  Pattern &merged = result.input.matrix.pattern;
  merged.column.clear();
  result.input.source.clear();
  result.values().clear();
  for (Index i = 0; i < pattern.rows; ++i) {
    Offset p = pattern.start[i], q = transposed.start[i];
    merged.start[i] = static_cast<Offset>(merged.column.size());
    while (p < pattern.start[i + 1] || q < transposed.start[i + 1]) {
      const Index j = p < pattern.start[i + 1] ? pattern.column[p] : pattern.rows;
      const Index k = q < transposed.start[i + 1] ? transposed.column[q] : pattern.rows;
      const bool own = j <= k;
      const Offset entry = own ? p : position[q];
      merged.column.push_back(std::min(j, k));
      result.input.source.push_back(own || S == Symmetry::Symmetric ? source[entry] : ~source[entry]);
      result.values().push_back(own ? value[entry] : mirrored<S>(value[entry]));
      p += j <= k;
      q += k <= j;
    }
  }
  merged.start[pattern.rows] = static_cast<Offset>(merged.column.size());
}

/// Whether all values are real.
bool are_real(const std::vector<Complex> &value)
{
  return std::all_of(value.begin(), value.end(), [](const Complex &x) { return x.imag() == 0; });
}

/// What the values of a complex matrix come nearer to.
Symmetry find_symmetry(const Pattern &pattern, const std::vector<Complex> &value)
{
  const std::vector<double> largest = row_maxima(pattern, value);
  double symmetric = 0, hermitian = 0; // the largest differences, over the largest entries of the rows
#pragma omp parallel for schedule(dynamic, 1024) reduction(max : symmetric, hermitian) if (pattern.rows > parallel_rows)
  for (Index i = 0; i < pattern.rows; ++i)
    for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p) {
      const Index j = pattern.column[p];
      const auto end = pattern.column.begin() + pattern.start[j + 1];
      const auto found = std::lower_bound(pattern.column.begin() + pattern.start[j], end, i);
      if (j < i || found == end || *found != i)
        continue;
      const Complex image = value[found - pattern.column.begin()];
      const double size = std::max({largest[i], largest[j], std::numeric_limits<double>::min()});
      symmetric = std::max(symmetric, magnitude(value[p] - image) / size);
      hermitian = std::max(hermitian, magnitude(value[p] - std::conj(image)) / size);
    }
  return hermitian <= symmetric ? Symmetry::Hermitian : Symmetry::Symmetric;
}

template <class T>
Symmetry symmetry_of(Reading<T> &reading, bool check_symmetry, Symmetry said)
{
  if constexpr (std::is_same_v<T, double>)
    return Symmetry::Symmetric;
  else if (said == Symmetry::Symmetric && are_real(reading.values()))
    return Symmetry::Hermitian;
  else
    return check_symmetry ? find_symmetry(reading.input.matrix.pattern, reading.values()) : said;
}

/// Compares mirror images and completes the matrix. value: the caller's.
template <Symmetry S, class T>
void complete(Reading<T> &result, bool check_symmetry, const T *value)
{
  result.input.symmetry = S;
  const Comparison comparison = join_mirror_images<S>(result);
  if (check_symmetry && comparison.difference != UINT64_MAX) {
    result.input.status = SymmetricInput::Nonsymmetric;
    result.input.row = static_cast<Index>(comparison.difference >> 32);
    result.input.column = static_cast<Index>(comparison.difference & 0xffffffffu);
    return;
  }
  if (!comparison.exact)
    read_values(value, result);
  if (!comparison.complete) {
    std::vector<Offset> position;
    const Pattern transposed = transpose(result.input.matrix.pattern, &position);
    add_missing_entries<S>(transposed, position, result);
  }
}

/// Makes the sources of the entries below the diagonal those of conjugates.
void conjugate_lower(SymmetricInput &input)
{
  const Pattern &pattern = input.matrix.pattern;
  for (Index i = 0; i < pattern.rows; ++i)
    for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p)
      if (pattern.column[p] < i)
        input.source[p] = ~input.source[p];
  input.symmetry = Symmetry::Hermitian;
}

} // namespace

template <class T>
SymmetricInput read_full(Index n, const Offset *start, const Index *column, const T *value, bool check_symmetry,
                         Symmetry said)
{
  Reading<T> result;
  const std::vector<Offset> row_start(start, start + n + 1);
  if (!copy_sorted_rows(row_start, column, value, result)) {
    result = Reading<T>();
    std::vector<Item> items(row_start[n]);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
    for (Offset p = 0; p < row_start[n]; ++p)
      items[p] = {column[p], p};
    sort_rows(row_start, items, value, result);
  }
  if (result.input.status == SymmetricInput::Ok) {
    if (symmetry_of(result, check_symmetry, said) == Symmetry::Symmetric)
      complete<Symmetry::Symmetric>(result, check_symmetry, value);
    else if constexpr (std::is_same_v<T, Complex>)
      complete<Symmetry::Hermitian>(result, check_symmetry, value);
  }
  return result.finish();
}

template <class T>
SymmetricInput read_upper_blocks(Index n, Index block_size, const Offset *start, const Index *column, const T *value,
                                 Symmetry said)
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
  Reading<T> result;
  sort_rows(row_start, items, value, result);
  if (symmetry_of(result, false, said) == Symmetry::Hermitian)
    conjugate_lower(result.input);
  return result.finish();
}

template SymmetricInput read_full(Index, const Offset *, const Index *, const double *, bool, Symmetry);
template SymmetricInput read_full(Index, const Offset *, const Index *, const Complex *, bool, Symmetry);
template SymmetricInput read_upper_blocks(Index, Index, const Offset *, const Index *, const double *, Symmetry);
template SymmetricInput read_upper_blocks(Index, Index, const Offset *, const Index *, const Complex *, Symmetry);

} // namespace tessera
