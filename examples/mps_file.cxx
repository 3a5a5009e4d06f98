#include "mps_file.hpp"

#include "common/file_text.hpp"
#include <algorithm>
#include <csetjmp>

namespace examples {
namespace {

/// Keeps what GLPK prints, instead of printing it.
int KeepMessage(void *info, const char *text)
{
  *static_cast<std::string *>(info) += text;
  return 1;
}

/// The line of GLPK's messages that says where the file is wrong: the last one that starts with the file's name, or
/// the last of all.
std::string ComplaintIn(const std::string &messages, const std::string &file)
{
  std::string found, last;
  std::size_t begin = 0;
  while (begin < messages.size()) {
    const std::size_t end = std::min(messages.find('\n', begin), messages.size());
    last = messages.substr(begin, end - begin);
    if (last.compare(0, file.size() + 1, file + ":") == 0)
      found = last;
    begin = end + 1;
  }
  return found.empty() ? file + ": " + last : found;
}

/// What GLPK calls where it would end the program.
void Leave(void *info)
{
  std::longjmp(*static_cast<std::jmp_buf *>(info), 1);
}

enum class Reading { Done, Failed, GaveUp };

/// Reads a file in one of GLPK's formats. For some files, as with bytes in names that are no characters, GLPK does not
/// return an error but ends the program: then it has to be left by a jump, and all of its objects have to be freed, the
/// problem too.
Reading TryToRead(glp_prob *problem, int format, const char *file)
{
  std::jmp_buf back;
  if (setjmp(back)) {
    glp_free_env();
    return Reading::GaveUp;
  }
  glp_error_hook(Leave, &back);
  const int failed = glp_read_mps(problem, format, nullptr, file);
  glp_error_hook(nullptr, nullptr);
  return failed ? Reading::Failed : Reading::Done;
}

} // namespace

PetscErrorCode ReadMpsFile(const std::string &file, GlpkProblem *problem)
{
  std::string head;

  PetscFunctionBeginUser;
  PetscCall(ReadFileText(file, 1, &head)); // GLPK's own message for a file that cannot be read is less clear
  problem->reset(glp_create_prob());
  std::string messages;
  glp_term_hook(KeepMessage, &messages);
  Reading reading = TryToRead(problem->get(), GLP_MPS_FILE, file.c_str());
  const std::string complaint = ComplaintIn(messages, file);
  // Names with blanks, which only the fixed format allows, look like too many fields to the free one.
  if (reading == Reading::Failed)
    reading = TryToRead(problem->get(), GLP_MPS_DECK, file.c_str());
  glp_term_hook(nullptr, nullptr);
  if (reading == Reading::GaveUp)
    problem->release(); // GLPK has freed it
  PetscCheck(reading != Reading::GaveUp, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "GLPK gives this file up, which is no linear program that it can read (%s)", complaint.c_str());
  PetscCheck(reading == Reading::Done, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s", complaint.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ConstraintMatrix(glp_prob *problem, Csr *a)
{
  PetscFunctionBeginUser;
  const int rows = glp_get_num_rows(problem), cols = glp_get_num_cols(problem);
  std::vector<int> index(cols + 1);
  std::vector<double> value(cols + 1);
  Triples triples;
  for (int i = 1; i <= rows; ++i) {
    const int count = glp_get_mat_row(problem, i, index.data(), value.data());
    for (int k = 1; k <= count; ++k)
      triples.Append(i - 1, index[k] - 1, value[k]);
  }
  PetscCall(CsrFromTriples(rows, cols, triples, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
