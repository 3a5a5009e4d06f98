// Where the plan for a device has the entries of fronts that threads work on together.
#include "factor/front/device/device_plan.hpp"
#include "factor/front/device/front_kinds.hpp"
#include "factor/front/make_plan.hpp"
#include "support/in_place.hpp"
#include "support/lu_cases.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

/// A dense matrix is one front; with more than 2^20 entries threads sort parts of them.
TEST(DeviceEntries, OfALargeFrontAreSortedByTile)
{
  constexpr Index n = 1500;
  const Matrix a = test::dense_unsymmetric(n, 1); // whose pattern counts
  const std::vector<Offset> source = test::in_place(a);
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  const FrontPlan host = make_plan(a, source, options).plan;
  const DevicePlan plan = make_device_plan(host, usual_block_rows);
  ASSERT_EQ(plan.front.size(), 1u);
  ASSERT_EQ(plan.front[0].kind, FrontKind::Tiles);
  ASSERT_GT(plan.front[0].entry_end, 1 << 20);
  constexpr Index width = DeviceFront::tile_width;
  Offset entries = 0;
  for (const TileTask &t : plan.tile_order) {
    Offset before = -1;
    for (Offset p = t.entry_begin; p < t.entry_end; ++p, ++entries) {
      const Index i = t.row * width + Index(plan.place[p] >> 16), j = t.column * width + Index(plan.place[p] & 0xffff);
      ASSERT_EQ(plan.source[p], Offset(j) * n + i); // row j holds the lower part of column j
      ASSERT_GT(plan.source[p], before);
      before = plan.source[p];
    }
  }
  EXPECT_EQ(entries, Offset(n) * (n + 1) / 2);
}

} // namespace
