// The main function of GoogleTest programs that need a GPU: without one they end with 77, which ctest takes for
// skipped.
#include "factor/operator.hpp"

#include <cstdio>
#include <gtest/gtest.h>

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  if (tessera::visible_cuda_devices().empty()) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  return RUN_ALL_TESTS();
}
