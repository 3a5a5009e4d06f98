#ifndef TESSERA_HOST_FRONT_ASSEMBLE_HPP
#define TESSERA_HOST_FRONT_ASSEMBLE_HPP

#include "host/front/front_store.hpp"

namespace tessera {

/// Makes front s the sum of its entries of the matrix and of what its children contribute, in the order of the
/// children. Delayed columns come after its own. values: the caller's. contribution_of(c): that of child c, [below
/// rows] square and the masses of these rows. contribution: of s, overwritten. Returns the front.
class Assembly {
public:
  Assembly(const FrontPlan &plan, FrontStore &store, const double *values, bool parallel)
      : plan_(plan), store_(store), values_(values), parallel_(parallel)
  {
  }

  template <class ContributionOf>
  FrontColumns &run(Index s, double *contribution, const ContributionOf &contribution_of)
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
  void begin(Index s, double *contribution);
  void add_entries(Index s);
  void add_child(Index child, const double *contribution, Index &delayed);
  void add_delayed(const FrontColumns &from, const Index *to, Index below, Index first);

  /// Adds x to the entry of the front at these places, whichever is the lower.
  void add(Index i, Index j, double x)
  {
    if (i < j)
      std::swap(i, j);
    *front_->at(i, j) += x;
  }

  const FrontPlan &plan_;
  FrontStore &store_;
  const double *values_;
  const bool parallel_;
  FrontColumns *front_ = nullptr;
  double *contribution_ = nullptr;
  Index own_ = 0;            ///< columns of the front that are not delayed
  Index shift_ = 0;          ///< delayed columns, which come between these and the rows below
  std::vector<Index> place_; ///< of the rows of a child's contribution
};

} // namespace tessera
#endif
