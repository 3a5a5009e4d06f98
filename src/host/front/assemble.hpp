#ifndef TESSERA_HOST_FRONT_ASSEMBLE_HPP
#define TESSERA_HOST_FRONT_ASSEMBLE_HPP

#include "host/front/front_store.hpp"

namespace tessera {

/// Makes front s the sum of its entries of the matrix and of what its children contribute, in the order of the
/// children. Delayed columns come after its own. values: the caller's, at the sources of the plan. contribution_of(c):
/// that of child c, [below rows] square and the masses of these rows. contribution: of s, overwritten. Returns the
/// front.
template <class T, Symmetry S>
class Assembly {
public:
  Assembly(const FrontPlan &plan, FrontStore<T> &store, const T *values, bool parallel)
      : plan_(plan), store_(store), values_(values), parallel_(parallel)
  {
  }

  template <class ContributionOf>
  FrontColumns<T> &run(Index s, T *contribution, const ContributionOf &contribution_of)
  {
    const AssemblyTree &tree = plan_.tree;
    begin(s, contribution);
    add_entries(s);
    Index delayed = tree.columns(s);
    for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c)
      add_child(tree.child[c], contribution_of(tree.child[c]), delayed);
    return *front_;
  }

private:
  void begin(Index s, T *contribution);
  void add_entries(Index s);
  void add_child(Index child, const T *contribution, Index &delayed);
  void add_delayed(const FrontColumns<T> &from, const Index *to, Index below, Index first);

  /// Adds x to the entry (i, j) of the front, or to its mirror image, whichever is the lower.
  void add(Index i, Index j, T x)
  {
    if (i < j)
      *front_->at(j, i) += mirrored<S>(x);
    else
      *front_->at(i, j) += x;
  }

  const FrontPlan &plan_;
  FrontStore<T> &store_;
  const T *values_;
  const bool parallel_;
  FrontColumns<T> *front_ = nullptr;
  T *contribution_ = nullptr;
  Index own_ = 0;            ///< columns of the front that are not delayed
  Index shift_ = 0;          ///< delayed columns, which come between these and the rows below
  std::vector<Index> place_; ///< of the rows of a child's contribution
};

} // namespace tessera
#endif
