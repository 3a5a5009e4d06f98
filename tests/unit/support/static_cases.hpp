#ifndef TESSERA_TEST_STATIC_CASES_HPP
#define TESSERA_TEST_STATIC_CASES_HPP

#include "support/direct_solver.hpp"
#include "support/random_matrix.hpp"

namespace tessera::test {

constexpr DirectOptions static_pivots{0};

/// Fronts of one column each, but for those that have the same rows, in the order of the matrix, which is not scaled.
inline PlanOptions one_by_one()
{
  return plan_options(Preprocessing::None, Ordering::Natural, 1);
}

/// These entries of a symmetric matrix, and as many dense columns before its other rows as make a front of many
/// columns, which goes through tiles, or one of few: `dense` columns have all of each other's entries, zeros but for
/// these.
inline Matrix with_dense_columns(Index rows, Index dense, const std::vector<Triplet> &lower)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < dense; ++i)
    for (Index j = 0; j < dense; ++j)
      t.push_back({i, j, 0});
  for (const auto &[i, j, x] : lower) {
    t.push_back({i, j, x});
    if (i != j)
      t.push_back({j, i, x});
  }
  return assemble(rows, rows, t);
}

} // namespace tessera::test
#endif
