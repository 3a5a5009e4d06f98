#ifndef TESSERA_PC_FACTORED_SETUP_HPP
#define TESSERA_PC_FACTORED_SETUP_HPP

#include "factor/report.hpp"
#include "pc/factored/apply.hpp"
#include "seam/copies.hpp"
#include "seam/matrix.hpp"

#include <petsc/private/pcimpl.h>

#include <functional>

// The steps of a setup that do not depend on how the factor is made.

/// Whether the factor is to be made in device memory: by default if the matrix is there.
PETSC_INTERN PetscErrorCode PCFactoredWantsDevice(PC pc, TesseraBackend backend, PetscBool *on_device);

/// Runs factor(values), which factors the values of the matrix and returns how many flops that took, or 0 if that is
/// not known, as an event of the log. fits: whether there was memory for it.
PETSC_INTERN PetscErrorCode PCFactoredFactor(PC pc, PetscLogEvent event,
                                             const std::function<double(const TesseraMatValues &)> &factor, bool *fits);

/// Turns a factorization that failed into a failed reason.
PETSC_INTERN PetscErrorCode PCFactoredCheckReport(PC pc, const tessera::FactorReport &report);

/// Ends a setup: gives up what there was no memory for; a failed reason is an error where the user wants it to be one.
PETSC_INTERN PetscErrorCode PCFactoredEndSetUp(PC pc);

/// made = make(place), an empty factorization of the analysed pattern on the backend that was asked for; null of a
/// backend that the library was built without. Sets the failed reason when there is no memory for it.
template <class Factorization, class Make>
PetscErrorCode PCFactoredMake(PC pc, TesseraBackend backend, const Make &make, std::unique_ptr<Factorization> *made)
{
  PetscBool on_device;
  tessera::FirstError error;

  PetscFunctionBegin;
  PetscCall(PCFactoredWantsDevice(pc, backend, &on_device));
  error.guard([&] {
    if (on_device)
      *made = make(tessera::Place::Device);
    if (!*made && backend != TESSERA_BACKEND_CUDA)
      *made = make(tessera::Place::Host);
  });
  PetscCall(PCFactoredCheckError(pc, "the pattern of the factor", error));
  if (pc->failedreason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(*made, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "This libtessera was built without CUDA: -pc_%s_backend cuda needs one built with the preset cuda",
             ((PetscObject)pc)->type_name);
  if (on_device && (*made)->place() == tessera::Place::Host)
    PetscCall(PetscInfo(pc, "Built without CUDA: a matrix in device memory is factored on the host\n"));
  if ((*made)->place() == tessera::Place::Device)
    PetscCall(PetscInfo(pc, "Factors on %s\n", (*made)->machine().c_str()));
  PetscCall(TesseraLogCopies((*made)->take_copies()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
