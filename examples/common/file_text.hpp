#ifndef EXAMPLES_FILE_TEXT_HPP
#define EXAMPLES_FILE_TEXT_HPP

#include <petscsys.h>
#include <string>

namespace examples {

/// Reads up to `limit` bytes of a file, unpacked if it is a gzip file. Raises PETSC_ERR_FILE_OPEN when the file cannot
/// be opened and PETSC_ERR_FILE_READ when it cannot be read or a gzip file is damaged or ends too early.
PetscErrorCode ReadFileText(const std::string &file, std::size_t limit, std::string *text);

/// The part of a path behind the last slash.
std::string BaseName(const std::string &path);

/// Whether `text` ends in `end`.
bool EndsWith(const std::string &text, const std::string &end);

} // namespace examples
#endif
