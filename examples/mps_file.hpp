#ifndef EXAMPLES_MPS_FILE_HPP
#define EXAMPLES_MPS_FILE_HPP

#include "common/csr.hpp"
#include <glpk.h>
#include <memory>
#include <string>

namespace examples {

using GlpkProblem = std::unique_ptr<glp_prob, void (*)(glp_prob *)>;

/// Reads an MPS file, free or fixed (GLPK tells them apart by trying), maybe gzipped. Raises PETSC_ERR_FILE_UNEXPECTED
/// with GLPK's message for a malformed file.
PetscErrorCode ReadMpsFile(const std::string &file, GlpkProblem *problem);

/// Constraint matrix of a problem.
PetscErrorCode ConstraintMatrix(glp_prob *problem, Csr *a);

} // namespace examples
#endif
