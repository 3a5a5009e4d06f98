#include "report.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

namespace examples {
namespace {

/// A value of the machine-readable line.
struct Field {
  const char *key;
  std::string text;
  bool quoted; ///< a string in JSON
};

std::string Text(const char *format, double value)
{
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string Text(PetscInt64 value)
{
  return std::to_string(value);
}

Field Number(const char *key, double value)
{
  return {key, std::isfinite(value) ? Text("%.4g", value) : "nan", false};
}

Field Bool(const char *key, PetscBool value)
{
  return {key, value ? "true" : "false", false};
}

std::vector<Field> Fields(const Result &r)
{
  std::vector<Field> fields = {
      {"name", r.name, true},
      {"rows", Text(r.rows), false},
      {"entries", Text(r.entries), false},
      Bool("symmetric", r.symmetric),
      {"processes", Text(r.processes), false},
      {"mat", r.mat_type, true},
      {"ksp", r.ksp_type, true},
      {"pc", r.pc_type, true},
      Bool("solved", r.solved),
      {"reason", KSPConvergedReasons[r.reason], true},
      {"iterations", Text(r.iterations), false},
      Number("accept", r.accept),
      Number("relative_residual", r.relative_residual),
      Number("backward_error", r.backward_error),
  };
  if (r.has_exact)
    fields.push_back(Number("forward_error", r.forward_error));
  fields.push_back(Number("read_seconds", r.read_seconds));
  fields.push_back(Number("setup_seconds", r.setup_seconds));
  fields.push_back(Number("solve_seconds", r.solve_seconds));
  if (r.repeats > 0) {
    fields.push_back({"repeats", Text(r.repeats), false});
    fields.push_back(Number("repeat_setup_seconds", r.repeat_setup_seconds));
    fields.push_back(Number("repeat_solve_seconds", r.repeat_solve_seconds));
    fields.push_back(Bool("same_bits", r.same_bits));
  }
  return fields;
}

/// One line of key=value words; blanks inside a value become underscores.
std::string Row(const std::vector<Field> &fields)
{
  std::string line;
  for (const Field &field : fields) {
    line += (line.empty() ? "" : " ") + std::string(field.key) + "=";
    for (const char c : field.text)
      line += c == ' ' ? '_' : c;
  }
  return line;
}

std::string JsonString(const std::string &text)
{
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return quoted + "\"";
}

std::string Json(const std::vector<Field> &fields)
{
  std::string line;
  for (const Field &field : fields) {
    line += (line.empty() ? "{\"" : ", \"") + std::string(field.key) + "\": ";
    line += field.quoted ? JsonString(field.text) : field.text == "nan" ? "null" : field.text;
  }
  return line + "}";
}

PetscErrorCode PrintForReader(const Result &r)
{
  const MPI_Comm comm = PETSC_COMM_WORLD;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(comm, "system             %s: %s rows, %s entries, %s, %s\n", r.name.c_str(),
                        Text(r.rows).c_str(), Text(r.entries).c_str(), r.symmetric ? "symmetric" : "not symmetric",
                        r.mat_type.c_str()));
  PetscCall(PetscPrintf(comm, "method             %s + %s\n", r.ksp_type.c_str(), r.pc_type.c_str()));
  PetscCall(PetscPrintf(comm, "the method says    %s after %s iterations\n", KSPConvergedReasons[r.reason],
                        Text(r.iterations).c_str()));
  PetscCall(PetscPrintf(comm, "relative residual  %.2e, %s %.2e\n", r.relative_residual,
                        r.solved ? "within" : "NOT within", r.accept));
  PetscCall(PetscPrintf(comm, "backward error     %.2e\n", r.backward_error));
  if (r.has_exact)
    PetscCall(PetscPrintf(comm, "forward error      %.2e\n", r.forward_error));
  PetscCall(PetscPrintf(comm, "seconds            read %.3f, setup %.3f, solve %.3f\n", r.read_seconds, r.setup_seconds,
                        r.solve_seconds));
  if (r.repeats > 0)
    PetscCall(PetscPrintf(comm, "median of %-8s setup %.4f, solve %.4f; the solutions have %s bits\n",
                          Text(r.repeats).c_str(), r.repeat_setup_seconds, r.repeat_solve_seconds,
                          r.same_bits ? "the same" : "DIFFERENT"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PrintResult(const Result &result)
{
  PetscBool row = PETSC_FALSE, json = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-row", &row, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-json", &json, nullptr));
  if (json)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", Json(Fields(result)).c_str()));
  else if (row)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", Row(Fields(result)).c_str()));
  else
    PetscCall(PrintForReader(result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
