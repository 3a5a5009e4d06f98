#include "analysis/input/row_input.hpp"

#include "base/permute.hpp"
#include "base/scalar.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// RowInput::mirror.
template <class T>
std::vector<Offset> find_mirror(const Pattern &pattern, const std::vector<Offset> &source, const T *value)
{
  std::vector<Offset> mirror;
  const Pattern transposed = transpose(pattern, &mirror);
  if (transposed.start != pattern.start || transposed.column != pattern.column)
    return {};
  for (Offset &p : mirror)
    p = source[p];
  return first_asymmetric_row(pattern, source, mirror, value) < 0 ? mirror : std::vector<Offset>();
}

} // namespace

template <class T>
Index first_asymmetric_row(const Pattern &pattern, const std::vector<Offset> &source, const std::vector<Offset> &mirror,
                           const T *value)
{
  constexpr Offset parallel_entries = 20000;
  Index first = pattern.rows;
#pragma omp parallel for schedule(static) reduction(min : first) if (pattern.entries() > parallel_entries)
  for (Index i = 0; i < pattern.rows; ++i)
    for (Offset p = pattern.start[i]; p < pattern.start[i + 1] && first > i; ++p)
      if (!(value[source[p]] == value[mirror[p]]))
        first = i;
  return first < pattern.rows ? first : -1;
}

template <class T>
RowInput read_rows(Index n, const Offset *start, const Index *column, const T *value)
{
  RowInput input;
  Pattern &pattern = input.matrix.pattern;
  pattern.rows = pattern.cols = n;
  pattern.start.assign(start, start + n + 1);
  input.source.resize(start[n]);
  std::iota(input.source.begin(), input.source.end(), 0);
  for (Index i = 0; i < n; ++i) {
    const auto by_column = [&](Offset p, Offset q) { return column[p] < column[q]; };
    if (!std::is_sorted(column + start[i], column + start[i + 1]))
      std::sort(input.source.begin() + start[i], input.source.begin() + start[i + 1], by_column);
    for (Offset p = start[i] + 1; p < start[i + 1] && input.row < 0; ++p)
      if (column[input.source[p]] == column[input.source[p - 1]]) {
        input.row = i;
        input.column = column[input.source[p]];
      }
  }
  pattern.column.reserve(start[n]);
  input.matrix.value.reserve(start[n]);
  for (Offset p : input.source) {
    pattern.column.push_back(column[p]);
    input.matrix.value.push_back(analysed(value[p]));
  }
  if (input.row < 0)
    input.mirror = find_mirror(pattern, input.source, value);
  return input;
}

template RowInput read_rows(Index, const Offset *, const Index *, const double *);
template RowInput read_rows(Index, const Offset *, const Index *, const Complex *);
template Index first_asymmetric_row(const Pattern &, const std::vector<Offset> &, const std::vector<Offset> &,
                                    const double *);
template Index first_asymmetric_row(const Pattern &, const std::vector<Offset> &, const std::vector<Offset> &,
                                    const Complex *);

} // namespace tessera
