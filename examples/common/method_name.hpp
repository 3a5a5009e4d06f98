#ifndef EXAMPLES_METHOD_NAME_HPP
#define EXAMPLES_METHOD_NAME_HPP

#include <petscksp.h>
#include <string>

namespace examples {

/// Names of a KSP's method: KSP type, PC type, and the package of the factor if one is set, such as preonly+lu/klu.
PetscErrorCode MethodName(KSP ksp, std::string *name);

} // namespace examples
#endif
