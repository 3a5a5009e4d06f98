#ifndef TESSERA_CUDA_RUNTIME_STAGING_CUH
#define TESSERA_CUDA_RUNTIME_STAGING_CUH

#include "cuda/runtime/device_array.cuh"
#include "factor/operator.hpp"

#include <utility>

namespace tessera {

/// What the caller keeps on the host, copied to and from device memory, and how much that was.
class Staging {
public:
  /// x [n] itself if it is in device memory, else a copy of it in `room`.
  const double *on_device(const double *x, Place x_in, Offset n, DeviceArray<double> &room, const DeviceQueue &queue)
  {
    if (x_in == Place::Device)
      return x;
    make_room(n, room, queue);
    check(cudaMemcpyAsync(room.data(), x, n * sizeof *x, cudaMemcpyHostToDevice, queue), "copying to the device");
    copies.to_device += n * Offset(sizeof *x);
    return room.data();
  }

  /// Where a result z [n] is to be written: z itself if it is in device memory, else room.
  double *result(double *z, Place z_in, Offset n, DeviceArray<double> &room, const DeviceQueue &queue)
  {
    if (z_in == Place::Device)
      return z;
    make_room(n, room, queue);
    return room.data();
  }

  /// Brings a result of x to where the caller wants it. An x on the host is no longer needed then.
  void deliver(Place x_in, const double *from, double *z, Place z_in, Offset n, cudaStream_t stream)
  {
    if (z_in != Place::Device) {
      check(cudaMemcpyAsync(z, from, n * sizeof *z, cudaMemcpyDeviceToHost, stream), "copying to the host");
      copies.to_host += n * Offset(sizeof *z);
    }
    if (z_in != Place::Device || x_in != Place::Device) // a copy out of pinned memory may not have begun
      check(cudaStreamSynchronize(stream), "solving");
  }

  Copies take_copies() { return std::exchange(copies, {}); }

  Copies copies;

private:
  static void make_room(Offset n, DeviceArray<double> &room, const DeviceQueue &queue)
  {
    if (room.size() < n)
      room = DeviceArray<double>(n, queue);
  }
};

/// Whether so many bytes of device memory can be allocated now.
inline bool can_allocate_on_device(Offset bytes, const DeviceQueue &queue)
{
  try {
    const DeviceArray<std::uint8_t> trial(bytes, queue);
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

/// Memory of the current device, in bytes.
inline double device_memory()
{
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for the size of device memory");
  return double(all_bytes);
}

} // namespace tessera
#endif
