#include "host/front/assemble.hpp"

#include "base/scaled.hpp"
#include "host/front/parallel_chunks.hpp"

namespace tessera {

template <class T, Symmetry S>
void Assembly<T, S>::begin(Index s, T *contribution)
{
  const AssemblyTree &tree = plan_.tree;
  own_ = tree.columns(s);
  shift_ = 0;
  for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c)
    shift_ += store_.delayed(tree.child[c]);
  front_ = &store_.make(s, own_ + shift_);
  contribution_ = contribution;
  for (Index j = 0; j < own_; ++j) {
    front_->row[j] = tree.first[s] + j;
    front_->pair[j] = tree.pair[tree.first[s] + j];
  }
  const Index columns = front_->columns, below = tree.below_rows(s);
  front_->mass_below = masses_of(contribution, below);
  std::fill(front_->mass, front_->mass + columns, 0.0);
  std::fill(front_->mass_below, front_->mass_below + below, 0.0);
  for_chunks_of_rows(0, columns, parallel_, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j)
      std::fill(front_->at(j, j), front_->at(0, j) + front_->rows, T(0));
  });
  for_chunks_of_rows(0, below, parallel_, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j)
      std::fill(contribution + std::ptrdiff_t(j) * below + j, contribution + std::ptrdiff_t(j + 1) * below, T(0));
  });
}

template <class T, Symmetry S>
void Assembly<T, S>::add_entries(Index s)
{
  const AssemblyTree &tree = plan_.tree;
  const FrontEntries &entries = plan_.entries;
  for (Offset p = entries.start[s]; p < entries.start[s + 1]; ++p) {
    const Index i = entries.row[p], j = entries.column[p];
    const Index row = i < own_ ? tree.first[s] + i : tree.below[tree.below_start[s] + i - own_];
    // a source is of the entry in row j and column i of the matrix
    T x = mirrored<S>(scaled(entry_at(values_, entries.source[p]), plan_.scale[row], plan_.scale[tree.first[s] + j]));
    if (i == j) {
      x = on_diagonal<S>(x);
      front_->mass[j] += magnitude(x);
    }
    *front_->at(i < own_ ? i : i + shift_, j) += x;
  }
}

template <class T, Symmetry S>
void Assembly<T, S>::add_child(Index child, const T *contribution, Index &delayed)
{
  const AssemblyTree &tree = plan_.tree;
  const FrontColumns<T> &from = store_[child];
  const Index below = tree.below_rows(child), columns = front_->columns, below_here = front_->rows - columns;
  const double *mass = masses_of(contribution, below);
  place_.resize(below);
  for (Index i = 0; i < below; ++i) {
    const Index place = tree.to_parent[tree.below_start[child] + i];
    place_[i] = place < own_ ? place : place + shift_;
    front_->mass_of(place_[i]) += mass[i];
  }
  for_chunks_of_rows(0, below, parallel_, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j) {
      const T *x = contribution + std::ptrdiff_t(j) * below;
      T *to = place_[j] < columns ? front_->at(0, place_[j])
                                  : contribution_ + std::ptrdiff_t(place_[j] - columns) * below_here - columns;
      for (Index i = j; i < below; ++i)
        to[place_[i]] += x[i];
    }
  });
  if (from.eliminated < from.columns) {
    add_delayed(from, place_.data(), below, delayed);
    delayed += from.columns - from.eliminated;
  }
}

template <class T, Symmetry S>
void Assembly<T, S>::add_delayed(const FrontColumns<T> &from, const Index *to, Index below, Index first)
{
  for (Index j = from.eliminated; j < from.columns; ++j) {
    const Index column = first + j - from.eliminated;
    front_->row[column] = from.row[j];
    front_->pair[column] = 0;
    front_->mass[column] = from.mass[j];
    for (Index i = j; i < from.columns; ++i)
      add(first + i - from.eliminated, column, *from.at(i, j));
    for (Index i = 0; i < below; ++i)
      add(to[i], column, *from.at(from.columns + i, j));
  }
}

template class Assembly<double, Symmetry::Symmetric>;
template class Assembly<Complex, Symmetry::Symmetric>;
template class Assembly<Complex, Symmetry::Hermitian>;

} // namespace tessera
