#ifndef TESSERA_CUDA_RUNTIME_DEVICE_QUEUE_HPP
#define TESSERA_CUDA_RUNTIME_DEVICE_QUEUE_HPP

#include <cuda_runtime.h>
#include <exception>
#include <optional>

namespace tessera {

/// Makes a device CUDA's current one, and the one that was so again when it ends.
class WithDevice {
public:
  explicit WithDevice(int device);
  WithDevice(const WithDevice &) = delete;
  WithDevice &operator=(const WithDevice &) = delete;
  ~WithDevice();

private:
  int before_ = 0;
  bool changed_ = false;
};

/// The order of the device work of one factorization. Each call (DeviceCall) queues its work on the stream that is
/// PETSc's current one then; if that is not the stream of the call before, it first waits for that call's work. Who
/// made a stream may destroy it when a call has returned: what is kept of it is an event.
///
/// Belongs to one device, PETSc's current one when it is made, and is used by one thread at a time.
class DeviceQueue {
public:
  DeviceQueue();
  DeviceQueue(const DeviceQueue &) = delete;
  DeviceQueue &operator=(const DeviceQueue &) = delete;
  ~DeviceQueue();

  int device() const { return device_; }

  /// The stream of the present call
  operator cudaStream_t() const { return stream_; }

  /// Begins the last call, which ends with the queue: what is freed from now on is freed when all work is done. On a
  /// stream of its own, for that of the call before may be gone.
  void retire() noexcept;

private:
  friend class DeviceCall;
  void begin();
  void end(bool failed) noexcept;

  int device_;
  cudaStream_t stream_ = nullptr;
  unsigned long long id_ = 0; ///< of stream_, unless it stays: another stream may get its address
  bool used_ = false;         ///< there was a call
  cudaEvent_t done_ = nullptr;
  cudaStream_t last_ = nullptr; ///< the stream that retire() made
  std::optional<WithDevice> retired_;
};

/// A call of a factorization while it lives, on the factorization's device. One that ends with an exception waits for
/// the device, so that nothing of it is left, and clears the error where it does not stay with CUDA's context.
class DeviceCall {
public:
  explicit DeviceCall(DeviceQueue &queue) : device_(queue.device()), queue_(queue) { queue.begin(); }
  DeviceCall(const DeviceCall &) = delete;
  DeviceCall &operator=(const DeviceCall &) = delete;
  ~DeviceCall() { queue_.end(std::uncaught_exceptions() > exceptions_); }

private:
  WithDevice device_;
  DeviceQueue &queue_;
  int exceptions_ = std::uncaught_exceptions();
};

} // namespace tessera
#endif
