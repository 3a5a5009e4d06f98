#ifndef TESSERA_ANALYSIS_INPUT_DIAGONAL_HPP
#define TESSERA_ANALYSIS_INPUT_DIAGONAL_HPP

#include "base/types.hpp"

#include <algorithm>

namespace tessera {

/// Entry (i, j), 0 if it is not stored.
inline double entry(const Matrix &a, Index i, Index j)
{
  const auto begin = a.pattern.column.begin() + a.pattern.start[i];
  const auto end = a.pattern.column.begin() + a.pattern.start[i + 1];
  const auto at = std::lower_bound(begin, end, j);
  return at == end || *at != j ? 0 : a.value[at - a.pattern.column.begin()];
}

/// The diagonal entry of row i, 0 if it is not stored.
inline double diagonal_entry(const Matrix &a, Index i)
{
  return entry(a, i, i);
}

} // namespace tessera
#endif
