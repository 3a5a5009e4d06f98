// CUDA's runtime on a processor: see emulation/runtime_types.hpp.
#include "emulation/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

using Work = std::vector<std::function<void()>>;

struct EmulatedGraph {
  Work work;
};

namespace {

/// What is queued on a stream and not done yet. It is done when somebody waits for it, as late as can be, so that who
/// forgets to wait reads what was there before.
struct Queue {
  std::deque<std::function<void()>> work;
  std::uint64_t done = 0; ///< works that are

  std::uint64_t end() const { return done + work.size(); }

  /// Does the first `count` works that were ever queued.
  void run(std::uint64_t count)
  {
    while (done < count && !work.empty()) {
      const std::function<void()> next = std::move(work.front());
      work.pop_front();
      next();
      ++done;
    }
  }
};

/// All that have had work, for who waits for the device.
std::vector<std::shared_ptr<Queue>> &queues()
{
  static auto &all = *new std::vector<std::shared_ptr<Queue>>;
  return all;
}

void run_all()
{
  for (std::size_t i = 0; i < queues().size(); ++i)
    queues()[i]->run(queues()[i]->end());
}

std::shared_ptr<Queue> make_queue()
{
  queues().push_back(std::make_shared<Queue>());
  return queues().back();
}

} // namespace

/// recorded: what is queued while the stream is part of a recording.
struct EmulatedStream {
  std::shared_ptr<Queue> queue = make_queue();
  Work *recorded = nullptr;
};

struct EmulatedEvent {
  Work *recorded = nullptr;
  std::shared_ptr<Queue> queue; ///< of the stream that it was recorded on, null before
  std::uint64_t after = 0;      ///< works of that
};

namespace {

EmulatedStream &of(cudaStream_t stream)
{
  static EmulatedStream &default_stream = *new EmulatedStream;
  return stream == nullptr || stream == cudaStreamLegacy ? default_stream : *stream;
}

void finish(EmulatedStream &s)
{
  s.queue->run(s.queue->end());
}

/// Sizes of what is allocated.
struct Memory {
  std::mutex mutex;
  std::map<void *, std::size_t> bytes;
  std::map<const char *, std::size_t> pinned;
  std::size_t sum = 0, limit = std::size_t(4) << 30;

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
    s.queue->work.push_back(std::move(work));
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
  run_all();
  return cudaSuccess;
}

cudaError_t cudaDeviceReset()
{
  run_all();
  const std::size_t device = Memory::all().bytes.size(), pinned = Memory::all().pinned.size();
  if (device + pinned == 0)
    return cudaSuccess;
  std::printf("never freed: %zu allocations of device memory, %zu of pinned memory\n", device, pinned);
  return say(cudaErrorInvalidValue);
}

// --- memory ---

cudaError_t cudaMalloc(void **memory, std::size_t bytes)
{
  Memory &all = Memory::all();
  if (all.sum + bytes > all.limit)
    run_all(); // which frees what is to be freed
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.sum + bytes > all.limit)
    return say(cudaErrorMemoryAllocation);
  const std::size_t rounded = (bytes + 255) / 256 * 256;
  *memory = std::aligned_alloc(256, rounded);
  if (!*memory)
    return say(cudaErrorMemoryAllocation);
  // Not all bits set: by these kernels mark what they wait for.
  std::fill_n(static_cast<std::uint64_t *>(*memory), rounded / sizeof(std::uint64_t), tessera::emulation::no_number);
  all.bytes[*memory] = bytes;
  all.sum += bytes;
  return cudaSuccess;
}

std::size_t emulated_memory(std::size_t left)
{
  run_all();
  Memory &all = Memory::all();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return std::exchange(all.limit, all.sum + left) - all.sum;
}

cudaError_t cudaMallocAsync(void **memory, std::size_t bytes, cudaStream_t)
{
  return cudaMalloc(memory, bytes);
}

cudaError_t cudaMallocHost(void **memory, std::size_t bytes)
{
  *memory = std::malloc(bytes);
  if (!*memory)
    return say(cudaErrorMemoryAllocation);
  Memory::all().pinned[static_cast<const char *>(*memory)] = bytes;
  return cudaSuccess;
}

static cudaError_t free_now(void *memory)
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

cudaError_t cudaFree(void *memory)
{
  run_all();
  return free_now(memory);
}

cudaError_t cudaFreeHost(void *memory)
{
  run_all();
  if (Memory::all().pinned.erase(static_cast<const char *>(memory)) == 0)
    return say(cudaErrorInvalidValue);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
  tessera::emulation::queue(stream, [=] { free_now(memory); });
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t *free_bytes, std::size_t *all_bytes)
{
  const Memory &all = Memory::all();
  *free_bytes = all.limit - std::min(all.sum, all.limit);
  *all_bytes = all.limit;
  return cudaSuccess;
}

static bool is_pinned(const void *memory)
{
  const char *const at = static_cast<const char *>(memory);
  const auto &pinned = Memory::all().pinned;
  const auto next = pinned.upper_bound(at);
  return next != pinned.begin() && at < std::prev(next)->first + std::prev(next)->second;
}

/// Of memory of the host that is not pinned a copy is taken at once, and one to such memory is waited for.
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
  if (kind == cudaMemcpyHostToDevice && !is_pinned(from)) {
    const char *const begin = static_cast<const char *>(from);
    const auto copy = std::make_shared<std::vector<char>>(begin, begin + bytes);
    tessera::emulation::queue(stream, [=] { std::copy(copy->begin(), copy->end(), static_cast<char *>(to)); });
    return cudaSuccess;
  }
  tessera::emulation::queue(stream, [=] { std::memcpy(to, from, bytes); });
  if (kind == cudaMemcpyDeviceToHost && !is_pinned(to))
    finish(of(stream));
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
{
  cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  finish(of(nullptr));
  return cudaSuccess;
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
  if (of(stream).recorded)
    return say(cudaErrorInvalidValue);
  finish(of(stream));
  return cudaSuccess;
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
  EmulatedStream &s = of(stream);
  event->recorded = s.recorded;
  event->queue = s.queue;
  event->after = s.queue->end();
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
  EmulatedStream &s = of(stream);
  if (event->recorded && !s.recorded) { // the stream joins the recording
    s.recorded = event->recorded;
    recording.push_back(&s);
  } else if (!event->recorded && event->queue) {
    tessera::emulation::queue(stream, [queue = event->queue, after = event->after] { queue->run(after); });
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
  *executable = new EmulatedGraph(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t)
{
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
