#ifndef TESSERA_HOST_FRONT_SOLVE_SUMS_BELOW_HPP
#define TESSERA_HOST_FRONT_SOLVE_SUMS_BELOW_HPP

#include "factor/front/front_plan.hpp"

#include <vector>

namespace tessera {

/// What a substitution subtracts from rows outside of a subtree, or below a front above the subtrees: memory of its
/// own, because threads work on other branches of the tree at the same time. The parent adds up what its children have,
/// in their order.
template <class T>
class SumsBelow {
public:
  /// Where a front adds to rows from `end` on; place: [rows] of them in the sum. Null: rows are where all are.
  struct Outside {
    T *sum = nullptr;
    const Index *place = nullptr;
    Index rows = 0, end = 0;
  };

  explicit SumsBelow(const FrontPlan &plan) : plan_(plan), sum_(plan.tree.fronts()) {}

  /// Begins sums for the rows below front s, which is the root of a subtree or above. place: [rows] for these rows.
  Outside begin(Index s, Index columns, std::vector<Index> &place)
  {
    const AssemblyTree &tree = plan_.tree;
    const Index below = tree.below_rows(s);
    place.resize(tree.rows());
    for (Index i = 0; i < below; ++i)
      place[tree.below[tree.below_start[s] + i]] = i;
    sum_[s].assign(std::size_t(below) * columns, T(0));
    return {sum_[s].data(), place.data(), below, tree.first[s + 1]};
  }

  /// Adds the sums of the children of front s to its own rows in x, [columns, rows], and to its sums.
  void gather(Index s, Index columns, T *x)
  {
    const AssemblyTree &tree = plan_.tree;
    const Index own = tree.columns(s), below_here = tree.below_rows(s);
    for (Index k = tree.child_start[s]; k < tree.child_start[s + 1]; ++k) {
      const Index child = tree.child[k], below = tree.below_rows(child);
      const Index *place = tree.to_parent.data() + tree.below_start[child];
      for (Index j = 0; j < columns; ++j) {
        const T *from = sum_[child].data() + std::size_t(j) * below;
        T *to_own = x + std::size_t(j) * tree.rows() + tree.first[s];
        T *to_below = sum_[s].data() + std::size_t(j) * below_here;
        for (Index i = 0; i < below; ++i)
          (place[i] < own ? to_own[place[i]] : to_below[place[i] - own]) += from[i];
      }
    }
  }

private:
  const FrontPlan &plan_;
  std::vector<std::vector<T>> sum_; ///< [fronts] where there are any
};

} // namespace tessera
#endif
