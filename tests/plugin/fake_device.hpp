#ifndef TESSERA_TESTS_PLUGIN_FAKE_DEVICE_HPP
#define TESSERA_TESTS_PLUGIN_FAKE_DEVICE_HPP

#include <petscmat.h>

/// What the device does with a factorization, from now on. Of those that give up values that were not analysed one then
/// works, and the other needs the host.
enum class Device { Works, GivesUp, GivesUpForHost, NeedsHost, Unsupported, NoMemory };
extern Device device;
extern int factorizations; ///< that were begun on it

/// Prints what is expected and is not so.
PetscErrorCode Expect(const char what[], bool good);

/// LU or Cholesky, whatever the factor is of.
PetscErrorCode FactorSymbolic(Mat F, Mat A);
PetscErrorCode FactorNumeric(Mat F, Mat A);

/// One right-hand side, and several with gaps between columns that must stay.
PetscErrorCode Solve(Mat A, Mat F);

/// Whether a view of F says this.
PetscErrorCode ExpectView(Mat F, const char text[]);

/// How many factorizations were left to the host since the program began.
PetscErrorCode ExpectLeftToHost(int expected);

/// LU alone: diagonal blocks on many levels, a singular one, the plan of the host, symmetric matrices. before:
/// factorizations that were left to the host.
PetscErrorCode TestBlocksOnManyLevels(int before);
PetscErrorCode TestSingularBlock(int before);
PetscErrorCode TestPlanOfHost();
PetscErrorCode TestSymmetric(int before);

#endif
