// The arrays that a device reads of a plan: every number of a front is gathered once, and nothing waits for what comes
// after it.
#include "base/integers.hpp"
#include "factor/front/device/device_plan.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/device_plans.hpp"
#include "support/in_place.hpp"
#include "support/lu_cases.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

constexpr Index width = DeviceFront::tile_width;

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

/// What fronts hand on: made up, but for those that only add up.
class HandedOn {
public:
  explicit HandedOn(const DevicePlan &plan) : plan_(plan), sum_(plan.front.size())
  {
    for (std::size_t s = 0; s < plan.front.size(); ++s)
      if (plan.origin[s] < 0)
        add_up(Index(s));
  }

  double at(Index s, Index i, Index j) const
  {
    const DeviceFront &f = plan_.front[s];
    return plan_.origin[s] < 0 ? sum_[s][j * f.below + i] : contribution(plan_.origin[s], i, j);
  }

  /// Calls add(row, column, x) for what the children hand on to a front of kind Warp or Block, by places there.
  template <class Add>
  void for_children(const DeviceFront &f, const Add &add) const
  {
    for (Index c = f.child_begin; c < f.child_end; ++c) {
      const DeviceFront &child = plan_.front[plan_.child[c]];
      const Index *to = plan_.to_parent.data() + child.below_begin;
      for (Index j = 0; j < child.below; ++j)
        for (Index i = j; i < child.below; ++i)
          add(to[i], to[j], at(plan_.child[c], i, j));
    }
  }

private:
  void add_up(Index s)
  {
    const DeviceFront &f = plan_.front[s];
    sum_[s].assign(f.below * f.below, 0);
    for_children(f, [&](Index i, Index j, double x) { sum_[s].at(j * f.below + i) += x; });
  }

  const DevicePlan &plan_;
  std::vector<std::vector<double>> sum_;
};

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
      const bool tiled = child.kind == FrontKind::Tiles;
      const auto strip_of = [&](Index j) { return child.strip_of(child.panels() + j / width); };
      const Contribution &where = tiled ? plan.strip[strip_of(piece.j_begin)].contribution : child.contribution;
      EXPECT_EQ(piece.contribution.begin, where.begin);
      EXPECT_EQ(piece.contribution.rows, child.below_padded);
      EXPECT_EQ(piece.contribution.tiled, tiled);
      if (tiled) {
        EXPECT_EQ(strip_of(piece.j_begin), strip_of(piece.j_end - 1)) << "columns of one strip";
      }
      return plan.child[c];
    }
  }
  ADD_FAILURE() << "a piece of no child";
  return -1;
}

void add_tile(const FrontPlan &host, const DevicePlan &plan, const TileTask &t, const HandedOn &handed, Entries &sum)
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
        sum[{to[i], to[j]}] += handed.at(child, i, j);
      }
  }
  EXPECT_LT(i0, f.rows());
}

TEST(DevicePlan, TilesGatherEveryNumberOnce)
{
  int tiled = 0;
  for (const auto &[name, plans] : cases()) {
    std::vector<Entries> got(plans.device.front.size());
    const HandedOn handed(plans.device);
    for (const TileTask &t : plans.device.tile_order)
      add_tile(plans.host, plans.device, t, handed, got[t.front]);
    for (std::size_t s = 0; s < got.size(); ++s) {
      const DeviceFront &f = plans.device.front[s];
      if (f.kind != FrontKind::Tiles)
        continue;
      ++tiled;
      EXPECT_EQ(got[s], expected_entries(plans.host, f, plans.device.origin[s])) << name << ", front " << s;
    }
  }
  EXPECT_GT(tiled, 20);
}

TEST(DevicePlan, WholeFrontsGatherEveryNumberOnce)
{
  int sums = 0;
  for (const auto &[name, plans] : cases()) {
    const DevicePlan &plan = plans.device;
    const HandedOn handed(plan);
    for (std::size_t s = 0; s < plan.front.size(); ++s) {
      const DeviceFront &f = plan.front[s];
      sums += plan.origin[s] < 0;
      if (f.kind == FrontKind::Tiles || plan.origin[s] < 0)
        continue;
      Entries got;
      for (Offset p = f.entry_begin; p < f.entry_end; ++p)
        got[{Index(plan.place[p] >> 16), Index(plan.place[p] & 0xffff)}] +=
            double(plans.host.source[plan.source[p]] + 1);
      handed.for_children(f, [&](Index i, Index j, double x) { got[{i, j}] += x; });
      EXPECT_EQ(got, expected_entries(plans.host, f, plan.origin[s])) << name << ", front " << s;
    }
  }
  EXPECT_GT(sums, 300);
}

TEST(DevicePlan, ChildrenOfWholeFrontsComeByTheLengthOfTheirChains)
{
  int different = 0;
  for (const auto &[name, plans] : cases()) {
    const DevicePlan &plan = plans.device;
    std::vector<Index> chain(plan.front.size(), 0); // the longest one's columns, and 16 for each front
    for (std::size_t s = 0; s < plan.front.size(); ++s) {
      const DeviceFront &f = plan.front[s];
      const std::vector<Index> children(plan.child.begin() + f.child_begin, plan.child.begin() + f.child_end);
      for (Index c : children) {
        EXPECT_EQ(plan.front[c].parent, Index(s)) << name;
        chain[s] = std::max(chain[s], chain[c]);
      }
      EXPECT_EQ(std::set<Index>(children.begin(), children.end()).size(), children.size()) << name;
      chain[s] += f.columns + 16;
      if (f.kind == FrontKind::Tiles || children.empty())
        continue;
      EXPECT_TRUE(
          std::is_sorted(children.begin(), children.end(), [&](Index a, Index b) { return chain[a] < chain[b]; }))
          << name << ", front " << s;
      different += chain[children.front()] < chain[children.back()];
    }
  }
  EXPECT_GT(different, 20);
}

TEST(DevicePlan, FrontsWithoutColumnsHaveNothingOfTheFactor)
{
  for (const auto &[name, plans] : cases())
    for (std::size_t s = 0; s < plans.device.front.size(); ++s) {
      const DeviceFront &f = plans.device.front[s];
      EXPECT_EQ(f.columns == 0, plans.device.origin[s] < 0) << name;
      if (f.columns > 0)
        continue;
      EXPECT_NE(f.kind, FrontKind::Tiles) << name;
      EXPECT_GE(f.parent, 0) << name;
      EXPECT_EQ(f.entry_begin, f.entry_end) << name;
      const DeviceFront &next = plans.device.front[s + 1];
      EXPECT_EQ(f.sign_begin, next.sign_begin) << name;
      EXPECT_EQ(f.factor_begin, next.factor_begin) << name;
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
        ++arrived.at(plan.front[s].raised);
    };
    for (const std::vector<Index> *order : {&plan.warp_order, &plan.block_order})
      for (Index s : *order) {
        const DeviceFront &f = plan.front[s];
        for (Index c = f.child_begin; c < f.child_end; ++c)
          EXPECT_EQ(arrived[plan.child[c]], 1) << name << ", front " << s;
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

/// Two tiles that are taken together are off the diagonal, below each other, and not the one that the next panel waits
/// for. Only LU has them.
TEST(DevicePlan, TilesThatAreTakenTogether)
{
  const Matrix a = dense_unsymmetric(700, 1);
  const std::vector<Offset> source = test::in_place(a);
  const FrontPlan of_lu = make_lu_plan(a, source, {}).plan.fronts;
  for (const DevicePlan &device : {plans_of(a.pattern, 48).device, make_device_plan(of_lu, 48)}) {
    const Index sides = device.sides;
    ASSERT_EQ(device.tile_ticket.front(), 0);
    ASSERT_EQ(device.tile_ticket.back(), Index(device.tile_order.size()));
    int pairs = 0;
    for (std::size_t t = 0; t + 1 < device.tile_ticket.size(); ++t) {
      const TileTask *task = &device.tile_order[device.tile_ticket[t]];
      const Index tiles = device.tile_ticket[t + 1] - device.tile_ticket[t];
      ASSERT_TRUE(tiles == 1 || tiles == 2);
      if (tiles == 1)
        continue;
      ++pairs;
      EXPECT_EQ(task[0].row + 1, task[1].row);
      EXPECT_GT(task[0].row, task[0].column + 1);
      EXPECT_EQ(task[0].front, task[1].front);
      EXPECT_EQ(task[0].column, task[1].column);
      EXPECT_EQ(task[0].side, task[1].side);
    }
    EXPECT_EQ(pairs, sides == 1 ? 0 : 2 * 20); // of 9, 8, ... 1 tiles below that one, on each side
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

/// Columns of the fronts on the longest path from a leaf to a root, of which each waits for the one before.
Index longest_chain(const AssemblyTree &tree)
{
  std::vector<Index> below(tree.fronts() + 1, 0); // columns on the longest path to a front; last, to all roots
  for (Index s = 0; s < tree.fronts(); ++s) {
    Index &up = below[tree.parent[s] < 0 ? tree.fronts() : tree.parent[s]];
    up = std::max(up, below[s] + tree.first[s + 1] - tree.first[s]);
  }
  return below.back();
}

/// Parts of 200 vertices that minimum degree orders are chains of most of their columns. Graphs are narrow: the longest
/// chain of others is in their separators.
TEST(DevicePlan, ChainsAreShortOnADevice)
{
  for (const auto &[name, graph] : std::vector<NamedGraph>{{"path", grid_graph(1000, 1, 1)},
                                                           {"ladder", grid_graph(600, 2, 1)},
                                                           {"band", grid_graph(200, 3, 1)},
                                                           {"strip", grid_graph(150, 10, 1)}}) {
    SCOPED_TRACE(name);
    PlanOptions options;
    prefer_device(options);
    const Index chain = longest_chain(plans_of(graph, 48, options).host.tree);
    options.leaf = 200;
    const Index with_large_parts = longest_chain(plans_of(graph, 48, options).host.tree);
    EXPECT_LE(4 * chain, 3 * with_large_parts) << chain << " columns, " << with_large_parts;
  }
}

TEST(DevicePlan, PanelsFollowEachOther)
{
  for (const auto &[name, plans] : cases()) {
    Offset end = 0;
    std::vector<DeviceFront> fronts = plans.device.front;
    std::stable_sort(fronts.begin(), fronts.end(),
                     [](const DeviceFront &a, const DeviceFront &b) { return a.factor_begin < b.factor_begin; });
    for (const DeviceFront &f : fronts) {
      EXPECT_EQ(f.factor_begin, round_up(end, f.kind == FrontKind::Tiles ? Offset(line_numbers) : Offset(2))) << name;
      end = f.factor_begin;
      for (Index p = 0; p < f.panels(); ++p) {
        EXPECT_EQ(f.factor_begin + f.panel_offset(p), end) << name;
        end += f.kind == FrontKind::Tiles
                   ? Offset(f.rows() / width - p) * f.stored(p)
                   : Offset(f.leading(p)) * std::min(f.width(), f.columns_padded - p * f.width());
      }
    }
    EXPECT_LE(end, plans.device.factor_numbers) << name;
  }
}

} // namespace
