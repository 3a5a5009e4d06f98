#ifndef TESSERA_CUDA_RUNTIME_SIDE_STREAMS_CUH
#define TESSERA_CUDA_RUNTIME_SIDE_STREAMS_CUH

#include "cuda/runtime/device_array.cuh"

namespace tessera {

/// Streams for launches that do not depend on each other. What is queued on them is ordered by events, so that a
/// recording of the stream they fork from has the same order.
class SideStreams {
public:
  static constexpr int count = 8;

  SideStreams() = default;
  SideStreams(const SideStreams &) = delete;
  SideStreams &operator=(const SideStreams &) = delete;
  ~SideStreams()
  {
    for (int i = 0; i < count; ++i) { // whose failures cannot be told to anybody
      if (stream_[i])
        cudaStreamDestroy(stream_[i]);
      if (event_[i])
        cudaEventDestroy(event_[i]);
    }
  }

  /// Stream i, which goes on from what is queued on `from`.
  cudaStream_t fork(int i, cudaStream_t from)
  {
    if (!stream_[i])
      check(cudaStreamCreateWithFlags(stream_ + i, cudaStreamNonBlocking), "making a stream");
    if (!event_[i])
      check(cudaEventCreateWithFlags(event_ + i, cudaEventDisableTiming), "making an event");
    wait(i, from, stream_[i]);
    return stream_[i];
  }

  /// `into` goes on when what is queued on stream i is done.
  void join(int i, cudaStream_t into) { wait(i, stream_[i], into); }

private:
  void wait(int i, cudaStream_t from, cudaStream_t into)
  {
    check(cudaEventRecord(event_[i], from), "ordering streams");
    check(cudaStreamWaitEvent(into, event_[i], 0), "ordering streams");
  }

  cudaStream_t stream_[count] = {};
  cudaEvent_t event_[count] = {};
};

} // namespace tessera
#endif
