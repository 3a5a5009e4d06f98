#ifndef TESSERA_PC_JLDLT_CHECK_HPP
#define TESSERA_PC_JLDLT_CHECK_HPP

#include "pc/jldlt/jldlt.hpp"

/// Factors on the other backend too, as the setups before this one have done, and makes an error of any difference
/// between the two factors, or between what their sweeps report.
PETSC_INTERN PetscErrorCode PCJLDLTCheckFactor(PC pc, const tessera::JacobiOptions &options);

#endif
