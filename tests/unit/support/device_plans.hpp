#ifndef TESSERA_TESTS_SUPPORT_DEVICE_PLANS_HPP
#define TESSERA_TESTS_SUPPORT_DEVICE_PLANS_HPP

#include "factor/front/device/device_plan.hpp"
#include "factor/front/make_plan.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera_test {

using namespace tessera;
using tessera::test::assemble;
using tessera::test::Triplet;

/// A matrix on a graph with zeros on a third of its diagonal, so that the matching finds pairs; values are integers.
inline Matrix matrix_on(const Pattern &graph)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < graph.rows; ++i) {
    t.push_back({i, i, i % 3 == 0 ? 0.0 : 4.0});
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      t.push_back({i, graph.column[p], 1.0 + (i + graph.column[p]) % 5});
  }
  return assemble(graph.rows, graph.rows, t);
}

struct Plans {
  FrontPlan host;
  DevicePlan device;
};

/// Where a caller that stores one triangle, from its end to its begin, has the entries of both.
inline std::vector<Offset> store_one_triangle(const Pattern &a)
{
  std::map<std::pair<Index, Index>, Offset> place;
  std::vector<Offset> source;
  for (Index i = 0; i < a.rows; ++i)
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      source.push_back(place.insert({std::minmax(i, Index(a.column[p])), Offset(place.size())}).first->second);
  for (Offset &s : source)
    s = Offset(place.size()) - 1 - s;
  return source;
}

inline Plans plans_of(const Pattern &graph, Index block_rows, const PlanOptions &options = {})
{
  const Matrix a = matrix_on(graph);
  PlanResult result = make_plan(a, store_one_triangle(a.pattern), options);
  EXPECT_EQ(result.status, AnalysisStatus::Ok);
  Plans plans{std::move(result.plan), {}};
  plans.device = make_device_plan(plans.host, block_rows);
  return plans;
}

/// Every vertex is a front of its own, but for those of the core.
inline PlanOptions leaf_by_leaf()
{
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  options.relaxation = {1, 0};
  return options;
}

inline std::vector<std::pair<std::string, Plans>> cases()
{
  std::vector<std::pair<std::string, Plans>> list;
  for (const NamedGraph &g : small_graphs())
    list.push_back({g.name, plans_of(g.graph, 48)});
  list.push_back({"forest", plans_of(disconnected_graph(grid_graph(6, 6, 5), 4), 48)});
  list.push_back({"grid", plans_of(grid_graph(13, 13, 13), 48)});
  list.push_back({"grid, large blocks", plans_of(grid_graph(13, 13, 13), 144)});
  list.push_back({"leaves, warp", plans_of(leaves_graph(1500, 12, 3), 48, leaf_by_leaf())});
  list.push_back({"leaves, thread block", plans_of(leaves_graph(1500, 40, 4), 48, leaf_by_leaf())});
  list.push_back({"leaves, tiles", plans_of(leaves_graph(1500, 150, 3), 48, leaf_by_leaf())});
  list.push_back(
      {"leaves, three times", plans_of(disconnected_graph(leaves_graph(200, 20, 3), 3), 48, leaf_by_leaf())});
  list.push_back({"leaves with pairs", plans_of(leaves_graph(1500, 60, 3), 96)});
  return list;
}

} // namespace tessera_test
#endif
