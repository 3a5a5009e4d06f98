#ifndef TESSERA_TESTS_SUPPORT_REFERENCE_MATCHING_HPP
#define TESSERA_TESTS_SUPPORT_REFERENCE_MATCHING_HPP

#include "base/types.hpp"

#include <vector>

namespace tessera::test {

/// Structural rank without the zeros, by plain depth-first augmenting paths: independent of the code under test.
class ReferenceMatching {
public:
  explicit ReferenceMatching(const Matrix &a) : a_(a), owner_(a.pattern.cols, -1), seen_(a.pattern.cols, -1) {}

  Index cardinality()
  {
    Index count = 0;
    for (Index i = 0; i < a_.pattern.rows; ++i)
      count += extend(i, i);
    return count;
  }

private:
  bool extend(Index row, Index stamp)
  {
    for (Offset p = a_.pattern.start[row]; p < a_.pattern.start[row + 1]; ++p) {
      const Index j = a_.pattern.column[p];
      if (a_.value[p] == 0 || seen_[j] == stamp)
        continue;
      seen_[j] = stamp;
      if (owner_[j] < 0 || extend(owner_[j], stamp)) {
        owner_[j] = row;
        return true;
      }
    }
    return false;
  }

  const Matrix &a_;
  std::vector<Index> owner_, seen_;
};

} // namespace tessera::test
#endif
