#include "method_name.hpp"

namespace examples {

PetscErrorCode MethodName(KSP ksp, std::string *name)
{
  PC pc;
  KSPType ksp_type;
  PCType pc_type;
  MatSolverType package = nullptr;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(PCFactorGetMatSolverType(pc, &package));
  *name = std::string(ksp_type) + "+" + pc_type + (package ? std::string("/") + package : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
