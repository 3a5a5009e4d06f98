#include "host/lu/measure_zeros.hpp"

#include "base/permute.hpp"
#include "host/lu/eliminate_lu.hpp"

#include <algorithm>
#include <cstdlib>

namespace tessera {
namespace {

/// Eliminates what was measured at a root, without what is zero. Returns whether it has the rank that was measured.
template <class T>
bool take_pivots(LuFront<T> &root, const MeasuredSchur<T> &measured, DirectOptions options)
{
  const Index many = root.zero, first = root.eliminated - many, uncertain = root.uncertain;
  const std::vector<T> entry = without_zeros(measured.schur, measured.zeros);
  for (Index c = 0; c < many; ++c)
    std::copy_n(&entry[std::size_t(c) * many], many, root.at(first, first + c));
  const double rounding = rounding_without_zeros(measured.zeros);
  for (Index k = 0; k < many; ++k) { // masses by which its own rounding, and nothing more, counts as zero
    root.row_mass[first + k] = measured.zeros.row[k] * measured.zeros.row[k] * rounding / options.zero;
    root.column_mass[first + k] = measured.zeros.column[k] * measured.zeros.column[k] * rounding / options.zero;
  }
  root.eliminated = first;
  root.zero = 0;
  options.leaves_out = false;
  eliminate_lu_carefully(root, options);
  eliminate_zeros(root);
  root.uncertain = uncertain; // these are certain
  return root.zero == measured.zeros.zero;
}

} // namespace

template <class T>
MeasuredRoots measure_zeros(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values,
                            const DirectOptions &options)
{
  MeasuredRoots roots;
  std::vector<Index> column_place;
  const FrontPlan &fronts = plan.fronts;
  for (std::size_t b = 0; b < plan.block.size(); ++b) {
    LuFront<T> &root = store[plan.block[b].end - 1];
    const Index begin = fronts.tree.first[plan.block[b].begin], rows = fronts.tree.first[plan.block[b].end] - begin;
    if (root.zero == 0)
      continue;
    if (!can_measure(root.zero, rows, fronts.flops)) {
      roots.known = false;
      continue;
    }
    if (column_place.empty())
      column_place = inverse_permutation(plan.column);
    const Index first = root.eliminated - root.zero;
    const MeasuredSchur<T> measured = measure_left_out<T>(
        {fronts.matrix, fronts.source, values, fronts.tree.perm, column_place, fronts.scale, plan.column_scale,
         Mirror::None, begin, rows},
        {root.zero, solve.null_vectors(false, b), solve.null_vectors(true, b), root.row_mass + first,
         root.column_mass + first},
        judge_singular_values<T>, [&](Index columns, const T *x) { return solve.solve_block_alone(b, columns, x); });
    const Index many = root.zero;
    const bool known = measured.zeros.known && (measured.zeros.zero == many || take_pivots(root, measured, options));
    roots.known = roots.known && known;
    roots.measured += many;
    roots.regular += many - root.zero;
    // What the elimination does not find, though it was measured, is in doubt.
    const Offset lost = measured.zeros.known ? std::abs(Offset(root.zero) - measured.zeros.zero) : Offset(many);
    roots.uncertain += measured.zeros.uncertain + lost;
  }
  return roots;
}

template MeasuredRoots measure_zeros(const LuPlan &, LuStore<double> &, LuSolve<double> &, const double *,
                                     const DirectOptions &);
template MeasuredRoots measure_zeros(const LuPlan &, LuStore<Complex> &, LuSolve<Complex> &, const Complex *,
                                     const DirectOptions &);

} // namespace tessera
