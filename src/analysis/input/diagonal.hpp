#ifndef TESSERA_ANALYSIS_INPUT_DIAGONAL_HPP
#define TESSERA_ANALYSIS_INPUT_DIAGONAL_HPP

#include "base/types.hpp"

#include <algorithm>

namespace tessera {

/// The diagonal entry of row i, 0 if it is not stored.
inline double diagonal_entry(const Matrix &a, Index i)
{
  const auto begin = a.pattern.column.begin() + a.pattern.start[i];
  const auto end = a.pattern.column.begin() + a.pattern.start[i + 1];
  const auto at = std::lower_bound(begin, end, i);
  return at == end || *at != i ? 0 : a.value[at - a.pattern.column.begin()];
}

} // namespace tessera
#endif
