#ifndef TESSERA_PC_FACTORED_CHECK_HPP
#define TESSERA_PC_FACTORED_CHECK_HPP

#include "seam/matrix.hpp"

#include <functional>
#include <petscpc.h>
#include <string>

/// Compares the factor of a PC with one that another backend makes of the same values: difference(values) factors them
/// there and says what differs, in words, which become an error. there: whether the library has the other backend.
PETSC_INTERN PetscErrorCode PCFactoredCheck(PC pc, bool there,
                                            const std::function<std::string(const TesseraMatValues &)> &difference);

#endif
