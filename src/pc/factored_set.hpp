#ifndef TESSERA_PC_FACTORED_SET_HPP
#define TESSERA_PC_FACTORED_SET_HPP

#include <petsc/private/pcimpl.h>

/// What of a setup a changed option makes invalid.
enum class Invalidates {
  Nothing,
  Factor,  ///< its numbers
  Storage, ///< and the place or form in which they are held
  Analysis ///< all
};

#endif
