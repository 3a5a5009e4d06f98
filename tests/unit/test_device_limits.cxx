// Lowered limits of devices, as tests of the kernels use them. Needs no GPU.
#include "cuda/runtime/device_limits.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace tessera;

namespace {

DeviceLimits h200()
{
  DeviceLimits limits;
  limits.name = "NVIDIA H200";
  limits.capability = 90;
  limits.multiprocessors = 132;
  limits.block_shared = 232448;
  limits.processor_shared = 233472;
  limits.reserved_shared = 1024;
  return limits;
}

TEST(DeviceLimits, AreLowered)
{
  DeviceLimits limits = h200();
  cap_limits(limits, "capability=80 multiprocessors=108  block_shared=166912 processor_shared=167936");
  EXPECT_EQ(limits.capability, 80);
  EXPECT_EQ(limits.multiprocessors, 108);
  EXPECT_EQ(limits.block_shared, 166912);
  EXPECT_EQ(limits.processor_shared, 167936);
  EXPECT_TRUE(limits.tensor_cores);
  cap_limits(limits, "tensor_cores=0");
  EXPECT_FALSE(limits.tensor_cores);
}

TEST(DeviceLimits, AreNotRaised)
{
  DeviceLimits limits = h200();
  cap_limits(limits, "capability=120 multiprocessors=148 block_shared=300000 processor_shared=300000");
  EXPECT_EQ(in_words(limits), in_words(h200()));
  EXPECT_EQ(limits.processor_shared, h200().processor_shared);
}

TEST(DeviceLimits, RefuseWhatTheyDoNotKnow)
{
  for (const char *text : {"shared=1", "block_shared", "block_shared=", "block_shared=x", "block_shared=1k",
                           "multiprocessors=0", "capability=-80", "tensor_cores=1"}) {
    DeviceLimits limits = h200();
    EXPECT_THROW(cap_limits(limits, text), std::invalid_argument) << text;
  }
}

TEST(DeviceLimits, AreSaid)
{
  DeviceLimits limits = h200();
  EXPECT_EQ(in_words(limits), "NVIDIA H200 (compute capability 9.0), 132 SMs, 232448 bytes of shared memory for a "
                              "thread block, products by tensor cores");
  EXPECT_EQ(remark_on(limits), "");
  limits.tensor_cores = false;
  EXPECT_NE(remark_on(limits), "");
}

/// What was measured on an H200 is the same there, and less on a smaller device.
TEST(DeviceLimits, ScaleWithTheMultiprocessors)
{
  DeviceLimits limits = h200();
  EXPECT_EQ(limits.scaled(1024), 1024);
  limits.multiprocessors = 66;
  EXPECT_EQ(limits.scaled(1024), 512);
}

} // namespace
