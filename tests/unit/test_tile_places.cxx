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
#include <map>
#include <optional>
#include <set>
#include <utility>
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

/// In strips of columns of tiles, each of which begins with the first of its tiles.
TEST(TilePlaces, ContributionsOfTilesAreTriangles)
{
  constexpr Index width = Contribution::width, tiles = 5;
  for (Index sides : {1, 2})
    for (const auto &[first, end] : {std::pair<Index, Index>{0, 2}, {2, 4}, {4, 5}, {0, 5}}) {
      constexpr Index rows = tiles * width;
      const Offset begin = 1000;
      const Contribution c = Contribution::strip(begin, rows, first, end);
      std::vector<int> taken(Contribution::strip_numbers(rows, first, end, sides), 0);
      const auto take = [&](Offset number) { ++taken.at(c.begin + number - begin); };
      for (Index side = 0; side < sides; ++side)
        for (Index j = first * width; j < end * width; ++j) {
          for (Index i = j / width * width; i < rows; ++i)
            take(c.in_column(j, side) + c.in_row(i, side));
          take(c.mass(j, side));
        }
      EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), Offset(taken.size()));
      EXPECT_EQ(c.begin + c.tile(first, first), begin);
    }
}

/// Of a warp or a thread block: one square, of which side 1 is what is above the diagonal, and the masses.
TEST(TilePlaces, OtherContributionsAreSquares)
{
  const Contribution c = Contribution::square(7);
  std::vector<int> taken(Contribution::square_numbers(7, 2), 0);
  for (Index side = 0; side < 2; ++side)
    for (Index j = 0; j < c.rows; ++j) {
      for (Index i = j + side; i < c.rows; ++i)
        ++taken.at(c.in_column(j, side) + c.in_row(i, side));
      ++taken.at(c.mass(j, side));
    }
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), Offset(taken.size()));
  EXPECT_EQ(c.in_column(2, 1) + c.in_row(5, 1), c.in_column(5) + c.in_row(2));
}

/// Strips are numbered in the order of their columns, own ones first, and none has columns of both kinds.
TEST(TilePlaces, StripsAreOfColumnsNextToEachOther)
{
  DeviceFront f;
  f.kind = FrontKind::Tiles;
  f.columns_padded = 6 * DeviceFront::tile_width;
  f.below_padded = 9 * DeviceFront::tile_width;
  f.strip_begin = 100;
  const std::vector<Index> number = {0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4},
                           start = {0, 0, 0, 0, 4, 4, 6, 6, 6, 6, 10, 10, 10, 10, 14};
  for (Index j = 0; j < 15; ++j) {
    EXPECT_EQ(f.strip_of(j), 100 + number[j]) << "column " << j;
    EXPECT_EQ(f.strip_start(j), start[j]) << "column " << j;
  }
  EXPECT_EQ(f.own_strips(), 2);
  EXPECT_EQ(f.strips(), 5);
}

/// What is known to have been gathered when a strip is written: what it waits for, and what these and their children
/// had to wait for.
class Before {
public:
  /// front_of: [strips]
  Before(const DevicePlan &plan, const std::vector<Index> &front_of, Index front, Index strip)
      : plan_(plan), front_of_(front_of)
  {
    const DeviceFront &f = plan.front[front];
    add_below(front); // they have handed on, or it had not been gathered
    for (Index k = 0; k < f.own_strips() && f.strip_begin + k < strip; ++k)
      add_waits(f.strip_begin + k); // there are products with tiles of these
    add_waits(strip);
    while (!open_.empty()) {
      const Known next = open_.back();
      open_.pop_back();
      add_below(next.front);
      if (next.strip >= 0) // a tile waits before it is said to be gathered
        add_waits(next.strip);
    }
  }

  /// Whether the columns begin .. end - 1 that a front hands on have been read.
  bool have_read(Index s, Index begin, Index end) const
  {
    const DeviceFront &f = plan_.front[s], &up = plan_.front[f.parent];
    if (up.kind != FrontKind::Tiles)
      return known_.count({f.parent, -1}) > 0;
    for (Index j = begin; j < end; ++j)
      if (!known_.count({f.parent, up.strip_of(plan_.to_parent[f.below_begin + j] / DeviceFront::tile_width)}))
        return false;
    return true;
  }

private:
  struct Known {
    Index front, strip; ///< strip: -1 of another kind
    bool operator<(const Known &o) const { return front != o.front ? front < o.front : strip < o.strip; }
  };

  void add(const Known &known)
  {
    if (known_.insert(known).second)
      open_.push_back(known);
  }

  void add_waits(Index strip)
  {
    const GatheredRange &waits = plan_.strip[strip].before;
    for (Index k = waits.begin; k < waits.end; ++k)
      add({front_of_[plan_.gathered_first[k].strip], plan_.gathered_first[k].strip});
  }

  void add_below(Index s)
  {
    for (Index c = plan_.front[s].child_begin; c < plan_.front[s].child_end; ++c) {
      const Index child = plan_.child[c];
      const DeviceFront &f = plan_.front[child];
      if (f.kind != FrontKind::Tiles)
        add({child, -1});
      else
        for (Index k = 0; k < f.strips(); ++k)
          add({child, f.strip_begin + k});
    }
  }

  const DevicePlan &plan_;
  const std::vector<Index> &front_of_;
  std::set<Known> known_;
  std::vector<Known> open_;
};

/// Memory that a front writes, from a task of its own on.
struct Written {
  Index front, strip; ///< strip: -1 of a front of another kind
  bool is_factor;
  Index column_begin, column_end; ///< that are handed on
  Offset begin, end, task;
};

/// In the order of the tasks; contributions of fronts of other kinds come first. A strip of the factor is written with
/// W of the panel after it, which is lent to the tile on the diagonal.
std::vector<Written> written_by(const DevicePlan &plan)
{
  constexpr Index width = DeviceFront::tile_width;
  std::vector<Written> all;
  const auto hand_on = [&](Index s, Index strip, Index column_begin, Index column_end, Offset begin, Offset numbers,
                           Offset t) {
    all.push_back({s, strip, false, column_begin, column_end, begin, begin + numbers, t});
  };
  for (std::size_t s = 0; s < plan.front.size(); ++s)
    if (const DeviceFront &f = plan.front[s]; f.kind != FrontKind::Tiles && f.parent >= 0)
      hand_on(Index(s), -1, 0, f.below, f.contribution.begin, Contribution::square_numbers(f.below, plan.sides), 0);
  std::vector<bool> begun(plan.strip.size(), false);
  for (std::size_t t = 0; t < plan.tile_order.size(); ++t) {
    const TileTask &task = plan.tile_order[t];
    const DeviceFront &f = plan.front[task.front];
    EXPECT_EQ(task.strip, f.strip_of(task.column));
    if (begun[task.strip])
      continue;
    begun[task.strip] = true;
    const Index column = f.strip_start(task.column), next = column + DeviceFront::strip_columns;
    for (Index side = 0; column < f.panels() && side < plan.sides; ++side) {
      const Offset begin = plan.factor_place + side * plan.factor_numbers + f.factor_begin;
      const Offset end = next < f.panels() ? f.tile_offset(next, next) + f.stored(next) : f.factor_numbers();
      all.push_back(
          {task.front, task.strip, true, 0, 0, begin + f.tile_offset(column, column), begin + end, Offset(t)});
    }
    if (const Index first = column - f.panels(); f.parent >= 0 && first >= 0) {
      const Contribution &c = plan.strip[task.strip].contribution;
      const Index end = std::min(first + DeviceFront::strip_columns, f.below_padded / width);
      hand_on(task.front, task.strip, first * width, std::min(end * width, f.below), c.begin + c.tile(first, first),
              Contribution::strip_numbers(f.below_padded, first, end, plan.sides), Offset(t));
    }
  }
  return all;
}

/// Counts of strips that are written where something was handed on, and of those whose own front has read that.
struct Shared {
  int handed_on = 0, factors = 0, own = 0;
};

Shared expect_nothing_overwritten(const DevicePlan &plan)
{
  Shared shared;
  const std::vector<Written> all = written_by(plan);
  std::vector<Index> front_of(plan.strip.size(), -1);
  for (const TileTask &t : plan.tile_order)
    front_of[t.strip] = t.front;
  for (std::size_t x = 0; x < all.size(); ++x) {
    const Written &own = all[x];
    EXPECT_LE(own.end, plan.memory_numbers);
    std::optional<Before> before;
    for (std::size_t y = 0; y < x; ++y) {
      const Written &other = all[y];
      if (own.end <= other.begin || other.end <= own.begin ||
          (own.is_factor && other.is_factor && own.front == other.front))
        continue;
      EXPECT_GE(own.strip, 0) << "front " << own.front << " has no way to wait for " << other.front;
      EXPECT_FALSE(other.is_factor) << "front " << own.front << " over the factor of " << other.front;
      if (own.strip < 0 || other.is_factor)
        continue;
      if (!before)
        before.emplace(plan, front_of, own.front, own.strip);
      ++(own.is_factor ? shared.factors : shared.handed_on);
      shared.own += own.front == plan.front[other.front].parent;
      EXPECT_TRUE(before->have_read(other.front, other.column_begin, other.column_end))
          << "front " << own.front << " over " << other.front;
    }
  }
  return shared;
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
    if (f.kind != FrontKind::Tiles) {
      EXPECT_EQ(f.contribution.begin % line_numbers, 0);
      others += f.columns;
      continue;
    }
    for (Index k = 0; k < f.strips(); ++k)
      EXPECT_EQ(plan.strip[f.strip_begin + k].contribution.begin % line_numbers, 0);
    for (Index p = 0; p < f.panels(); ++p)
      for (Index i = p; i < f.rows() / DeviceFront::tile_width; ++i, ++tiles)
        EXPECT_EQ((f.factor_begin + f.tile_offset(i, p)) % line_numbers, 0) << "tile " << i << ", " << p;
  }
  EXPECT_GT(tiles, 100);
  EXPECT_GT(others, 100);
}

TEST_P(TileMemoryOf, LittlePaddingIsKept)
{
  constexpr Index width = DeviceFront::tile_width;
  Index less = 0;
  for (const DeviceFront &f : plan.front)
    if (f.kind == FrontKind::Tiles)
      for (Index p = 0; p < f.panels(); ++p) {
        const Index own = std::min(f.columns - p * width, width), padding = f.kept_columns(p) - own;
        EXPECT_GE(padding, 0);
        EXPECT_LT(padding, GetParam().lu ? 32 : 8);
        EXPECT_EQ(f.stored(p), DeviceFront::stored_of(f.kept_columns(p)));
        less += DeviceFront::tile_stored - f.stored(p);
      }
  EXPECT_GT(less, 0);
}

TEST_P(TileMemoryOf, NothingIsOverwrittenThatIsRead)
{
  const Shared shared = expect_nothing_overwritten(plan);
  EXPECT_GT(shared.handed_on, 10);
  EXPECT_GT(shared.factors, 10);
}

/// Or it would be read from the place of another strip.
TEST_P(TileMemoryOf, PiecesAreOfOneStrip)
{
  std::map<Offset, const DeviceFront *> by_rows;
  for (const DeviceFront &f : plan.front)
    if (f.below > 0)
      by_rows[f.below_begin] = &f;
  int cut = 0; // inside of what falls into a tile of the parent
  for (const TilePiece &piece : plan.piece) {
    const DeviceFront &f = *by_rows.at(piece.below_begin);
    if (f.kind != FrontKind::Tiles)
      continue;
    const auto strip_of = [&](Index j) { return f.strip_of(f.panels() + j / DeviceFront::tile_width); };
    const auto tile_of = [&](Index j) { return plan.to_parent[f.below_begin + j] / DeviceFront::tile_width; };
    EXPECT_EQ(strip_of(piece.j_begin), strip_of(piece.j_end - 1));
    EXPECT_EQ(piece.contribution.begin, plan.strip[strip_of(piece.j_begin)].contribution.begin);
    cut += piece.j_end < f.below && tile_of(piece.j_end - 1) == tile_of(piece.j_end);
  }
  EXPECT_GT(cut, 0);
}

/// Or thread blocks might wait for each other.
TEST_P(TileMemoryOf, NobodyWaitsForWhatBeginsLater)
{
  std::vector<Index> gathered(plan.strip.size(), 0), all(plan.strip.size(), 0);
  for (const TileTask &t : plan.tile_order)
    ++all[t.strip];
  for (const TileTask &t : plan.tile_order) {
    const GatheredRange &waits = plan.strip[t.strip].before;
    for (Index k = waits.begin; k < waits.end; ++k) {
      EXPECT_EQ(gathered[plan.gathered_first[k].strip], plan.gathered_first[k].tiles);
      EXPECT_EQ(all[plan.gathered_first[k].strip], plan.gathered_first[k].tiles);
    }
    ++gathered[t.strip];
  }
}

/// What is needed at a time: strips of factors that have been begun, and of contributions from the first task that
/// hands on to the last of those of the parent that read them, and the tasks that may run beside it.
TEST_P(TileMemoryOf, TakesLittleMoreThanIsThereAtATime)
{
  std::vector<Offset> change(plan.tile_order.size() + 1, 0), last(plan.front.size(), -1);
  std::vector<Offset> last_of_strip(plan.strip.size(), -1);
  for (std::size_t t = 0; t < plan.tile_order.size(); ++t)
    last[plan.tile_order[t].front] = last_of_strip[plan.tile_order[t].strip] = Offset(t);
  for (const Written &w : written_by(plan)) {
    change[w.task] += w.end - w.begin;
    if (w.is_factor)
      continue;
    const DeviceFront &f = plan.front[w.front];
    Index reader = f.parent;
    while (plan.front[reader].kind != FrontKind::Tiles)
      reader = plan.front[reader].parent;
    Offset read = w.strip < 0 ? last[reader] : -1;
    for (Index j = w.column_begin; w.strip >= 0 && j < w.column_end; ++j)
      read = std::max(read, last_of_strip[plan.front[reader].strip_of(plan.to_parent[f.below_begin + j] / 64)]);
    change[std::min(read + 513, Offset(plan.tile_order.size()))] -= w.end - w.begin;
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
    add(f.factor_begin, f.contribution.begin, f.entry_begin, f.entry_end, f.strip_begin);
  for (const TileStrip &t : plan.strip)
    add(t.contribution.begin, t.contribution.masses, t.contribution.to_side, t.before.begin, t.before.end);
  for (const GatheredFirst &g : plan.gathered_first)
    add(g.strip, g.tiles);
  for (const TileTask &t : plan.tile_order)
    add(t.front, t.row, t.column, t.side, t.strip, t.entry_begin, t.entry_end, t.piece_begin, t.piece_end);
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

/// A front may write where its own children handed on what it has read, once it is large enough.
TEST(TilePlaces, LargeFrontsWriteWhereTheyHaveRead)
{
  EXPECT_GT(expect_nothing_overwritten(plan_of(grid_graph(46, 44, 42), 96, false)).own, 3);
}

INSTANTIATE_TEST_SUITE_P(TilePlaces, TileMemoryOf,
                         testing::Values(MemoryCase{"LDLT", 48, false}, MemoryCase{"LU", 48, true},
                                         MemoryCase{"ManyFronts", 8, false}),
                         [](const auto &info) { return info.param.name; });

} // namespace
