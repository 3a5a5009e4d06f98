#include "analysis/input/row_input.hpp"

#include "analysis/input/mirror_images.hpp"
#include "base/scalar.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {

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
    input.mirror = mirror_images(pattern, input.source, value);
  return input;
}

template RowInput read_rows(Index, const Offset *, const Index *, const double *);
template RowInput read_rows(Index, const Offset *, const Index *, const Complex *);

} // namespace tessera
