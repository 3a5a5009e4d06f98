// Plans with the pivots that a factorization has found, and with the scale factors of other values.
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/front/rescale.hpp"
#include "support/factor_cases.hpp"
#include "support/random_matrix.hpp"
#include "support/sound_plan.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace tessera;
using namespace tessera::test;

namespace {

/// [0 B; Bᵀ 0] with a sparse B: in the natural order no column of the first half has a pivot in its front.
Matrix without_diagonal(Index half, const std::vector<Index> &diagonals = {0, 1, 5})
{
  Random random(7);
  std::vector<Triplet> t;
  for (Index i = 0; i < half; ++i)
    for (Index d : diagonals) {
      const Index j = half + (i + d) % half;
      const double x = random.between(0.5, 2);
      t.push_back({i, j, x});
      t.push_back({j, i, x});
    }
  return assemble(2 * half, 2 * half, t);
}

PlanOptions natural(Index nemin)
{
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  options.relaxation = {nemin, 0.1};
  return options;
}

TEST(Replan, NothingIsDelayedAgain)
{
  for (Index half : {3, 20, 200})
    for (Index nemin : {1, 8, 32}) {
      SCOPED_TRACE(std::to_string(half) + " and " + std::to_string(nemin));
      const Stored stored = store_reversed(without_diagonal(half));
      const PlanResult first = make_plan(without_diagonal(half), stored.source, natural(nemin));
      const auto factor = make_host_direct(first.plan, FactorKind::LDLT);
      const DirectReport before = factor->factor(stored.value.data(), {});
      const FrontPlan plan = replan(first.plan, factor->pivots());
      expect_sound(plan);
      const auto again = make_host_direct(plan, FactorKind::LDLT);
      const DirectReport after = again->factor(stored.value.data(), {});
      EXPECT_TRUE(before.delayed > 0 || nemin > 1);
      EXPECT_EQ(after.delayed, 0);
      EXPECT_EQ(after.negative, before.negative);
      EXPECT_EQ(after.positive, before.positive);
      EXPECT_LE(plan.factor_entries, before.entries); // L of the same pivots, or less where fronts had rows too many
      std::vector<double> b(2 * half, 1.0), x(b.size());
      const SolveReport solved = again->solve(1, b.data(), 2 * half, x.data(), 2 * half, {});
      EXPECT_LE(solved.backward_error, 1e-14);
      EXPECT_LE(solved.steps, 1);
    }
}

TEST(Replan, PlansOfTheirOwnPivotsStay)
{
  for (const NamedMatrix &c : factor_cases()) {
    SCOPED_TRACE(c.name);
    const Stored stored = store_reversed(c.matrix);
    const PlanResult first = make_plan(c.matrix, stored.source, {});
    const auto factor = make_host_direct(first.plan, FactorKind::LDLT);
    const DirectReport before = factor->factor(stored.value.data(), {});
    const FrontPlan plan = replan(first.plan, factor->pivots());
    expect_sound(plan);
    const DirectReport after = make_host_direct(plan, FactorKind::LDLT)->factor(stored.value.data(), {});
    EXPECT_EQ(after.negative, before.negative);
    EXPECT_EQ(after.zero, before.zero);
    if (before.delayed == 0) {
      EXPECT_EQ(plan.tree.first, first.plan.tree.first);
      EXPECT_EQ(plan.factor_entries, first.plan.factor_entries);
    }
  }
}

/// Three fronts in a chain, of 3, 2 and 4 columns.
TEST(Replan, PairsComeAtEvenPlaces)
{
  const Index n = 9;
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t.push_back({i, j, i == j ? 10.0 : 1.0 / (1 + std::abs(i - j))});
  const Matrix a = assemble(n, n, t);
  const Stored stored = store_reversed(a);
  FrontPlan plan = make_plan(a, stored.source, natural(1)).plan;
  plan.tree.first = {0, 3, 5, 9};
  plan.tree.parent = {1, 2, -1};
  complete_tree(plan.tree, plan.matrix);
  const auto order_of = [&](std::vector<Index> start, std::vector<Index> row, std::vector<std::uint8_t> pair) {
    const FrontPlan next = replan(plan, {start, row, pair, {}});
    expect_sound(next);
    EXPECT_TRUE(std::equal(next.tree.first.begin(), next.tree.first.end() - 1, start.begin()) ||
                next.tree.fronts() < 3);
    std::vector<Index> order;
    const std::vector<Index> &perm = plan.tree.perm;
    for (Index r : next.tree.perm)
      order.push_back(Index(std::find(perm.begin(), perm.end(), r) - perm.begin()));
    return order;
  };
  using Order = std::vector<Index>;
  // a 1x1 pivot from behind fills up; without one the pair moves before the last
  EXPECT_EQ(order_of({0, 4, 5, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 0, 0, 0, 0, 0, 1, 0}),
            (Order{0, 3, 1, 2, 4, 5, 6, 7, 8}));
  EXPECT_EQ(order_of({0, 3, 5, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 0, 0, 0, 0, 1, 0, 0}),
            (Order{1, 2, 0, 3, 4, 5, 8, 6, 7}));
  // a front without pivots is gone
  EXPECT_EQ(order_of({0, 3, 3, 9}, {2, 1, 0, 8, 7, 6, 5, 4, 3}, {0, 0, 0, 0, 1, 0, 1, 0, 0}),
            (Order{2, 1, 0, 8, 3, 7, 6, 5, 4}));
}

TEST(Replan, FrontsEndBeforeOddPairs)
{
  AssemblyTree tree;
  tree.perm = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  tree.first = {0, 4, 5, 9};
  tree.parent = {2, 2, -1};
  tree.pair.assign(9, 0);
  const PivotSequence pivots{{0, 4, 5, 9}, {3, 2, 1, 0, 4, 5, 6, 7, 8}, {0, 1, 0, 0, 0, 1, 0, 1, 0}, {}};
  const AssemblyTree next = tree_of_pivots(tree, pivots, OddPairs::Split);
  EXPECT_EQ(next.perm, pivots.row); // the order stays
  EXPECT_EQ(next.pair, pivots.pair);
  EXPECT_EQ(next.first, (std::vector<Index>{0, 1, 4, 5, 9}));
  EXPECT_EQ(next.parent, (std::vector<Index>{1, 3, 3, -1}));

  // a front without a pivot is gone; what was its child's goes to the first part of its parent
  const PivotSequence delayed{{0, 0, 2, 9}, {4, 3, 2, 1, 0, 5, 6, 7, 8}, {0, 0, 0, 1, 0, 0, 1, 0, 0}, {}};
  const AssemblyTree rest = tree_of_pivots(tree, delayed, OddPairs::Split);
  EXPECT_EQ(rest.first, (std::vector<Index>{0, 2, 3, 6, 9}));
  EXPECT_EQ(rest.parent, (std::vector<Index>{1, 2, 3, -1}));
}

/// [a b; b c] on the diagonal of blocks of 2, of which none is as good as two 1x1 pivots in this order.
TEST(Replan, PairsThatArePivotsOneByOneAreProposedSo)
{
  struct Block {
    double a, b, c;
    bool pair, exchanged;
  };
  for (const Block &block : {Block{0, 1, 0, true, false}, Block{1, 3, -1, true, false},
                             Block{1e-3, 1, 100, false, true}, Block{-100, 1, 1e-3, false, false}}) {
    SCOPED_TRACE(block.c);
    const Matrix a = assemble(2, 2, {{0, 0, block.a}, {0, 1, block.b}, {1, 0, block.b}, {1, 1, block.c}});
    const Stored stored = store_reversed(a);
    PlanOptions options = natural(8);
    options.preprocessing = Preprocessing::None;
    FrontPlan plan = make_plan(a, stored.source, options).plan;
    plan.tree.pair = {1, 0};
    const auto factor = make_host_direct(plan, FactorKind::LDLT);
    ASSERT_EQ(factor->factor(stored.value.data(), {}).two_by_two, 1);
    const PivotSequence pivots = factor->pivots();
    EXPECT_EQ(pivots.pair[0], block.pair);
    EXPECT_EQ(pivots.row[0], Index(block.exchanged));
    EXPECT_EQ(pivots.row[1], Index(!block.exchanged));
  }
}

/// [D B; Bᵀ -D] with a sparse B and D = diagonal I, stored where it is zero too.
Matrix with_diagonal(Index half, double diagonal, const std::vector<Index> &diagonals = {0, 1, 5})
{
  const Matrix a = without_diagonal(half, diagonals);
  std::vector<Triplet> t;
  for (Index i = 0; i < 2 * half; ++i) {
    t.push_back({i, i, i < half ? diagonal : -diagonal});
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      t.push_back({i, a.pattern.column[p], a.value[p]});
  }
  return assemble(2 * half, 2 * half, t);
}

DirectOptions keeping()
{
  DirectOptions options;
  options.keep_pivots = true;
  return options;
}

/// Backward error of a solve without refinement.
double error_of_solve(DirectFactorization &factor, Index rows)
{
  std::vector<double> b(rows, 1.0), x(rows);
  return factor.solve(1, b.data(), rows, x.data(), rows, {1, 1}).backward_error;
}

TEST(KeptPivots, NothingIsDelayedTheNextTime)
{
  const Index half = 200;
  const Matrix a = without_diagonal(half);
  const Stored stored = store_reversed(a);
  const double *values = stored.value.data();
  const PlanResult plan = make_plan(a, stored.source, natural(8));
  const auto factor = make_keeping_direct(plan.plan, FactorKind::LDLT);
  const Offset delayed = factor->factor(values, keeping()).delayed;
  EXPECT_GT(delayed, 0);
  EXPECT_EQ(factor->factor(values, keeping()).delayed, 0);
  EXPECT_EQ(factor->factor(values, {}).delayed, delayed) << "what was kept is forgotten";
  for (int i = 0; i < 3; ++i) {
    const DirectReport r = factor->factor(values, keeping());
    EXPECT_EQ(r.delayed, 0);
    EXPECT_EQ(r.replans, 2);
    EXPECT_EQ(r.work, r.planned);
    EXPECT_EQ(r.negative, half);
    EXPECT_LE(r.planned, 2 * plan.plan.flops);
    EXPECT_LE(error_of_solve(*factor, 2 * half), 1e-13);
  }
}

/// Bits, and plans, of a factorization that keeps nothing.
TEST(KeptPivots, OffIsAsWithout)
{
  for (const NamedMatrix &c : factor_cases()) {
    SCOPED_TRACE(c.name);
    const Stored stored = store_reversed(c.matrix);
    const PlanResult plan = make_plan(c.matrix, stored.source, {});
    const auto with = make_keeping_direct(plan.plan, FactorKind::LDLT),
               without = make_host_direct(plan.plan, FactorKind::LDLT);
    const Index n = plan.plan.tree.rows();
    std::vector<double> b(n, 1.0), x(n), y(n);
    for (int i = 0; i < 2; ++i) {
      with->factor(stored.value.data(), {});
      without->factor(stored.value.data(), {});
      with->solve(1, b.data(), n, x.data(), n, {});
      without->solve(1, b.data(), n, y.data(), n, {});
      EXPECT_EQ(x, y);
    }
  }
}

/// F A F with powers of two between 2^-20 and 2^20 in F.
Matrix scaled_at_random(Matrix a)
{
  Random random(3);
  std::vector<double> factor;
  for (Index i = 0; i < a.pattern.rows; ++i)
    factor.push_back(std::exp2(std::floor(random.between(-20, 21))));
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      a.value[p] *= factor[i] * factor[a.pattern.column[p]];
  return a;
}

TEST(Rescale, OnlyTheScaleIsRenewed)
{
  const Matrix a = with_diagonal(50, 0.1), other = scaled_at_random(a);
  const Stored stored = store_reversed(other);
  for (Preprocessing preprocessing : {Preprocessing::Matching, Preprocessing::Equilibrate}) {
    PlanOptions options;
    options.preprocessing = preprocessing;
    const FrontPlan before = make_plan(a, stored.source, options).plan;
    FrontPlan plan = before;
    rescale(plan, stored.value.data());
    EXPECT_EQ(plan.tree.perm, before.tree.perm);
    EXPECT_EQ(plan.tree.pair, before.tree.pair);
    EXPECT_EQ(plan.flops, before.flops);
    ScaledProduct product;
    for (double s : plan.scale)
      product.times(s);
    EXPECT_EQ(plan.scale_product.exponent, product.exponent);
    EXPECT_EQ(plan.scale_product.mantissa, product.mantissa);
    EXPECT_FALSE(scale_fits(before, stored.value.data()));
    EXPECT_TRUE(scale_fits(plan, stored.value.data()));
  }
}

TEST(Rescale, ScaleFitsUpToAFactorOfFour)
{
  const Matrix a = assemble(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 0}});
  const Stored stored = store_reversed(a);
  const FrontPlan plan = make_plan(a, stored.source, natural(1)).plan; // its factors are 1
  for (double good : {1.0, 4.0, -0.25, 0.0})
    EXPECT_TRUE(scale_fits(plan, std::vector<double>(stored.value.size(), good).data())) << good;
  for (double bad : {4.1, -4.1, 0.24, double(INFINITY)})
    EXPECT_FALSE(scale_fits(plan, std::vector<double>(stored.value.size(), bad).data())) << bad;
}

TEST(Rescale, NothingOfAMatrixWithoutValues)
{
  const Matrix a = with_diagonal(5, 1);
  const Stored stored = store_reversed(a);
  FrontPlan plan = make_plan(a, stored.source, {}).plan;
  const std::vector<double> before = plan.scale;
  std::vector<double> values(stored.value.size(), NAN);
  rescale(plan, values.data());
  EXPECT_EQ(plan.scale, before);
}

/// A factorization that keeps pivots scales each matrix by its own values, and so does one of values that were not
/// analysed.
TEST(KeptPivots, ScaleIsThatOfTheValues)
{
  DirectOptions others;
  others.other_values = true;
  const Index half = 200, n = 2 * half;
  const Matrix a = with_diagonal(half, 0.1), other = scaled_at_random(a);
  const Stored first = store_reversed(a), second = store_reversed(other);
  const PlanResult plan = make_plan(a, first.source, {}), anew = make_plan(other, second.source, {});
  const auto own = make_host_direct(anew.plan, FactorKind::LDLT);
  const DirectReport old_scale = make_host_direct(plan.plan, FactorKind::LDLT)->factor(second.value.data(), {});
  ASSERT_GT(old_scale.delayed, own->factor(second.value.data(), {}).delayed);
  const auto factor = make_keeping_direct(plan.plan, FactorKind::LDLT);
  for (const DirectOptions &options : {keeping(), keeping(), others, others}) {
    factor->factor(first.value.data(), options);
    const DirectReport r = factor->factor(second.value.data(), options);
    EXPECT_EQ(r.delayed, 0);
    EXPECT_EQ(r.rescales, 1);
    EXPECT_EQ(r.negative, half);
    EXPECT_EQ(factor->determinant().exponent, own->determinant().exponent);
    EXPECT_NEAR(factor->determinant().mantissa, own->determinant().mantissa, 1e-10);
    EXPECT_LE(error_of_solve(*factor, n), 1e-12);
    EXPECT_EQ(factor->factor(second.value.data(), {}).delayed, old_scale.delayed) << "what was kept is forgotten";
  }
  std::vector<double> bad = second.value;
  bad[7] = INFINITY;
  EXPECT_EQ(factor->factor(bad.data(), keeping()).status, DirectReport::NonFinite);
  EXPECT_EQ(factor->factor(second.value.data(), keeping()).delayed, 0);
}

TEST(KeptPivots, AnotherOrderIsKeptTooAndThenOnlyDelaysCount)
{
  const Index half = 4; // one front
  const Matrix a = with_diagonal(half, 1e-3);
  const Stored now = store_reversed(a);
  const PlanResult plan = make_plan(a, now.source, natural(32));
  const auto factor = make_keeping_direct(plan.plan, FactorKind::LDLT);
  ASSERT_EQ(plan.plan.tree.fronts(), 1);
  EXPECT_EQ(factor->factor(now.value.data(), keeping()).replans, 0);
  EXPECT_EQ(factor->factor(now.value.data(), keeping()).replans, 1);
  EXPECT_EQ(factor->factor(now.value.data(), keeping()).replans, 1);
}

/// Pivots that were good for one matrix and are none for the next one are found out, and replaced.
TEST(KeptPivots, AreWatched)
{
  const Index half = 100;
  const Stored regular = store_reversed(with_diagonal(half, 3)), zero = store_reversed(with_diagonal(half, 0));
  const PlanResult plan = make_plan(with_diagonal(half, 3), regular.source, natural(8));
  const auto factor = make_keeping_direct(plan.plan, FactorKind::LDLT);
  Index replans = 0;
  for (int i = 0; i < 3; ++i)
    for (const Stored *now : {&regular, &zero}) {
      const DirectReport r = factor->factor(now->value.data(), keeping());
      EXPECT_EQ(r.status, DirectReport::Complete);
      EXPECT_EQ(r.negative, half);
      EXPECT_LE(error_of_solve(*factor, 2 * half), 1e-13);
      EXPECT_LE(r.planned, 2 * plan.plan.flops);
      replans = r.replans;
    }
  const DirectReport last = factor->factor(zero.value.data(), keeping());
  EXPECT_GT(replans, 0);
  EXPECT_LT(last.delayed, make_host_direct(plan.plan, FactorKind::LDLT)->factor(zero.value.data(), {}).delayed);
}

TEST(KeptPivots, AreTheSameForAnyNumberOfThreads)
{
  const Index half = 300, n = 2 * half;
  const std::vector<Index> diagonals{0, 1, 30, 61};
  const Stored regular = store_reversed(with_diagonal(half, 3, diagonals)),
               zero = store_reversed(with_diagonal(half, 0, diagonals));
  PlanOptions options;
  options.ordering = Ordering::ND;
  const PlanResult plan = make_plan(with_diagonal(half, 3, diagonals), regular.source, options);
  std::vector<double> first, b(n, 1.0), x(n);
  for (int threads : {1, 2, 5}) {
    const Threads scope(threads);
    const auto factor = make_keeping_direct(plan.plan, FactorKind::LDLT);
    std::vector<double> all;
    for (const Stored *now : {&zero, &zero, &regular, &zero}) {
      const DirectReport r = factor->factor(now->value.data(), keeping());
      factor->solve(1, b.data(), n, x.data(), n, {});
      all.insert(all.end(), x.begin(), x.end());
      all.insert(all.end(), {r.planned, r.work, double(r.delayed), double(r.replans)});
    }
    EXPECT_GT(all.back(), 0) << "plans of found pivots";
    if (first.empty())
      first = all;
    EXPECT_EQ(std::memcmp(first.data(), all.data(), all.size() * sizeof(double)), 0) << threads;
  }
}

TEST(KeptPivots, PlansOfTooManyOperationsAreDropped)
{
  const Index half = 200;
  const Stored zero = store_reversed(with_diagonal(half, 0));
  const PlanResult plan = make_plan(with_diagonal(half, 3), zero.source, natural(1));
  const auto factor = make_keeping_direct(plan.plan, FactorKind::LDLT);
  const DirectReport first = factor->factor(zero.value.data(), keeping());
  ASSERT_GT(first.flops, 3 * plan.plan.flops);
  const DirectReport second = factor->factor(zero.value.data(), keeping());
  EXPECT_EQ(second.replans, 0);
  EXPECT_EQ(second.planned, plan.plan.flops);
  EXPECT_EQ(second.delayed, first.delayed);
}

/// Whether a factorization is given up depends on its work alone, not on threads.
TEST(KeptPivots, WorkIsBoundedExactly)
{
  const Index half = 300;
  const Stored zero = store_reversed(with_diagonal(half, 0));
  const PlanResult plan = make_plan(with_diagonal(half, 3), zero.source, natural(4));
  for (int threads : {1, 2, 5}) {
    const Threads scope(threads);
    const auto factor = make_host_direct(plan.plan, FactorKind::LDLT);
    DirectOptions options;
    options.most_work = factor->factor(zero.value.data(), {}).work;
    EXPECT_GT(options.most_work, plan.plan.flops);
    EXPECT_EQ(factor->factor(zero.value.data(), options).status, DirectReport::Complete);
    for (double less : {options.most_work - 1, options.most_work / 2, 0.0}) {
      options.most_work = less;
      EXPECT_EQ(factor->factor(zero.value.data(), options).status, DirectReport::Cascade);
    }
    EXPECT_EQ(factor->factor(zero.value.data(), {}).status, DirectReport::Complete);
  }
}

/// A cascade is given up where another analysis may help, and not where this one has led to it.
TEST(KeptPivots, CascadesAreGivenUp)
{
  const Index half = 300;
  const std::vector<Index> diagonals{0, 1, 30, 61};
  const Matrix first = with_diagonal(half, 3, diagonals);
  const Stored regular = store_reversed(first), zero = store_reversed(with_diagonal(half, 0, diagonals));
  const PlanResult plan = make_plan(first, regular.source, natural(8));
  for (const bool keep : {false, true}) {
    const DirectOptions analysed = keep ? keeping() : DirectOptions();
    DirectOptions options = analysed;
    options.other_values = true;
    const auto factor = make_keeping_direct(plan.plan, FactorKind::LDLT);
    EXPECT_EQ(factor->factor(regular.value.data(), options).status, DirectReport::Complete);
    EXPECT_EQ(factor->factor(zero.value.data(), options).status, DirectReport::Cascade);
    EXPECT_EQ(factor->factor(regular.value.data(), options).status, DirectReport::Complete);
    EXPECT_EQ(factor->factor(zero.value.data(), analysed).status, DirectReport::Complete);

    const auto expecting = make_keeping_direct(plan.plan, FactorKind::LDLT);
    EXPECT_EQ(expecting->factor(zero.value.data(), analysed).status, DirectReport::Complete);
    EXPECT_EQ(expecting->factor(zero.value.data(), options).status, DirectReport::Complete);
  }
}

} // namespace
