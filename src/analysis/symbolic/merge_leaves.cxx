#include "analysis/symbolic/merge_leaves.hpp"

#include "base/permute.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// A supernode without children, or several as one front, or fronts that are added up.
struct Item {
  std::vector<Index> below; ///< places of the vertices below its columns, ascending
  Index size, columns;      ///< what is bounded, and rows of its own
  Index rows;               ///< its own and those below
  Index end;                ///< of its items in a list; of a leaf its number
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
  Item leaf(Index s) const
  {
    Item leaf{{}, 0, given_.columns(s, weight_), 0, s};
    for (Index k = given_.start[s]; k < given_.start[s + 1]; ++k)
      for (Offset p = graph_.start[given_.perm[k]]; p < graph_.start[given_.perm[k] + 1]; ++p)
        if (const Index place = place_[graph_.column[p]]; place >= given_.start[s + 1])
          leaf.below.push_back(place);
    std::sort(leaf.below.begin(), leaf.below.end());
    leaf.below.erase(std::unique(leaf.below.begin(), leaf.below.end()), leaf.below.end());
    leaf.size = leaf.columns;
    return leaf;
  }

  /// Rows below an item that the pack at hand has not yet.
  Index more_rows(const Item &item) const
  {
    Index rows = 0;
    for (Index place : item.below)
      rows += mark_[place] == stamp_ ? 0 : weight_[given_.perm[place]];
    return rows;
  }

  /// Packs items, next to each other in the list, as large as the bounds allow, or of one item.
  std::vector<Item> pack(const std::vector<Item> &items, Index most_size, Index most_rows)
  {
    std::vector<Item> packs;
    for (Index k = 0; k < Index(items.size()); ++k) {
      const Item &next = items[k];
      if (packs.empty() || packs.back().size + next.size > most_size ||
          packs.back().rows + next.columns + more_rows(next) > most_rows) {
        packs.push_back({{}, 0, 0, 0, 0});
        ++stamp_;
      }
      Item &pack = packs.back();
      pack.size += next.size;
      pack.columns += next.columns;
      pack.rows += next.columns + more_rows(next);
      pack.end = k + 1;
      for (Index place : next.below)
        if (mark_[place] != stamp_) {
          mark_[place] = stamp_;
          pack.below.push_back(place);
        }
    }
    return packs;
  }

  /// What the parent adds up: these fronts, or sums of them, as group_children() makes them. A front that is too large
  /// for one is alone.
  Index count_added(std::vector<Item> items)
  {
    for (Item &item : items) {
      item.size = item.rows <= wide_.sum_rows ? 1 : wide_.sum_children;
      item.columns = 0;
    }
    while (Index(items.size()) > wide_.most_added) {
      std::vector<Item> sums = pack(items, wide_.sum_children, wide_.sum_rows);
      if (4 * sums.size() > 3 * items.size())
        break;
      for (Item &sum : sums)
        sum.size = sum.rows <= wide_.sum_rows ? 1 : wide_.sum_children;
      items = std::move(sums);
    }
    return Index(items.size());
  }

  double cost(const std::vector<Item> &fronts)
  {
    std::vector<FrontShape> shapes;
    shapes.reserve(fronts.size());
    for (const Item &front : fronts)
      shapes.push_back({front.columns, front.rows});
    return wide_.cost(shapes, count_added(fronts));
  }

  /// Those of begin .. end - 1 that are to be merged, those of like structure next to each other.
  template <class Which>
  std::vector<Item> sorted_leaves(const Index *begin, const Index *end, const Which &which) const
  {
    std::vector<Item> leaves;
    for (const Index *s = begin; s < end; ++s)
      if (which(*s))
        leaves.push_back(leaf(*s));
    std::stable_sort(leaves.begin(), leaves.end(), [](const Item &a, const Item &b) { return a.below < b.below; });
    return leaves;
  }

  /// Groups the leaves begin .. end - 1 of a parent.
  void merge(Index parent, const Index *begin, const Index *end)
  {
    if (end - begin < 2)
      return;
    const std::vector<Item> small = sorted_leaves(begin, end, [&](Index s) {
      return given_.height[s] < most_.rows && given_.columns(s, weight_) < most_.columns;
    });
    const std::vector<Item> fronts = pack(small, most_.columns, most_.rows);
    const std::size_t left = fronts.size() + std::size_t(end - begin) - small.size();
    if (may_be_wide(parent, left)) {
      const std::vector<Item> all = sorted_leaves(begin, end, [](Index) { return true; });
      take(all, cheapest(all));
    } else {
      take(small, fronts);
    }
  }

  /// Whether a parent of so many fronts is looked at for wider ones.
  bool may_be_wide(Index parent, std::size_t fronts) const
  {
    return !wide_.bounds.empty() && parent < given_.count() && given_.height[parent] >= wide_.least_rows &&
           fronts >= std::size_t(wide_.least_leaves);
  }

  /// The fronts of all bounds that cost least.
  std::vector<Item> cheapest(const std::vector<Item> &leaves)
  {
    std::vector<Item> best = pack(leaves, most_.columns, most_.rows);
    double least = cost(best);
    for (FrontShape bounds : wide_.bounds) {
      std::vector<Item> other = pack(leaves, bounds.columns, bounds.rows);
      if (const double x = cost(other); x < least) {
        least = x;
        best = std::move(other);
      }
    }
    return best;
  }

  /// Groups the leaves of each front. A group has the number of its first leaf.
  void take(const std::vector<Item> &leaves, const std::vector<Item> &fronts)
  {
    Index k = 0;
    for (const Item &front : fronts) {
      const Index first = leaves[k].end;
      rows_[first] = front.rows;
      for (; k < front.end; ++k)
        group_[leaves[k].end] = first;
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
  std::vector<Index> mark_;        ///< [places] the last pack that has it below
  Index stamp_ = 0;
};

} // namespace

Supernodes merge_leaves(const Supernodes &supernodes, const Pattern &graph, const std::vector<Index> &weight,
                        FrontShape most, bool roots, const WideLeaves &wide)
{
  return LeafMerger(supernodes, graph, weight, most, wide).run(roots);
}

} // namespace tessera
