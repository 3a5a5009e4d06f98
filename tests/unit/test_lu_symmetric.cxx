// Symmetric matrices that LU leaves to LDLᵀ, and those that it does not.
#include "factor/front/make_plan.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"
#include "support/lu_cases.hpp"
#include "support/network.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tessera;
using namespace tessera::test;

LuPlanResult analyze(const Matrix &a, bool symmetric_values, bool block_triangular = true)
{
  PlanOptions options;
  options.symmetric_values = symmetric_values;
  return make_lu_plan(a, in_place(a), options, block_triangular);
}

/// [H Bᵀ; B 0]: H a diagonal matrix, B the five-point matrix of a grid of n x n vertices.
Matrix square_saddle_point(Index n)
{
  std::vector<Triplet> t;
  const Matrix b = laplacian(tessera_test::grid_graph(n, n, 1), 0.5);
  const Index rows = b.pattern.rows;
  for (Index i = 0; i < rows; ++i) {
    t.push_back({i, i, 0.1});
    for (Offset p = b.pattern.start[i]; p < b.pattern.start[i + 1]; ++p) {
      t.push_back({rows + i, b.pattern.column[p], b.value[p]});
      t.push_back({b.pattern.column[p], rows + i, b.value[p]});
    }
  }
  return assemble(2 * rows, 2 * rows, t);
}

TEST(LuSymmetric, LeavesToLdltWhatTakesItHalfOfTheWork)
{
  Random random(3);
  for (const Matrix &a : {network(12), random_kkt(random, 300, 150, 4), combinatorial_kkt(random, 300, 60, 3),
                          laplacian(tessera_test::grid_graph(20, 20, 1), 0.5)}) {
    const LuPlanResult left = analyze(a, true), kept = analyze(a, false);
    EXPECT_EQ(left.status, AnalysisStatus::Ok);
    EXPECT_TRUE(left.suits_symmetric);
    EXPECT_FALSE(kept.suits_symmetric);
    EXPECT_LE(make_plan(a, in_place(a), {}).plan.flops, 0.6 * kept.plan.fronts.flops);
  }
}

/// Whose block triangular form is two times B: LDLᵀ has no use for that, and takes more work.
TEST(LuSymmetric, KeepsWhatItHasBlocksOf)
{
  const Matrix a = square_saddle_point(20);
  const LuPlanResult kept = analyze(a, true);
  EXPECT_FALSE(kept.suits_symmetric);
  EXPECT_EQ(kept.plan.block.size(), 2u);
  EXPECT_GE(make_plan(a, in_place(a), {}).plan.flops, 0.8 * kept.plan.fronts.flops);
}

/// As a whole it has as many entries as LDLᵀ.
TEST(LuSymmetric, LeavesItToLdltAsAWhole)
{
  EXPECT_TRUE(analyze(square_saddle_point(20), true, false).suits_symmetric);
}

} // namespace
