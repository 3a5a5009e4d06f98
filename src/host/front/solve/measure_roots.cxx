#include "host/front/solve/measure_roots.hpp"

#include "base/permute.hpp"
#include "host/front/eliminate/eliminate_ldlt.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

template <class T, Symmetry S>
MeasuredZerosOf<T> judge_schur(const SchurOfZerosOf<T> &schur)
{
  if constexpr (has_signs<T, S>)
    return judge_zeros(schur);
  else
    return judge_singular_values(schur);
}

/// Eliminates what was measured at a root, without what is zero. Returns whether it has the rank that was measured.
template <Symmetry S, class T>
bool take_pivots(FrontColumns<T> &root, const MeasuredSchur<T> &measured, DirectOptions options)
{
  const Index many = root.left_out, first = root.eliminated - many, zeros = root.zero - many;
  const std::size_t uncertain = root.uncertain.size();
  const std::vector<T> entry = without_zeros(measured.schur, measured.zeros);
  const double rounding = rounding_without_zeros(measured.zeros);
  for (Index c = 0; c < many; ++c) {
    std::copy(&entry[std::size_t(c) * many + c], &entry[std::size_t(c) * many] + many, root.at(first + c, first + c));
    // a mass by which its own rounding, and nothing more, counts as zero
    root.mass[first + c] = measured.zeros.row[c] * measured.zeros.column[c] * rounding / options.zero;
    root.pair[first + c] = 0;
  }
  root.eliminated = first;
  root.zero = zeros;
  options.leaves_out = false;
  eliminate_carefully<S>(root, options);
  const bool complete = root.eliminated == root.columns;
  root.uncertain.resize(uncertain); // these are certain
  return leave_out_rest(root) && complete && root.zero - zeros == measured.zeros.zero;
}

/// V for the pivots that are left out of a root: [pivots, rows of its tree].
template <class T, Symmetry S>
std::vector<T> null_vectors(const FrontPlan &plan, const FrontColumns<T> &root, FrontSolve<T, S> &solve, Index s,
                            Index first)
{
  const Index begin = plan.tree.first[first], rows = plan.tree.first[s + 1] - begin;
  std::vector<T> v(std::size_t(root.left_out) * rows);
  for (Index c0 = 0; c0 < root.left_out; c0 += vectors_at_a_time) {
    std::vector<Index> place(std::min(vectors_at_a_time, root.left_out - c0));
    std::iota(place.begin(), place.end(), root.eliminated - root.left_out + c0);
    const T *columns = solve.inverse_columns(s, first, place);
    for (std::size_t c = 0; c < place.size(); ++c)
      std::copy_n(columns + c * plan.tree.rows() + begin, rows, &v[(c0 + c) * rows]);
  }
  return v;
}

} // namespace

template <class T, Symmetry S>
MeasuredRoots measure_roots(const FrontPlan &plan, FrontStore<T> &store, FrontSolve<T, S> &solve, const T *values,
                            const DirectOptions &options)
{
  MeasuredRoots roots;
  std::vector<Index> place;
  const AssemblyTree &tree = plan.tree;
  for (Index s = 0; s < tree.fronts(); ++s) {
    FrontColumns<T> &root = store[s];
    if (root.left_out == 0)
      continue;
    const Index first = tree.first_of_subtree(s);
    if (!can_measure(root.left_out, tree.first[s + 1] - tree.first[first], plan.flops)) {
      roots.known = false;
      continue;
    }
    if (place.empty())
      place = inverse_permutation(tree.perm);
    const double *mass = root.mass + root.eliminated - root.left_out;
    const MeasuredSchur<T> measured = measure_left_out<T>(
        part_of_subtree<S>(plan, values, place, first, s),
        {root.left_out, null_vectors(plan, root, solve, s, first), {}, mass, mass}, judge_schur<T, S>,
        [&](Index columns, const T *b) { return solve.solve_tree(s, first, columns, b); });
    roots.measured += root.left_out;
    roots.regular += root.left_out - measured.zeros.zero;
    roots.uncertain += measured.zeros.uncertain;
    if (!measured.zeros.known || (measured.zeros.zero < root.left_out && !take_pivots<S>(root, measured, options)))
      roots.known = false;
  }
  return roots;
}

template MeasuredRoots measure_roots(const FrontPlan &, FrontStore<double> &, FrontSolve<double, Symmetry::Symmetric> &,
                                     const double *, const DirectOptions &);
template MeasuredRoots measure_roots(const FrontPlan &, FrontStore<Complex> &,
                                     FrontSolve<Complex, Symmetry::Symmetric> &, const Complex *,
                                     const DirectOptions &);
template MeasuredRoots measure_roots(const FrontPlan &, FrontStore<Complex> &,
                                     FrontSolve<Complex, Symmetry::Hermitian> &, const Complex *,
                                     const DirectOptions &);

} // namespace tessera
