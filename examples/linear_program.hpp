#ifndef EXAMPLES_LINEAR_PROGRAM_HPP
#define EXAMPLES_LINEAR_PROGRAM_HPP

#include "common/csr.hpp"
#include <string>

namespace examples {

/// Where a row's activity or a variable lies.
enum class Range {
  Free,  ///< no bound
  Lower, ///< bounded below
  Upper, ///< bounded above
  Both,  ///< bounded below and above
  Fixed  ///< one value
};

/// What an interior-point method's matrix depends on in a linear program: the constraint matrix, and which bounds
/// there are. Costs, right-hand sides and the values of the bounds are not in it.
struct LinearProgram {
  Csr a;                       ///< [rows x variables]
  std::vector<Range> row;      ///< [a.rows]
  std::vector<Range> variable; ///< [a.cols]
};

/// How to bring a linear program to the form min c^T x, A x = b, x >= 0.
struct StandardFormOptions {
  bool split_free = true;  ///< write a free variable as the difference of two; otherwise it stays one
  bool bound_rows = false; ///< write an upper bound u of a variable or slack as a row x + s = u; otherwise it is left
                           ///< to the diagonal of the KKT matrix, as interior-point codes do
};

/// Reads an MPS file, see ReadMpsFile(). Integer variables are taken as continuous ones.
PetscErrorCode ReadMps(const std::string &file, LinearProgram *lp);

/// Drops rows without an entry other than zero and rows without a bound; drops stored zeros.
void DropEmptyRows(LinearProgram *lp);

/// Geometric scaling: rows and columns are divided by the geometric mean of their smallest and largest entry in turn,
/// until that no longer brings the extremes of the matrix together or 20 times. The factors are rounded to powers of
/// two, so that scaling rounds no entry. No row may be empty.
void ScaleGeometrically(Csr *a);

/// Constraint matrix of the standard form: a variable bounded only above is turned around, a free one split or kept,
/// every inequality gets a slack (the last columns, in the order of rows), a range a slack with an upper bound, and
/// upper bounds beside lower ones are handled as the options say. Shifting bounds to zero changes no entry. Fixed
/// variables stay variables with both bounds.
PetscErrorCode StandardForm(const LinearProgram &lp, const StandardFormOptions &options, Csr *a);

/// [D A^T; A 0] with the random positive diagonal of RandomDiagonal(). No zero is stored on the diagonal.
Csr KktMatrix(const Csr &a, PetscInt64 seed);

/// Random values between 1e-6 and 1, spread evenly over the binary orders of magnitude and inside each of them; the
/// same bits on every platform (splitmix64, and no library function whose rounding varies).
std::vector<PetscScalar> RandomDiagonal(PetscInt count, PetscInt64 seed);

} // namespace examples
#endif
