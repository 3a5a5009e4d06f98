#include "factor/report.hpp"

#include "factor/same_bits.hpp"

namespace tessera {

std::string difference(const FactorReport &one, const FactorReport &other)
{
  struct Count {
    const char *name;
    Offset FactorReport::*count;
  };
  static constexpr Count counts[] = {{"1x1 pivots", &FactorReport::one_by_one},
                                     {"2x2 pivots", &FactorReport::two_by_two},
                                     {"zero pivots", &FactorReport::zero},
                                     {"perturbed pivots", &FactorReport::perturbed},
                                     {"negative eigenvalues of D", &FactorReport::negative},
                                     {"positive eigenvalues of D", &FactorReport::positive},
                                     {"entries", &FactorReport::entries}};
  if (one.status != other.status)
    return in_words("status", one.status, other.status);
  if (one.status != FactorReport::Complete)
    return {};
  for (const Count &c : counts)
    if (one.*c.count != other.*c.count)
      return in_words(c.name, double(one.*c.count), double(other.*c.count));
  return same_bits(one.growth, other.growth) ? std::string() : in_words("growth", one.growth, other.growth);
}

} // namespace tessera
