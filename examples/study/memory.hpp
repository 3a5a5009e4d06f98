#ifndef EXAMPLES_STUDY_MEMORY_HPP
#define EXAMPLES_STUDY_MEMORY_HPP

#include <petscsys.h>

namespace examples {

/// Memory from a moment on: what is resident of this process, as Linux counts it, or what a GPU has in use.
class Memory {
public:
  /// Begins. Of the host's: gives back what the allocator holds free, and has the kernel forget the largest size so
  /// far.
  PetscErrorCode Begin(PetscBool of_device);

  /// Bytes that were in use at Begin().
  PetscInt64 base() const { return base_; }

  /// Bytes beyond base(): of the host's the most since Begin(), of a GPU's those in use now.
  PetscErrorCode Growth(PetscInt64 *bytes) const;

private:
  PetscBool of_device_ = PETSC_FALSE;
  PetscInt64 base_ = 0;
};

} // namespace examples
#endif
