// How threads of a host go through the fronts of the direct solver, and that they leave no trace in the results.
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "host/front/parallel_chunks.hpp"
#include "host/front/tree_loop.hpp"
#include "support/backward_error.hpp"
#include "support/host_factor.hpp"
#include "support/in_place.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tessera::test {
namespace {

/// Copies of a matrix side by side, and so many rows with a diagonal entry only.
Matrix forest(const Matrix &tree, Index copies, Index single)
{
  std::vector<Triplet> triplets;
  const Index n = tree.pattern.rows;
  for (Index c = 0; c < copies; ++c)
    for (Index i = 0; i < n; ++i)
      for (Offset p = tree.pattern.start[i]; p < tree.pattern.start[i + 1]; ++p)
        triplets.push_back({c * n + i, c * n + tree.pattern.column[p], tree.value[p]});
  for (Index i = copies * n; i < copies * n + single; ++i)
    triplets.push_back({i, i, 2});
  return assemble(copies * n + single, copies * n + single, triplets);
}

/// Columns one after the other, each of which meets the next forty: a path of fronts.
Matrix band(Index n)
{
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i)
    for (Index j = std::max(0, i - 40); j < std::min(n, i + 41); ++j)
      triplets.push_back({i, j, i == j ? 100.0 : 1.0});
  return assemble(n, n, triplets);
}

std::vector<FrontPlan> plans()
{
  std::vector<FrontPlan> result;
  PlanOptions natural;
  natural.ordering = Ordering::Natural;
  result.push_back(make_plan(band(20000), in_place(band(20000)), natural).plan);
  for (const Matrix &matrix :
       {shifted_laplacian(16), forest(shifted_laplacian(10), 5, 2000), forest(shifted_laplacian(3), 1, 0)})
    result.push_back(make_plan(matrix, in_place(matrix), {}).plan);
  return result;
}

/// Counts what a loop does, and looks whether children, or parents, came before.
class Visits {
public:
  Visits(const FrontPlan &plan, bool up) : plan_(plan), up_(up), done_(plan.tree.fronts()) {}

  void subtree(Index t)
  {
    const std::vector<Index> &fronts = plan_.subtrees[t].front;
    for (std::size_t i = 0; i < fronts.size(); ++i)
      front(fronts[up_ ? i : fronts.size() - 1 - i]);
  }
  void front(Index s)
  {
    if (up_)
      for (Index c = plan_.tree.child_start[s]; c < plan_.tree.child_start[s + 1]; ++c)
        wrong_ += done_[plan_.tree.child[c]].load() != 1;
    else if (plan_.tree.parent[s] >= 0)
      wrong_ += done_[plan_.tree.parent[s]].load() != 1;
    ++done_[s];
  }
  void check() const
  {
    EXPECT_EQ(wrong_.load(), 0);
    for (const std::atomic<int> &times : done_)
      EXPECT_EQ(times.load(), 1);
  }

private:
  const FrontPlan &plan_;
  const bool up_;
  std::vector<std::atomic<int>> done_;
  std::atomic<int> wrong_{0};
};

TEST(TreeLoop, GoesThroughAllFrontsInOrder)
{
  for (const FrontPlan &plan : plans()) {
    TreeLoop loop(plan, 0, plan.tree.fronts());
    for (int threads = 1; threads <= 6; ++threads) {
      const Threads scope(threads);
      for (const bool parallel : {false, true}) {
        Visits up(plan, true), down(plan, false);
        loop.up(
            parallel, [&](Index t) { up.subtree(t); }, [&](Index s) { up.front(s); });
        loop.down(
            parallel, [&](Index t) { down.subtree(t); }, [&](Index s) { down.front(s); });
        up.check();
        down.check();
      }
    }
  }
}

TEST(TreeLoop, ThrowsWhatTheWorkThrew)
{
  const Threads scope(3);
  for (const FrontPlan &plan : plans()) {
    TreeLoop loop(plan, 0, plan.tree.fronts());
    const auto fail = [](Index) { throw std::runtime_error("as asked"); };
    for (const bool parallel : {false, true}) {
      EXPECT_THROW(loop.up(parallel, fail, fail), std::runtime_error);
      EXPECT_THROW(loop.down(parallel, fail, fail), std::runtime_error);
      Visits up(plan, true);
      loop.up(
          parallel, [&](Index t) { up.subtree(t); }, [&](Index s) { up.front(s); });
      up.check();
    }
  }
}

/// A contribution lives until its parent has its own. Of two in the memory of the top that share a place, one has to be
/// gathered before the other one is begun, whatever threads do: its parent is a descendant of the other.
TEST(TreeLoop, ContributionsOfTheTopHaveTheirPlaces)
{
  for (const FrontPlan &plan : plans()) {
    const AssemblyTree &tree = plan.tree;
    std::vector<Index> in_top;
    for (Index s = 0; s < tree.fronts(); ++s)
      if (tree.parent[s] >= 0 && plan.subtree[tree.parent[s]] < 0)
        in_top.push_back(s);
    const auto is_below = [&](Index s, Index t) {
      while (s >= 0 && s < t)
        s = tree.parent[s];
      return s == t;
    };
    for (std::size_t i = 0; i < in_top.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Index s = in_top[i], t = in_top[j]; // t < s
        const Offset begin = plan.contribution_at[s], end = begin + plan.contribution_size(s);
        const Offset other = plan.contribution_at[t], other_end = other + plan.contribution_size(t);
        EXPECT_LE(end, plan.top.memory);
        if (begin < other_end && other < end) {
          EXPECT_TRUE(tree.parent[t] != s && is_below(tree.parent[t], s)) << t << " and " << s;
        }
      }
  }
}

/// Bits of a solution with a new factor, two right-hand sides.
std::vector<double> solution(DirectFactorization &factorization, const Matrix &matrix, const std::vector<double> &b,
                             bool delays)
{
  const Index n = matrix.pattern.rows;
  std::vector<double> x(b.size());
  const DirectReport report = factorization.factor(matrix.value.data(), {});
  EXPECT_EQ(report.status, DirectReport::Complete);
  EXPECT_TRUE(!delays || report.delayed > 100) << report.delayed << " delayed columns";
  factorization.solve(2, b.data(), n, x.data(), n, {});
  return x;
}

/// With a matrix that is not scaled, each third of its diagonal entries as good as 0: such columns are delayed.
Matrix with_small_diagonal(Matrix matrix)
{
  for (Index i = 0; i < matrix.pattern.rows; i += 3)
    for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
      if (matrix.pattern.column[p] == i)
        matrix.value[p] = 1e-12;
  return matrix;
}

TEST(TreeLoop, DirectSolversHaveTheSameBits)
{
  const Matrix matrices[] = {shifted_laplacian(20), forest(shifted_laplacian(16), 3, 500),
                             with_small_diagonal(shifted_laplacian(20))};
  for (const Matrix &matrix : matrices) {
    const bool delays = &matrix == &matrices[2];
    PlanOptions options;
    if (delays)
      options.preprocessing = Preprocessing::None;
    const FrontPlan plan = make_plan(matrix, in_place(matrix), options).plan;
    ASSERT_GT(double(plan.factor_entries), parallel_substitution) << "too few for the solve to be shared";
    const LuPlan lu_plan = make_lu_plan(matrix, in_place(matrix), lu_plan_options()).plan;
    std::vector<double> b = random_vector(matrix.pattern.rows, 1);
    b.insert(b.end(), b.rbegin(), b.rend());
    std::vector<double> first[2];
    for (int threads = 1; threads <= 5; ++threads) {
      const Threads scope(threads);
      const auto symmetric = make_host_direct(plan, FactorKind::LDLT);
      const auto general = make_host_lu(lu_plan);
      for (int repeat = 0; repeat < 2; ++repeat)
        for (const int kind : {0, 1}) {
          const std::vector<double> x = solution(kind ? *general : *symmetric, matrix, b, delays && kind == 0);
          if (first[kind].empty())
            first[kind] = x;
          EXPECT_EQ(x, first[kind]) << threads << " threads";
          EXPECT_LT(backward_error(matrix, x, b), 1e-9);
        }
    }
  }
}

} // namespace
} // namespace tessera::test
