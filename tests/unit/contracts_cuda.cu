// The CUDA backend keeps the contracts of the collective layer: compiling this shows it.
#include "contracts.hpp"
#include "cuda/bildlt/update_ring.cuh"
#include "cuda/jldlt/backend.cuh"

namespace tessera::test {
namespace {

template <int W>
using LargestSweepTeam = SweepTeam<W, 32, false, TensorProducts>;

static_assert(all_keep_contracts<CudaGroup, CudaTeam, CudaLanes, LargestSweepTeam, DeviceBackend>());
static_assert(IsTeam<MultiplyingTeam<32, PullWarps<4, 8>>>::value);

} // namespace
} // namespace tessera::test
