#include "host/front/assemble.hpp"

#include "base/scaled.hpp"
#include "host/front/parallel_chunks.hpp"

#include <cmath>

namespace tessera {

void Assembly::begin(Index s, double *contribution)
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
  front_->mass_below = contribution + std::ptrdiff_t(below) * below;
  std::fill(front_->mass, front_->mass + columns, 0.0);
  std::fill(front_->mass_below, front_->mass_below + below, 0.0);
  for_chunks_of_rows(0, columns, parallel_, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j)
      std::fill(front_->at(j, j), front_->at(0, j) + front_->rows, 0.0);
  });
  for_chunks_of_rows(0, below, parallel_, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j)
      std::fill(contribution + std::ptrdiff_t(j) * below + j, contribution + std::ptrdiff_t(j + 1) * below, 0.0);
  });
}

void Assembly::add_entries(Index s)
{
  const AssemblyTree &tree = plan_.tree;
  const FrontEntries &entries = plan_.entries;
  for (Offset p = entries.start[s]; p < entries.start[s + 1]; ++p) {
    const Index i = entries.row[p], j = entries.column[p];
    const Index row = i < own_ ? tree.first[s] + i : tree.below[tree.below_start[s] + i - own_];
    const double x = scaled(values_[entries.source[p]], plan_.scale[row], plan_.scale[tree.first[s] + j]);
    *front_->at(i < own_ ? i : i + shift_, j) += x;
    if (i == j)
      front_->mass[j] += std::abs(x);
  }
}

void Assembly::add_child(Index child, const double *contribution, Index &delayed)
{
  const AssemblyTree &tree = plan_.tree;
  const FrontColumns &from = store_[child];
  const Index below = tree.below_rows(child), columns = front_->columns, below_here = front_->rows - columns;
  const double *mass = contribution + std::ptrdiff_t(below) * below;
  place_.resize(below);
  for (Index i = 0; i < below; ++i) {
    const Index place = tree.to_parent[tree.below_start[child] + i];
    place_[i] = place < own_ ? place : place + shift_;
    front_->mass_of(place_[i]) += mass[i];
  }
  for_chunks_of_rows(0, below, parallel_, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j) {
      const double *x = contribution + std::ptrdiff_t(j) * below;
      double *to = place_[j] < columns ? front_->at(0, place_[j])
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

void Assembly::add_delayed(const FrontColumns &from, const Index *to, Index below, Index first)
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

} // namespace tessera
