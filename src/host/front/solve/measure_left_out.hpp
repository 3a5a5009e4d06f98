#ifndef TESSERA_HOST_FRONT_SOLVE_MEASURE_LEFT_OUT_HPP
#define TESSERA_HOST_FRONT_SOLVE_MEASURE_LEFT_OUT_HPP

#include "base/scaled.hpp"
#include "base/symmetry.hpp"
#include "base/types.hpp"
#include "factor/front/front_plan.hpp"
#include "host/front/solve/schur_of_zeros.hpp"

#include <functional>

namespace tessera {

constexpr Offset most_left_to_root = 256; ///< pivots of a tree that are measured together

/// Whether so many pivots are measured of a part of so many rows, by a factorization of so many operations: 16, and up
/// to most_left_to_root where vectors for all of them, and their products with each other, are not too many.
bool can_measure(Offset pivots, Offset rows, double flops);

constexpr Index vectors_at_a_time = 32; ///< for which a solve has memory

/// What A is to its transpose.
enum class Mirror { None, Symmetric, Hermitian };
template <Symmetry S>
constexpr Mirror mirror_of = S == Symmetry::Hermitian ? Mirror::Hermitian : Mirror::Symmetric;

/// Rows begin .. begin + rows - 1 of a matrix in elimination order, scaled, and as many columns; both are numbered from
/// 0 here. A part of a factor is of these alone.
template <class T>
struct MatrixPart {
  const Pattern &matrix;
  const std::vector<Offset> &source;                   ///< of its entries, see entry_at()
  const T *values;                                     ///< the caller's
  const std::vector<Index> &perm, &column_place;       ///< the row in each place, and the place of each column
  const std::vector<double> &row_scale, &column_scale; ///< in elimination order
  Mirror mirror;
  Index begin, rows;

  /// The most entries that row i may have.
  Offset row_entries(Index i) const { return matrix.start[perm[begin + i] + 1] - matrix.start[perm[begin + i]]; }

  /// f(j, a_ij) for the entries of row i.
  template <class F>
  void for_row(Index i, const F &f) const
  {
    const Index row = perm[begin + i];
    for (Offset p = matrix.start[row]; p < matrix.start[row + 1]; ++p) {
      const Index place = column_place[matrix.column[p]], j = place - begin;
      if (j < 0 || j >= rows)
        continue;
      const T x = scaled(entry_at(values, source[p]), row_scale[begin + i], column_scale[place]);
      f(j, mirror == Mirror::Hermitian && i == j ? T(real_part(x)) : x);
    }
  }
};

/// The part of the fronts first .. s of a symmetric or Hermitian matrix, the subtree of s. place: of its rows.
template <Symmetry S, class T>
MatrixPart<T> part_of_subtree(const FrontPlan &plan, const T *values, const std::vector<Index> &place, Index first,
                              Index s)
{
  const AssemblyTree &tree = plan.tree;
  const Index begin = tree.first[first];
  return {plan.matrix, plan.source, values,       tree.perm, place,
          plan.scale,  plan.scale,  mirror_of<S>, begin,     tree.first[s + 1] - begin};
}

/// X = G B with the solve G of a part of a factor, which gives 0 in place of what is left out. b: [columns, rows of the
/// part].
template <class T>
using SolvePart = std::function<std::vector<T>(Index columns, const T *b)>;

/// Pivots that are left out of a part of a factor, see SchurOfZeros, in the order of the vectors.
template <class T>
struct LeftOutPivots {
  Index pivots;
  std::vector<T> right, left;           ///< [pivots, rows of the part] V and, where Mirror is None, U
  const double *row_mass, *column_mass; ///< [pivots]
};

/// Their Schur complement, and what was found of it.
template <class T>
struct MeasuredSchur {
  SchurOfZerosOf<T> schur;
  MeasuredZerosOf<T> zeros;
};

/// Measures and judges pivots that are left out.
template <class T>
MeasuredSchur<T> measure_left_out(const MatrixPart<T> &part, LeftOutPivots<T> pivots,
                                  MeasuredZerosOf<T> (*judge)(const SchurOfZerosOf<T> &), const SolvePart<T> &solve);

/// What was measured at the roots of a factor.
struct MeasuredRoots {
  Offset measured = 0;  ///< pivots
  Offset regular = 0;   ///< of those, as many as are not zero
  Offset uncertain = 0; ///< of those that are zero: more than rounding of entries and errors explain; and those of a
                        ///< root whose rank is not the measured one
  bool known = true;    ///< false: some could not be measured, or a root has another rank than was measured
};

} // namespace tessera
#endif
