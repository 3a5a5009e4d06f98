// The arrays that a device reads of a plan: every number of a front is gathered once, and nothing waits for what comes
// after it.
#include "base/integers.hpp"
#include "factor/front/device/device_plan.hpp"
#include "factor/front/device/solve_plan.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/graphs.hpp"
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

Plans plans_of(const Pattern &graph, Index block_rows, const PlanOptions &options = {})
{
  const Matrix a = matrix_on(graph);
  PlanResult result = make_plan(a, store_one_triangle(a.pattern), options);
  EXPECT_EQ(result.status, AnalysisStatus::Ok);
  Plans plans{std::move(result.plan), {}};
  plans.device = make_device_plan(plans.host, block_rows);
  return plans;
}

/// Every vertex is a front of its own, but for those of the core.
PlanOptions leaf_by_leaf()
{
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  options.relaxation = {1, 0};
  return options;
}

std::vector<std::pair<std::string, Plans>> cases()
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
      EXPECT_EQ(piece.contribution.begin, child.contribution.begin);
      EXPECT_EQ(piece.contribution.rows, child.below_padded);
      EXPECT_EQ(piece.contribution.tiled, child.kind == FrontKind::Tiles);
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

/// Calls visit(ticket, item) once for each item.
template <class Visit>
void for_items(const std::vector<SolveItem> &tickets, const Visit &visit)
{
  for (std::size_t at = 0; at < tickets.size(); ++at)
    if (tickets[at].work == SolveWork::Warp || (tickets[at].work != SolveWork::None && at % front_solve_places == 0))
      visit(at / front_solve_places, tickets[at]);
}

/// Places begin .. end - 1 of a front that an item of the forward sweep gathers, as the plan numbers them.
std::pair<Index, Index> gathered_places(const SolveItem &item)
{
  if (item.work == SolveWork::Tile)
    return {item.tile * width, (item.tile + 1) * width};
  return {0, item.columns + item.below};
}

TEST(SolvePlan, ForwardTakesEveryNumberOnceAfterItIsHandedOn)
{
  for (const auto &[name, plans] : cases()) {
    const SolvePlan solve = make_solve_plan(plans.device);
    std::vector<std::size_t> handed_on(plans.device.below_row.size(), ~std::size_t(0));
    std::vector<int> taken(handed_on.size(), 0);
    for_items(solve.forward, [&](std::size_t ticket, const SolveItem &item) {
      const Index padded = item.work == SolveWork::Tile ? (item.columns + width - 1) / width * width : item.columns;
      const auto [begin, end] = gathered_places(item);
      for (Index place = std::max(begin, padded); place < std::min(end, padded + item.below); ++place)
        handed_on[item.below_begin + place - padded] = ticket;
    });
    for_items(solve.forward, [&](std::size_t ticket, const SolveItem &item) {
      const auto [begin, end] = gathered_places(item);
      for (Offset p = solve.source_begin[item.place_begin + begin]; p < solve.source_begin[item.place_begin + end];
           ++p) {
        EXPECT_LE(handed_on[solve.source[p]], ticket) << name;
        ++taken[solve.source[p]];
      }
    });
    for (int times : taken)
      EXPECT_EQ(times, 1) << name;
  }
}

TEST(SolvePlan, BackwardFindsEveryRowOnceAfterThoseBelow)
{
  for (const auto &[name, plans] : cases()) {
    const DevicePlan &plan = plans.device;
    const SolvePlan solve = make_solve_plan(plan);
    std::vector<std::vector<std::size_t>> found(plans.host.tree.rows());
    for_items(solve.backward, [&](std::size_t ticket, const SolveItem &item) {
      const Index begin = item.work == SolveWork::Tile ? item.tile * width : 0;
      const Index end = item.work == SolveWork::Tile ? begin + width : item.columns;
      for (Index c = begin; c < std::min(end, item.columns) && item.work != SolveWork::Part; ++c)
        found[item.first + c].push_back(ticket);
    });
    for (const std::vector<std::size_t> &tickets : found)
      ASSERT_EQ(tickets.size(), 1u) << name;
    for_items(solve.backward, [&](std::size_t ticket, const SolveItem &item) {
      EXPECT_GT(item.columns, 0) << name;
      for (Index i = 0; i < item.below; ++i)
        EXPECT_LE(found[plan.below_row[item.below_begin + i]][0], ticket) << name;
    });
  }
}

TEST(SolvePlan, SignsAreThoseOfTheRows)
{
  for (const auto &[name, plans] : cases()) {
    const SolvePlan solve = make_solve_plan(plans.device);
    ASSERT_EQ(solve.sign.size(), std::size_t(plans.host.tree.rows())) << name;
    std::set<std::uint32_t> bits;
    for (const DeviceFront &f : plans.device.front)
      for (Index c = 0; c < f.columns; ++c) {
        const std::uint32_t bit = solve.sign[f.first + c];
        EXPECT_EQ(bit / 32, std::uint32_t(f.sign_begin + c / 32)) << name;
        EXPECT_EQ(bit % 32, std::uint32_t(c % 32)) << name;
        bits.insert(bit);
      }
    EXPECT_EQ(bits.size(), solve.sign.size()) << name;
  }
}

} // namespace
