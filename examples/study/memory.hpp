#ifndef EXAMPLES_STUDY_MEMORY_HPP
#define EXAMPLES_STUDY_MEMORY_HPP

#include <petscsys.h>

namespace examples {

/// Resident memory of this process from a moment on, as Linux counts it.
class ResidentMemory {
public:
  /// Begins: gives back what the allocator holds free, and has the kernel forget the largest size so far.
  PetscErrorCode Begin();

  /// Bytes that were resident at Begin().
  PetscInt64 base() const { return base_; }

  /// The most bytes that were resident since Begin(), less base().
  PetscErrorCode Growth(PetscInt64 *bytes) const;

private:
  PetscInt64 base_ = 0;
};

} // namespace examples
#endif
