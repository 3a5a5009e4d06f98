// The text format of quadratic programs.
#include "program.hpp"

#include "../common/file_text.hpp"
#include "../common/line_cursor.hpp"
#include <algorithm>

namespace examples {
namespace {

/// Reads the lines of a file into a program.
class QpReader {
public:
  QpReader(const std::string &file, const std::string &text, Program *program)
      : file_(file), cursor_(text), program_(program)
  {
  }

  PetscErrorCode Read()
  {
    PetscFunctionBeginUser;
    PetscCall(ReadHead());
    while (cursor_.NextDataLine())
      PetscCall(ReadLine());
    PetscCall(CsrFromTriples(rows_, variables_, a_, &program_->a));
    PetscCall(CsrFromTriples(variables_, variables_, q_, &program_->q));
    if (maximize_)
      Maximize(program_);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  /// Raises an error about the current line.
  PetscErrorCode Refuse(const char *expected)
  {
    PetscFunctionBeginUser;
    SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s:%zu: expected %s, found '%s'", file_.c_str(),
            cursor_.line_number(), expected, cursor_.LineText().c_str());
  }

  PetscErrorCode ReadHead()
  {
    constexpr PetscInt64 most = PETSC_INT_MAX / 2;
    PetscInt64 rows = -1, variables = -1;

    PetscFunctionBeginUser;
    PetscCheck(cursor_.NextDataLine(), PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s: it is empty", file_.c_str());
    const bool read = cursor_.Word() == "program" && cursor_.Integer(&rows) && cursor_.Integer(&variables);
    if (!read || !cursor_.AtLineEnd() || rows < 0 || variables < 1 || rows > most || variables > most)
      PetscCall(Refuse("'program', rows and variables"));
    rows_ = static_cast<PetscInt>(rows);
    variables_ = static_cast<PetscInt>(variables);
    program_->cost.assign(variables_, 0);
    program_->row = {Values(rows_, 0), Values(rows_, 0)};
    program_->variable = {Values(variables_, 0), Values(variables_, unbounded)};
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode ReadLine()
  {
    PetscFunctionBeginUser;
    const std::string word = cursor_.Word();
    bool good = false;
    if (word == "maximize")
      good = maximize_ = true;
    else if (word == "constant")
      good = cursor_.Real(&program_->constant);
    else if (word == "c")
      good = ReadCost();
    else if (word == "q")
      good = ReadQuadratic();
    else if (word == "a")
      good = ReadConstraint();
    else if (word == "row")
      good = ReadBounds(&program_->row);
    else if (word == "bounds")
      good = ReadBounds(&program_->variable);
    if (!good || !cursor_.AtLineEnd())
      PetscCall(Refuse("maximize, constant V, c J V, q I J V, a I J V, row I L U or bounds J L U"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Reads an index, 1-based in the file.
  bool ReadIndex(PetscInt count, PetscInt *index)
  {
    PetscInt64 number;
    if (!cursor_.Integer(&number) || number < 1 || number > count)
      return false;
    *index = static_cast<PetscInt>(number - 1);
    return true;
  }

  bool ReadCost()
  {
    PetscInt j;
    return ReadIndex(variables_, &j) && cursor_.Real(&program_->cost[j]);
  }

  bool ReadQuadratic()
  {
    PetscInt i, j;
    PetscReal value;
    if (!ReadIndex(variables_, &i) || !ReadIndex(variables_, &j) || !cursor_.Real(&value))
      return false;
    q_.Append(i, j, value);
    if (i != j)
      q_.Append(j, i, value);
    return true;
  }

  bool ReadConstraint()
  {
    PetscInt i, j;
    PetscReal value;
    if (!ReadIndex(rows_, &i) || !ReadIndex(variables_, &j) || !cursor_.Real(&value))
      return false;
    a_.Append(i, j, value);
    return true;
  }

  /// Reads a number, or an asterisk for a bound that there is not.
  bool ReadBound(PetscReal absent, PetscReal *bound)
  {
    if (cursor_.Real(bound))
      return true;
    *bound = absent;
    return cursor_.Word() == "*";
  }

  bool ReadBounds(Bounds *bounds)
  {
    PetscInt k;
    return ReadIndex(bounds->size(), &k) && ReadBound(-unbounded, &bounds->lower[k]) &&
           ReadBound(unbounded, &bounds->upper[k]);
  }

  const std::string &file_;
  LineCursor cursor_;
  Program *program_;
  PetscInt rows_ = 0, variables_ = 0;
  bool maximize_ = false;
  Triples a_, q_;
};

} // namespace

PetscErrorCode ReadQpProgram(const std::string &file, Program *program)
{
  std::string text;

  PetscFunctionBeginUser;
  PetscCall(ReadFileText(file, std::string::npos, &text));
  PetscCall(QpReader(file, text, program).Read());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
