#include "matrix_market.hpp"

#include "line_cursor.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace examples {
namespace {

struct Header {
  std::string format;   // coordinate or array
  std::string field;    // real, integer or pattern
  std::string symmetry; // general, symmetric or skew-symmetric
};

/// Raises PETSC_ERR_FILE_UNEXPECTED "file:line: message" unless `condition` holds; for use where `file` and `cursor`
/// are in scope.
#define CheckLine(condition, ...)                                                                                      \
  PetscCheck(condition, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s:%zu: %s", file.c_str(), cursor.line_number(), \
             Format(__VA_ARGS__).c_str())

template <class... Args>
std::string Format(const char *format, Args... args)
{
  char text[256];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

std::string Format(const char *text)
{
  return text;
}

long long Wide(PetscInt64 value)
{
  return static_cast<long long>(value);
}

bool OneOf(const std::string &word, std::initializer_list<const char *> words)
{
  return std::find(words.begin(), words.end(), word) != words.end();
}

PetscErrorCode ParseHeader(const std::string &file, LineCursor &cursor, const char *format, Header *header)
{
  PetscFunctionBeginUser;
  PetscCheck(cursor.NextLine(), PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED, "%s: the file is empty", file.c_str());
  CheckLine(cursor.Word() == "%%matrixmarket" && cursor.Word() == "matrix",
            "not a Matrix Market file: the first line has to start with '%%MatrixMarket matrix'");
  header->format = cursor.Word();
  header->field = cursor.Word();
  header->symmetry = cursor.Word();
  CheckLine(header->format == format, "expected format '%s', found '%s'", format, header->format.c_str());
  CheckLine(OneOf(header->field, {"real", "double", "integer", "pattern"}),
            "field '%s' is not supported: real, integer or pattern", header->field.c_str());
  CheckLine(OneOf(header->symmetry, {"general", "symmetric", "skew-symmetric"}),
            "symmetry '%s' is not supported: general, symmetric or skew-symmetric", header->symmetry.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the line of sizes behind the comments: `count` of them.
PetscErrorCode ParseSizes(const std::string &file, LineCursor &cursor, int count, PetscInt64 *size)
{
  PetscFunctionBeginUser;
  CheckLine(cursor.NextDataLine(), "the file ends before the line of sizes");
  for (int k = 0; k < count; ++k) {
    CheckLine(cursor.Integer(&size[k]), "expected a line of %d sizes, found '%s'", count, cursor.LineText().c_str());
    CheckLine(size[k] >= 0, "size %lld is negative", Wide(size[k]));
    CheckLine(k == 2 || size[k] < PETSC_INT_MAX, "%lld %s need a PETSc configured with 64-bit indices", Wide(size[k]),
              k == 0 ? "rows" : "columns");
  }
  CheckLine(cursor.AtLineEnd(), "expected a line of %d sizes, found '%s'", count, cursor.LineText().c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A symmetric or skew-symmetric file holds one triangle, usually the lower one: an entry of the other is an error,
/// since it is either a repetition or a contradiction.
struct Triangle {
  bool below = false;
  bool above = false;

  bool Accept(PetscInt64 i, PetscInt64 j)
  {
    below = below || i > j;
    above = above || i < j;
    return !(below && above);
  }
};

PetscErrorCode ParseEntries(const std::string &file, LineCursor &cursor, const Header &header, const PetscInt64 *size,
                            Triples *triples)
{
  PetscFunctionBeginUser;
  const bool pattern = header.field == "pattern", general = header.symmetry == "general";
  const bool skew = header.symmetry == "skew-symmetric";
  Triangle triangle;
  for (PetscInt64 k = 0; k < size[2]; ++k) {
    CheckLine(cursor.NextDataLine(), "the file ends after %lld of %lld entries", Wide(k), Wide(size[2]));
    PetscInt64 i = 0, j = 0;
    PetscReal v = 1;
    CheckLine(cursor.Integer(&i) && cursor.Integer(&j) && (pattern || cursor.Real(&v)) && cursor.AtLineEnd(),
              "expected row, column%s, found '%s'", pattern ? "" : " and a finite value", cursor.LineText().c_str());
    CheckLine(i >= 1 && i <= size[0] && j >= 1 && j <= size[1],
              "entry (%lld, %lld) is outside the matrix of %lld rows and %lld columns", Wide(i), Wide(j), Wide(size[0]),
              Wide(size[1]));
    triples->Append(static_cast<PetscInt>(i - 1), static_cast<PetscInt>(j - 1), v);
    if (general)
      continue;
    CheckLine(triangle.Accept(i, j), "entry (%lld, %lld) is in the other triangle than the entries before it", Wide(i),
              Wide(j));
    CheckLine(!skew || i != j, "a skew-symmetric matrix has no entry (%lld, %lld) on its diagonal", Wide(i), Wide(j));
    if (i != j)
      triples->Append(static_cast<PetscInt>(j - 1), static_cast<PetscInt>(i - 1), skew ? -v : v);
  }
  CheckLine(!cursor.NextDataLine(), "more than the %lld entries that the line of sizes announces", Wide(size[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OpenForWriting(const std::string &file, std::FILE **out)
{
  PetscFunctionBeginUser;
  *out = std::fopen(file.c_str(), "w");
  PetscCheck(*out, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "%s: cannot write: %s", file.c_str(), std::strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CloseWritten(const std::string &file, std::FILE *out)
{
  PetscFunctionBeginUser;
  const bool failed = std::ferror(out) != 0;
  PetscCheck(std::fclose(out) == 0 && !failed, PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "%s: cannot write: %s",
             file.c_str(), std::strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ParseMatrixMarket(const std::string &file, const std::string &text, Csr *a, PetscBool *symmetric)
{
  PetscFunctionBeginUser;
  LineCursor cursor(text);
  Header header;
  PetscInt64 size[3] = {0, 0, 0};
  PetscCall(ParseHeader(file, cursor, "coordinate", &header));
  PetscCall(ParseSizes(file, cursor, 3, size));
  CheckLine(header.symmetry == "general" || size[0] == size[1], "a %s matrix is square, not %lld by %lld",
            header.symmetry.c_str(), Wide(size[0]), Wide(size[1]));
  // An entry takes at least 4 bytes: a size line that announces more than the file can hold reserves no memory.
  const std::size_t expected = std::min<std::size_t>(size[2], text.size() / 4 + 1);
  Triples triples;
  for (auto *indices : {&triples.row, &triples.column})
    indices->reserve(header.symmetry == "general" ? expected : 2 * expected);
  triples.value.reserve(triples.row.capacity());
  PetscCall(ParseEntries(file, cursor, header, size, &triples));
  PetscCall(CsrFromTriples(static_cast<PetscInt>(size[0]), static_cast<PetscInt>(size[1]), triples, a));
  *symmetric = header.symmetry == "symmetric" ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ParseMatrixMarketVector(const std::string &file, const std::string &text, std::vector<PetscScalar> *x)
{
  PetscFunctionBeginUser;
  LineCursor cursor(text);
  Header header;
  PetscInt64 size[2] = {0, 0};
  PetscCall(ParseHeader(file, cursor, "array", &header));
  CheckLine(header.field != "pattern" && header.symmetry == "general", "a vector is 'array real general'");
  PetscCall(ParseSizes(file, cursor, 2, size));
  CheckLine(size[1] == 1, "expected 1 column, found %lld", Wide(size[1]));
  x->clear();
  x->reserve(std::min<std::size_t>(size[0], text.size() / 2 + 1));
  for (PetscInt64 k = 0; k < size[0]; ++k) {
    CheckLine(cursor.NextDataLine(), "the file ends after %lld of %lld values", Wide(k), Wide(size[0]));
    PetscReal v = 0;
    CheckLine(cursor.Real(&v) && cursor.AtLineEnd(), "expected one finite value, found '%s'",
              cursor.LineText().c_str());
    x->push_back(v);
  }
  CheckLine(!cursor.NextDataLine(), "more than the %lld values that the line of sizes announces", Wide(size[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteMatrixMarket(const std::string &file, const Csr &a, PetscBool symmetric)
{
  PetscFunctionBeginUser;
  PetscInt64 count = 0;
  for (PetscInt i = 0; i < a.rows; ++i)
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k)
      count += !symmetric || a.column[k] <= i;
  std::FILE *out = nullptr;
  PetscCall(OpenForWriting(file, &out));
  std::fprintf(out, "%%%%MatrixMarket matrix coordinate real %s\n%lld %lld %lld\n", symmetric ? "symmetric" : "general",
               Wide(a.rows), Wide(a.cols), Wide(count));
  for (PetscInt i = 0; i < a.rows; ++i)
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k)
      if (!symmetric || a.column[k] <= i)
        std::fprintf(out, "%lld %lld %.17g\n", Wide(i + 1), Wide(a.column[k] + 1), PetscRealPart(a.value[k]));
  PetscCall(CloseWritten(file, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteMatrixMarketVector(const std::string &file, PetscInt count, const PetscScalar *x)
{
  PetscFunctionBeginUser;
  std::FILE *out = nullptr;
  PetscCall(OpenForWriting(file, &out));
  std::fprintf(out, "%%%%MatrixMarket matrix array real general\n%lld 1\n", Wide(count));
  for (PetscInt k = 0; k < count; ++k)
    std::fprintf(out, "%.17g\n", PetscRealPart(x[k]));
  PetscCall(CloseWritten(file, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
