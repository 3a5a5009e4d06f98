// Where tiles lie in device memory: the entries of a tile of the factor, and contributions, which take each other's
// place.
#include "factor/front/device/device_plan.hpp"
#include "factor/front/make_plan.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <vector>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

DevicePlan plan_of(const Pattern &graph, Index block_rows)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < graph.rows; ++i) {
    t.push_back({i, i, 8.0});
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      t.push_back({i, graph.column[p], -1.0});
  }
  const Matrix a = assemble(graph.rows, graph.rows, t);
  std::vector<Offset> source(a.value.size());
  std::iota(source.begin(), source.end(), 0);
  PlanOptions options;
  prefer_device(options);
  const PlanResult result = make_plan(a, source, options);
  EXPECT_EQ(result.status, AnalysisStatus::Ok);
  return make_device_plan(result.plan, block_rows);
}

TEST(TilePlaces, EveryEntryOfATileHasOne)
{
  std::set<Index> places;
  for (Index i = 0; i < DeviceFront::tile_width; ++i)
    for (Index j = 0; j < DeviceFront::tile_width; ++j) {
      const Index at = DeviceFront::entry_of_tile(i, j), in_half = at % DeviceFront::half_tile_stored;
      EXPECT_EQ(at / DeviceFront::half_tile_stored, j / 32);
      EXPECT_LT(in_half, DeviceFront::half_tile) << "where the signs are";
      places.insert(at);
    }
  EXPECT_EQ(places.size(), std::size_t(DeviceFront::tile_width) * DeviceFront::tile_width);
  const Index after = DeviceFront::half_tile_stored - DeviceFront::half_tile; // of 8 bytes
  EXPECT_GE(after * 8, 2 * Index(sizeof(std::uint32_t))) << "two words";
  EXPECT_EQ(DeviceFront::half_tile_stored * 8 % 16, 0) << "copies are of 16 bytes";
}

TEST(TilePlaces, EntriesOfAProductLieInDifferentBanks)
{
  for (Index i = 0; i < DeviceFront::tile_width; i += 4)
    for (Index j = 0; j < DeviceFront::tile_width; j += 4) {
      std::set<Index> banks; // of 8 bytes, of which there are 16
      for (Index k = 0; k < 16; ++k)
        banks.insert(DeviceFront::entry_of_tile(i + k % 4, j + k / 4) % 16);
      EXPECT_EQ(banks.size(), 16u);
    }
}

TEST(TilePlaces, ContributionsOfTilesAreTriangles)
{
  for (Index sides : {1, 2}) {
    const Contribution c{0, 5 * DeviceFront::tile_width, sides, true};
    std::vector<int> taken(c.numbers(), 0);
    for (Index side = 0; side < sides; ++side) {
      for (Index j = 0; j < c.rows; ++j)
        for (Index i = j / DeviceFront::tile_width * DeviceFront::tile_width; i < c.rows; ++i)
          ++taken.at(c.in_column(j, side) + c.in_row(i, side));
      for (Index i = 0; i < c.rows; ++i)
        ++taken.at(c.masses(side) + i);
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), Offset(taken.size()));
  }
}

/// Of a warp or a thread block: one square, of which side 1 is what is above the diagonal, and the masses.
TEST(TilePlaces, OtherContributionsAreSquares)
{
  const Contribution c{0, 7, 2, false};
  std::vector<int> taken(c.numbers(), 0);
  for (Index side = 0; side < 2; ++side)
    for (Index j = 0; j < c.rows; ++j) {
      for (Index i = j + side; i < c.rows; ++i)
        ++taken.at(c.in_column(j, side) + c.in_row(i, side));
      ++taken.at(c.masses(side) + j);
    }
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), Offset(taken.size()));
  EXPECT_EQ(c.in_column(2, 1) + c.in_row(5, 1), c.in_column(5) + c.in_row(2));
}

/// What is known to have happened when a front hands on.
class Before {
public:
  explicit Before(const DevicePlan &plan) : plan_(plan) {}

  /// Fronts that have been gathered then: those it waits for, and what their children had to wait for.
  std::set<Index> gathered(Index front) const
  {
    std::set<Index> known;
    std::vector<Index> open{front};
    while (!open.empty()) {
      const Index s = open.back();
      open.pop_back();
      // It has been gathered, and so its children have handed on.
      visit_children(s, known, open);
      add(s, known, open);
    }
    return known;
  }

private:
  void add(Index s, std::set<Index> &known, std::vector<Index> &open) const
  {
    const DeviceFront &f = plan_.front[s];
    for (Index k = f.gathered_begin; k < f.gathered_end; ++k)
      if (known.insert(plan_.gathered_first[k].front).second)
        open.push_back(plan_.gathered_first[k].front);
  }

  void visit_children(Index s, std::set<Index> &known, std::vector<Index> &open) const
  {
    const DeviceFront &f = plan_.front[s];
    for (Index c = f.child_begin; c < f.child_end; ++c) {
      const Index child = plan_.child[c];
      if (known.insert(child).second)
        open.push_back(child);
    }
  }

  const DevicePlan &plan_;
};

TEST(TilePlaces, NoContributionIsOverwrittenBeforeItIsGathered)
{
  const DevicePlan plan = plan_of(grid_graph(20, 20, 20), 48);
  const Before before(plan);
  std::vector<Index> first(plan.front.size(), -1), order; // fronts of tiles in the order in which they hand on
  for (const TileTask &t : plan.tile_order) {
    const DeviceFront &f = plan.front[t.front];
    if (f.parent >= 0 && t.column >= f.panels() && first[t.front] < 0) {
      first[t.front] = Index(order.size());
      order.push_back(t.front);
    }
  }
  int shared = 0;
  for (std::size_t x = 0; x < order.size(); ++x) {
    const Contribution &own = plan.front[order[x]].contribution;
    EXPECT_LE(own.begin + own.numbers(), plan.contribution_numbers);
    std::set<Index> gathered;
    for (std::size_t y = 0; y < x; ++y) {
      const Contribution &other = plan.front[order[y]].contribution;
      if (own.begin + own.numbers() <= other.begin || other.begin + other.numbers() <= own.begin)
        continue;
      if (gathered.empty())
        gathered = before.gathered(order[x]);
      ++shared;
      EXPECT_EQ(gathered.count(plan.front[order[y]].parent), 1u) << "front " << order[x] << " over " << order[y];
    }
  }
  EXPECT_GT(shared, 10);
}

TEST(TilePlaces, NobodyWaitsForWhatBeginsLater)
{
  const DevicePlan plan = plan_of(grid_graph(20, 20, 20), 48);
  std::vector<Index> gathered(plan.front.size(), 0);
  for (const TileTask &t : plan.tile_order) {
    const DeviceFront &f = plan.front[t.front];
    if (t.column >= f.panels())
      for (Index k = f.gathered_begin; k < f.gathered_end; ++k) {
        EXPECT_EQ(gathered[plan.gathered_first[k].front], plan.gathered_first[k].tiles);
        EXPECT_EQ(plan.front[plan.gathered_first[k].front].tiles(), plan.gathered_first[k].tiles);
      }
    ++gathered[t.front];
  }
}

} // namespace
