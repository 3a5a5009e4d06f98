// Which fronts are merged for a device.
#include "factor/front/order_fronts.hpp"

#include "factor/front/device/device_plan.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/in_place.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// Where fronts of thread blocks would be many, those that a warp has room for are not merged into them. A chain of
/// them is few, and a solid's are larger anyway.
TEST(OrderFronts, WarpsTakeManySmallFronts)
{
  const auto fronts_of_warps = [](const Pattern &graph, Index small_rows) {
    PlanOptions options;
    prefer_device(options);
    options.small_rows = small_rows;
    const Matrix a = laplacian(graph, 0.1);
    const PlanResult plan = make_plan(a, in_place(a), options);
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    const std::vector<DeviceFront> fronts = make_device_plan(plan.plan, usual_block_rows).front;
    const auto of_warps =
        std::count_if(fronts.begin(), fronts.end(), [](const DeviceFront &f) { return f.kind == FrontKind::Warp; });
    return std::pair{Index(of_warps), Index(fronts.size()) - Index(of_warps)};
  };
  const auto [warps, others] = fronts_of_warps(grid_graph(100, 100, 1), 32);
  const auto [warps_merged, others_merged] = fronts_of_warps(grid_graph(100, 100, 1), 0);
  EXPECT_GT(others_merged, 128);
  EXPECT_LE(3 * others, 2 * others_merged);
  EXPECT_GT(warps, warps_merged);
  EXPECT_EQ(fronts_of_warps(grid_graph(20, 20, 1), 32), fronts_of_warps(grid_graph(20, 20, 1), 0));
  EXPECT_EQ(fronts_of_warps(grid_graph(14, 14, 14), 32), fronts_of_warps(grid_graph(14, 14, 14), 0));
}

} // namespace
