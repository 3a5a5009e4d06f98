#ifndef TESSERA_PC_BILDLT_SET_HPP
#define TESSERA_PC_BILDLT_SET_HPP

#include "pc/bildlt/bildlt.hpp"
#include "pc/factored/set.hpp"

/// Sets an option of a PC of this type, and does nothing to others.
template <class T>
PetscErrorCode PCBILDLTSet(PC pc, T PCBILDLTOptions::*option, T value, Invalidates invalidates)
{
  return PCFactoredSet<PC_BILDLT>(pc, PCBILDLT, option, value, invalidates, [invalidates](PC_BILDLT &bildlt) {
    if (invalidates != Invalidates::Factor)
      bildlt.factorization.reset();
    if (invalidates == Invalidates::Analysis)
      bildlt.analysis.reset();
    bildlt.options_changed = PETSC_TRUE;
  });
}

#endif
