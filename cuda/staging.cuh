#ifndef TESSERA_CUDA_STAGING_CUH
#define TESSERA_CUDA_STAGING_CUH

#include "device_array.cuh"
#include "factor/block_factorization.hpp"

#include <utility>

namespace tessera {

/// What the caller keeps on the host, copied to and from device memory, and how much that was.
class Staging {
public:
  /// x [n] itself if it is in device memory, else a copy of it in `room`.
  const double *on_device(const double *x, Place x_in, Offset n, DeviceArray<double> &room, cudaStream_t stream)
  {
    if (x_in == Place::Device)
      return x;
    make_room(n, room, stream);
    check(cudaMemcpyAsync(room.data(), x, n * sizeof *x, cudaMemcpyHostToDevice, stream), "copying to the device");
    copies.to_device += n * Offset(sizeof *x);
    return room.data();
  }

  /// Where a result z [n] is to be written: z itself if it is in device memory, else room.
  double *result(double *z, Place z_in, Offset n, DeviceArray<double> &room, cudaStream_t stream)
  {
    if (z_in == Place::Device)
      return z;
    make_room(n, room, stream);
    return room.data();
  }

  /// Brings a result to where the caller wants it.
  void deliver(const double *from, double *z, Place z_in, Offset n, cudaStream_t stream)
  {
    if (z_in == Place::Device)
      return;
    check(cudaMemcpyAsync(z, from, n * sizeof *z, cudaMemcpyDeviceToHost, stream), "copying to the host");
    check(cudaStreamSynchronize(stream), "solving");
    copies.to_host += n * Offset(sizeof *z);
  }

  Copies take_copies() { return std::exchange(copies, {}); }

  Copies copies;

private:
  static void make_room(Offset n, DeviceArray<double> &room, cudaStream_t stream)
  {
    if (room.size() < n)
      room = DeviceArray<double>(n, stream);
  }
};

/// Memory of the current device, in bytes.
inline double device_memory()
{
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for the size of device memory");
  return double(all_bytes);
}

} // namespace tessera
#endif
