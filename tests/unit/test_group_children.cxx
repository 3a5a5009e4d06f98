// Fronts that only add up, which are put between very many children and their parent.
#include "factor/front/device/group_children.hpp"
#include "factor/front/make_plan.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera_test;

namespace {

constexpr Index block_rows = 144;

/// The fronts of a graph in its own order, without zeros.
AssemblyTree tree_of(const Pattern &graph)
{
  Matrix a;
  a.pattern.rows = a.pattern.cols = graph.rows;
  for (Index i = 0; i < graph.rows; ++i) {
    std::vector<Index> row(graph.column.begin() + graph.start[i], graph.column.begin() + graph.start[i + 1]);
    row.insert(std::upper_bound(row.begin(), row.end(), i), i);
    a.pattern.column.insert(a.pattern.column.end(), row.begin(), row.end());
    a.pattern.start.push_back(Offset(a.pattern.column.size()));
  }
  a.value.assign(a.pattern.column.size(), 1.0);
  const std::vector<Offset> source = test::in_place(a);
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  options.relaxation = {1, 0};
  return make_plan(a, source, options).plan.tree;
}

struct Case {
  const char *name;
  AssemblyTree tree;
  Index most; ///< children of a front, or a front's contributions to a tile
};

std::vector<Case> cases()
{
  std::vector<Case> list;
  list.push_back({"33 leaves", tree_of(leaves_graph(33, 10, 2)), most_children});
  list.push_back({"700 leaves, warp", tree_of(leaves_graph(700, 30, 3)), most_children});
  list.push_back({"9000 leaves, thread block", tree_of(leaves_graph(9000, 40, 4)), most_children});
  list.push_back({"80000 leaves", tree_of(leaves_graph(80000, 12, 2)), 40}); // more than 2048 groups of 16 or 32
  list.push_back({"5000 leaves, tiles", tree_of(leaves_graph(5000, 300, 4)), 128});
  list.push_back({"1200 leaves, tiles, sums of few rows", tree_of(leaves_graph(1200, 200, 4, 3, 100)), most_children});
  list.push_back({"three", tree_of(disconnected_graph(leaves_graph(400, 20, 3), 3)), most_children});
  return list;
}

std::vector<Index> rows_below(const AssemblyTree &tree, Index s)
{
  return {tree.below.begin() + tree.below_start[s], tree.below.begin() + tree.below_start[s + 1]};
}

/// Row of place i of front s.
Index row_of(const AssemblyTree &tree, Index s, Index i)
{
  return i < tree.columns(s) ? tree.first[s] + i : tree.below[tree.below_start[s] + i - tree.columns(s)];
}

TEST(GroupChildren, FewChildrenStayAsTheyAre)
{
  for (const NamedGraph &g : small_graphs())
    EXPECT_FALSE(group_children(tree_of(g.graph), block_rows)) << g.name;
  EXPECT_FALSE(group_children(tree_of(leaves_graph(32, 10, 2)), block_rows));
  EXPECT_FALSE(group_children(tree_of(grid_graph(12, 12, 12)), block_rows));
}

TEST(GroupChildren, KeepsTheFrontsThatThereWere)
{
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    const std::optional<GroupedTree> grouped = group_children(c.tree, block_rows);
    ASSERT_TRUE(grouped);
    const AssemblyTree &tree = grouped->tree;
    EXPECT_EQ(tree.perm, c.tree.perm);
    EXPECT_EQ(tree.pair, c.tree.pair);
    ASSERT_EQ(grouped->origin.size(), std::size_t(tree.fronts()));
    Index next = 0;
    for (Index s = 0; s < tree.fronts(); ++s) {
      const Index origin = grouped->origin[s];
      if (origin < 0)
        continue;
      ASSERT_EQ(origin, next++);
      EXPECT_EQ(tree.first[s], c.tree.first[origin]);
      EXPECT_EQ(tree.first[s + 1], c.tree.first[origin + 1]);
      EXPECT_EQ(rows_below(tree, s), rows_below(c.tree, origin));
      Index up = tree.parent[s];
      while (up >= 0 && grouped->origin[up] < 0)
        up = tree.parent[up];
      EXPECT_EQ(up < 0 ? -1 : grouped->origin[up], c.tree.parent[origin]);
    }
    EXPECT_EQ(next, c.tree.fronts());
  }
}

TEST(GroupChildren, SumsHaveTheRowsOfTheirChildren)
{
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    const std::optional<GroupedTree> grouped = group_children(c.tree, block_rows);
    const AssemblyTree &tree = grouped->tree;
    const std::vector<FrontKind> kind = front_kinds(tree, block_rows);
    for (Index s = 0; s < tree.fronts(); ++s) {
      std::vector<Index> rows;
      for (Index x = tree.child_start[s]; x < tree.child_start[s + 1]; ++x) {
        const Index child = tree.child[x];
        ASSERT_EQ(tree.parent[child], s);
        ASSERT_LT(child, s);
        for (Offset p = tree.below_start[child]; p < tree.below_start[child + 1]; ++p)
          EXPECT_EQ(row_of(tree, s, tree.to_parent[p]), tree.below[p]);
        const std::vector<Index> of_child = rows_below(tree, child);
        rows.insert(rows.end(), of_child.begin(), of_child.end());
      }
      if (grouped->origin[s] >= 0)
        continue;
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
      EXPECT_EQ(rows_below(tree, s), rows);
      EXPECT_EQ(tree.columns(s), 0);
      EXPECT_NE(kind[s], FrontKind::Tiles);
    }
  }
}

/// How many children of front s have rows in each 64 of its rows, at most: it has no more contributions to a tile.
Index most_in_a_tile(const AssemblyTree &tree, Index s)
{
  std::vector<std::vector<bool>> has(tree.child_start[s + 1] - tree.child_start[s]);
  std::vector<Index> count((tree.columns(s) + tree.below_rows(s)) / 64 + 2, 0);
  for (Index x = tree.child_start[s]; x < tree.child_start[s + 1]; ++x) {
    std::vector<bool> here(count.size(), false);
    for (Offset p = tree.below_start[tree.child[x]]; p < tree.below_start[tree.child[x] + 1]; ++p)
      here[tree.to_parent[p] / 64] = true;
    for (std::size_t t = 0; t < here.size(); ++t)
      count[t] += here[t];
  }
  return *std::max_element(count.begin(), count.end());
}

TEST(GroupChildren, NoFrontAddsUpVeryMany)
{
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    const std::optional<GroupedTree> grouped = group_children(c.tree, block_rows);
    const AssemblyTree &tree = grouped->tree;
    const std::vector<FrontKind> kind = front_kinds(tree, block_rows);
    for (Index s = 0; s < tree.fronts(); ++s) {
      const Index children = tree.child_start[s + 1] - tree.child_start[s];
      EXPECT_LE(kind[s] == FrontKind::Tiles ? most_in_a_tile(tree, s) : children, c.most);
    }
    EXPECT_LE(tree.fronts(), c.tree.fronts() + c.tree.fronts() / 4);
  }
}

TEST(GroupChildren, AlwaysTheSame)
{
  for (const Case &c : cases()) {
    const std::optional<GroupedTree> a = group_children(c.tree, block_rows), b = group_children(c.tree, block_rows);
    EXPECT_EQ(a->origin, b->origin) << c.name;
    EXPECT_EQ(a->tree.parent, b->tree.parent) << c.name;
    EXPECT_EQ(a->tree.below, b->tree.below) << c.name;
  }
}

} // namespace
