#ifndef TESSERA_PC_JLDLT_SET_HPP
#define TESSERA_PC_JLDLT_SET_HPP

#include "pc/factored/set.hpp"
#include "pc/jldlt/jldlt.hpp"

/// Sets an option of a PC of this type, and does nothing to others.
template <class T>
PetscErrorCode PCJLDLTSet(PC pc, T PCJLDLTOptions::*option, T value, Invalidates invalidates)
{
  return PCFactoredSet<PC_JLDLT>(pc, PCJLDLT, option, value, invalidates, [invalidates](PC_JLDLT &jldlt) {
    if (invalidates == Invalidates::Analysis)
      jldlt.forget_factor();
  });
}

#endif
