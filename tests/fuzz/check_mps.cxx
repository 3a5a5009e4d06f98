#include "reader_checks.hpp"

#include "interior_point/program.hpp"
#include "linear_program.hpp"
#include "reader_files.hpp"

namespace tessera::fuzz {

using namespace examples;

std::string check_mps(const std::uint8_t *data, std::size_t size)
{
  initialize_petsc();
  const InputFile file(std::string(reinterpret_cast<const char *>(data), size));
  LinearProgram lp;
  Program program;
  const bool read = accepted([&] { return ReadMps(file.path(), &lp); });
  if (read != accepted([&] { return ReadMpsProgram(file.path(), &program); }))
    return "two examples do not agree about a file";
  if (!read)
    return "";
  if (!is_sound(lp.a) || !same(lp.a, program.a) || program.row.size() != lp.a.rows ||
      program.variable.size() != lp.a.cols)
    return "a program is not sound";
  DropEmptyRows(&lp);
  ScaleGeometrically(&lp.a);
  for (bool split : {false, true})
    for (bool bounds : {false, true}) {
      Csr a;
      if (!accepted([&] {
            return StandardForm(lp, {split, bounds}, &a);
          }) ||
          !is_sound(a) || !is_sound(KktMatrix(a, 1)))
        return "a standard form is not sound";
    }
  return "";
}

} // namespace tessera::fuzz
