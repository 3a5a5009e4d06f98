// When launches are recorded and replayed. Needs a GPU.
#include "cuda/runtime/recorded_launches.cuh"

#include <gtest/gtest.h>
#include <vector>

using namespace tessera;

namespace {

/// Fills of an array with a byte, which is the key, and how often they were queued: once for the stream, and once more
/// where they are recorded.
class Fills {
public:
  /// Queues a fill, and returns how often it was queued. The array holds the byte then.
  int fill(int byte)
  {
    const int before = queued_;
    launches_.queue(byte, nullptr, [&](cudaStream_t stream) {
      ++queued_;
      check(cudaMemsetAsync(array_.data(), byte, array_.bytes(), stream), "filling");
    });
    std::vector<unsigned char> values(array_.size());
    check(cudaMemcpy(values.data(), array_.data(), values.size(), cudaMemcpyDeviceToHost), "copying to the host");
    EXPECT_EQ(values, std::vector<unsigned char>(values.size(), static_cast<unsigned char>(byte)));
    return queued_ - before;
  }

private:
  DeviceArray<unsigned char> array_{1000, nullptr};
  RecordedLaunches<int> launches_;
  int queued_ = 0;
};

TEST(RecordedLaunches, TheFirstAreRecordedAtOnce)
{
  Fills fills;
  EXPECT_EQ(fills.fill(1), 2);
  EXPECT_EQ(fills.fill(1), 0);
  EXPECT_EQ(fills.fill(1), 0);
}

TEST(RecordedLaunches, OthersAreRecordedAtOnceAfterAReplay)
{
  Fills fills;
  EXPECT_EQ(fills.fill(1), 2);
  EXPECT_EQ(fills.fill(1), 0);
  EXPECT_EQ(fills.fill(2), 2);
  EXPECT_EQ(fills.fill(2), 0);
}

TEST(RecordedLaunches, AfterARecordingInVainTheSecondTimeIsRecorded)
{
  Fills fills;
  EXPECT_EQ(fills.fill(1), 2);
  for (int byte = 2; byte < 6; ++byte)
    EXPECT_EQ(fills.fill(byte), 1);
  EXPECT_EQ(fills.fill(5), 2);
  EXPECT_EQ(fills.fill(5), 0);
  EXPECT_EQ(fills.fill(6), 2);
}

/// What was recorded is forgotten even if nothing else is recorded.
TEST(RecordedLaunches, TheOldAreNotReplayed)
{
  Fills fills;
  EXPECT_EQ(fills.fill(1), 2);
  EXPECT_EQ(fills.fill(2), 1);
  EXPECT_EQ(fills.fill(1), 1);
}

TEST(RecordedLaunches, FailingLaunchesAreRecordedLater)
{
  RecordedLaunches<int> launches;
  int queued = 0;
  const auto queue = [&](cudaStream_t) {
    if (++queued == 2)
      throw BackendError("while they are recorded");
  };
  EXPECT_THROW(launches.queue(1, nullptr, queue), BackendError);
  launches.queue(1, nullptr, queue);
  EXPECT_EQ(queued, 4);
  launches.queue(1, nullptr, queue);
  EXPECT_EQ(queued, 4);
}

} // namespace
