#ifndef TESSERA_CUDA_CURRENT_STREAM_HPP
#define TESSERA_CUDA_CURRENT_STREAM_HPP

#include <cuda_runtime.h>

namespace tessera {

/// The stream that work is queued on: PETSc's current one, or the default stream in a build without PETSc.
cudaStream_t current_stream();

} // namespace tessera
#endif
