#ifndef TESSERA_TESTS_SUPPORT_SOUND_PLAN_HPP
#define TESSERA_TESTS_SUPPORT_SOUND_PLAN_HPP

#include "factor/front/front_plan.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace tessera::test {

/// Every column is in one front, entries of the matrix and rows of children have a place, and pairs are at even places.
inline void expect_sound(const FrontPlan &plan)
{
  const AssemblyTree &tree = plan.tree;
  std::vector<Index> rows = tree.perm;
  std::sort(rows.begin(), rows.end());
  for (Index i = 0; i < tree.rows(); ++i)
    ASSERT_EQ(rows[i], i);
  for (Index s = 0; s < tree.fronts(); ++s) {
    EXPECT_GT(tree.columns(s), 0);
    EXPECT_TRUE(tree.parent[s] > s || (tree.parent[s] == -1 && tree.below_rows(s) == 0));
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j)
      EXPECT_TRUE(!tree.pair[j] || ((j - tree.first[s]) % 2 == 0 && j + 1 < tree.first[s + 1]));
    for (Offset p = tree.below_start[s]; p < tree.below_start[s + 1]; ++p) {
      EXPECT_TRUE(p == tree.below_start[s] || tree.below[p - 1] < tree.below[p]);
      const Index up = tree.parent[s], place = tree.to_parent[p];
      ASSERT_GE(up, 0);
      EXPECT_EQ(tree.below[p], place < tree.columns(up) ? tree.first[up] + place
                                                        : tree.below[tree.below_start[up] + place - tree.columns(up)]);
    }
  }
}

} // namespace tessera::test
#endif
