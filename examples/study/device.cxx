#include "device.hpp"

#include <string>
#ifdef STUDY_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace examples {

PetscErrorCode IsOnDevice(Mat a, PetscBool *on_device)
{
  VecType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetVecType(a, &type));
  *on_device = type && std::string(type).find("cuda") != std::string::npos ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#ifdef STUDY_WITH_CUDA

namespace {

PetscErrorCode Check(cudaError_t error)
{
  PetscFunctionBeginUser;
  PetscCheck(error == cudaSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "%s", cudaGetErrorString(error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode WaitForDevice()
{
  PetscFunctionBeginUser;
  PetscCall(Check(cudaDeviceSynchronize()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceBytesInUse(PetscInt64 *bytes)
{
  std::size_t free_bytes, total;

  PetscFunctionBeginUser;
  PetscCall(Check(cudaMemGetInfo(&free_bytes, &total)));
  *bytes = static_cast<PetscInt64>(total - free_bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode WaitForDevice()
{
  PetscFunctionBeginUser;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "study_case was built without CUDA");
}

PetscErrorCode DeviceBytesInUse(PetscInt64 *)
{
  PetscFunctionBeginUser;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "study_case was built without CUDA");
}

#endif

} // namespace examples
