// Where tiles lie in device memory: the entries of a tile of the factor, and contributions, which take the place of
// each other and of factors that are begun later.
#include "factor/front/device/device_plan.hpp"
#include "factor/front/device/solve_plan.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/any_threads.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

DevicePlan plan_of(const Pattern &graph, Index block_rows, bool lu)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < graph.rows; ++i) {
    t.push_back({i, i, 8.0});
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      t.push_back({i, graph.column[p], -1.0});
  }
  const Matrix a = assemble(graph.rows, graph.rows, t);
  const std::vector<Offset> source = test::in_place(a);
  PlanOptions options;
  prefer_device(options);
  if (lu) {
    const LuPlanResult result = make_lu_plan(a, source, options);
    EXPECT_EQ(result.status, AnalysisStatus::Ok);
    return make_device_plan(result.plan.fronts, block_rows);
  }
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
  const Index after = DeviceFront::half_tile_with_words - DeviceFront::half_tile; // of 8 bytes
  EXPECT_GE(after * 8, 2 * Index(sizeof(std::uint32_t))) << "two words";
  EXPECT_EQ(DeviceFront::half_tile_with_words * 8 % 16, 0) << "copies are of 16 bytes";
  EXPECT_GE(DeviceFront::half_tile_stored, DeviceFront::half_tile_with_words);
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

/// What is known to have happened when a front writes its factor, or when it hands on.
class Before {
public:
  explicit Before(const DevicePlan &plan) : plan_(plan) {}

  /// Fronts that have been gathered then: those it waits for, and what these and their children had to wait for.
  std::set<Index> gathered(Index front, const GatheredRange &waits) const
  {
    std::set<Index> known;
    std::vector<Index> open;
    visit_children(front, known, open); // they have handed on, or it had not been gathered
    add(waits, known, open);
    while (!open.empty()) {
      const DeviceFront &f = plan_.front[open.back()];
      const Index s = open.back();
      open.pop_back();
      visit_children(s, known, open);
      if (f.kind == FrontKind::Tiles) { // a tile waits before it is said to be gathered
        add(f.before_factor, known, open);
        add(f.before_handing_on, known, open);
      }
    }
    return known;
  }

private:
  void add(const GatheredRange &waits, std::set<Index> &known, std::vector<Index> &open) const
  {
    for (Index k = waits.begin; k < waits.end; ++k)
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

/// Memory that a front writes, from a task of its own on.
struct Written {
  Index front;
  bool is_factor;
  Offset begin, end, task;
};

/// In the order of the tasks; contributions of fronts of other kinds come first.
std::vector<Written> written_by(const DevicePlan &plan)
{
  std::vector<Written> all;
  for (std::size_t s = 0; s < plan.front.size(); ++s) {
    const DeviceFront &f = plan.front[s];
    if (f.kind != FrontKind::Tiles && f.parent >= 0)
      all.push_back({Index(s), false, f.contribution.begin, f.contribution.begin + f.contribution.numbers(), 0});
  }
  std::vector<bool> begun(plan.front.size(), false), handed(plan.front.size(), false);
  for (std::size_t t = 0; t < plan.tile_order.size(); ++t) {
    const Index s = plan.tile_order[t].front;
    const DeviceFront &f = plan.front[s];
    for (Index side = 0; !begun[s] && side < plan.sides; ++side) {
      const Offset begin = plan.factor_place + side * plan.factor_numbers + f.factor_begin;
      all.push_back({s, true, begin, begin + f.factor_numbers(), Offset(t)});
    }
    begun[s] = true;
    if (f.parent >= 0 && plan.tile_order[t].column >= f.panels() && !handed[s]) {
      handed[s] = true;
      all.push_back({s, false, f.contribution.begin, f.contribution.begin + f.contribution.numbers(), Offset(t)});
    }
  }
  return all;
}

struct MemoryCase {
  const char *name;
  Index block_rows; ///< few leave many fronts to tiles
  bool lu;
};

class TileMemoryOf : public testing::TestWithParam<MemoryCase> {
protected:
  const DevicePlan plan = plan_of(grid_graph(24, 20, 20), GetParam().block_rows, GetParam().lu);
};

/// Otherwise a copy of 128 bytes asks for two lines of the cache.
TEST_P(TileMemoryOf, TilesAndWhatIsHandedOnBeginWithALine)
{
  static_assert(line_numbers * sizeof(double) == 128, "a line");
  EXPECT_EQ(plan.factor_place % line_numbers, 0);
  EXPECT_EQ(plan.factor_numbers % line_numbers, 0) << "the other side begins after that";
  int tiles = 0, others = 0;
  for (const DeviceFront &f : plan.front) {
    if (f.parent >= 0 && f.below > 0) {
      EXPECT_EQ(f.contribution.begin % line_numbers, 0);
    }
    if (f.kind != FrontKind::Tiles) {
      others += f.columns;
      continue;
    }
    for (Index p = 0; p < f.panels(); ++p)
      for (Index i = p; i < f.rows() / DeviceFront::tile_width; ++i, ++tiles)
        EXPECT_EQ((f.factor_begin + f.tile_offset(i, p)) % line_numbers, 0) << "tile " << i << ", " << p;
  }
  EXPECT_GT(tiles, 100);
  EXPECT_GT(others, 100);
}

TEST_P(TileMemoryOf, NothingIsOverwrittenThatIsRead)
{
  const Before before(plan);
  const std::vector<Written> all = written_by(plan);
  int shared[2] = {0, 0};
  for (std::size_t x = 0; x < all.size(); ++x) {
    const Written &own = all[x];
    const DeviceFront &f = plan.front[own.front];
    EXPECT_LE(own.end, plan.memory_numbers);
    std::set<Index> gathered;
    for (std::size_t y = 0; y < x; ++y) {
      const Written &other = all[y];
      if (own.end <= other.begin || other.end <= own.begin)
        continue;
      EXPECT_EQ(f.kind, FrontKind::Tiles) << "front " << own.front << " has no way to wait for " << other.front;
      EXPECT_FALSE(other.is_factor) << "front " << own.front << " over the factor of " << other.front;
      if (gathered.empty())
        gathered = before.gathered(own.front, own.is_factor ? f.before_factor : f.before_handing_on);
      ++shared[own.is_factor];
      EXPECT_EQ(gathered.count(plan.front[other.front].parent), 1u) << "front " << own.front << " over " << other.front;
    }
  }
  EXPECT_GT(shared[0], 10);
  EXPECT_GT(shared[1], 10);
}

/// Or thread blocks might wait for each other.
TEST_P(TileMemoryOf, NobodyWaitsForWhatBeginsLater)
{
  std::vector<Index> gathered(plan.front.size(), 0);
  for (const TileTask &t : plan.tile_order) {
    const DeviceFront &f = plan.front[t.front];
    const GatheredRange &waits = t.column < f.panels() ? f.before_factor : f.before_handing_on;
    for (Index k = waits.begin; k < waits.end; ++k) {
      EXPECT_EQ(gathered[plan.gathered_first[k].front], plan.gathered_first[k].tiles);
      EXPECT_EQ(plan.front[plan.gathered_first[k].front].tasks(), plan.gathered_first[k].tiles);
    }
    ++gathered[t.front];
  }
}

/// What is needed at a time: factors that have been begun, and contributions from the first task that hands on to the
/// last of the parent and the tasks that may run beside it.
TEST_P(TileMemoryOf, TakesLittleMoreThanIsThereAtATime)
{
  std::vector<Offset> change(plan.tile_order.size() + 1, 0), last(plan.front.size(), -1);
  for (std::size_t t = 0; t < plan.tile_order.size(); ++t)
    last[plan.tile_order[t].front] = Offset(t);
  for (const Written &w : written_by(plan)) {
    change[w.task] += w.end - w.begin;
    if (w.is_factor)
      continue;
    Index reader = plan.front[w.front].parent;
    while (plan.front[reader].kind != FrontKind::Tiles)
      reader = plan.front[reader].parent;
    change[std::min(last[reader] + 513, Offset(plan.tile_order.size()))] -= w.end - w.begin;
  }
  Offset now = 0, most = 0;
  for (Offset c : change)
    most = std::max(most, now += c);
  Offset of_others = 0;
  for (const DeviceFront &f : plan.front)
    if (f.kind != FrontKind::Tiles)
      for (Index p = 0; p < f.panels(); ++p)
        of_others += plan.sides * f.leading(p) * std::min(f.width(), f.columns_padded - p * f.width());
  EXPECT_EQ(plan.factor_place, 0) << "all fronts are below one of tiles here";
  EXPECT_LE(double(plan.memory_numbers), 1.1 * double(most + of_others));
}

/// The numbers of a plan, and of what solves do with it, one after the other.
std::vector<Offset> numbers_of(const DevicePlan &plan)
{
  std::vector<Offset> all = {plan.words, plan.tiles, plan.factor_numbers, plan.factor_place, plan.memory_numbers};
  const auto add = [&](auto... x) { (all.push_back(Offset(x)), ...); };
  for (const DeviceFront &f : plan.front)
    add(f.factor_begin, f.contribution.begin, f.entry_begin, f.entry_end, f.before_factor.begin, f.before_factor.end,
        f.before_handing_on.begin, f.before_handing_on.end);
  for (const TileTask &t : plan.tile_order)
    add(t.front, t.row, t.column, t.side, t.entry_begin, t.entry_end, t.piece_begin, t.piece_end);
  for (const TilePiece &p : plan.piece)
    add(p.contribution.begin, p.below_begin, p.j_begin, p.j_end, p.i_begin, p.i_end);
  const SolvePlan solve = make_solve_plan(plan);
  for (const std::vector<SolveItem> *items : {&solve.forward, &solve.backward})
    for (const SolveItem &i : *items)
      add(i.factor, i.below_begin, i.place_begin, i.first, i.columns, i.below, i.tile, i.tile_begin, i.tile_end,
          i.work);
  const auto append = [&](const auto &x) { all.insert(all.end(), x.begin(), x.end()); };
  append(plan.below_row);
  append(plan.to_parent);
  append(plan.source);
  append(plan.place);
  append(plan.scale_row);
  append(plan.scale_column);
  append(plan.tile_ticket);
  append(solve.source_begin);
  append(solve.source);
  append(solve.sign);
  return all;
}

TEST_P(TileMemoryOf, IsThatOfAnyThreads)
{
  const auto make = [] { return numbers_of(plan_of(grid_graph(24, 20, 20), GetParam().block_rows, GetParam().lu)); };
  EXPECT_GT(on_any_threads(make, {2, 4, 16}).size(), 100000u);
}

INSTANTIATE_TEST_SUITE_P(TilePlaces, TileMemoryOf,
                         testing::Values(MemoryCase{"LDLT", 48, false}, MemoryCase{"LU", 48, true},
                                         MemoryCase{"ManyFronts", 8, false}),
                         [](const auto &info) { return info.param.name; });

} // namespace
