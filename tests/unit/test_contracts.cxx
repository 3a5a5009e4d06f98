// The host keeps the contracts of the collective layer; types that lack something do not.
#include "contracts.hpp"
#include "host/jldlt/backend.hpp"

#include <gtest/gtest.h>

namespace tessera::test {
namespace {

static_assert(all_keep_contracts<HostGroup, HostTeam, HostLanes, SweepCore, HostBackend>());

struct WithoutSum : HostGroup<8> {
  void sum() const;
};
struct SumOfLanes : HostGroup<8> {
  template <class L>
  L sum(const L &) const;
};
struct WithoutGroups : HostTeam<8> {
  void groups() const = delete;
};
struct WithoutSolve : SweepCore<8> {
  void solve() const;
};
struct WithoutSort : HostBackend {
  void sort() const;
};

TEST(Contracts, NameWhatIsMissing)
{
  EXPECT_TRUE((IsGroup<HostGroup<8>, double>::value));
  EXPECT_FALSE((IsGroup<WithoutSum, double>::value));
  EXPECT_FALSE((IsGroup<SumOfLanes, double>::value));
  EXPECT_TRUE(IsTeam<HostTeam<8>>::value);
  EXPECT_FALSE(IsTeam<HostGroup<8>>::value);
  EXPECT_FALSE(IsTeam<WithoutGroups>::value);
  EXPECT_FALSE(IsJacobiGroup<HostTeam<8>>::value);
  EXPECT_TRUE(IsJacobiGroup<HostLanes<8>>::value);
  EXPECT_TRUE(IsJacobiWorker<SweepCore<8>>::value);
  EXPECT_FALSE(IsJacobiWorker<WithoutSolve>::value);
  EXPECT_TRUE(IsJacobiBackend<HostBackend>::value);
  EXPECT_FALSE(IsJacobiBackend<WithoutSort>::value);
}

} // namespace
} // namespace tessera::test
