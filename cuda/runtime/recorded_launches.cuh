#ifndef TESSERA_CUDA_RUNTIME_RECORDED_LAUNCHES_CUH
#define TESSERA_CUDA_RUNTIME_RECORDED_LAUNCHES_CUH

#include "cuda/runtime/device_array.cuh"

namespace tessera {

/// A sequence of launches that is replayed as a CUDA graph where it is asked for again with the same arguments: a node
/// of a graph follows the one before it several times sooner than a launch does. The first sequence is recorded while
/// the device works on it. After one with other arguments that was recorded in vain, the next is recorded when it is
/// asked for a second time. Key: what the launches are given and may differ from one time to the next; comparable by
/// ==.
template <class Key>
class RecordedLaunches {
public:
  RecordedLaunches() = default;
  RecordedLaunches(const RecordedLaunches &) = delete;
  RecordedLaunches &operator=(const RecordedLaunches &) = delete;
  ~RecordedLaunches()
  {
    forget();
    if (recorder_)
      cudaStreamDestroy(recorder_); // its failure cannot be told to anybody
  }

  /// Queues on the stream what queue_launches(stream) queues: nothing but launches, fills and copies within the device.
  template <class QueueLaunches>
  void queue(const Key &key, cudaStream_t stream, const QueueLaunches &queue_launches)
  {
    const bool again = known_ && key == key_;
    if (!again) {
      forget();
      key_ = key;
      known_ = true;
    }
    if (graph_) {
      check(cudaGraphLaunch(graph_, stream), "replaying launches");
      replayed_ = true;
      return;
    }
    queue_launches(stream);
    if (again || replayed_)
      record(queue_launches);
  }

private:
  template <class QueueLaunches>
  void record(const QueueLaunches &queue_launches)
  {
    if (!recorder_)
      check(cudaStreamCreateWithFlags(&recorder_, cudaStreamNonBlocking), "making a stream");
    check(cudaStreamBeginCapture(recorder_, cudaStreamCaptureModeThreadLocal), "recording launches");
    cudaGraph_t recorded = nullptr;
    try {
      queue_launches(recorder_);
    } catch (...) {
      cudaStreamEndCapture(recorder_, &recorded);
      if (recorded)
        cudaGraphDestroy(recorded);
      throw;
    }
    check(cudaStreamEndCapture(recorder_, &recorded), "recording launches");
    const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
    cudaGraphDestroy(recorded);
    if (status != cudaSuccess)
      graph_ = nullptr;
    check(status, "preparing recorded launches");
    check(cudaGraphUpload(graph_, recorder_), "preparing recorded launches");
    replayed_ = false;
  }

  void forget()
  {
    if (graph_)
      cudaGraphExecDestroy(graph_); // which waits for nothing: a replay that runs goes on
    graph_ = nullptr;
    known_ = false;
  }

  Key key_ = {};
  bool known_ = false;   ///< whether key_ was asked for the last time
  bool replayed_ = true; ///< the last recording, or there was none
  cudaGraphExec_t graph_ = nullptr;
  cudaStream_t recorder_ = nullptr;
};

} // namespace tessera
#endif
