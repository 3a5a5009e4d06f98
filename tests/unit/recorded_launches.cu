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

struct Fill {
  int byte, queued;
};

/// Fills by one recorder, one after the other, each queued so often.
void expect_queued(const std::vector<Fill> &sequence)
{
  Fills fills;
  for (std::size_t i = 0; i < sequence.size(); ++i)
    EXPECT_EQ(fills.fill(sequence[i].byte), sequence[i].queued) << "fill " << i;
}

TEST(RecordedLaunches, TheFirstAreRecordedAtOnce)
{
  expect_queued({{1, 2}, {1, 0}, {1, 0}});
}

TEST(RecordedLaunches, OthersAreRecordedAtOnceAfterAReplay)
{
  expect_queued({{1, 2}, {1, 0}, {2, 2}, {2, 0}});
}

TEST(RecordedLaunches, AfterARecordingInVainTheSecondTimeIsRecorded)
{
  expect_queued({{1, 2}, {2, 1}, {3, 1}, {4, 1}, {4, 2}, {4, 0}, {5, 2}});
}

/// What was recorded is forgotten even if nothing else is recorded.
TEST(RecordedLaunches, TheOldAreNotReplayed)
{
  expect_queued({{1, 2}, {2, 1}, {1, 1}});
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
