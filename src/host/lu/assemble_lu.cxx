#include "host/lu/assemble_lu.hpp"

#include "base/scaled.hpp"
#include "host/front/parallel_chunks.hpp"

namespace tessera {

template <class T>
void LuAssembly<T>::begin(Index s, T *contribution)
{
  own_ = tree_.columns(s);
  shift_ = 0;
  for (Index c = tree_.child_start[s]; c < tree_.child_start[s + 1]; ++c)
    shift_ += store_.delayed(tree_.child[c]);
  front_ = &store_.make(s, own_ + shift_);
  contribution_ = contribution;
  for (Index j = 0; j < own_; ++j)
    front_->row[j] = front_->column[j] = tree_.first[s] + j;
  const Index columns = front_->columns, below = front_->below();
  front_->row_mass_below = masses_of(contribution, below);
  front_->column_mass_below = front_->row_mass_below + below;
  std::fill(front_->row_mass, front_->row_mass + columns, 0.0);
  std::fill(front_->column_mass, front_->column_mass + columns, 0.0);
  for_chunks_of_rows(0, columns, parallel_, [&](Index j0, Index j1) {
    std::fill(front_->at(0, j0), front_->at(0, j1), T(0));
    std::fill(front_->right(j0, 0), front_->right(j1, 0), T(0));
  });
  for_chunks_of_rows(0, below, parallel_, [&](Index j0, Index j1) {
    std::fill(contribution + std::ptrdiff_t(j0) * below, contribution + std::ptrdiff_t(j1) * below, T(0));
  });
  std::fill(front_->row_mass_below, front_->row_mass_below + 2 * std::ptrdiff_t(below), 0.0);
}

template <class T>
void LuAssembly<T>::add_entries(Index s)
{
  const FrontEntries &entries = plan_.fronts.entries;
  const auto in_order = [&](Index i) {
    return i < own_ ? tree_.first[s] + i : tree_.below[tree_.below_start[s] + i - own_];
  };
  for (Offset p = entries.start[s]; p < entries.start[s + 1]; ++p) {
    const Index i = entries.row[p], j = entries.column[p];
    entry(i < own_ ? i : i + shift_, j < own_ ? j : j + shift_) +=
        scaled(values_[entries.source[p]], plan_.fronts.scale[in_order(i)], plan_.column_scale[in_order(j)]);
  }
}

template <class T>
void LuAssembly<T>::add_child(Index child, T *contribution, Index &delayed)
{
  const LuFront<T> &from = store_[child];
  const Index below = tree_.below_rows(child), columns = front_->columns, below_here = front_->below();
  const double *row_mass = masses_of(contribution, below), *column_mass = row_mass + below;
  place_.resize(below);
  Index own = 0; // rows of the child that are the front's own; they come first
  for (Index i = 0; i < below; ++i) {
    const Index place = tree_.to_parent[tree_.below_start[child] + i];
    place_[i] = place < own_ ? place : place + shift_;
    own += place < own_;
    front_->mass_of_row(place_[i]) += row_mass[i];
    front_->mass_of_column(place_[i]) += column_mass[i];
  }
  for_chunks_of_rows(0, below, parallel_, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j) {
      const T *x = contribution + std::ptrdiff_t(j) * below;
      if (j < own) {
        T *to = front_->at(0, place_[j]);
        for (Index i = 0; i < below; ++i)
          to[place_[i]] += x[i];
        continue;
      }
      const Index column = place_[j] - columns;
      for (Index i = 0; i < own; ++i)
        *front_->right(place_[i], column) += x[i];
      T *to = contribution_ + std::ptrdiff_t(column) * below_here - columns;
      for (Index i = own; i < below; ++i)
        to[place_[i]] += x[i];
    }
  });
  if (from.eliminated < from.columns) {
    add_delayed(from, delayed);
    delayed += from.columns - from.eliminated;
  }
}

/// Rows and columns that a child could not eliminate are the front's own from place `first` on.
template <class T>
void LuAssembly<T>::add_delayed(const LuFront<T> &from, Index first)
{
  const Index many = from.columns - from.eliminated;
  for (Index k = 0; k < many; ++k) {
    const Index old = from.eliminated + k, here = first + k;
    front_->row[here] = from.row[old];
    front_->column[here] = from.column[old];
    front_->row_mass[here] = from.row_mass[old];
    front_->column_mass[here] = from.column_mass[old];
    for (Index i = 0; i < many; ++i)
      *front_->at(first + i, here) = *from.at(from.eliminated + i, old);
    for (Index i = 0; i < from.below(); ++i) {
      *front_->at(place_[i], here) += *from.at(from.columns + i, old);
      entry(here, place_[i]) += *from.right(old, i);
    }
  }
}

template class LuAssembly<double>;
template class LuAssembly<Complex>;

} // namespace tessera
