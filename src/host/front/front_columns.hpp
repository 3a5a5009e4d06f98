#ifndef TESSERA_HOST_FRONT_FRONT_COLUMNS_HPP
#define TESSERA_HOST_FRONT_FRONT_COLUMNS_HPP

#include "base/symmetry.hpp"
#include "base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// A pivot that is little more than rounding.
struct UncertainPivot {
  Index place;        ///< in its front, of the first row of a 2x2 pivot
  double mass[2];     ///< of its rows when they were eliminated; of one row the first
  Index doubtful = 0; ///< of its eigenvalues that are taken for 0, those that no measured error explains
};

/// The columns of a symmetric or Hermitian front that may be eliminated in it, while they are. Only the lower triangle
/// counts, and of the diagonal of a Hermitian one the real part. Columns 0 .. eliminated - 1 hold L without its unit
/// diagonal; the others the Schur complement of them. T: double or Complex.
template <class T>
struct FrontColumns {
  T *a = nullptr;                        ///< [columns, rows] column-major
  Index rows = 0;                        ///< of the front: the leading dimension
  Index columns = 0;                     ///< that may be eliminated
  Index eliminated = 0;                  ///< of them
  Index *row = nullptr;                  ///< [columns] the row of the matrix in each place
  std::uint8_t *pair = nullptr;          ///< [columns] 1: it and the next one are a proposed 2x2 pivot
  T *d = nullptr;                        ///< [columns] diagonal of D
  T *off = nullptr;                      ///< [columns] its subdiagonal: off[j] != 0 marks j, j + 1 as a 2x2 pivot
  double *mass = nullptr;                ///< [columns] what diagonal entries were made of, see DirectOptions::zero
  double *mass_below = nullptr;          ///< [rows - columns] the same of the rows below
  Index zero = 0;                        ///< pivots that are 0
  Index left_out = 0;                    ///< of a root: its last ones, which are to be measured
  Index perturbed = 0;                   ///< pivots that were replaced, by static pivoting
  std::vector<UncertainPivot> uncertain; ///< pivots, those that are 0 for rounding among them

  // What it needs for each column: see StoreOf.
  using Scalar = T;
  static constexpr Index numbers_of_column = 3, names_of_column = 1, flags_of_column = 1;
  static std::size_t entries(Index columns, Index below) { return std::size_t(columns) * (columns + below); }
  void begin(Index may_be_eliminated, Index below)
  {
    columns = may_be_eliminated;
    rows = columns + below;
    eliminated = zero = left_out = perturbed = 0;
    uncertain.clear();
  }
  void place(T *entry, T *number, Index *name, std::uint8_t *flag)
  {
    a = entry;
    d = number;
    off = d + columns;
    mass = reinterpret_cast<double *>(off + columns);
    row = name;
    pair = flag;
  }

  double &mass_of(Index i) const { return i < columns ? mass[i] : mass_below[i - columns]; }
  T *at(Index i, Index j) const { return a + std::ptrdiff_t(j) * rows + i; }
};

/// Exchanges rows and columns i < j of what is left, and the rows of L. Both are at least `eliminated`.
template <Symmetry S, class T>
void exchange(FrontColumns<T> &front, Index i, Index j);

/// Whether a pivot is at most this tolerance times its mass; of a 2x2 pivot, whose entry `beside` is not 0, the
/// smaller singular value, with both rows scaled so that their masses are 1. Masses are those at its elimination.
template <Symmetry S, class T>
bool is_uncertain(T first, T beside, T second, double mass, double second_mass, double tolerance);

/// Notes the eliminated pivot in place k if it is uncertain. An empty row, which has no mass, is certainly 0.
template <Symmetry S, class T>
void note_uncertain(FrontColumns<T> &front, Index k, double mass, double second_mass, double tolerance);

} // namespace tessera
#endif
