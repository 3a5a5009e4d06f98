#ifndef TESSERA_HOST_LU_LU_FRONT_HPP
#define TESSERA_HOST_LU_LU_FRONT_HPP

#include "base/scalar.hpp"
#include "host/front/front_store.hpp"

#include <utility>

namespace tessera {

/// The rows and columns of an unsymmetric front that may be eliminated in it, while they are. Its columns hold L,
/// without its unit diagonal, and U on and above the diagonal; what is right of them is kept as the transpose, so that
/// both have the shape of a factor's columns. Rows and columns from `eliminated` on are the Schur complement.
template <class T>
struct LuFront {
  T *a = nullptr;          ///< [columns, rows] column-major
  T *u = nullptr;          ///< [columns, rows - columns] column k is row k of the front right of its own columns
  Index rows = 0;          ///< of the front, and its columns: the leading dimension of a
  Index columns = 0;       ///< that may be eliminated, and as many rows
  Index eliminated = 0;    ///< of them
  Index *row = nullptr;    ///< [columns] row of the matrix in each place, in elimination order
  Index *column = nullptr; ///< [columns] column of the matrix in each place, in elimination order
  double *row_mass = nullptr, *column_mass = nullptr;             ///< [columns] see masses below
  double *row_mass_below = nullptr, *column_mass_below = nullptr; ///< [rows - columns]
  Index zero = 0;                                                 ///< pivots that are 0
  Index uncertain = 0;                                            ///< other pivots that are little more than rounding
  Index perturbed = 0;                                            ///< pivots that were replaced, by static pivoting

  // What it needs for each column: see StoreOf.
  using Scalar = T;
  static constexpr Index numbers_of_column = 2 * sizeof(double) / sizeof(T), names_of_column = 2, flags_of_column = 0;
  static std::size_t entries(Index columns, Index below) { return std::size_t(columns) * (columns + 2 * below); }
  void begin(Index may_be_eliminated, Index below)
  {
    columns = may_be_eliminated;
    rows = columns + below;
    eliminated = zero = uncertain = perturbed = 0;
  }
  void place(T *entry, T *number, Index *name, std::uint8_t *)
  {
    a = entry;
    u = entry + std::ptrdiff_t(rows) * columns;
    row_mass = reinterpret_cast<double *>(number);
    column_mass = row_mass + columns;
    row = name;
    column = name + columns;
  }

  Index below() const { return rows - columns; }
  T *at(Index i, Index j) const { return a + std::ptrdiff_t(j) * rows + i; }
  /// Entry of row k right of the own columns.
  T *right(Index k, Index i) const { return u + std::ptrdiff_t(k) * below() + i; }

  /// The masses of a row and a column bound what was subtracted from the entry (i, j) that they share by the root of
  /// their product: that of row i is the sum of l_ik² |u_kk| over the pivots so far, that of column j of
  /// u_kj² / |u_kk|.
  double &mass_of_row(Index i) const { return i < columns ? row_mass[i] : row_mass_below[i - columns]; }
  double &mass_of_column(Index j) const { return j < columns ? column_mass[j] : column_mass_below[j - columns]; }

  /// Adds to the masses of rows r0 .. r1 - 1 what column k of L, whose pivot is in place, does.
  void add_row_mass(Index r0, Index r1, Index k) const
  {
    const double size = magnitude(*at(k, k));
    const T *l = at(0, k);
    for (Index i = r0; i < r1; ++i)
      (i < columns ? row_mass[i] : row_mass_below[i - columns]) += squared_magnitude(l[i]) * size;
  }

  /// Exchanges rows i and j, neither of them below the own ones.
  void exchange_rows(Index i, Index j) const
  {
    if (i == j)
      return;
    for (Index k = 0; k < columns; ++k)
      std::swap(*at(i, k), *at(j, k));
    exchange_right(i, j);
  }

  /// The same of what is right of the own columns, and of what is known of the rows. i and j differ.
  void exchange_right(Index i, Index j) const
  {
    std::swap_ranges(right(i, 0), right(i + 1, 0), right(j, 0));
    std::swap(row[i], row[j]);
    std::swap(row_mass[i], row_mass[j]);
  }

  /// Exchanges columns i and j, both own.
  void exchange_columns(Index i, Index j) const
  {
    if (i == j)
      return;
    std::swap_ranges(at(0, i), at(0, i + 1), at(0, j));
    std::swap(column[i], column[j]);
    std::swap(column_mass[i], column_mass[j]);
  }
};

template <class T>
using LuStore = StoreOf<LuFront<T>>;

} // namespace tessera
#endif
