#include "cuda/runtime/device_queue.hpp"

#include "cuda/runtime/check.cuh"
#include "cuda/runtime/current_stream.hpp"

namespace tessera {
namespace {

/// The default stream, which nobody can destroy: an event is recorded when somebody wants to wait for it, which saves
/// one a call, and it is the same one for as long as the device is.
bool stays(cudaStream_t stream)
{
  return stream == nullptr || stream == cudaStreamLegacy;
}

} // namespace

WithDevice::WithDevice(int device)
{
  check(cudaGetDevice(&before_), "asking for the device");
  if (device == before_)
    return;
  check(cudaSetDevice(device), "changing the device");
  changed_ = true;
}

WithDevice::~WithDevice()
{
  if (changed_)
    cudaSetDevice(before_); // it was the current one, so it can be
}

DeviceQueue::DeviceQueue() : device_(current_device())
{
  const WithDevice device(device_);
  check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "making an event");
}

DeviceQueue::~DeviceQueue()
{
  cudaEventDestroy(done_); // which nobody can be told the failure of
  if (last_)
    cudaStreamDestroy(last_); // once what is queued on it is done
}

/// Goes on, on PETSc's current stream, after the last call.
void DeviceQueue::begin()
{
  const cudaStream_t stream = current_stream(device_);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGetLastError(); // what somebody left there is not an error of this call
  check(cudaStreamIsCapturing(stream, &capture), "asking for the state of the stream");
  if (capture != cudaStreamCaptureStatusNone)
    throw BackendError("PETSc's current stream is recorded to a CUDA graph, which a factorization cannot be part of");
  if (!stays(stream))
    check(cudaStreamGetId(stream, &id), "asking for the stream");
  if (used_ && (stream != stream_ || id != id_)) {
    if (stays(stream_))
      check(cudaEventRecord(done_, stream_), "ordering streams");
    check(cudaStreamWaitEvent(stream, done_, 0), "ordering streams");
  }
  stream_ = stream;
  id_ = id;
  used_ = true;
}

void DeviceQueue::end(bool failed) noexcept
{
  if (failed)
    cudaDeviceSynchronize(); // streams beside this one may have work that nobody waits for
  if (!stays(stream_) && cudaEventRecord(done_, stream_) != cudaSuccess)
    cudaStreamSynchronize(stream_); // the event is the one before, so nothing may be left to wait for
  if (failed)
    cudaGetLastError();
}

void DeviceQueue::retire() noexcept
{
  try {
    retired_.emplace(device_);
    if (!used_ || stays(stream_))
      return;
    check(cudaStreamCreateWithFlags(&last_, cudaStreamNonBlocking), "making a stream");
    check(cudaStreamWaitEvent(last_, done_, 0), "ordering streams");
    stream_ = last_;
  } catch (const std::exception &) {
    cudaDeviceSynchronize(); // instead of the order
    stream_ = nullptr;
  }
}

} // namespace tessera
