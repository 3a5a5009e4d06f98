#ifndef EXAMPLES_STUDY_DEVICE_HPP
#define EXAMPLES_STUDY_DEVICE_HPP

#include <petscmat.h>

namespace examples {

/// Whether a matrix, and the vectors that go with it, have their values in the memory of a GPU.
PetscErrorCode IsOnDevice(Mat a, PetscBool *on_device);

/// Waits until the GPU has done all that it was given. An error in a build without CUDA.
PetscErrorCode WaitForDevice();

/// Bytes of the GPU's memory that are in use, by whomever. An error in a build without CUDA.
PetscErrorCode DeviceBytesInUse(PetscInt64 *bytes);

} // namespace examples
#endif
