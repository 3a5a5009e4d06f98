#include "reader_checks.hpp"

#include "circuit/network.hpp"
#include "common/matrix_market.hpp"
#include "common/read_matrix.hpp"
#include "interior_point/program.hpp"
#include "reader_files.hpp"

#include <cmath>
#include <cstring>

namespace tessera::fuzz {
namespace {

using namespace examples;

std::string check_matrix(const std::string &text)
{
  Csr a, again;
  PetscBool symmetric, still;
  if (!accepted([&] { return ParseMatrixMarket("input", text, &a, &symmetric); }))
    return "";
  if (!is_sound(a))
    return "a matrix is not sound";
  if (symmetric && !same(a, Transpose(a)))
    return "a symmetric matrix is not";
  const InputFile copy("");
  std::string written;
  if (!accepted([&] { return WriteMatrixMarket(copy.path(), a, symmetric); }) || !copy.read(&written) ||
      !accepted([&] { return ParseMatrixMarket("copy", written, &again, &still); }))
    return "what was written cannot be read";
  return symmetric == still && same(a, again) ? "" : "what was written is another matrix";
}

std::string check_vector(const std::string &text)
{
  std::vector<PetscScalar> x;
  if (!accepted([&] { return ParseMatrixMarketVector("input", text, &x); }))
    return "";
  for (PetscScalar v : x)
    if (!std::isfinite(v))
      return "a vector is not finite";
  return "";
}

std::string check_program(const std::string &text)
{
  const InputFile file(text);
  Program p;
  if (!accepted([&] { return ReadQpProgram(file.path(), &p); }))
    return "";
  const bool fits = p.a.rows == p.row.size() && p.a.cols == p.variable.size() && p.q.rows == p.a.cols &&
                    p.q.cols == p.a.cols && PetscInt(p.cost.size()) == p.a.cols;
  return fits && is_sound(p.a) && is_sound(p.q) && same(p.q, Transpose(p.q)) ? "" : "a program is not sound";
}

std::string check_network(const std::string &text)
{
  const InputFile file(text);
  Network net;
  if (!accepted([&] { return ReadNetwork(file.path(), &net); }))
    return "";
  const Sources &s = net.sources;
  if (net.nodes <= 0 || s.from.size() != s.wave.size() || s.to.size() != s.wave.size())
    return "a network is not sound";
  for (std::size_t k = 0; k < s.from.size(); ++k)
    if (s.from[k] < -1 || s.to[k] < -1 || s.from[k] >= net.nodes || s.to[k] >= net.nodes)
      return "a source is at no node";
  return "";
}

std::string check_file(const std::string &text)
{
  const InputFile file(text);
  System system;
  std::string wrong;
  if (accepted([&] { return ReadMatrix(file.path(), &system); })) {
    PetscInt rows = 0, columns = 0;
    MatGetSize(system.A, &rows, &columns);
    wrong = rows == columns ? "" : "a matrix that is not square is taken";
  }
  DestroySystem(&system);
  return wrong;
}

} // namespace

std::string check_readers(const std::uint8_t *data, std::size_t size)
{
  if (size == 0)
    return "";
  initialize_petsc();
  const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (asks_for_much(text))
    return "";
  switch (data[0] % 5) {
  case 0:
    return check_matrix(text);
  case 1:
    return check_vector(text);
  case 2:
    return check_program(text);
  case 3:
    return check_network(text);
  default:
    return check_file(text);
  }
}

} // namespace tessera::fuzz
