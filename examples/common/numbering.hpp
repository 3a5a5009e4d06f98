#ifndef EXAMPLES_NUMBERING_HPP
#define EXAMPLES_NUMBERING_HPP

#include <petscsys.h>

namespace examples {

/// How the unknowns of a discretization with several fields are numbered, and so split among processes.
enum class Numbering {
  Node, ///< all unknowns of a node together, node after node: a process has whole nodes, a part of the domain
  Field ///< one field after the other: a process has a part of the fields
};

/// Option -numbering node|field.
PetscErrorCode GetNumbering(Numbering *numbering);

} // namespace examples
#endif
