static char help[] =
    "System of an interior-point method for a linear program,\n"
    "    [ D  A^T ]\n"
    "    [ A  0   ],\n"
    "where A is the constraint matrix in the form min c^T x, A x = b, x >= 0, geometrically scaled, and D a random\n"
    "positive diagonal between 1e-6 and 1. Integer variables are relaxed.\n\n"
    "  -f FILE              linear program: MPS, free or fixed (.mps, .mps.gz)\n"
    "  -seed S              of the random diagonal; default 1\n"
    "  -scale BOOL          scale A geometrically; default true\n"
    "  -free split|keep     a free variable becomes the difference of two, or stays; default split\n"
    "  -bounds implicit|rows  upper bounds are left to D, or become rows x + s = u; default implicit\n"
    "  -name NAME           name in the report; default: the file's\n";

#include "common/main.hpp"
#include "linear_program.hpp"

using namespace examples;

/// Whether option `name` has the second of two values; the first is the default.
static PetscErrorCode IsSecond(const char *name, const char *first, const char *second, bool *is_second)
{
  const char *const values[] = {first, second};
  PetscInt chosen = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetEList(nullptr, nullptr, name, values, 2, &chosen, nullptr));
  *is_second = chosen == 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BuildMatrix(const std::string &file, System *system)
{
  PetscBool scale = PETSC_TRUE;
  bool keep_free = false, bound_rows = false;
  PetscInt seed = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-scale", &scale, nullptr));
  PetscCall(IsSecond("-free", "split", "keep", &keep_free));
  PetscCall(IsSecond("-bounds", "implicit", "rows", &bound_rows));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-seed", &seed, nullptr));
  LinearProgram lp;
  Csr a;
  PetscCall(ReadMps(file, &lp));
  DropEmptyRows(&lp);
  PetscCheck(lp.a.rows > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "%s: no constraint has an entry", file.c_str());
  if (scale)
    ScaleGeometrically(&lp.a);
  PetscCall(StandardForm(lp, {!keep_free, bound_rows}, &a));
  PetscCall(SetMatrixWhole(system, KktMatrix(a, seed), PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BuildSystem(System *system)
{
  std::string file;

  PetscFunctionBeginUser;
  PetscCall(GetFileOptions("linear program", &file, &system->name));
  PetscCall(BuildMatrix(file, system));
  PetscCall(SetRightHandSide(system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return ExampleMain(argc, argv, help, "build", BuildSystem);
}
