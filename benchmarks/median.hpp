#ifndef TESSERA_BENCHMARKS_MEDIAN_HPP
#define TESSERA_BENCHMARKS_MEDIAN_HPP

#include <algorithm>
#include <vector>

namespace tessera {

/// The median of some numbers, the larger one of two; of at least one.
inline double median(std::vector<double> x)
{
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

} // namespace tessera
#endif
