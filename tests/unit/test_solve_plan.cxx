// What solves do with the fronts of a plan: every number is taken once, after what it waits for.
#include "factor/front/device/solve_plan.hpp"
#include "support/device_plans.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

using namespace tessera;
using namespace tessera_test;

namespace {

constexpr Index width = DeviceFront::tile_width;

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
