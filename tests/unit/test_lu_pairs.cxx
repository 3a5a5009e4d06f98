// Rows and columns that LU keeps together: where it does, what that takes, and that it does not elsewhere.
#include "factor/front/make_plan.hpp"
#include "factor/lu/lu_pairs.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/in_place.hpp"
#include "support/lu_cases.hpp"
#include "support/network.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tessera;
using namespace tessera::test;

/// The same pattern with values times random factors between 1/2 and 2, of either sign where `signs`.
Matrix without_symmetry(Matrix a, bool signs, unsigned seed)
{
  Random random(seed);
  for (double &x : a.value)
    x *= std::exp2(random.between(-1, 1)) * (signs && random.below(2) ? -1 : 1);
  return a;
}

LuPlan plan_of(const Matrix &a, const PlanOptions &options = {}, bool block_triangular = true)
{
  return make_lu_plan(a, in_place(a), options, block_triangular).plan;
}

/// Rows that have the column of their own number.
Index count_own(const LuPlan &plan)
{
  Index own = 0;
  for (Index k = 0; k < plan.fronts.tree.rows(); ++k)
    own += plan.column[k] == plan.fronts.tree.perm[k];
  return own;
}

/// What find_lu_pairs() returns of a matrix as a whole.
std::optional<LuPairs> find(const Matrix &a)
{
  std::vector<StepTime> times;
  StepClock clock(times, nullptr);
  const UnsymmetricPreprocessing ready = preprocess_unsymmetric(a, clock);
  const RowColumnPairs given{ready.column, std::vector<Index>(a.pattern.rows, 0), 1};
  return find_lu_pairs(a, given, symmetrized_blocks(a.pattern, given));
}

TEST(LuPairs, TakeTheOperationsOfSymmetricMatrices)
{
  Random random(3);
  for (const Matrix &a : {network(12), random_kkt(random, 300, 150, 4), combinatorial_kkt(random, 300, 60, 3)}) {
    const FrontPlan ldlt = make_plan(a, in_place(a), {}).plan;
    for (bool signs : {false, true}) {
      const LuPlan lu = plan_of(without_symmetry(a, signs, 5));
      EXPECT_EQ(count_own(lu), a.pattern.rows);
      EXPECT_LE(lu.fronts.flops, 3 * ldlt.flops) << "both triangles";
    }
    PlanOptions natural;
    natural.ordering = Ordering::Natural; // whose rows are not to wait
    EXPECT_LT(count_own(plan_of(a, natural)), a.pattern.rows);
  }
}

TEST(LuPairs, OfADeviceAreQuasiDefinite)
{
  PlanOptions device;
  prefer_device(device);
  const Matrix a = without_symmetry(network(12), false, 5);
  EXPECT_EQ(count_own(plan_of(a, device)), a.pattern.rows);
  Random random(3);
  const Matrix other = combinatorial_kkt(random, 300, 60, 3); // with tiny diagonals
  EXPECT_EQ(count_own(plan_of(other)), other.pattern.rows);
  EXPECT_LT(count_own(plan_of(other, device)), other.pattern.rows);
}

TEST(LuPairs, AreGeometricMeans)
{
  const Matrix a = assemble(3, 3, {{0, 0, -2}, {0, 1, 16}, {1, 0, -1}, {1, 2, 4}, {2, 1, 1}, {2, 2, 0.25}});
  const std::optional<LuPairs> pairs = find(a);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->columns.column, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(pairs->means.pattern.column, (std::vector<Index>{0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(pairs->means.value, (std::vector<double>{-2, 4, 4, 2, 2, 0.25}));
}

/// A ring of rows, each with an entry 1 beside the diagonal, and `back` on the other side: means of its entries are
/// worse by a factor of sqrt(back) each.
Matrix ring(Index n, double back)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, (i + 1) % n, 1});
    t.push_back({(i + 1) % n, i, back});
    t.push_back({i, (i + 2) % n, 1e-9}); // the matched columns have other entries
    t.push_back({(i + 2) % n, i, 1e-9});
  }
  return assemble(n, n, t);
}

TEST(LuPairs, NeedMirrorImages)
{
  EXPECT_TRUE(find(ring(40, 0.52)));  // a mean of less than half a power of two is lost
  EXPECT_FALSE(find(ring(40, 0.48))); // and more
}

TEST(LuPairs, NeedFewerEntries)
{
  EXPECT_FALSE(find(unsymmetric_on(tessera_test::grid_graph(10, 10, 1), false, 7, 3))) << "hardly any on both sides";
  EXPECT_FALSE(find(dense_unsymmetric(20, 3)));
  EXPECT_FALSE(find(laplacian(tessera_test::grid_graph(9, 9, 1), 1))) << "the diagonal is matched";
}

TEST(LuPairs, FewEntriesThatMoveAreNoMatter)
{
  const Matrix grid = laplacian(tessera_test::grid_graph(20, 20, 1), 1);
  for (Index moved : {6, 60}) { // rows without a diagonal, side by side
    std::vector<Triplet> t;
    for (Index i = 0; i < grid.pattern.rows; ++i)
      for (Offset p = grid.pattern.start[i]; p < grid.pattern.start[i + 1]; ++p)
        if (grid.pattern.column[p] != i || i % 20 < 2 || i / 20 * 6 >= moved || i % 20 >= 8)
          t.push_back({i, grid.pattern.column[p], grid.value[p]});
    EXPECT_EQ(bool(find(assemble(400, 400, t))), moved > 6) << moved;
  }
}

TEST(LuPairs, KeepOtherBlocks)
{
  // A saddle-point matrix beside a block without a diagonal whose columns are in another order.
  const Matrix kkt = network(6);
  const Index m = kkt.pattern.rows, n = m + 30;
  std::vector<Triplet> t;
  for (Index i = 0; i < m; ++i)
    for (Offset p = kkt.pattern.start[i]; p < kkt.pattern.start[i + 1]; ++p)
      t.push_back({i, kkt.pattern.column[p], kkt.value[p]});
  for (Index i = 0; i < 30; ++i)
    for (Index d : {0, 1, 13})
      t.push_back({m + i, m + (i + d + 7) % 30, d == 0 ? 8. : 1.});
  t.push_back({m, 0, 1}); // the second block needs the first
  const LuPlan lu = plan_of(assemble(n, n, t));
  ASSERT_EQ(lu.block.size(), 2u);
  for (Index k = 0; k < n; ++k) {
    const Index row = lu.fronts.tree.perm[k];
    EXPECT_EQ(lu.column[k], row < m ? row : m + (row - m + 7) % 30);
  }
}

} // namespace
