#include "analysis/symbolic/merge_leaves.hpp"

#include "base/permute.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// A supernode without children.
struct Leaf {
  std::vector<Index> below; ///< places of the vertices below its columns, ascending
  Index number, columns;    ///< columns: rows of its own
};

/// Fronts that leaves are merged into.
struct Groups {
  std::vector<Index> end; ///< of each among the leaves, which are in order
  std::vector<FrontShape> shape;
};

class LeafMerger {
public:
  LeafMerger(const Supernodes &given, const Pattern &graph, const std::vector<Index> &weight, FrontShape most,
             const WideLeaves &wide)
      : given_(given), graph_(graph), weight_(weight), most_(most), wide_(wide),
        place_(inverse_permutation(given.perm)), group_(given.count(), -1), rows_(given.count(), 0),
        mark_(given.perm.size(), 0)
  {
  }

  Supernodes run(bool roots)
  {
    const Index n = given_.count(), none = n + 1; // n: no parent
    std::vector<bool> is_leaf(n, true);
    for (Index parent : given_.parent)
      if (parent >= 0)
        is_leaf[parent] = false;
    const ItemsByKey leaves = sort_by_key(0, n, none + 1, [&](Index s) {
      return !is_leaf[s] ? none : given_.parent[s] < 0 ? n : given_.parent[s];
    });
    for (Index parent = 0; parent < (roots ? n + 1 : n); ++parent)
      merge(parent, leaves.item.data() + leaves.start[parent], leaves.item.data() + leaves.start[parent + 1]);
    return gather();
  }

private:
  Leaf leaf(Index s) const
  {
    Leaf leaf{{}, s, given_.columns(s, weight_)};
    for (Index k = given_.start[s]; k < given_.start[s + 1]; ++k)
      for (Offset p = graph_.start[given_.perm[k]]; p < graph_.start[given_.perm[k] + 1]; ++p)
        if (const Index place = place_[graph_.column[p]]; place >= given_.start[s + 1])
          leaf.below.push_back(place);
    std::sort(leaf.below.begin(), leaf.below.end());
    leaf.below.erase(std::unique(leaf.below.begin(), leaf.below.end()), leaf.below.end());
    return leaf;
  }

  /// Rows below a leaf that its group has not yet.
  Index more_rows(const Leaf &leaf) const
  {
    Index rows = 0;
    for (Index place : leaf.below)
      rows += mark_[place] == stamp_ ? 0 : weight_[given_.perm[place]];
    return rows;
  }

  void mark(const Leaf &leaf)
  {
    for (Index place : leaf.below)
      mark_[place] = stamp_;
  }

  /// Groups as large as the bounds allow.
  Groups group(const std::vector<Leaf> &leaves, FrontShape most)
  {
    Groups groups;
    FrontShape shape;
    ++stamp_;
    for (Index k = 0; k < Index(leaves.size()); ++k) {
      const Leaf &next = leaves[k];
      Index more = next.columns + more_rows(next);
      if (k > 0 && (shape.columns + next.columns > most.columns || shape.rows + more > most.rows)) {
        groups.end.push_back(k);
        groups.shape.push_back(shape);
        ++stamp_;
        shape = {};
        more = next.columns + more_rows(next);
      }
      mark(next);
      shape.columns += next.columns;
      shape.rows += more;
    }
    if (!leaves.empty()) {
      groups.end.push_back(Index(leaves.size()));
      groups.shape.push_back(shape);
    }
    return groups;
  }

  /// Sums of so many groups at most. A group that is too large for one is alone.
  Index count_sums(const std::vector<Leaf> &leaves, const Groups &groups, Index most_children)
  {
    Index sums = 0, children = most_children, rows = 0;
    for (Index g = 0, k = 0; g < Index(groups.end.size()); k = groups.end[g++]) {
      const bool fits = groups.shape[g].rows <= wide_.sum_rows;
      for (bool added = false; !added;) {
        Index more = 0;
        if (children == most_children || !fits) {
          ++sums;
          ++stamp_;
          children = rows = 0;
        }
        for (Index l = k; l < groups.end[g]; ++l) {
          more += more_rows(leaves[l]);
          mark(leaves[l]);
        }
        added = children == 0 || rows + more <= wide_.sum_rows;
        rows += more;
        children = added && fits ? children + 1 : most_children;
      }
    }
    return sums;
  }

  /// What the parent adds up.
  Index count_added(const std::vector<Leaf> &leaves, const Groups &groups)
  {
    Index added = Index(groups.shape.size());
    for (Index children = wide_.sum_children; added > 2 * wide_.sum_children; children *= wide_.sum_children) {
      const Index sums = count_sums(leaves, groups, children);
      if (4 * sums > 3 * added)
        break;
      added = sums;
    }
    return added;
  }

  double cost(const std::vector<Leaf> &leaves, const Groups &groups)
  {
    return wide_.cost(groups.shape, count_added(leaves, groups));
  }

  /// Those of begin .. end - 1 that are to be merged, those of like structure next to each other.
  template <class Which>
  std::vector<Leaf> sorted_leaves(const Index *begin, const Index *end, const Which &which) const
  {
    std::vector<Leaf> leaves;
    for (const Index *s = begin; s < end; ++s)
      if (which(*s))
        leaves.push_back(leaf(*s));
    std::stable_sort(leaves.begin(), leaves.end(), [](const Leaf &a, const Leaf &b) { return a.below < b.below; });
    return leaves;
  }

  /// Groups the leaves begin .. end - 1 of a parent.
  void merge(Index parent, const Index *begin, const Index *end)
  {
    if (end - begin < 2)
      return;
    const std::vector<Leaf> small = sorted_leaves(begin, end, [&](Index s) {
      return given_.height[s] < most_.rows && given_.columns(s, weight_) < most_.columns;
    });
    const Groups groups = group(small, most_);
    const std::size_t left = groups.shape.size() + std::size_t(end - begin) - small.size();
    if (may_be_wide(parent, left)) {
      const std::vector<Leaf> all = sorted_leaves(begin, end, [](Index) { return true; });
      take(all, cheapest(all));
    } else {
      take(small, groups);
    }
  }

  /// Whether a parent of so many fronts is looked at for wider ones.
  bool may_be_wide(Index parent, std::size_t fronts) const
  {
    return !wide_.bounds.empty() && parent < given_.count() && given_.height[parent] >= wide_.least_rows &&
           fronts >= std::size_t(wide_.least_leaves);
  }

  /// Of the groups of all bounds.
  Groups cheapest(const std::vector<Leaf> &leaves)
  {
    Groups best = group(leaves, most_);
    double least = cost(leaves, best);
    for (FrontShape bounds : wide_.bounds) {
      Groups other = group(leaves, bounds);
      if (const double x = cost(leaves, other); x < least) {
        least = x;
        best = std::move(other);
      }
    }
    return best;
  }

  /// A group has the number of its first leaf.
  void take(const std::vector<Leaf> &leaves, const Groups &groups)
  {
    for (Index g = 0, k = 0; g < Index(groups.end.size()); ++g) {
      const Index first = leaves[k].number;
      rows_[first] = groups.shape[g].rows;
      for (; k < groups.end[g]; ++k)
        group_[leaves[k].number] = first;
    }
  }

  /// Each group where its first supernode was.
  Supernodes gather() const
  {
    const Index n = given_.count();
    std::vector<Index> place_of(n, -1); // that a group is listed at: its least number
    for (Index s = 0; s < n; ++s)
      if (group_[s] >= 0 && place_of[group_[s]] < 0)
        place_of[group_[s]] = s;
    const auto survivor = [&](Index s) { return group_[s] < 0 ? s : place_of[group_[s]]; };
    const ItemsByKey members = sort_by_key(0, n, n, survivor);
    std::vector<Index> number(n, -1), old;
    Supernodes result;
    result.perm.reserve(given_.perm.size());
    result.start = {0};
    for (Index s = 0; s < n; ++s) {
      if (survivor(s) != s)
        continue;
      number[s] = static_cast<Index>(old.size());
      old.push_back(s);
      for (Index m = members.start[s]; m < members.start[s + 1]; ++m)
        result.perm.insert(result.perm.end(), given_.perm.begin() + given_.start[members.item[m]],
                           given_.perm.begin() + given_.start[members.item[m] + 1]);
      result.start.push_back(static_cast<Index>(result.perm.size()));
    }
    for (Index s : old) {
      result.parent.push_back(given_.parent[s] < 0 ? -1 : number[given_.parent[s]]);
      result.height.push_back(group_[s] < 0 ? given_.height[s] : rows_[group_[s]]);
    }
    return result;
  }

  const Supernodes &given_;
  const Pattern &graph_;
  const std::vector<Index> &weight_;
  const FrontShape most_;
  const WideLeaves &wide_;
  const std::vector<Index> place_; ///< [vertices] in the order of the supernodes
  std::vector<Index> group_;       ///< [supernodes] or -1
  std::vector<Index> rows_;        ///< [groups] with those below
  std::vector<Index> mark_;        ///< [places] the last group that has it below
  Index stamp_ = 0;
};

} // namespace

Supernodes merge_leaves(const Supernodes &supernodes, const Pattern &graph, const std::vector<Index> &weight,
                        FrontShape most, bool roots, const WideLeaves &wide)
{
  return LeafMerger(supernodes, graph, weight, most, wide).run(roots);
}

} // namespace tessera
