// LU of a symmetric matrix whose scale factors by a general matching are not symmetric.
#include "support/backward_error.hpp"
#include "support/lu_of.hpp"
#include "support/network.hpp"

#include <algorithm>

using namespace tessera;
using namespace tessera::test;

namespace {

/// The KKT matrix of flows of goods in a random network, which share the capacities of its edges. Diagonal entries of
/// the variables are 1e-10 to 1e10, as late in an interior-point method.
Matrix flows(Index nodes, Index edges, Index goods, std::uint64_t seed)
{
  Random random(seed);
  std::vector<Triplet> upper;
  const Index variables = (goods + 1) * edges, capacities = variables + goods * (nodes - 1);
  for (Index j = 0; j < variables; ++j)
    upper.push_back({j, j, std::pow(10, random.between(-10, 10))});
  for (Index e = 0; e < edges; ++e) {
    const Index from = random.below(nodes), to = (from + 1 + random.below(nodes - 1)) % nodes;
    for (Index g = 0; g <= goods; ++g) {
      const Index j = g * edges + e, first = variables + g * (nodes - 1);
      upper.push_back({j, capacities + e, 1});
      if (g < goods && from > 0)
        upper.push_back({j, first + from - 1, 1});
      if (g < goods && to > 0)
        upper.push_back({j, first + to - 1, -1});
    }
  }
  return symmetric(capacities + edges, upper);
}

template <class T>
class LuScales : public testing::Test {
};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(LuScales, Scalars);

TYPED_TEST(LuScales, OfFlowsThatSpreadFar)
{
  using T = TypeParam;
  for (std::uint64_t seed : {1, 2, 3})
    for (bool apart : {false, true}) {
      SCOPED_TRACE(std::to_string(seed) + (apart ? ", as for a device" : ""));
      const MatrixOf<T> a = with_arguments<T>(flows(40, 160, 40, seed));
      PlanOptions options = lu_plan_options();
      options.only_quasi_definite = apart;
      LuOf<T> lu(a, options);
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.zero, 0);
      const std::vector<T> b = product(a, random_numbers<T>(a.pattern.rows, 5));
      EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-14);
    }
}

} // namespace
