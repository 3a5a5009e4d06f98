#ifndef TESSERA_TESTS_FUZZ_READER_FILES_HPP
#define TESSERA_TESTS_FUZZ_READER_FILES_HPP

#include "common/csr.hpp"

#include <functional>
#include <string>

namespace tessera::fuzz {

/// Initializes PETSc, once.
void initialize_petsc();

/// Runs an action as the examples do, whose errors and lack of memory are no failure of a check. Nothing is printed.
bool accepted(const std::function<PetscErrorCode()> &action);

/// Whether a text has a whole number that somebody may take for millions of rows, which then take gigabytes.
bool asks_for_much(const std::string &text);

/// Rows are sorted, without repetition, and in range. Values may have overflowed where entries were added up.
bool is_sound(const examples::Csr &a);

/// Whether all of two matrices is the same; NaNs are.
bool same(const examples::Csr &a, const examples::Csr &b);

/// A file in memory.
class InputFile {
public:
  explicit InputFile(const std::string &text);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  bool read(std::string *text) const;

private:
  int descriptor_;
};

} // namespace tessera::fuzz
#endif
