#include "host/front/solve/front_solve.hpp"

#include "host/front/eliminate/inverse_pair.hpp"
#include "host/front/solve/lower_columns.hpp"

#include <algorithm>
#include <omp.h>

namespace tessera {
namespace {

constexpr Index right_hand_sides = 32; ///< at a time

/// Of the diagonal blocks of L.
blas::Diagonal diagonal_of(FactorKind kind)
{
  return kind == FactorKind::LLT ? blas::Diagonal::any : blas::Diagonal::unit;
}

} // namespace

template <class T, Symmetry S>
void FrontSolve<T, S>::run(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading)
{
  prepare();
  for (Index j = 0; j < columns; j += right_hand_sides) {
    const Index many = std::min(right_hand_sides, columns - j);
    take(many, b + j * b_leading, b_leading, true);
    forward_all(many);
    backward_all(many);
    give(many, x + j * x_leading, x_leading, true);
  }
}

template <class T, Symmetry S>
void FrontSolve<T, S>::run_forward(const T *b, T *y)
{
  prepare();
  take(1, b, plan_.tree.rows(), true);
  forward_all(1);
  give(1, y, plan_.tree.rows(), false);
}

template <class T, Symmetry S>
void FrontSolve<T, S>::run_backward(const T *y, T *x)
{
  prepare();
  take(1, y, plan_.tree.rows(), false);
  backward_all(1);
  give(1, x, plan_.tree.rows(), true);
}

template <class T, Symmetry S>
const T *FrontSolve<T, S>::inverse_columns(Index s, Index first, const std::vector<Index> &place)
{
  const Index columns = static_cast<Index>(place.size());
  const std::size_t n = plan_.tree.rows();
  prepare();
  x_.assign(n * columns, T(0));
  for (Index c = 0; c < columns; ++c)
    x_[c * n + store_[s].row[place[c]]] = 1;
  backward_tree(s, first, columns);
  return x_.data();
}

template <class T, Symmetry S>
const T *FrontSolve<T, S>::eliminate_columns(Index s, Index first, Index columns, const T *r)
{
  std::swap(x_, other_);
  forward_tree(s, first, columns, r);
  std::swap(x_, other_);
  return other_.data();
}

template <class T, Symmetry S>
std::vector<T> FrontSolve<T, S>::solve_tree(Index s, Index first, Index columns, const T *b)
{
  const Index begin = plan_.tree.first[first], rows = plan_.tree.first[s + 1] - begin;
  forward_tree(s, first, columns, b);
  backward_tree(s, first, columns);
  std::vector<T> x(std::size_t(columns) * rows);
  for (Index c = 0; c < columns; ++c)
    std::copy_n(x_.data() + std::size_t(c) * plan_.tree.rows() + begin, rows, x.data() + std::size_t(c) * rows);
  return x;
}

/// Whether the tree of s, first .. s, is most of all: then all threads take part, and rows of others have numbers that
/// do not matter.
template <class T, Symmetry S>
bool FrontSolve<T, S>::is_most(Index s, Index first) const
{
  const AssemblyTree &tree = plan_.tree;
  return tree.parent[s] < 0 && Offset(tree.first[s + 1] - tree.first[first]) * 2 > tree.rows();
}

/// x_ = L⁻ᵀ X for the rows of the fronts first .. s, the subtree of s.
template <class T, Symmetry S>
void FrontSolve<T, S>::backward_tree(Index s, Index first, Index columns)
{
  if (is_most(s, first))
    return backward_all(columns);
  for (Index t = s; t >= first; --t)
    backward(t, columns, false, local_[0]);
}

/// x_ = D⁻¹ L⁻¹ B for the rows of the fronts first .. s, the subtree of s. b: [columns, rows of the subtree].
template <class T, Symmetry S>
void FrontSolve<T, S>::forward_tree(Index s, Index first, Index columns, const T *b)
{
  const std::size_t n = plan_.tree.rows();
  const Index begin = plan_.tree.first[first], rows = plan_.tree.first[s + 1] - begin;
  prepare();
  x_.assign(n * columns, T(0));
  for (Index c = 0; c < columns; ++c)
    std::copy_n(b + std::size_t(c) * rows, rows, x_.data() + c * n + begin);
  if (is_most(s, first))
    return forward_all(columns);
  const Outside outside = below_.begin(s, columns, local_[0].place);
  for (Index t = first; t <= s; ++t)
    forward(t, columns, false, local_[0], outside);
}

template <class T, Symmetry S>
void FrontSolve<T, S>::prepare()
{
  local_.resize(std::max(1, omp_get_max_threads()));
}

/// Brings right-hand sides into elimination order.
template <class T, Symmetry S>
void FrontSolve<T, S>::take(Index columns, const T *b, Offset b_leading, bool scaled)
{
  const AssemblyTree &tree = plan_.tree;
  const Index n = tree.rows();
  x_.resize(std::size_t(n) * columns);
#pragma omp parallel for schedule(static) if (Offset(n) * columns > parallel_numbers)
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j)
      x_[std::size_t(j) * n + i] = b[j * b_leading + tree.perm[i]] * (scaled ? plan_.scale[i] : 1);
}

template <class T, Symmetry S>
void FrontSolve<T, S>::give(Index columns, T *x, Offset x_leading, bool scaled) const
{
  const AssemblyTree &tree = plan_.tree;
  const Index n = tree.rows();
#pragma omp parallel for schedule(static) if (Offset(n) * columns > parallel_numbers)
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j)
      x[j * x_leading + tree.perm[i]] = x_[std::size_t(j) * n + i] * (scaled ? plan_.scale[i] : 1);
}

/// Of the thread, of our team or of none.
template <class T, Symmetry S>
typename FrontSolve<T, S>::Local &FrontSolve<T, S>::local(bool parallel)
{
  return local_[parallel ? omp_get_thread_num() : 0];
}

template <class T, Symmetry S>
void FrontSolve<T, S>::forward_all(Index columns)
{
  const bool parallel = in_parallel(columns);
  const auto subtree = [&](Index t) {
    Local &mine = local(parallel);
    const Outside outside = below_.begin(plan_.subtrees[t].front.back(), columns, mine.place);
    for (Index s : plan_.subtrees[t].front)
      forward(s, columns, false, mine, outside);
  };
  const auto front = [&](Index s) {
    Local &mine = local(parallel);
    const Outside outside = below_.begin(s, columns, mine.place);
    below_.gather(s, columns, x_.data());
    forward(s, columns, is_large(s, columns), mine, outside);
  };
  tree_.up(parallel, subtree, front);
}

template <class T, Symmetry S>
void FrontSolve<T, S>::backward_all(Index columns)
{
  const bool parallel = in_parallel(columns);
  const auto subtree = [&](Index t) {
    const std::vector<Index> &fronts = plan_.subtrees[t].front;
    for (auto s = fronts.rbegin(); s != fronts.rend(); ++s)
      backward(*s, columns, false, local(parallel));
  };
  tree_.down(parallel, subtree, [&](Index s) { backward(s, columns, is_large(s, columns), local(parallel)); });
}

/// Whether several threads are worth waking.
template <class T, Symmetry S>
bool FrontSolve<T, S>::in_parallel(Index columns) const
{
  return double(plan_.factor_entries) * columns >= parallel_substitution && omp_get_max_threads() > 1;
}

/// Whether all threads are worth their wait for each other.
template <class T, Symmetry S>
bool FrontSolve<T, S>::is_large(Index s, Index columns) const
{
  return double(store_[s].columns) * double(store_[s].rows) * double(columns) >= parallel_front_entries;
}

/// The row, in elimination order, in place i of front s.
template <class T, Symmetry S>
Index FrontSolve<T, S>::row(Index s, Index i) const
{
  const FrontColumns<T> &f = store_[s];
  return i < f.columns ? f.row[i] : plan_.tree.below[plan_.tree.below_start[s] + i - f.columns];
}

template <class T, Symmetry S>
void FrontSolve<T, S>::divide_by_pivots(const FrontColumns<T> &f, Index columns, T *w) const
{
  for (Index j = 0; j < columns; ++j) {
    T *x = w + std::size_t(j) * f.rows;
    for (Index k = 0; k < f.eliminated; ++k) {
      if (f.off[k] == T(0)) {
        x[k] = f.d[k] == T(0) ? T(0) : quotient(x[k], f.d[k]);
        continue;
      }
      const InversePair<T, S> inverse(f.d[k], f.off[k], f.d[k + 1]);
      const T first = x[k], second = x[k + 1];
      x[k] = inverse.first_of_column(first, second);
      x[k + 1] = inverse.second_of_column(first, second);
      ++k;
    }
  }
}

/// Substitutes the columns of front s into what comes after them, and divides by its pivots.
template <class T, Symmetry S>
void FrontSolve<T, S>::forward(Index s, Index columns, bool parallel, Local &local, const Outside &outside)
{
  const FrontColumns<T> &f = store_[s];
  const std::size_t n = plan_.tree.rows();
  local.work.resize(std::size_t(f.rows) * columns);
  T *w = local.work.data();
  for (Index j = 0; j < columns; ++j) {
    T *wj = w + std::size_t(j) * f.rows;
    for (Index i = 0; i < f.eliminated; ++i)
      wj[i] = x_[j * n + f.row[i]];
    std::fill(wj + f.eliminated, wj + f.rows, T(0));
  }
  forward_lower(f, diagonal_of(kind_), columns, parallel, w);
  if (kind_ != FactorKind::LLT)
    divide_by_pivots(f, columns, w);
  for (Index j = 0; j < columns; ++j) {
    const T *wj = w + std::size_t(j) * f.rows;
    for (Index i = 0; i < f.eliminated; ++i)
      x_[j * n + f.row[i]] = wj[i];
    for (Index i = f.eliminated; i < f.rows; ++i) {
      const Index r = row(s, i);
      (r < outside.end ? x_[j * n + r] : outside.sum[std::size_t(j) * outside.rows + outside.place[r]]) += wj[i];
    }
  }
}

/// Finds the unknowns of the columns of front s from those that come after them.
template <class T, Symmetry S>
void FrontSolve<T, S>::backward(Index s, Index columns, bool parallel, Local &local)
{
  const FrontColumns<T> &f = store_[s];
  const std::size_t n = plan_.tree.rows();
  local.work.resize(std::size_t(f.rows) * columns);
  T *w = local.work.data();
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < f.rows; ++i)
      w[std::size_t(j) * f.rows + i] = x_[j * n + row(s, i)];
  backward_lower<blas::mirror_image<S>>(f, diagonal_of(kind_), columns, parallel, w);
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < f.eliminated; ++i)
      x_[j * n + f.row[i]] = w[std::size_t(j) * f.rows + i];
}

template class FrontSolve<double, Symmetry::Symmetric>;
template class FrontSolve<Complex, Symmetry::Symmetric>;
template class FrontSolve<Complex, Symmetry::Hermitian>;

} // namespace tessera
