#include "analysis/input/mirror_images.hpp"

#include "base/permute.hpp"
#include "base/scalar.hpp"

namespace tessera {

template <class T>
std::vector<Offset> mirror_images(const Pattern &pattern, const std::vector<Offset> &source, const T *value)
{
  std::vector<Offset> mirror;
  const Pattern transposed = transpose(pattern, &mirror);
  if (transposed.start != pattern.start || transposed.column != pattern.column)
    return {};
  for (Offset &p : mirror)
    p = source[p];
  return first_asymmetric_row(pattern, source, mirror, value) < 0 ? mirror : std::vector<Offset>();
}

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

template std::vector<Offset> mirror_images(const Pattern &, const std::vector<Offset> &, const double *);
template std::vector<Offset> mirror_images(const Pattern &, const std::vector<Offset> &, const Complex *);
template Index first_asymmetric_row(const Pattern &, const std::vector<Offset> &, const std::vector<Offset> &,
                                    const double *);
template Index first_asymmetric_row(const Pattern &, const std::vector<Offset> &, const std::vector<Offset> &,
                                    const Complex *);

} // namespace tessera
