#include "factor/bildlt/block_report.hpp"

#include "factor/same_bits.hpp"

namespace tessera {

std::string difference(const BlockFactorReport &one, const BlockFactorReport &other)
{
  std::string found = difference(static_cast<const FactorReport &>(one), other);
  if (!found.empty() || one.status != FactorReport::Complete || one.searched == other.searched)
    return found;
  return in_words("searched tiles", double(one.searched), double(other.searched));
}

} // namespace tessera
