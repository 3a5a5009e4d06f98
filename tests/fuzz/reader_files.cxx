#include "reader_files.hpp"

#include "common/file_text.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace tessera::fuzz {

using examples::Csr;

void initialize_petsc()
{
  static const PetscErrorCode once = [] {
    PetscFunctionBeginUser;
    PetscCall(PetscInitializeNoArguments());
    PetscCall(PetscPopSignalHandler()); // a crash is the fuzzer's
    PetscFunctionReturn(PETSC_SUCCESS);
  }();
  if (once != PETSC_SUCCESS)
    std::abort();
}

bool accepted(const std::function<PetscErrorCode()> &action)
{
  PetscErrorCode code = PETSC_SUCCESS;
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  try {
    code = action();
  } catch (const std::bad_alloc &) {
    code = PETSC_ERR_MEM;
  }
  PetscPopErrorHandler();
  return code == PETSC_SUCCESS;
}

bool asks_for_much(const std::string &text)
{
  constexpr double much = 1e6;
  for (std::size_t at = 0; at < text.size();) {
    char *end = nullptr;
    const double number = text[at] >= '0' && text[at] <= '9' ? double(std::strtoull(&text[at], &end, 10)) : 0;
    if (number > much && number <= double(PETSC_INT_MAX))
      return true;
    at = end ? std::size_t(end - text.data()) : at + 1;
  }
  return false;
}

bool is_sound(const Csr &a)
{
  if (a.rows < 0 || a.cols < 0 || a.start.size() != std::size_t(a.rows) + 1 || a.start[0] != 0 ||
      a.column.size() != std::size_t(a.entries()) || a.value.size() != a.column.size())
    return false;
  for (PetscInt i = 0; i < a.rows; ++i) {
    if (a.start[i] > a.start[i + 1])
      return false;
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k)
      if (a.column[k] < 0 || a.column[k] >= a.cols || (k > a.start[i] && a.column[k - 1] >= a.column[k]))
        return false;
  }
  return true;
}

bool same(const Csr &a, const Csr &b)
{
  if (a.rows != b.rows || a.cols != b.cols || a.start != b.start || a.column != b.column)
    return false;
  for (std::size_t k = 0; k < a.value.size(); ++k)
    if (a.value[k] != b.value[k] && !(std::isnan(a.value[k]) && std::isnan(b.value[k])))
      return false;
  return true;
}

InputFile::InputFile(const std::string &text) : descriptor_(memfd_create("input", 0))
{
  if (descriptor_ < 0 || write(descriptor_, text.data(), text.size()) != ssize_t(text.size()))
    std::abort();
}

InputFile::~InputFile()
{
  close(descriptor_);
}

bool InputFile::read(std::string *text) const
{
  return accepted([&] { return examples::ReadFileText(path(), std::numeric_limits<std::size_t>::max(), text); });
}

} // namespace tessera::fuzz
