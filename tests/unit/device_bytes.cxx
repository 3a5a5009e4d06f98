// What factorizations in device memory say that they hold, against what the device's pool has handed out for them.
#include "base/memory.hpp"
#include "factor/bildlt/factorization.hpp"
#include "factor/jldlt/factorization.hpp"
#include "support/host_factor.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace tessera::test {
namespace {

/// Bytes that this process has allocated on the current device, when all that is queued is done.
double used()
{
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t bytes = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetMemPool(&pool, device), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes), cudaSuccess);
  return double(bytes);
}

Analysis analysis_of(const Matrix &matrix, BlockStrategy strategy, Index fill_level)
{
  AnalysisOptions options;
  options.blocking.ordering = Ordering::ND;
  options.blocking.strategy = strategy;
  options.fill_level = fill_level;
  return analyze(matrix, options);
}

TEST(DeviceBytes, BlockFactorizationCountsAllOfIt)
{
  const Matrix matrix = shifted_laplacian(24);
  const Analysis analysis = analysis_of(matrix, BlockStrategy::SN, 2);
  std::vector<double> x(matrix.pattern.rows, 1.0), y(x.size());
  const double before = used();
  {
    const auto factorization = make_cuda_factorization(analysis, Precision::Double);
    for (int run = 0; run < 3; ++run)
      factorization->factor(matrix.value.data(), Place::Host, FactorOptions());
    factorization->apply(x.data(), Place::Host, y.data(), Place::Host, false);
    const double held = used() - before;
    EXPECT_NEAR(double(factorization->bytes()), held, 0.05 * held);
  }
  EXPECT_EQ(used(), before);
}

TEST(DeviceBytes, JacobiFactorizationCountsAllOfIt)
{
  const Matrix matrix = shifted_laplacian(24);
  const Analysis analysis = analysis_of(matrix, BlockStrategy::BR, 0);
  JacobiOptions options;
  options.sweeps = 2;
  options.epsilon = 0.1;
  const double before = used();
  for (Index apply_sweeps : {0, 3}) {
    const auto factorization = make_cuda_jacobi(analysis);
    factorization->set_apply_sweeps(apply_sweeps);
    factorization->factor(matrix.value.data(), Place::Host, options);
    factorization->prepare_apply();
    const double held = used() - before;
    EXPECT_NEAR(double(factorization->bytes()), held, 0.05 * held) << apply_sweeps;
  }
  EXPECT_EQ(used(), before);
}

TEST(DeviceBytes, JacobiFactorizationKeepsToItsLimit)
{
  const Matrix matrix = shifted_laplacian(24);
  const Analysis analysis = analysis_of(matrix, BlockStrategy::BR, 0);
  JacobiOptions options;
  options.sweeps = 2;
  options.epsilon = 0.1;
  const double before = used();
  {
    const auto free = make_cuda_jacobi(analysis);
    const double error = free->factor(matrix.value.data(), Place::Host, options).final_error;
    const Offset bytes = free->bytes();
    options.max_bytes = bytes;
    EXPECT_EQ(make_cuda_jacobi(analysis)->factor(matrix.value.data(), Place::Host, options).final_error, error);
    for (double share : {0.8, 0.5, 0.01}) {
      options.max_bytes = static_cast<Offset>(share * double(bytes));
      const auto limited = make_cuda_jacobi(analysis);
      EXPECT_THROW(limited->factor(matrix.value.data(), Place::Host, options), OverBudget) << share;
    }
  }
  EXPECT_EQ(used(), before);
}

} // namespace
} // namespace tessera::test
