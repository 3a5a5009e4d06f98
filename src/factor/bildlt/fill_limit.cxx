#include "factor/bildlt/fill_limit.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tessera {

ScoreCut cut_scores(const float *score, Index columns, float tolerance, Offset most)
{
  const auto above = [&](float x) {
    Offset n = 0;
    for (Index c = 0; c < columns; ++c)
      n += score[c] > x;
    return n;
  };
  const auto as_float = [](std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  if (above(tolerance) <= most)
    return {tolerance, 0};
  // The least score that no more than `most` columns exceed
  std::uint32_t low = 0, high;
  const float largest = std::numeric_limits<float>::infinity();
  if (tolerance > 0)
    std::memcpy(&low, &tolerance, sizeof low);
  std::memcpy(&high, &largest, sizeof high);
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (above(as_float(middle)) <= most ? high : low) = middle;
  }
  return {as_float(high), most - above(as_float(high))};
}

FillLimit::FillLimit(const BlockStructure &structure, double fill_ratio) : structure_(structure), ratio_(fill_ratio)
{
  double entries = 0;
  for (Index b = 0; b < structure.blocks(); ++b)
    entries += static_cast<double>(entries_of_matrix(b));
  average_ = structure.blocks() > 0 ? entries / structure.blocks() : 0;
}

Offset FillLimit::entries_of_matrix(Index b) const
{
  const ValueMap &map = structure_.values;
  const Index rows = structure_.block_rows(b);
  return std::count_if(map.column.begin() + map.start[b], map.column.begin() + map.start[b + 1],
                       [rows](Index column) { return column >= rows; });
}

Offset FillLimit::share(Index b) const
{
  const Offset own = entries_of_matrix(b);
  return static_cast<Offset>(
      std::min(static_cast<double>(most), ratio_ * (own > 0 ? static_cast<double>(own) : average_)));
}

Offset FillLimit::grant(Index b, Offset wanted)
{
  const Index rows = structure_.block_rows(b);
  const Offset available = share(b) + leftover_;
  leftover_ = std::clamp<Offset>(available - wanted * rows, 0, most);
  return std::min(wanted, available / rows);
}

} // namespace tessera
