// Columns of supernodes that move to their parents, so that fronts have fewer panels.
#include "analysis/symbolic/fit_panels.hpp"

#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/front/predicted_time.hpp"
#include "support/backward_error.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr PanelFit fit{64, 160, 1e6};

/// Supernodes of which each is the child of the next one, whose rows below are all rows of that.
struct Chain {
  Supernodes nodes;
  std::vector<Index> weight;

  /// vertices: of each supernode. rows: of each vertex.
  explicit Chain(const std::vector<Index> &vertices, Index rows = 1)
  {
    const Index n = static_cast<Index>(vertices.size());
    weight.assign(std::accumulate(vertices.begin(), vertices.end(), Index(0)), rows);
    nodes.perm.resize(weight.size());
    std::iota(nodes.perm.begin(), nodes.perm.end(), 0);
    nodes.start = {0};
    for (Index s = 0; s < n; ++s) {
      nodes.height.push_back(Offset(rows) * (Index(weight.size()) - nodes.start[s]));
      nodes.start.push_back(nodes.start[s] + vertices[s]);
      nodes.parent.push_back(s + 1 < n ? s + 1 : -1);
    }
  }

  Supernodes fitted(const PanelFit &by = fit) const { return fit_panels(nodes, weight, by); }
  std::vector<Index> vertices(const PanelFit &by = fit) const
  {
    std::vector<Index> count = fitted(by).start;
    std::adjacent_difference(count.begin(), count.end(), count.begin());
    return {count.begin() + 1, count.end()};
  }
};

using Counts = std::vector<Index>;

TEST(FitPanels, MovesWhatIsInAShortPanelToTheParent)
{
  EXPECT_EQ(Chain({67, 60, 173}).vertices(), (Counts{64, 63, 173}));
  EXPECT_EQ(Chain({100, 20, 173}).vertices(), (Counts{64, 56, 173}));
}

TEST(FitPanels, GoesOnWhereTheParentIsFull)
{
  EXPECT_EQ(Chain({67, 63, 170}).vertices(), (Counts{64, 64, 172}));
  EXPECT_EQ(Chain({70, 64, 64, 100}).vertices(), (Counts{64, 64, 64, 106}));
  EXPECT_EQ(Chain({70, 2, 62, 187}).vertices(), (Counts{64, 8, 62, 187}));
}

TEST(FitPanels, LeavesWhatFitsNowhere)
{
  for (const Counts &vertices : {Counts{64, 200}, Counts{40, 200}, Counts{67, 192}, Counts{67, 64, 128}})
    EXPECT_EQ(Chain(vertices).vertices(), vertices);
  EXPECT_EQ(Chain({67, 60, 30}).vertices(), (Counts{67, 60, 30})) << "157 rows: no panels";
}

TEST(FitPanels, CostsNoMoreThanAPanel)
{
  const Chain chain({70, 20, 600});
  const PanelFit nothing{64, 160, 0};
  EXPECT_EQ(chain.vertices(), (Counts{64, 26, 600}));
  EXPECT_EQ(Chain({127, 33, 3000}).vertices(), (Counts{127, 33, 3000})) << "63 columns of 3000 rows";
  EXPECT_EQ(chain.vertices(nothing), (Counts{64, 26, 600})) << "it has 96 columns with padding, then 64";
}

/// A vertex of two rows goes as a whole.
TEST(FitPanels, TearsNoVertexApart)
{
  EXPECT_EQ(Chain({33, 20, 80}, 2).vertices(), (Counts{32, 21, 80}));
  Chain odd({35, 20, 80}, 2);
  odd.weight[0] = 1; // 69 rows
  EXPECT_EQ(odd.vertices(), (Counts{32, 23, 80}));
}

/// Columns come before the parent's own, heights tell their rows, and what moved is all that changed.
TEST(FitPanels, KeepsTheOrderAndTheTree)
{
  const Chain chain({67, 63, 170});
  const Supernodes fitted = chain.fitted();
  EXPECT_EQ(fitted.perm, chain.nodes.perm) << "a chain";
  EXPECT_EQ(fitted.parent, chain.nodes.parent);
  EXPECT_EQ(fitted.height, (std::vector<Offset>{300, 236, 172}));

  Chain tree({68, 64, 60, 128}); // 0 and 1 are children of 2
  tree.nodes.parent = {2, 2, 3, -1};
  tree.nodes.height = {170, 240, 188, 128};
  Counts expected(tree.nodes.perm);
  std::rotate(expected.begin() + 64, expected.begin() + 68, expected.begin() + 132);
  EXPECT_EQ(fit_panels(tree.nodes, tree.weight, fit).perm, expected) << "what 0 had last is before what 2 has";
  EXPECT_EQ(tree.vertices(), (Counts{64, 64, 64, 128}));
}

/// Of two children the one with more panels below it goes first, where there is room for one.
TEST(FitPanels, GivesRoomToTheLongestWay)
{
  Chain tree({68, 64, 68, 60, 128}); // 0, and 2 above 1, are children of 3
  tree.nodes.parent = {3, 2, 3, 4, -1};
  tree.nodes.height = {170, 320, 256, 188, 128};
  EXPECT_EQ(tree.vertices(), (Counts{68, 64, 64, 64, 128}));
}

/// Panels on the longest way from a leaf to a root.
Index longest_way(const AssemblyTree &tree)
{
  std::vector<Index> way(tree.fronts(), 0);
  for (Index s = 0; s < tree.fronts(); ++s) {
    if (tree.columns(s) + tree.below_rows(s) > usual_block_rows)
      way[s] += (tree.columns(s) + 63) / 64;
    if (tree.parent[s] >= 0)
      way[tree.parent[s]] = std::max(way[tree.parent[s]], way[s]);
  }
  return *std::max_element(way.begin(), way.end());
}

TEST(FitPanels, MakesPlansOfADeviceShorter)
{
  const Matrix a = laplacian(tessera_test::grid_graph(20, 20, 20), -0.37);
  const std::vector<Offset> source = test::in_place(a);
  PlanOptions options;
  prefer_device(options);
  const PlanResult fitted = make_plan(a, source, options);
  options.panels = {};
  const PlanResult before = make_plan(a, source, options);
  EXPECT_LT(longest_way(fitted.plan.tree), longest_way(before.plan.tree));
  EXPECT_LT(predicted_device_time(fitted.plan), predicted_device_time(before.plan));
  EXPECT_LT(fitted.plan.flops, 1.1 * before.plan.flops);

  const auto factor = make_host_direct(fitted.plan, FactorKind::LDLT),
             other = make_host_direct(before.plan, FactorKind::LDLT);
  const DirectReport report = factor->factor(a.value.data(), {}), expected = other->factor(a.value.data(), {});
  EXPECT_EQ(report.negative, expected.negative);
  EXPECT_GT(report.negative, 0);
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2));
  std::vector<double> x(b.size());
  factor->solve(1, b.data(), a.pattern.rows, x.data(), a.pattern.rows, {1e-14, 0});
  EXPECT_LE(backward_error(a, x, b), 1e-13);
}

} // namespace
