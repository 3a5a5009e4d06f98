#ifndef TESSERA_CUDA_RUNTIME_CURRENT_STREAM_HPP
#define TESSERA_CUDA_RUNTIME_CURRENT_STREAM_HPP

#include <cuda_runtime.h>

namespace tessera {

/// The device that new work is for: that of PETSc's current device context, or CUDA's current one in a program without
/// PETSc.
int current_device();

/// The stream that work on this device is queued on: PETSc's current one, or the default stream in a program without
/// PETSc. Throws BackendError if PETSc's is of another device.
cudaStream_t current_stream(int device);

} // namespace tessera
#endif
