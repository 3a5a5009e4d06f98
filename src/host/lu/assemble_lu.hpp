#ifndef TESSERA_HOST_LU_ASSEMBLE_LU_HPP
#define TESSERA_HOST_LU_ASSEMBLE_LU_HPP

#include "factor/lu/lu_plan.hpp"
#include "host/lu/lu_front.hpp"

namespace tessera {

/// Makes front s the sum of its entries of the matrix and of what its children contribute, in the order of the
/// children. Delayed rows and columns come after its own. values: the caller's. contribution_of(c): that of child c,
/// [below rows] square, column-major, then the masses of its rows and of its columns. contribution: of s, overwritten.
template <class T>
class LuAssembly {
public:
  LuAssembly(const LuPlan &plan, LuStore<T> &store, const T *values, bool parallel)
      : plan_(plan), tree_(plan.fronts.tree), store_(store), values_(values), parallel_(parallel)
  {
  }

  template <class ContributionOf>
  LuFront<T> &run(Index s, T *contribution, const ContributionOf &contribution_of)
  {
    begin(s, contribution);
    add_entries(s);
    Index delayed = tree_.columns(s);
    for (Index c = tree_.child_start[s]; c < tree_.child_start[s + 1]; ++c)
      add_child(tree_.child[c], contribution_of(tree_.child[c]), delayed);
    return *front_;
  }

private:
  void begin(Index s, T *contribution);
  void add_entries(Index s);
  void add_child(Index child, T *contribution, Index &delayed);
  void add_delayed(const LuFront<T> &from, Index first);

  /// The entry of the front at these places.
  T &entry(Index i, Index j)
  {
    const Index columns = front_->columns;
    if (j < columns)
      return *front_->at(i, j);
    return i < columns ? *front_->right(i, j - columns)
                       : contribution_[std::ptrdiff_t(j - columns) * front_->below() + i - columns];
  }

  const LuPlan &plan_;
  const AssemblyTree &tree_;
  LuStore<T> &store_;
  const T *values_;
  const bool parallel_;
  LuFront<T> *front_ = nullptr;
  T *contribution_ = nullptr;
  Index own_ = 0;            ///< columns of the front that are not delayed
  Index shift_ = 0;          ///< delayed columns, which come between these and the rows below
  std::vector<Index> place_; ///< of the rows of a child's contribution
};

} // namespace tessera
#endif
