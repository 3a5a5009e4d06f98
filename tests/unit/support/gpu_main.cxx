// The main function of GoogleTest programs that need a GPU: without one they end with 77, which ctest takes for
// skipped. Memory that was never freed is an error where the device tells: under memcheck's leak check, and emulated.
#include "factor/operator.hpp"

#include <cstdio>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  if (tessera::visible_cuda_devices().empty()) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  const int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->total_test_count() == 0) {
    std::printf("no tests: their sources were not compiled\n");
    return 1;
  }
  tessera::free_pinned_memory();
  return cudaDeviceReset() == cudaSuccess ? failed : 1;
}
