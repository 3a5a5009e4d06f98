#ifndef TESSERA_PC_BILDLT_SET_HPP
#define TESSERA_PC_BILDLT_SET_HPP

#include "pc/bildlt.hpp"
#include "pc/factored_set.hpp"

/// The data of a PC of this type, or NULL.
PETSC_INTERN PetscErrorCode PCBILDLTGetData(PC pc, PC_BILDLT **bildlt);

/// Sets an option of a PC of this type, and does nothing to others.
template <class T>
PetscErrorCode PCBILDLTSet(PC pc, T PCBILDLTOptions::*option, T value, Invalidates invalidates)
{
  PC_BILDLT *bildlt = nullptr;

  PetscFunctionBegin;
  PetscCall(PCBILDLTGetData(pc, &bildlt));
  if (!bildlt || bildlt->options.*option == value)
    PetscFunctionReturn(PETSC_SUCCESS);
  bildlt->options.*option = value;
  if (invalidates == Invalidates::Storage || invalidates == Invalidates::Analysis)
    bildlt->factorization.reset();
  if (invalidates == Invalidates::Analysis)
    bildlt->analysis.reset();
  if (invalidates != Invalidates::Nothing) {
    bildlt->options_changed = PETSC_TRUE;
    pc->setupcalled = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
