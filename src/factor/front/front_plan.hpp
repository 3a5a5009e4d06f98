#ifndef TESSERA_FACTOR_FRONT_FRONT_PLAN_HPP
#define TESSERA_FACTOR_FRONT_FRONT_PLAN_HPP

#include "analysis/preprocessing.hpp"
#include "analysis/symbolic/assembly_tree.hpp"
#include "factor/front/options.hpp"
#include "factor/front/scaled_product.hpp"

namespace tessera {

/// A set of fronts that one thread computes, one after the other, without looking at others: a subtree. Or the fronts
/// that are in none, which all threads compute together.
struct FrontSet {
  std::vector<Index> front; ///< in postorder
  Offset memory = 0;        ///< numbers that their contributions take at the same time
};

/// Everything that a numeric factorization of a pattern needs to know, decided once (design of MUMPS and SSIDS: an
/// assembly tree with threshold pivoting and delayed pivots), as arrays.
struct FrontPlan {
  bool symmetric = true;      ///< else fronts are square, see LuPlan
  Pattern matrix;             ///< rows in the caller's order; of a symmetric one both triangles
  std::vector<Offset> source; ///< [entries] where the caller stores their values, see entry_at()
  /// [entries] where the caller stores the mirror images of entries, of a matrix whose values may cease to be
  /// symmetric: a factorization looks; empty: it need not
  std::vector<Offset> mirror;
  AssemblyTree tree;
  FrontEntries entries;
  Preprocessing preprocessing = Preprocessing::None; ///< that `scale` comes from
  std::vector<double> scale;                         ///< [rows] in elimination order; of LU those of the rows
  std::vector<Index> slack;                          ///< [fronts] delayed columns that a front has room for
  std::vector<Offset> columns_at;                    ///< [fronts + 1] place of the columns of each front in the factor
  std::vector<Offset> contribution_at;               ///< [fronts] place of its contribution in the memory of its set
  std::vector<FrontSet> subtrees;
  FrontSet top;
  std::vector<Index> subtree; ///< [fronts] the subtree it belongs to, or -1: top

  Offset factor_entries = 0;   ///< without delays: of L, diagonal blocks as triangles, or of L and U
  ScaledProduct scale_product; ///< of all of `scale`
  double flops = 0;            ///< without delays: additions and multiplications
  Index largest_front = 0;     ///< rows

  /// Numbers that front s hands to its parent: its Schur complement, square, and the masses of its rows, and of its
  /// columns where they are others.
  Offset contribution_size(Index s) const
  {
    return Offset(tree.below_rows(s)) * (tree.below_rows(s) + (symmetric ? 1 : 2));
  }
  /// Additions and multiplications that eliminate so many columns of a front take: LU twice those of LDLᵀ.
  double flops_of(double columns, double rows) const { return front_flops(columns, rows) * (symmetric ? 1 : 2); }
  Offset rows_of(Index s) const { return tree.columns(s) + tree.below_rows(s); }
};

/// Sets the scale factors of a plan that has its tree. scale: [rows] in the order of the matrix, powers of two.
void set_scale(FrontPlan &plan, const std::vector<double> &scale);

/// The scale factors of a plan, [rows] in the order of the matrix.
std::vector<double> unpermuted_scale(const FrontPlan &plan);

/// Completes a plan that has its tree: counts, memory, and the cut into subtrees, which depends on the tree only.
void complete_plan(FrontPlan &plan);

} // namespace tessera
#endif
