// The arrays that a device reads of a plan: every number of a front is gathered once, and nothing waits for what comes
// after it.
#include "factor/front/device_plan.hpp"
#include "factor/front/make_plan.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

constexpr Index width = DeviceFront::tile_width;

/// A matrix on a graph with zeros on a third of its diagonal, so that the matching finds pairs; values are integers.
Matrix matrix_on(const Pattern &graph)
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
std::vector<Offset> store_one_triangle(const Pattern &a)
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

Plans plans_of(const Pattern &graph, Index block_rows)
{
  const Matrix a = matrix_on(graph);
  PlanResult result = make_plan(a, store_one_triangle(a.pattern), {});
  EXPECT_EQ(result.status, AnalysisStatus::Ok);
  Plans plans{std::move(result.plan), {}};
  plans.device = make_device_plan(plans.host, block_rows);
  return plans;
}

std::vector<std::pair<std::string, Plans>> cases()
{
  std::vector<std::pair<std::string, Plans>> list;
  for (const NamedGraph &g : small_graphs())
    list.push_back({g.name, plans_of(g.graph, 48)});
  list.push_back({"forest", plans_of(disconnected_graph(grid_graph(6, 6, 5), 4), 48)});
  list.push_back({"grid", plans_of(grid_graph(13, 13, 13), 48)});
  list.push_back({"grid, large blocks", plans_of(grid_graph(13, 13, 13), 144)});
  return list;
}

/// Number i of a front as the device places it.
Index padded(const DeviceFront &f, Index i)
{
  return i < f.columns ? i : i - f.columns + f.columns_padded;
}

/// A made-up contribution: other for every entry, and exact in a sum.
double contribution(Index child, Index i, Index j)
{
  return 1 + (child * 31 + i * 7 + j) % 1000;
}

using Entries = std::map<std::pair<Index, Index>, double>;

/// What front s is gathered from, by the plan of the host.
Entries expected_entries(const FrontPlan &plan, const DeviceFront &f, Index s)
{
  Entries sum;
  for (Offset p = plan.entries.start[s]; p < plan.entries.start[s + 1]; ++p)
    sum[{padded(f, plan.entries.row[p]), plan.entries.column[p]}] += double(plan.entries.source[p] + 1);
  const AssemblyTree &tree = plan.tree;
  for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c) {
    const Index child = tree.child[c];
    const Index *to = tree.to_parent.data() + tree.below_start[child];
    for (Index j = 0; j < tree.below_rows(child); ++j)
      for (Index i = j; i < tree.below_rows(child); ++i)
        sum[{padded(f, to[i]), padded(f, to[j])}] += contribution(child, i, j);
  }
  return sum;
}

/// The child of front f that hands on a piece.
Index child_of(const DevicePlan &plan, const DeviceFront &f, const TilePiece &piece)
{
  for (Index c = f.child_begin; c < f.child_end; ++c) {
    const DeviceFront &child = plan.front[plan.child[c]];
    if (child.below > 0 && child.below_begin == piece.below_begin) {
      EXPECT_EQ(piece.contribution, child.contribution);
      EXPECT_EQ(piece.leading, child.below_padded);
      return plan.child[c];
    }
  }
  ADD_FAILURE() << "a piece of no child";
  return -1;
}

void add_tile(const FrontPlan &host, const DevicePlan &plan, const TileTask &t, Entries &sum)
{
  const DeviceFront &f = plan.front[t.front];
  const Index i0 = t.row * width, j0 = t.column * width;
  for (Offset p = t.entry_begin; p < t.entry_end; ++p)
    sum[{i0 + Index(plan.place[p] >> 16), j0 + Index(plan.place[p] & 0xffff)}] +=
        double(host.source[plan.source[p]] + 1);
  for (Offset p = t.piece_begin; p < t.piece_end; ++p) {
    const TilePiece &piece = plan.piece[p];
    const Index child = child_of(plan, f, piece), *to = plan.to_parent.data() + piece.below_begin;
    for (Index j = piece.j_begin; j < piece.j_end; ++j)
      for (Index i = std::max(j, piece.i_begin); i < piece.i_end; ++i) {
        EXPECT_TRUE(to[i] / width == t.row && to[j] / width == t.column) << "outside the tile";
        sum[{to[i], to[j]}] += contribution(child, i, j);
      }
  }
  EXPECT_LT(i0, f.rows());
}

TEST(DevicePlan, TilesGatherEveryNumberOnce)
{
  int tiled = 0;
  for (const auto &[name, plans] : cases()) {
    std::vector<Entries> got(plans.device.front.size());
    for (const TileTask &t : plans.device.tile_order)
      add_tile(plans.host, plans.device, t, got[t.front]);
    for (std::size_t s = 0; s < got.size(); ++s) {
      const DeviceFront &f = plans.device.front[s];
      if (f.kind != FrontKind::Tiles)
        continue;
      ++tiled;
      EXPECT_EQ(got[s], expected_entries(plans.host, f, Index(s))) << name << ", front " << s;
    }
  }
  EXPECT_GT(tiled, 20);
}

TEST(DevicePlan, WholeFrontsHaveTheEntriesOfThePlan)
{
  for (const auto &[name, plans] : cases())
    for (std::size_t s = 0; s < plans.device.front.size(); ++s) {
      const DeviceFront &f = plans.device.front[s];
      if (f.kind == FrontKind::Tiles)
        continue;
      for (Offset p = f.entry_begin; p < f.entry_end; ++p) {
        EXPECT_EQ(Index(plans.device.place[p] >> 16), plans.host.entries.row[p]) << name;
        EXPECT_EQ(Index(plans.device.place[p] & 0xffff), plans.host.entries.column[p]) << name;
        EXPECT_EQ(plans.host.source[plans.device.source[p]], plans.host.entries.source[p]) << name;
      }
    }
}

TEST(DevicePlan, NothingWaitsForWhatComesLater)
{
  for (const auto &[name, plans] : cases()) {
    const DevicePlan &plan = plans.device;
    std::vector<int> arrived(plan.front.size(), 0);
    std::vector<bool> done(plan.tiles, false);
    const auto finish = [&](Index s) {
      if (plan.front[s].parent >= 0)
        ++arrived[plan.front[s].parent];
    };
    for (const std::vector<Index> *order : {&plan.warp_order, &plan.block_order})
      for (Index s : *order) {
        EXPECT_EQ(arrived[s], plan.front[s].awaited) << name << ", front " << s;
        finish(s);
      }
    for (const TileTask &t : plan.tile_order) {
      const DeviceFront &f = plan.front[t.front];
      const Index panels = f.columns_padded / width;
      EXPECT_EQ(arrived[t.front], f.awaited) << name;
      for (Index p = 0; p < std::min(t.column, panels); ++p)
        EXPECT_TRUE(done[f.tile(t.row, p)] && done[f.tile(t.column, p)]) << name;
      if (t.column < panels) {
        EXPECT_TRUE(t.row == t.column || done[f.tile(t.column, t.column)]) << name;
        done[f.tile(t.row, t.column)] = true;
      } else {
        finish(t.front);
      }
    }
  }
}

TEST(DevicePlan, GroupsOfBlocksHaveRoomForTheirFronts)
{
  const auto padded = [](Index n) { return (n + 7) / 8 * 8; };
  std::size_t most = 0;
  for (const auto &[name, plans] : cases()) {
    const DevicePlan &plan = plans.device;
    Index next = 0;
    for (const BlockGroup &g : plan.block_group) {
      EXPECT_EQ(g.begin, next) << name;
      next = g.end;
      Index rows = 0;
      for (Index k = g.begin; k < g.end; ++k) {
        const DeviceFront &f = plan.front[plan.block_order[k]];
        rows = std::max(rows, padded(f.columns) + padded(f.below));
      }
      EXPECT_EQ(g.rows, rows) << name;
    }
    EXPECT_EQ(next, Index(plan.block_order.size())) << name;
    most = std::max(most, plan.block_group.size());
  }
  EXPECT_GT(most, 1u);
}

TEST(DevicePlan, NoPairIsTornApart)
{
  int pairs = 0;
  for (const auto &[name, plans] : cases())
    for (const DeviceFront &f : plans.device.front)
      for (Index c = 0; c < f.columns; ++c)
        if (plans.device.pair_word[f.sign_begin + c / 32] >> (c % 32) & 1) {
          ++pairs;
          EXPECT_EQ(c % 2, 0) << name;
          EXPECT_LT(c + 1, f.columns) << name;
          EXPECT_EQ(plans.host.tree.pair[f.first + c], 1) << name;
        }
  EXPECT_GT(pairs, 100);
}

TEST(DevicePlan, PanelsFollowEachOther)
{
  for (const auto &[name, plans] : cases()) {
    Offset end = 0;
    for (const DeviceFront &f : plans.device.front) {
      EXPECT_EQ(f.factor_begin, end + end % 2) << name;
      end = f.factor_begin;
      for (Index p = 0; p < f.panels(); ++p) {
        EXPECT_EQ(f.factor_begin + f.panel_offset(p), end) << name;
        end += Offset(f.leading(p)) * std::min(f.width(), f.columns_padded - p * f.width());
      }
    }
    EXPECT_LE(end, plans.device.factor_numbers) << name;
  }
}

} // namespace
