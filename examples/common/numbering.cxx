#include "numbering.hpp"

namespace examples {

PetscErrorCode GetNumbering(Numbering *numbering)
{
  const char *const names[] = {"node", "field"};
  PetscInt chosen = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetEList(nullptr, nullptr, "-numbering", names, 2, &chosen, nullptr));
  *numbering = chosen == 0 ? Numbering::Node : Numbering::Field;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
