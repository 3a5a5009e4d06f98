#ifndef TESSERA_PC_FACTORED_SET_HPP
#define TESSERA_PC_FACTORED_SET_HPP

#include "pc/factored/factored.hpp"

#include <petsc/private/pcimpl.h>

/// What of a setup a changed option makes invalid.
enum class Invalidates {
  Nothing,
  Factor,  ///< its numbers
  Storage, ///< and the place or form in which they are held
  Analysis ///< all
};

/// The data of a PC of this type, or NULL.
template <class Data>
PetscErrorCode PCFactoredGetData(PC pc, PCType type, Data **data)
{
  PetscBool is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, type, &is));
  *data = is ? static_cast<Data *>(pc->data) : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets an option of a PC of this type, and does nothing to others. invalidate(data) gives up what does not hold any
/// longer, once the option is another one.
template <class Data, class Options, class T, class Invalidate>
PetscErrorCode PCFactoredSet(PC pc, PCType type, T Options::*option, T value, Invalidates invalidates,
                             const Invalidate &invalidate)
{
  Data *data = nullptr;

  PetscFunctionBegin;
  PetscCall(PCFactoredGetData(pc, type, &data));
  if (!data || data->options.*option == value)
    PetscFunctionReturn(PETSC_SUCCESS);
  data->options.*option = value;
  if (invalidates == Invalidates::Nothing)
    PetscFunctionReturn(PETSC_SUCCESS);
  invalidate(*data);
  pc->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An error unless an enumeration has this value. names: as PetscOptionsEnum() takes them, those of the values, the
/// name of the type, the prefix, NULL.
template <class Enum>
PetscErrorCode PCFactoredCheckEnum(PC pc, const char message[], Enum value, const char *const names[])
{
  int values = 0;

  PetscFunctionBegin;
  while (names[values + 2])
    ++values;
  PetscCheck(value >= 0 && value < values, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "%s: %d",
             message, (int)value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
