// CUDA's runtime on a processor: see emulation/runtime_types.hpp.
#include "emulation/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

using Work = std::vector<std::function<void()>>;

struct EmulatedGraph {
  Work work;
};

/// recorded: what is queued while the stream is part of a recording.
struct EmulatedStream {
  Work *recorded = nullptr;
  bool began = false; ///< it is the one whose recording it is
};

struct EmulatedEvent {
  Work *recorded = nullptr;
};

namespace {

EmulatedStream default_stream;

EmulatedStream &of(cudaStream_t stream)
{
  return stream == nullptr || stream == cudaStreamLegacy ? default_stream : *stream;
}

constexpr std::size_t all_memory = std::size_t(4) << 30;

/// Sizes of what is allocated.
struct Memory {
  std::mutex mutex;
  std::map<void *, std::size_t> bytes;
  std::size_t sum = 0;

  static Memory &all()
  {
    static Memory &memory = *new Memory; // objects that free memory may end after all others
    return memory;
  }
};

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t say(cudaError_t error)
{
  if (error != cudaSuccess)
    last_error = error;
  return error;
}

/// Streams that take part in recordings, so that they stop when these end.
std::vector<EmulatedStream *> recording;

} // namespace

void tessera::emulation::queue(cudaStream_t stream, std::function<void()> work)
{
  EmulatedStream &s = of(stream);
  if (s.recorded)
    s.recorded->push_back(std::move(work));
  else
    work();
}

cudaError_t cudaGetLastError()
{
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
  switch (error) {
  case cudaSuccess:
    return "no error";
  case cudaErrorMemoryAllocation:
    return "out of memory";
  case cudaErrorInvalidConfiguration:
    return "invalid configuration argument";
  default:
    return "invalid argument";
  }
}

cudaError_t cudaGetDeviceCount(int *count)
{
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
  return say(device == 0 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
  *properties = {};
  std::strcpy(properties->name, "an emulated GPU");
  properties->major = 9;
  properties->minor = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int)
{
  const std::map<cudaDeviceAttr, int> values = {{cudaDevAttrMultiProcessorCount, 4},
                                                {cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 << 10},
                                                {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10},
                                                {cudaDevAttrReservedSharedMemoryPerBlock, 1 << 10}};
  *value = values.at(which);
  return cudaSuccess;
}

cudaError_t emulated_occupancy(int *blocks, int threads, std::size_t shared)
{
  *blocks = std::min(2048 / threads, int((std::size_t(228) << 10) / (shared + 1024)));
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
  return cudaSuccess;
}

// --- memory ---

cudaError_t cudaMalloc(void **memory, std::size_t bytes)
{
  Memory &all = Memory::all();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (bytes > all_memory - all.sum)
    return say(cudaErrorMemoryAllocation);
  const std::size_t rounded = (bytes + 255) / 256 * 256;
  *memory = std::aligned_alloc(256, rounded);
  if (!*memory)
    return say(cudaErrorMemoryAllocation);
  std::memset(*memory, 0xff, rounded);
  all.bytes[*memory] = bytes;
  all.sum += bytes;
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **memory, std::size_t bytes, cudaStream_t)
{
  return cudaMalloc(memory, bytes);
}

cudaError_t cudaMallocHost(void **memory, std::size_t bytes)
{
  *memory = std::malloc(bytes);
  return *memory ? cudaSuccess : say(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *memory)
{
  Memory &all = Memory::all();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.bytes.find(memory);
  if (found == all.bytes.end())
    return say(cudaErrorInvalidValue);
  all.sum -= found->second;
  all.bytes.erase(found);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t)
{
  return cudaFree(memory);
}

cudaError_t cudaMemGetInfo(std::size_t *free_bytes, std::size_t *all_bytes)
{
  *free_bytes = all_memory - Memory::all().sum;
  *all_bytes = all_memory;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
  tessera::emulation::queue(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
{
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t stream)
{
  tessera::emulation::queue(stream, [=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, std::size_t bytes)
{
  return cudaMemsetAsync(to, value, bytes, nullptr);
}

// --- streams, events and graphs ---

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
  *stream = new EmulatedStream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
  return say(of(stream).recorded ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
  *id = reinterpret_cast<unsigned long long>(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
  *status = of(stream).recorded ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
  stream->recorded = new Work;
  stream->began = true;
  recording.push_back(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
  Work *const work = stream->recorded;
  *graph = new EmulatedGraph{std::move(*work)};
  for (EmulatedStream *s : recording)
    if (s->recorded == work)
      s->recorded = nullptr;
  recording.clear();
  delete work;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
  *event = new EmulatedEvent;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
  event->recorded = of(stream).recorded;
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
  EmulatedStream &s = of(stream);
  if (event->recorded && !s.recorded) { // the stream joins the recording
    s.recorded = event->recorded;
    recording.push_back(&s);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
  *executable = new EmulatedGraph(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
  for (const auto &work : executable->work)
    tessera::emulation::queue(stream, work);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
  return cudaGraphDestroy(executable);
}
