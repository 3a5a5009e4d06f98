#ifndef TESSERA_PC_JLDLT_SET_HPP
#define TESSERA_PC_JLDLT_SET_HPP

#include "pc/factored_set.hpp"
#include "pc/jldlt.hpp"

/// The data of a PC of this type, or NULL.
PETSC_INTERN PetscErrorCode PCJLDLTGetData(PC pc, PC_JLDLT **jldlt);

/// Sets an option of a PC of this type, and does nothing to others.
template <class T>
PetscErrorCode PCJLDLTSet(PC pc, T PCJLDLTOptions::*option, T value, Invalidates invalidates)
{
  PC_JLDLT *jldlt = nullptr;

  PetscFunctionBegin;
  PetscCall(PCJLDLTGetData(pc, &jldlt));
  if (!jldlt || jldlt->options.*option == value)
    PetscFunctionReturn(PETSC_SUCCESS);
  jldlt->options.*option = value;
  if (invalidates == Invalidates::Analysis)
    jldlt->factorization.reset();
  if (invalidates != Invalidates::Nothing)
    pc->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
