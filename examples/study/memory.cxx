#include "memory.hpp"

#include "device.hpp"
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <string>

namespace examples {
namespace {

/// A line of /proc/self/status that counts kilobytes, in bytes.
PetscErrorCode ReadStatus(const std::string &key, PetscInt64 *bytes)
{
  std::ifstream status("/proc/self/status");
  PetscInt64 kilobytes = -1;

  PetscFunctionBeginUser;
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key + ":", 0) == 0)
      kilobytes = std::stoll(line.substr(key.size() + 1));
  PetscCheck(kilobytes >= 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "/proc/self/status has no line %s: memory is measured on Linux only", key.c_str());
  *bytes = kilobytes * 1024;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Memory::Begin(PetscBool of_device)
{
  PetscFunctionBeginUser;
  of_device_ = of_device;
  if (of_device_) {
    PetscCall(DeviceBytesInUse(&base_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  malloc_trim(0);
  {
    std::ofstream reset("/proc/self/clear_refs");
    reset << 5 << std::flush; // proc(5): resets the peak resident set size
    PetscCheck(reset.good(), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "/proc/self/clear_refs cannot be written: the peak of memory cannot be measured");
  }
  PetscCall(ReadStatus("VmRSS", &base_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Memory::Growth(PetscInt64 *bytes) const
{
  PetscFunctionBeginUser;
  if (of_device_)
    PetscCall(DeviceBytesInUse(bytes));
  else
    PetscCall(ReadStatus("VmHWM", bytes));
  *bytes = *bytes > base_ ? *bytes - base_ : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
