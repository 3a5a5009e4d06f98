#include "host/lu/lu_solve.hpp"

#include "base/bytes.hpp"
#include "base/scaled.hpp"
#include "host/front/solve/lower_columns.hpp"

#include <algorithm>
#include <omp.h>

namespace tessera {
namespace {

constexpr Index right_hand_sides = 32;      ///< at a time
constexpr auto unit = blas::Diagonal::unit; ///< of L

/// W = U11⁻ᵀ W and W2 -= U12ᵀ W, W: the rows of a front times `columns`. Pivots that are 0 are the last ones, and have
/// no part.
template <class T>
void forward_upper(const LuFront<T> &f, Index columns, bool parallel, T *w)
{
  const Index active = f.eliminated - f.zero, delayed = f.columns - f.eliminated;
  blas::solve_triangle(blas::Side::left, blas::Triangle::upper, blas::Form::transposed, blas::Diagonal::any, active,
                       columns, f.a, f.rows, w, f.rows);
  blas::subtract_transposed_product(blas::Form::transposed, delayed, columns, active, f.at(0, f.eliminated), f.rows, w,
                                    f.rows, w + f.eliminated, f.rows);
  for_chunks_of_rows(0, f.below(), parallel, [&](Index r0, Index r1) {
    blas::subtract_product(r1 - r0, columns, active, f.right(0, r0), f.below(), w, f.rows, blas::Form::given,
                           w + f.columns + r0, f.rows);
  });
}

/// W = U11⁻¹ (W - U12 W2). Pivots that are 0 belong to W2.
template <class T>
void backward_upper(const LuFront<T> &f, Index columns, bool parallel, T *w)
{
  const Index active = f.eliminated - f.zero;
  constexpr Index chunk = 32;
  blas::subtract_product(active, columns, f.columns - active, f.at(0, active), f.rows, w + active, f.rows,
                         blas::Form::given, w, f.rows);
  for_each_chunk((active + chunk - 1) / chunk, parallel, [&](Index t) {
    const Index k = t * chunk, many = std::min(chunk, active - k);
    blas::subtract_transposed_product(blas::Form::transposed, many, columns, f.below(), f.right(k, 0), f.below(),
                                      w + f.columns, f.rows, w + k, f.rows);
  });
  blas::solve_triangle(blas::Side::left, blas::Triangle::upper, blas::Form::given, blas::Diagonal::any, active, columns,
                       f.a, f.rows, w, f.rows);
}

} // namespace

template <class T>
LuSolve<T>::LuSolve(const LuPlan &plan, const LuStore<T> &store)
    : plan_(plan), tree_(plan.fronts.tree), store_(store), below_(plan.fronts), coupling_(plan.coupling.source.size())
{
  const FrontPlan &fronts = plan.fronts;
  for (const DiagonalBlock &b : plan.block) {
    const bool large = double(fronts.columns_at[b.end] - fronts.columns_at[b.begin]) >= parallel_substitution;
    block_.push_back({b, large ? std::make_unique<TreeLoop>(fronts, b.begin, b.end) : nullptr});
  }
}

template <class T>
void LuSolve<T>::set_coupling(const T *values)
{
  const Coupling &c = plan_.coupling;
  for (Index i = 0; i < tree_.rows(); ++i)
    for (Offset p = c.start[i]; p < c.start[i + 1]; ++p)
      coupling_[p] = scaled(values[c.source[p]], plan_.fronts.scale[i], plan_.column_scale[c.column[p]]);
}

template <class T>
void LuSolve<T>::run(bool transposed, Index columns, const T *b, Offset b_leading, T *x, Offset x_leading)
{
  for (Index j = 0; j < columns; j += right_hand_sides) {
    const Index many = std::min(right_hand_sides, columns - j);
    make_room(many);
    if (transposed)
      run_columns<true>(many, b + j * b_leading, b_leading, x + j * x_leading, x_leading);
    else
      run_columns<false>(many, b + j * b_leading, b_leading, x + j * x_leading, x_leading);
  }
}

template <class T>
template <bool Transposed>
void LuSolve<T>::run_columns(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading)
{
  const Index n = tree_.rows();
  const std::vector<Index> &from = Transposed ? plan_.column : tree_.perm, &to = Transposed ? tree_.perm : plan_.column;
  const std::vector<double> &from_scale = Transposed ? plan_.column_scale : plan_.fronts.scale,
                            &to_scale = Transposed ? plan_.fronts.scale : plan_.column_scale;
#pragma omp parallel for schedule(static) if (Offset(n) * columns > parallel_numbers)
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j)
      y_[std::size_t(j) * n + i] = b[j * b_leading + from[i]] * from_scale[i];
  if constexpr (Transposed) {
    for (auto block = block_.rbegin(); block != block_.rend(); ++block) {
      solve_block<true>(*block, columns);
      subtract_coupling_transposed(block->fronts, columns);
    }
  } else {
    for (const Block &block : block_) {
      subtract_coupling(block.fronts, columns);
      solve_block<false>(block, columns);
    }
  }
#pragma omp parallel for schedule(static) if (Offset(n) * columns > parallel_numbers)
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j)
      x[j * x_leading + to[i]] = x_[std::size_t(j) * n + i] * to_scale[i];
}

/// Subtracts from the rows of a block what solutions of blocks before it contribute.
template <class T>
void LuSolve<T>::subtract_coupling(const DiagonalBlock &fronts, Index columns)
{
  const Coupling &c = plan_.coupling;
  const std::size_t n = tree_.rows();
  for (Index i = tree_.first[fronts.begin]; i < tree_.first[fronts.end]; ++i)
    for (Offset p = c.start[i]; p < c.start[i + 1]; ++p)
      for (Index j = 0; j < columns; ++j)
        y_[j * n + i] -= product(coupling_[p], x_[j * n + c.column[p]]);
}

/// Subtracts what the solutions of a block contribute to blocks before it.
template <class T>
void LuSolve<T>::subtract_coupling_transposed(const DiagonalBlock &fronts, Index columns)
{
  const Coupling &c = plan_.coupling;
  const std::size_t n = tree_.rows();
  for (Index i = tree_.first[fronts.begin]; i < tree_.first[fronts.end]; ++i)
    for (Offset p = c.start[i]; p < c.start[i + 1]; ++p)
      for (Index j = 0; j < columns; ++j)
        y_[j * n + c.column[p]] -= product(coupling_[p], x_[j * n + i]);
}

template <class T>
template <bool Transposed>
void LuSolve<T>::solve_block(const Block &block, Index columns)
{
  forward_block<Transposed>(block, columns);
  backward_block<Transposed>(block, columns);
}

template <class T>
template <bool Transposed>
void LuSolve<T>::forward_block(const Block &block, Index columns)
{
  if (!block.tree) {
    for (Index s = block.fronts.begin; s < block.fronts.end; ++s)
      forward<Transposed>(s, columns, is_large(s, columns), local_[0], {});
    return;
  }
  const std::vector<FrontSet> &subtrees = plan_.fronts.subtrees;
  const bool parallel = omp_get_max_threads() > 1;
  const auto forward_subtree = [&](Index t) {
    Local &mine = local(parallel);
    const Outside outside = below_.begin(subtrees[t].front.back(), columns, mine.place);
    for (Index s : subtrees[t].front)
      forward<Transposed>(s, columns, false, mine, outside);
  };
  const auto forward_front = [&](Index s) {
    Local &mine = local(parallel);
    const Outside outside = below_.begin(s, columns, mine.place);
    below_.gather(s, columns, y_.data());
    forward<Transposed>(s, columns, is_large(s, columns), mine, outside);
  };
  block.tree->up(parallel, forward_subtree, forward_front);
}

template <class T>
template <bool Transposed>
void LuSolve<T>::backward_block(const Block &block, Index columns)
{
  if (!block.tree) {
    for (Index s = block.fronts.end - 1; s >= block.fronts.begin; --s)
      backward<Transposed>(s, columns, is_large(s, columns), local_[0]);
    return;
  }
  const std::vector<FrontSet> &subtrees = plan_.fronts.subtrees;
  const bool parallel = omp_get_max_threads() > 1;
  const auto backward_subtree = [&](Index t) {
    for (auto s = subtrees[t].front.rbegin(); s != subtrees[t].front.rend(); ++s)
      backward<Transposed>(*s, columns, false, local(parallel));
  };
  block.tree->down(parallel, backward_subtree,
                   [&](Index s) { backward<Transposed>(s, columns, is_large(s, columns), local(parallel)); });
}

/// Of the thread, of our team or of none.
template <class T>
typename LuSolve<T>::Local &LuSolve<T>::local(bool parallel)
{
  return local_[parallel ? omp_get_thread_num() : 0];
}

/// Substitutes the pivots of front s into what comes after them.
template <class T>
template <bool Transposed>
void LuSolve<T>::forward(Index s, Index columns, bool parallel, Local &local, const Outside &outside)
{
  const LuFront<T> &f = store_[s];
  const Index *name = Transposed ? f.column : f.row;
  const std::size_t n = tree_.rows();
  local.work.resize(std::max(local.work.size(), std::size_t(f.rows) * columns));
  T *w = local.work.data();
  for (Index j = 0; j < columns; ++j) {
    T *wj = w + std::size_t(j) * f.rows;
    for (Index i = 0; i < f.eliminated; ++i)
      wj[i] = y_[j * n + name[i]];
    std::fill(wj + f.eliminated, wj + f.rows, T(0));
  }
  Transposed ? forward_upper(f, columns, parallel, w) : forward_lower(f, unit, columns, parallel, w);
  const Index *below = tree_.below.data() + tree_.below_start[s];
  for (Index j = 0; j < columns; ++j) {
    const T *wj = w + std::size_t(j) * f.rows;
    for (Index i = 0; i < f.eliminated; ++i)
      y_[j * n + name[i]] = wj[i];
    for (Index i = f.eliminated; i < f.columns; ++i)
      y_[j * n + name[i]] += wj[i];
    for (Index i = 0; i < f.below(); ++i) {
      const Index r = below[i];
      const bool apart = outside.sum && r >= outside.end;
      (apart ? outside.sum[std::size_t(j) * outside.rows + outside.place[r]] : y_[j * n + r]) += wj[f.columns + i];
    }
  }
}

/// Finds the unknowns of the pivots of front s from those that come after them.
template <class T>
template <bool Transposed>
void LuSolve<T>::backward(Index s, Index columns, bool parallel, Local &local)
{
  const LuFront<T> &f = store_[s];
  const Index *given = Transposed ? f.column : f.row, *name = Transposed ? f.row : f.column;
  const Index *below = tree_.below.data() + tree_.below_start[s];
  const std::size_t n = tree_.rows();
  local.work.resize(std::max(local.work.size(), std::size_t(f.rows) * columns));
  T *w = local.work.data();
  for (Index j = 0; j < columns; ++j) {
    T *wj = w + std::size_t(j) * f.rows;
    for (Index i = 0; i < f.eliminated; ++i)
      wj[i] = i < f.eliminated - f.zero ? y_[j * n + given[i]] : zeros_given_ ? x_[j * n + name[i]] : T(0);
    for (Index i = f.eliminated; i < f.columns; ++i)
      wj[i] = x_[j * n + name[i]];
    for (Index i = 0; i < f.below(); ++i)
      wj[f.columns + i] = x_[j * n + below[i]];
  }
  Transposed ? backward_lower<blas::Form::transposed>(f, unit, columns, parallel, w)
             : backward_upper(f, columns, parallel, w);
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < f.eliminated; ++i)
      x_[j * n + name[i]] = w[std::size_t(j) * f.rows + i];
}

template <class T>
template <class F>
void LuSolve<T>::for_entries_of_block(const DiagonalBlock &fronts, Index columns, const F &f) const
{
  const Index begin = tree_.first[fronts.begin], rows = tree_.first[fronts.end] - begin;
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i)
      f(std::size_t(j) * tree_.rows() + begin + i, std::size_t(j) * rows + i);
}

template <class T>
std::vector<T> LuSolve<T>::null_vectors(bool transposed, std::size_t block)
{
  const DiagonalBlock &fronts = plan_.block[block];
  const LuFront<T> &root = store_[fronts.end - 1];
  const std::size_t n = tree_.rows(), rows = tree_.first[fronts.end] - tree_.first[fronts.begin];
  make_room(std::min(right_hand_sides, root.zero));
  std::vector<T> x(rows * root.zero);
  zeros_given_ = true;
  for (Index c0 = 0; c0 < root.zero; c0 += right_hand_sides) {
    const Index many = std::min(right_hand_sides, root.zero - c0), first = root.eliminated - root.zero + c0;
    for_entries_of_block(fronts, many, [&](std::size_t at, std::size_t) { y_[at] = x_[at] = 0; });
    for (Index c = 0; c < many; ++c)
      x_[c * n + (transposed ? root.row : root.column)[first + c]] = 1;
    transposed ? backward_block<true>(block_[block], many) : backward_block<false>(block_[block], many);
    for_entries_of_block(fronts, many, [&](std::size_t from, std::size_t to) { x[rows * c0 + to] = x_[from]; });
  }
  zeros_given_ = false;
  return x;
}

template <class T>
std::vector<T> LuSolve<T>::solve_block_alone(std::size_t block, Index columns, const T *b)
{
  const Block &own = block_[block];
  make_room(columns);
  for_entries_of_block(own.fronts, columns, [&](std::size_t to, std::size_t from) { y_[to] = b[from]; });
  solve_block<false>(own, columns);
  std::vector<T> x(std::size_t(columns) * (tree_.first[own.fronts.end] - tree_.first[own.fronts.begin]));
  for_entries_of_block(own.fronts, columns, [&](std::size_t from, std::size_t to) { x[to] = x_[from]; });
  return x;
}

/// For so many right-hand sides.
template <class T>
void LuSolve<T>::make_room(Index columns)
{
  local_.resize(std::max(1, omp_get_max_threads()));
  y_.resize(std::size_t(tree_.rows()) * columns);
  x_.resize(std::size_t(tree_.rows()) * columns);
}

/// Whether all threads are worth their wait for each other.
template <class T>
bool LuSolve<T>::is_large(Index s, Index columns) const
{
  return double(store_[s].columns) * double(store_[s].rows) * double(columns) >= parallel_front_entries;
}

template <class T>
Offset LuSolve<T>::bytes() const
{
  return bytes_of_all(coupling_, y_, x_);
}

template class LuSolve<double>;
template class LuSolve<Complex>;

} // namespace tessera
